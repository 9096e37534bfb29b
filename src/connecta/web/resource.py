"""What the protected resource says of itself: its metadata, and the challenge to who may not come in."""

from collections.abc import Mapping

from fastapi import FastAPI, Request, Response
from starlette.responses import JSONResponse

from connecta.auth.authenticator import Challenge
from connecta.auth.authorization_server.metadata import (
    RESOURCE_METADATA_PATH,
    RESOURCE_PATH,
    resource_metadata,
    resource_metadata_url,
)
from connecta.auth.discovery import Discovery
from connecta.web.edge import own_origins
from connecta.web.refusals import refusal

_SENTENCES: Mapping[str | None, str] = {
    None: "A valid bearer token is required.",
    "invalid_token": "A valid bearer token is required.",
    "insufficient_scope": "The token lacks a scope this server needs.",
    "not_listed": "Whoever holds this token has not been let in by the owner of this server.",
}


class Resource:
    """``discovery`` is ``None`` for a resource no client gets a token for by itself: it has no metadata then."""

    def __init__(self, name: str, discovery: Discovery | None, *, public_url: str | None, local: bool) -> None:
        self._name = name
        self._discovery = discovery
        self._public_url = public_url
        self._local = local

    def challenge(self, request: Request, challenge: Challenge) -> Response:
        """401, or 403 for a caller that is known (RFC 6750 3, RFC 9728 5.1)."""
        found = self._discovery
        authenticate = (
            challenge.header()
            if found is None
            else challenge.header(resource_metadata=resource_metadata_url(self._origin(request)), scopes=found.scopes)
        )
        status, code = (403, "forbidden") if challenge.forbids else (401, "unauthorized")
        return refusal(status, code, _SENTENCES[challenge.error], {"www-authenticate": authenticate})

    def add_routes(self, app: FastAPI) -> None:
        """Both addresses clients ask at: API Gateway may rename the header that tells them (RFC 9728 3.1)."""
        if self._discovery is not None:
            for path in (RESOURCE_METADATA_PATH, RESOURCE_METADATA_PATH + RESOURCE_PATH):
                app.add_api_route(path, self._metadata, methods=["GET"])

    async def _metadata(self, request: Request) -> Response:
        assert self._discovery is not None
        origin = self._origin(request)
        servers, scopes = self._discovery.servers(origin), self._discovery.scopes
        return JSONResponse(
            resource_metadata(origin, self._name, servers, scopes),
            headers={"cache-control": "no-store", "x-content-type-options": "nosniff"},
        )

    def _origin(self, request: Request) -> str:
        return own_origins(request.scope, self._public_url, local=self._local)[0]
