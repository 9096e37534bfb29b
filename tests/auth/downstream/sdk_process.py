"""A downstream and its authorization server as one process, made of the Python SDK's server side. What it should do
wrong it is told at ``/control``, and what came at ``/seen``."""

import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.routes import create_auth_routes
from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from pydantic import AnyHttpUrl
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from examples.shop.serving import serve
from tests.fixtures.misbehaving_server import MCP_ANSWERS

SCOPES = ["notes.read", "notes.write"]


@dataclass
class Control:
    """``token_status`` is answered by the token endpoint in place of what it would say, unread unless
    ``loses_answers``."""

    denies: bool = False
    wants: str = "notes.read"
    lasts_s: int | None = 3600
    token_status: int = 0
    token_location: str = ""
    loses_answers: bool = False
    resource_metadata: str = ""
    resource: str = ""
    issuers: list[str] | None = None
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    iss: str = ""


@dataclass
class Seen:
    registrations: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    codes: int = 0
    refreshes: int = 0
    revocations: int = 0
    resources: list[str] = field(default_factory=list[str])
    authorizations: int = 0


class Desk(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Grants whatever it is asked for, at once; refresh tokens are good once."""

    def __init__(self) -> None:
        self.control, self.seen = Control(), Seen()
        self.clients: dict[str, OAuthClientInformationFull] = {}
        self.codes: dict[str, AuthorizationCode] = {}
        self.access: dict[str, AccessToken] = {}
        self.refresh: dict[str, RefreshToken] = {}

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        assert client_info.client_id is not None
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        iss = {"iss": self.control.iss} if self.control.iss else {}
        if self.control.denies:
            return construct_redirect_uri(str(params.redirect_uri), error="access_denied", state=params.state, **iss)
        assert client.client_id is not None
        code = AuthorizationCode(
            code=secrets.token_urlsafe(24),
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        self.codes[code.code] = code
        return construct_redirect_uri(str(params.redirect_uri), code=code.code, state=params.state, **iss)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        del self.codes[authorization_code.code]
        self.seen.codes += 1
        return self._tokens(authorization_code.client_id, authorization_code.scopes, authorization_code.resource)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        del self.refresh[refresh_token.token]
        return self._tokens(refresh_token.client_id, refresh_token.scopes, refresh_token.resource)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.access.get(token)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.seen.revocations += 1
        self.access.pop(token.token, None)
        self.refresh.pop(token.token, None)

    def _tokens(self, client: str, scopes: list[str], resource: str | None) -> OAuthToken:
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.access[access] = AccessToken(token=access, client_id=client, scopes=scopes, resource=resource)
        self.refresh[refresh] = RefreshToken(token=refresh, client_id=client, scopes=scopes, resource=resource)
        return OAuthToken(
            access_token=access, refresh_token=refresh, expires_in=self.control.lasts_s, scope=" ".join(scopes)
        )


class Watched:
    """``app``, with what is asked of it noted, and answered otherwise where the desk is told to."""

    def __init__(self, app: ASGIApp, desk: Desk) -> None:
        self._app = app
        self._desk = desk

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] not in ("/token", "/register"):
            await self._app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        control, seen = self._desk.control, self._desk.seen
        if scope["path"] == "/register":
            seen.registrations.append(json.loads(body))
        else:
            form = dict(parse_qsl(body.decode()))
            seen.resources.append(form.get("resource", ""))
            seen.refreshes += form.get("grant_type") == "refresh_token"
        broken = scope["path"] == "/token" and control.token_status > 0
        if not broken or control.loses_answers:
            await self._app(scope, _replayed(body), _nowhere if broken else send)
        if broken:
            headers = {"location": control.token_location} if control.token_location else {}
            await PlainTextResponse("broken", control.token_status, headers)(scope, receive, send)


def _replayed(body: bytes) -> Receive:
    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    return receive


async def _nowhere(message: Message) -> None:
    """The answer is lost."""


def mcp_answer(message: dict[str, Any]) -> Response:
    """What a server with one tool says."""
    if "id" not in message:
        return Response(status_code=202)
    return JSONResponse({"jsonrpc": "2.0", "id": message["id"], "result": MCP_ANSWERS[message["method"]]})


def app_at(origin: str) -> ASGIApp:
    desk = Desk()

    async def downstream(request: Request) -> Response:
        kind, _, text = request.headers.get("authorization", "").partition(" ")
        token = desk.access.get(text) if kind == "Bearer" else None
        metadata = desk.control.resource_metadata or f"{origin}/.well-known/oauth-protected-resource/mcp"
        named = f'resource_metadata="{metadata}"'
        if token is None or token.resource != f"{origin}/mcp":
            return Response(status_code=401, headers={"www-authenticate": f"Bearer {named}"})
        if not set(desk.control.wants.split()) <= set(token.scopes):
            challenge = f'Bearer error="insufficient_scope", scope="{desk.control.wants}", {named}'
            return Response(status_code=403, headers={"www-authenticate": challenge})
        if request.method == "POST":
            return mcp_answer(await request.json())
        return JSONResponse({"scope": " ".join(token.scopes)})

    async def resource(request: Request) -> Response:
        issuers = [origin] if desk.control.issuers is None else desk.control.issuers
        named = desk.control.resource or f"{origin}/mcp"
        return JSONResponse({"resource": named, "authorization_servers": issuers, "scopes_supported": ["notes.read"]})

    async def control(request: Request) -> Response:
        told: Mapping[str, Any] = await request.json()
        desk.control = Control(**told)
        return JSONResponse({})

    async def forget(request: Request) -> Response:
        desk.access.clear()
        if request.query_params["what"] == "grants":
            desk.refresh.clear()
        return JSONResponse({})

    async def forget_clients(request: Request) -> Response:
        desk.clients.clear()
        return JSONResponse({})

    async def seen(request: Request) -> Response:
        return JSONResponse(asdict(desk.seen))

    async def metadata(request: Request) -> Response:
        """What the SDK says of itself, less its issuer's slash, and with what it is told to say."""
        said = {
            "issuer": origin,
            "authorization_endpoint": f"{origin}/authorize",
            "token_endpoint": f"{origin}/token",
            "registration_endpoint": f"{origin}/register",
            "revocation_endpoint": f"{origin}/revoke",
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
            **desk.control.metadata,
        }
        return JSONResponse({name: value for name, value in said.items() if value is not None})

    async def ready(request: Request) -> Response:
        return PlainTextResponse("ready")

    sdk = create_auth_routes(
        desk,
        AnyHttpUrl(origin),
        client_registration_options=ClientRegistrationOptions(enabled=True, valid_scopes=SCOPES, default_scopes=SCOPES),
        revocation_options=RevocationOptions(enabled=True),
    )
    own = [
        Route("/mcp", downstream, methods=["GET", "POST"]),
        Route("/.well-known/oauth-protected-resource/mcp", resource),
        Route("/control", control, methods=["POST"]),
        Route("/forget", forget),
        Route("/forget-clients", forget_clients),
        Route("/seen", seen),
        Route("/ready", ready),
    ]
    changed = [Route("/.well-known/oauth-authorization-server", metadata)]
    return Watched(Starlette(routes=[*changed, *own, *sdk]), desk)


class Late:
    """The app of the origin it is first asked at: the port is the parent's to choose."""

    def __init__(self) -> None:
        self._app: ASGIApp | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if self._app is None:
            host, port = scope["server"]
            self._app = app_at(f"http://{host}:{port}")
        await self._app(scope, receive, send)


if __name__ == "__main__":
    serve(Late())
