"""Who may talk to this server from where: its own host names, and the origins of browsers it answers.

A name in ``Host`` is believed only where something else vouches for it: API Gateway's own account of the request,
the deployment's public URL, or, on a local server, its being a name of this machine (DNS rebinding).
"""

from collections.abc import Sequence
from functools import partial
from http import HTTPStatus
from typing import Final, cast
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from connecta.auth.authorization_server.metadata import REGISTER_PATH, REVOKE_PATH, TOKEN_PATH
from connecta.web.refusals import refusal

_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}

_FOR_ANYONE: Final = frozenset({TOKEN_PATH, REGISTER_PATH, REVOKE_PATH})
_WELL_KNOWN: Final = "/.well-known/"

_PREFLIGHT: Final = {
    "access-control-allow-methods": "GET, POST",
    "access-control-allow-headers": (
        "accept, authorization, content-type, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id"
    ),
    "access-control-max-age": "600",
}


def own_origins(scope: Scope, public_url: str | None, *, local: bool) -> tuple[str, ...]:
    """The origins this request's server has, the most public first; empty when nothing vouches for any."""
    found = [public_url] if public_url else []
    domain = _gateway_domain(scope)
    if domain is not None and domain not in _LOOPBACK:
        found.append(f"https://{domain}")
    # SAM CLI's gateway calls itself localhost, whatever name and port it is reached by.
    if local or domain in _LOOPBACK:
        here = f"{scope['scheme']}://{Headers(scope=scope).get('host', '')}"
        found.extend([here] if is_loopback(here) else [])
    return tuple(normal for origin in found if (normal := normal_origin(origin)) is not None)


def normal_origin(origin: str) -> str | None:
    """``scheme://host[:port]`` in lower case and without a default port, ``None`` for what is no HTTP origin."""
    try:
        parts = urlsplit(origin)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname or parts.username is not None or parts.path.strip("/"):
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + ("" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}")


def is_loopback(origin: str) -> bool:
    normal = normal_origin(origin)
    return normal is not None and urlsplit(normal).hostname in _LOOPBACK


class EdgeGuard:
    """Answers 421 for a foreign ``Host`` and 403 for a foreign ``Origin``. On a local server, pages of this machine
    get CORS; in Lambda nobody does, save where clients that run in a browser find out how to sign in: no cookie is
    read there, so a page gets nothing that whoever wrote it could not get without it."""

    def __init__(self, app: ASGIApp, *, public_url: str | None, allowed_origins: Sequence[str], local: bool) -> None:
        self._app = app
        self._public_url = public_url
        self._allowed = frozenset(normal for origin in allowed_origins if (normal := normal_origin(origin)))
        self._local = local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        own = own_origins(scope, self._public_url, local=self._local)
        origin = headers.get("origin")
        if not _is_host_of(headers.get("host", ""), own):
            answer = refusal(HTTPStatus.MISDIRECTED_REQUEST, "host_not_served", "This server does not serve that host.")
            await answer(scope, receive, send)
        elif origin is not None and _is_for_anyone(scope["path"]):
            await self._with_cors("*", scope, receive, send)
        elif origin is not None and not self._may_come_from(origin, own):
            answer = refusal(HTTPStatus.FORBIDDEN, "origin_not_allowed", "Requests from that origin are not allowed.")
            await answer(scope, receive, send)
        elif self._local and origin is not None and is_loopback(origin):
            await self._with_cors(origin, scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _may_come_from(self, origin: str, own: Sequence[str]) -> bool:
        normal = normal_origin(origin)
        return normal is not None and (
            normal in own or normal in self._allowed or (self._local and is_loopback(normal))
        )

    async def _with_cors(self, origin: str, scope: Scope, receive: Receive, send: Send) -> None:
        exposed = "www-authenticate, retry-after"
        shared = {"access-control-allow-origin": origin, "access-control-expose-headers": exposed}
        if scope["method"] == "OPTIONS" and "access-control-request-method" in Headers(scope=scope):
            answer = Response(None, HTTPStatus.NO_CONTENT, {**shared, **_PREFLIGHT, "vary": "Origin"})
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, partial(_send_shared, shared, send))


async def _send_shared(shared: dict[str, str], send: Send, message: Message) -> None:
    if message["type"] == "http.response.start":
        headers = MutableHeaders(scope=message)
        headers.update(shared)
        headers.add_vary_header("Origin")
    await send(message)


def _is_for_anyone(path: str) -> bool:
    return path.startswith(_WELL_KNOWN) or path in _FOR_ANYONE


def _gateway_domain(scope: Scope) -> str | None:
    event = cast("dict[str, dict[str, object]]", scope.get("aws.event") or {})
    domain = event.get("requestContext", {}).get("domainName")
    return domain if isinstance(domain, str) else None


def _is_host_of(host: str, own: Sequence[str]) -> bool:
    return any(normal_origin(f"{urlsplit(origin).scheme}://{host}") == origin for origin in own)
