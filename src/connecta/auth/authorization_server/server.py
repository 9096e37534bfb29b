"""The embedded authorization server: public clients, codes with PKCE, and tokens that are rotated."""

import re
from base64 import urlsafe_b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final

from connecta.auth.authorization_server.client_documents import DocumentClients
from connecta.auth.authorization_server.client_metadata import BadMetadata, parsed, read_metadata
from connecta.auth.authorization_server.clients import Clients
from connecta.auth.authorization_server.config import DeclaredClient
from connecta.auth.authorization_server.errors import (
    OAuthError,
    invalid_client,
    invalid_grant,
    invalid_request,
    slow_down,
)
from connecta.auth.authorization_server.forms import Pairs, parameters_of
from connecta.auth.authorization_server.metadata import is_resource_of
from connecta.auth.authorization_server.requests import AuthorizationRequest, authorization_request
from connecta.auth.authorization_server.throttle import Throttle
from connecta.auth.exchange import Exchange
from connecta.auth.sign_in.config import SignIn
from connecta.auth.sign_in.sessions import Person
from connecta.limits import Limits
from connecta.log import logger
from connecta.state import State
from connecta.state.codes import Authorization
from connecta.state.grants import Refused, Tokens
from connecta.state.tickets import Ticket, same
from connecta.text import JsonObject

_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")
"""RFC 7636 section 4.1."""


class Server:
    """One deployment's. Shared by all requests; everything it remembers is in the table."""

    def __init__(
        self, declared: Sequence[DeclaredClient], state: State, ask: Exchange, limits: Limits, sign_in: SignIn
    ) -> None:
        """``sign_in`` says who may come in, whenever that is asked anew."""
        self._sign_in = sign_in
        self._state = state
        self._limits = limits
        self._throttle = Throttle(state.budgets, limits)
        documents = DocumentClients(state.client_documents, ask, self._throttle, limits)
        self._clients = Clients(declared, documents, state.registrations, limits)

    async def requested(self, pairs: Pairs, *, origin: str, address: str) -> AuthorizationRequest:
        """The checked authorization request; ``origin`` is this server's own, ``address`` the browser's.

        Raises ``Unanswerable``, ``Redirected`` and ``unavailable``.
        """
        return await authorization_request(pairs, self._clients, origin=origin, address=address, limits=self._limits)

    async def approve(self, request: AuthorizationRequest, person: Person) -> str:
        """Where to send ``person``, who is signed in and has agreed. Raises ``unavailable``."""
        authorization = Authorization(
            client=request.client.id,
            label=request.client.name,
            subject=person.subject,
            redirect_uri=request.redirect_uri,
            challenge=request.challenge,
            scope=request.scope,
            resource=request.resource,
            email=person.email,
            issuer=person.issuer,
        )
        return request.answer(code=await self._state.codes.issue(authorization))

    def deny(self, request: AuthorizationRequest) -> str:
        """Where to send the person who has not agreed."""
        return request.answer(error="access_denied", error_description="The request was not granted.")

    async def register(self, body: bytes, address: str) -> JsonObject:
        """RFC 7591 section 3.2.1: the new client's id and what it is registered with. Raises ``OAuthError``."""
        try:
            metadata = read_metadata(parsed(body), self._limits)
        except BadMetadata as error:
            raise OAuthError(error.error, str(error)) from error
        wait_s = await self._throttle.wait_s("registrations", address)
        if wait_s > 0:
            raise slow_down(wait_s)
        client = await self._state.registrations.register(metadata.name, metadata.redirect_uris)
        return {
            "client_id": client.id,
            "client_id_issued_at": client.created_at,
            "client_name": client.name,
            "redirect_uris": [*client.redirect_uris],
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }

    async def exchange(self, pairs: Pairs, *, origin: str) -> JsonObject:
        """RFC 6749 5.1: tokens for a code or for a refresh token. Raises ``OAuthError`` and ``unavailable``."""
        form = parameters_of(pairs, self._limits)
        client = await self._known_client(form)
        if not is_resource_of(form.get("resource", origin), origin):
            raise OAuthError("invalid_target", "resource must be this server.")
        match form.get("grant_type"):
            case "authorization_code":
                tokens = await self._redeemed(form, client)
            case "refresh_token":
                tokens = await self._refreshed(form, client)
            case None:
                raise invalid_request("grant_type is missing.")
            case _:
                raise OAuthError("unsupported_grant_type", "There are codes and refresh tokens here, nothing else.")
        await self._clients.note_use(client)
        return {
            "access_token": tokens.access,
            "token_type": "Bearer",
            "expires_in": tokens.expires_in,
            "refresh_token": tokens.refresh,
            "scope": tokens.scope,
        }

    async def revoke(self, pairs: Pairs) -> None:
        """RFC 7009: the token and all others of its grant are over; a token nobody knows is no error.

        Raises ``OAuthError`` and ``unavailable``.
        """
        form = parameters_of(pairs, self._limits)
        client = await self._known_client(form)
        if "token" not in form:
            raise invalid_request("token is missing.")
        await self._state.grants.revoke(form["token"], client)

    async def _known_client(self, form: Mapping[str, str]) -> str:
        if "client_id" not in form:
            raise invalid_request("client_id is missing.")
        if not await self._clients.still_known(form["client_id"]):
            raise invalid_client()
        return form["client_id"]

    async def _redeemed(self, form: Mapping[str, str], client: str) -> Tokens:
        verifier = form.get("code_verifier", "")
        if "code" not in form or _VERIFIER.fullmatch(verifier) is None:
            raise invalid_request("code or code_verifier is missing, or no such thing.")
        match await self._state.codes.redeem(form["code"]):
            case Ticket() as spent:
                # Who has it and who had it need not be the same (RFC 6749 4.1.2): nobody keeps what came of it.
                await self._state.grants.end_by_code(spent)
            case (code, authorization) if _is_for(authorization, form, client, verifier):
                return await self._state.grants.begin(code, authorization)
            case _:
                pass
        raise invalid_grant("The code is not valid for this request, was used before, or has expired.")

    async def _refreshed(self, form: Mapping[str, str], client: str) -> Tokens:
        if "refresh_token" not in form:
            raise invalid_request("refresh_token is missing.")
        tokens = await self._state.grants.refresh(form["refresh_token"], client, let_in=self._sign_in.lets_in)
        if isinstance(tokens, Tokens):
            return tokens
        if tokens is Refused.REUSED:
            logger.warning("A refresh token was used again, so its grant has been ended.", extra={"client": client})
        if tokens is Refused.NOT_LET_IN:
            logger.warning("Who granted this is not let in any more, so it has been ended.", extra={"client": client})
        raise invalid_grant("The refresh token is not valid, or not any more. Sign in again.")


def _is_for(authorization: Authorization, form: Mapping[str, str], client: str, verifier: str) -> bool:
    """Whether the code was given to this client, for this redirect, and to who asked for it (RFC 7636 4.6)."""
    challenge = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    return (
        authorization.client == client
        and form.get("redirect_uri", authorization.redirect_uri) == authorization.redirect_uri
        and same(challenge, authorization.challenge)
    )
