"""The app factory: the edge and the routes around one deployment and its tools. No lifespan, no background task."""

import os
from collections.abc import Callable, Sequence
from typing import Final

from fastapi import FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from connecta.auth.authenticator import Authenticator
from connecta.auth.authorization_server.server import Server
from connecta.auth.buckets import Buckets
from connecta.auth.callers import CallerKind
from connecta.auth.discovery import discovery_of
from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.deployment import Connecta
from connecta.protocol.endpoint import Endpoint
from connecta.protocol.sdk import Seam, ShellContents
from connecta.tools.definition import ToolService
from connecta.version import VERSION
from connecta.views.shell import shell_contents as kept_shells
from connecta.web.afterwards import Afterwards
from connecta.web.backstop import Backstop
from connecta.web.downstream import DownstreamDoor
from connecta.web.edge import EdgeGuard
from connecta.web.health import Health, ReadStandings, SandboxStatus
from connecta.web.mcp import McpDoor
from connecta.web.oauth import AuthorizePages, NoSignIn, OAuthDoor, add_oauth_routes
from connecta.web.operator.pages import OperatorPages
from connecta.web.operator.places import is_operator_place
from connecta.web.refusals import refusal
from connecta.web.resource import Resource
from connecta.web.sign_in.pages import SignInPages
from connecta.web.throttle import PageThrottle, Throttle, ThrottledPage

PUBLIC_URL_VARIABLE: Final = "PUBLIC_URL"
"""Where the template says under which origin people reach this deployment, when its own code does not."""


def create_app(
    deployment: Connecta,
    service: ToolService,
    *,
    local: bool,
    callers: Sequence[CallerKind],
    sandbox_status: SandboxStatus = lambda: None,
    before_answer: Callable[[], None] = lambda: None,
    after_answer: Callable[[], None] = lambda: None,
    shell_contents: ShellContents = kept_shells,
    authorization_server: Server | None = None,
    authorize_pages: AuthorizePages | None = None,
    buckets: Buckets | None = None,
    downstream_oauth: DownstreamOAuth | None = None,
    operator_pages: OperatorPages | None = None,
    standings: ReadStandings,
) -> FastAPI:
    """One ASGI application for one process. ``callers`` recognize who may come in.

    ``local`` is the server on one's own machine: it believes loopback names, gives pages of this machine CORS, and
    without auth lets in loopback. ``before_answer`` is called when an answer is ready, ``after_answer`` when it has
    been sent; where the platform sends what is returned, as Lambda does, that is just before it. ``standings`` reads
    how the connectors stand, for ``/health``.

    Raises ``UnsafeDeployment`` for a deployment elsewhere that has no auth.
    """
    limits = deployment.limits
    authenticator = Authenticator(callers, local=local)
    seam = Seam(service, shell_contents, name=deployment.name, version=VERSION, limits=limits)
    public_url = deployment.public_url or os.environ.get(PUBLIC_URL_VARIABLE) or None
    resource = Resource(deployment.name, discovery_of(deployment.auth), public_url=public_url, local=local)
    throttle = Throttle(buckets or Buckets(None, limits), limits, local=local)
    door = McpDoor(
        Endpoint(seam, limits), authenticator, resource, throttle, public_url=public_url, limits=limits, local=local
    )
    health = Health(VERSION, len(deployment.connectors), sandbox_status, standings, limits)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, redirect_slashes=False)

    @app.post("/mcp")
    async def mcp(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        try:
            return await door.answer(request)
        finally:
            before_answer()

    @app.get("/health")
    async def report_health() -> JSONResponse:  # pyright: ignore[reportUnusedFunction]
        return JSONResponse(await health.report(), headers={"cache-control": "no-store"})

    resource.add_routes(app)
    if authorization_server is not None:
        pages = authorize_pages or NoSignIn()
        oauth = OAuthDoor(authorization_server, pages, public_url=public_url, limits=limits, local=local)
        add_oauth_routes(app, oauth)
        if isinstance(pages, SignInPages):
            pages.add_routes(app, oauth)
        app.add_middleware(PageThrottle, throttle=throttle, page=_throttled(pages.refused, operator_pages))
    if downstream_oauth is not None:
        back = DownstreamDoor(deployment, downstream_oauth, public_url=public_url, local=local)
        back.add_routes(app)
        if authorization_server is None:
            app.add_middleware(PageThrottle, throttle=throttle, page=_throttled(back.refused, operator_pages))
    if operator_pages is not None:
        operator_pages.add_routes(app, public_url=public_url, local=local)
    app.add_exception_handler(HTTPException, _refused)
    app.add_middleware(EdgeGuard, public_url=public_url, allowed_origins=deployment.allowed_origins, local=local)
    # What is added later is further out.
    app.add_middleware(Backstop, limits=limits)
    app.add_middleware(Afterwards, then=after_answer)
    return app


def _throttled(refused: ThrottledPage, operator_pages: OperatorPages | None) -> ThrottledPage:
    """What a person is shown who asks for too many pages: the operator's own, else what ``refused`` makes."""

    async def page(request: Request, message: str, status: int) -> Response:
        if operator_pages is not None and is_operator_place(request.url.path):
            return operator_pages.throttled(message)
        return await refused(request, message, status)

    return page


async def _refused(request: Request, error: Exception) -> Response:
    """What routing itself refuses (404, 405), in the one shape refusals have here."""
    assert isinstance(error, HTTPException)
    return refusal(error.status_code, "refused", error.detail, error.headers)
