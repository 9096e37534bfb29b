"""What the local server answers beside its endpoint: the preview's page, and on a port of its own the views' sandbox.

The two are different origins, as MCP Apps asks. The page holds the token a person typed; what is in the sandbox can
reach neither the page nor the endpoint.
"""

from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from connecta.local.preview.policies import VIEWS, page_policy, view_policy
from connecta.local.preview.reports import REPORT_BYTES, Reports
from connecta.web.edge import EdgeGuard, is_loopback, normal_origin
from connecta.web.refusals import refusal

PATH: Final = "/preview"
_STATIC: Final = Path(__file__).parent / "static"
_TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
}
_ALWAYS: Final = {
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "referrer-policy": "origin",
}
_PAGE_HEADERS: Final = {
    **_ALWAYS,
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
}


@dataclass(frozen=True, slots=True)
class About:
    """What the page is told. ``token``: whether clients of this deployment send one."""

    deployment: str
    token: bool
    port: int
    sandbox_port: int


def local_site(endpoint: ASGIApp, about: About) -> ASGIApp:
    """``endpoint`` with the preview beside it, for a server that listens on both of the ports in ``about``."""
    reports = Reports()
    page = EdgeGuard(_page(about, reports), public_url=None, allowed_origins=(), local=True)
    sandbox = _sandbox(about, reports)

    async def site(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await endpoint(scope, receive, send)
        elif scope["server"][1] == about.sandbox_port:
            await _of_this_machine(sandbox, scope, receive, send)
        elif _comes_from(about.sandbox_port, scope):
            message = "Views do not call the endpoint themselves."
            await refusal(HTTPStatus.FORBIDDEN, "origin_not_allowed", message)(scope, receive, send)
        elif scope["path"] == PATH or scope["path"].startswith(f"{PATH}/"):
            await page(scope, receive, send)
        else:
            await endpoint(scope, receive, send)

    return site


def _comes_from(port: int, scope: Scope) -> bool:
    origin = normal_origin(Headers(scope=scope).get("origin", ""))
    return origin is not None and urlsplit(origin).port == port


async def _of_this_machine(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a foreign ``Host`` (DNS rebinding). ``Origin`` is free: a view's frame reports from no origin at all."""
    if is_loopback(f"http://{Headers(scope=scope).get('host', '')}"):
        await app(scope, receive, send)
        return
    answer = refusal(HTTPStatus.MISDIRECTED_REQUEST, "host_not_served", "This server does not serve that host.")
    await answer(scope, receive, send)


def _page(about: About, reports: Reports) -> Starlette:
    headers = {**_PAGE_HEADERS, "content-security-policy": page_policy(about.sandbox_port)}
    told = {"deployment": about.deployment, "token": about.token, "sandboxPort": about.sandbox_port}

    async def show_about(request: Request) -> Response:
        return JSONResponse(told, headers=headers)

    async def violations(request: Request) -> Response:
        return JSONResponse(reports.of(request.query_params.get("run", "")), headers=headers)

    files = [
        Route(PATH if file.name == "index.html" else f"{PATH}/{file.name}", partial(_fixed, _response(file, headers)))
        for file in sorted(_STATIC.iterdir())
        if file.name != "sandbox.html"
    ]
    return Starlette(
        routes=[*files, Route(f"{PATH}/about.json", show_about), Route(f"{PATH}/violations.json", violations)]
    )


def _response(file: Path, headers: dict[str, str]) -> Response:
    return Response(file.read_bytes(), headers=headers, media_type=_TYPES[file.suffix])


async def _fixed(response: Response, request: Request) -> Response:
    return response


def _sandbox(about: About, reports: Reports) -> Starlette:
    html = (_STATIC / "sandbox.html").read_bytes()

    async def proxy(request: Request) -> Response:
        policy, run = request.query_params.get("policy", ""), request.query_params.get("run", "")
        if policy not in VIEWS or not reports.begin(run):
            return refusal(HTTPStatus.NOT_FOUND, "refused", "There is no such sandbox.")
        headers = {**_ALWAYS, "content-security-policy": view_policy(policy, about.port, run)}
        return Response(html, headers=headers, media_type=_TYPES[".html"])

    async def report(request: Request) -> Response:
        body = b""
        async for chunk in request.stream():
            body += chunk
            if len(body) > REPORT_BYTES:
                return Response(status_code=HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
        reports.add(request.query_params.get("run", ""), body)
        return Response(status_code=HTTPStatus.NO_CONTENT)

    return Starlette(routes=[Route("/sandbox.html", proxy), Route("/csp-report", report, methods=["POST"])])
