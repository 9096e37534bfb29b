"""The embedded authorization server on the wire: metadata, registration, tokens, revocation, and the front half of
authorization, which ends in pages for the person."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Final, Protocol

from fastapi import FastAPI, Request, Response
from starlette.requests import ClientDisconnect
from starlette.responses import JSONResponse, RedirectResponse

from connecta.auth.authorization_server.errors import OAuthError, Redirected, Unanswerable, invalid_request
from connecta.auth.authorization_server.forms import Pairs, pairs_in
from connecta.auth.authorization_server.metadata import (
    AUTHORIZE_PATH,
    REGISTER_PATH,
    REVOKE_PATH,
    SERVER_METADATA_PATH,
    TOKEN_PATH,
    server_metadata,
)
from connecta.auth.authorization_server.requests import AuthorizationRequest
from connecta.auth.authorization_server.server import Server
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.web.bodies import CLIENT_GONE, body_within
from connecta.web.edge import own_origins
from connecta.web.refusals import refusal

NEVER_KEPT: Final = {"cache-control": "no-store", "pragma": "no-cache", "x-content-type-options": "nosniff"}
_FORM: Final = "application/x-www-form-urlencoded"
_JSON: Final = "application/json"
_RETRY_S: Final = 5


class AuthorizePages(Protocol):
    """What a person sees between asking a client to connect and being sent back to it."""

    async def show(self, request: Request, authorization: AuthorizationRequest) -> Response:
        """The page for a request that was checked: sign in, then agree or not."""
        ...

    async def refused(self, request: Request, message: str, status: int, *, back: str | None = None) -> Response:
        """The page for a request that leads nowhere; ``message`` is a sentence for the person, ``back`` where they may
        go to have the client told."""
        ...


class NoSignIn:
    """The pages of a deployment that has no way to sign in."""

    async def show(self, request: Request, authorization: AuthorizationRequest) -> Response:
        message = "This deployment has no way to sign in."
        return refusal(HTTPStatus.NOT_IMPLEMENTED, "no_sign_in", message, NEVER_KEPT)

    async def refused(self, request: Request, message: str, status: int, *, back: str | None = None) -> Response:
        return refusal(status, "authorization_refused", message, NEVER_KEPT)


class OAuthDoor:
    """The door to one ``Server``. Shared by all requests; keeps nothing of any."""

    def __init__(
        self, server: Server, pages: AuthorizePages, *, public_url: str | None, limits: Limits, local: bool
    ) -> None:
        self._server = server
        self._pages = pages
        self._public_url = public_url
        self._limits = limits
        self._local = local

    def origin(self, request: Request) -> str:
        """This server's own, which is the issuer."""
        return own_origins(request.scope, self._public_url, local=self._local)[0]

    async def metadata(self, request: Request) -> Response:
        return JSONResponse(server_metadata(self.origin(request)), headers=NEVER_KEPT)

    async def authorize(self, request: Request) -> Response:
        """The page to sign in on, the refusal for the person, or for the client by way of the person."""
        checked = await self.checked(request)
        return checked if isinstance(checked, Response) else await self._pages.show(request, checked)

    async def checked(self, request: Request) -> AuthorizationRequest | Response:
        """The authorization request in the query of ``request``, or what to answer instead."""
        try:
            pairs = pairs_in(request.scope["query_string"].decode("ascii", "replace"), self._limits)
            return await self._server.requested(pairs, origin=self.origin(request), address=address_of(request))
        except Redirected as told:
            return sent_on(told.url)
        except Unanswerable as error:
            status = HTTPStatus.BAD_REQUEST if error.retry_after_s is None else HTTPStatus.TOO_MANY_REQUESTS
            return await self._pages.refused(request, error.message, status, back=error.back)
        except OAuthError as error:
            return await self._pages.refused(request, error.description, error.status)
        except Failure as failure:
            return await self._pages.refused(request, failure.message, HTTPStatus.SERVICE_UNAVAILABLE)

    async def register(self, request: Request) -> Response:
        async def registered() -> Response:
            body = await self._body(request, _JSON)
            client = await self._server.register(body, address_of(request))
            return JSONResponse(client, HTTPStatus.CREATED, NEVER_KEPT)

        return await _answered(registered)

    async def token(self, request: Request) -> Response:
        async def exchanged() -> Response:
            tokens = await self._server.exchange(await self._form(request), origin=self.origin(request))
            return JSONResponse(tokens, headers=NEVER_KEPT)

        return await _answered(exchanged)

    async def revoke(self, request: Request) -> Response:
        async def revoked() -> Response:
            await self._server.revoke(await self._form(request))
            return Response(headers=NEVER_KEPT)

        return await _answered(revoked)

    async def _form(self, request: Request) -> Pairs:
        """The parameters of a form body; what is in the query counts for nothing (RFC 6749 3.2)."""
        body = await self._body(request, _FORM)
        if not body.isascii():
            raise invalid_request("The parameters cannot be read, or they are too many.")
        return pairs_in(body.decode("ascii"), self._limits)

    async def _body(self, request: Request, media_type: str) -> bytes:
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != media_type:
            raise invalid_request(f"The body must be {media_type}.")
        body = await body_within(request, self._limits.oauth_form_bytes)
        if body is None:
            raise invalid_request(f"The body is larger than {self._limits.oauth_form_bytes} bytes.")
        return body


def add_oauth_routes(app: FastAPI, door: OAuthDoor) -> None:
    """Serve ``door``. The form of the sign-in pages, ``POST /oauth/authorize``, is the pages' own."""
    app.add_api_route(SERVER_METADATA_PATH, door.metadata, methods=["GET"])
    app.add_api_route(AUTHORIZE_PATH, door.authorize, methods=["GET"])
    app.add_api_route(REGISTER_PATH, door.register, methods=["POST"])
    app.add_api_route(TOKEN_PATH, door.token, methods=["POST"])
    app.add_api_route(REVOKE_PATH, door.revoke, methods=["POST"])


def address_of(request: Request) -> str:
    """The browser's or client's address: the gateway's own account of it, never a header."""
    return request.client.host if request.client else ""


def sent_on(url: str) -> Response:
    """A redirect that takes no referrer along and is never kept: an answer travels in its query."""
    return RedirectResponse(url, HTTPStatus.FOUND, {**NEVER_KEPT, "referrer-policy": "no-referrer"})


async def _answered(work: Callable[[], Awaitable[Response]]) -> Response:
    """What ``work`` answers, or what it refuses, in the shape of RFC 6749 5.2."""
    try:
        return await work()
    except OAuthError as error:
        retry = {} if error.retry_after_s is None else {"retry-after": str(error.retry_after_s)}
        return JSONResponse(error.body(), error.status, {**NEVER_KEPT, **retry})
    except Failure as failure:
        error = OAuthError("temporarily_unavailable", failure.message)
        headers = {**NEVER_KEPT, "retry-after": str(_RETRY_S)}
        return JSONResponse(error.body(), HTTPStatus.SERVICE_UNAVAILABLE, headers)
    except ClientDisconnect:
        return Response(status_code=CLIENT_GONE)
