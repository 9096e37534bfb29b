"""Where a downstream's authorization server sends people back to, and where it reads who this deployment is."""

from http import HTTPStatus
from typing import Final, cast

from fastapi import FastAPI, Request, Response
from starlette.responses import JSONResponse

from connecta.auth.authorization_server.errors import OAuthError
from connecta.auth.authorization_server.forms import pairs_in, parameters_of
from connecta.auth.credentials import OAuth
from connecta.auth.downstream.clients import client_document
from connecta.auth.downstream.model import CALLBACK_PATH, CLIENT_DOCUMENT_PATH, CallbackRefused, Downstream
from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.deployment import Connecta
from connecta.failures import Failure
from connecta.web.edge import own_origins
from connecta.web.rendering import Link, message_page

_HOME: Final = Link("/", "Go to the connectors")
_NOT_CONNECTED: Final = "Not connected"
_DOCUMENT_HEADERS: Final = {"cache-control": "public, max-age=300", "x-content-type-options": "nosniff"}


class DownstreamDoor:
    """The second leg of connecting a downstream. Shared by all requests; keeps nothing of any."""

    def __init__(self, deployment: Connecta, oauth: DownstreamOAuth, *, public_url: str | None, local: bool) -> None:
        self._deployment = deployment
        self._oauth = oauth
        self._public_url = public_url
        self._local = local
        self._servers = {
            connector.id: cast("Downstream", connector)
            for connector in deployment.connectors
            if isinstance(connector.auth, OAuth)
        }

    def add_routes(self, app: FastAPI) -> None:
        """None where no downstream is connected this way."""
        if self._servers:
            app.add_api_route(CLIENT_DOCUMENT_PATH, self.client_document, methods=["GET"])
            app.add_api_route(CALLBACK_PATH + "{connector}", self.callback, methods=["GET"])

    async def client_document(self, request: Request) -> Response:
        document = client_document(self._origin(request), self._deployment.name, self._servers)
        return JSONResponse(document, headers=_DOCUMENT_HEADERS)

    async def callback(self, request: Request, connector: str) -> Response:
        """A page that says what came of it. Whoever comes back proves by ``state`` that they were sent."""
        server = self._servers.get(connector)
        if server is None:
            return await self.refused(request, "There is no such connector here.", HTTPStatus.NOT_FOUND)
        limits = self._deployment.limits
        try:
            pairs = pairs_in(request.scope["query_string"].decode("ascii", "replace"), limits)
            await self._oauth.finish(server, parameters_of(pairs, limits), origin=self._origin(request))
        except CallbackRefused as error:
            return await self.refused(request, error.message, HTTPStatus.BAD_REQUEST)
        except OAuthError as error:
            return await self.refused(request, error.description, HTTPStatus.BAD_REQUEST)
        except Failure as failure:
            return await self.refused(request, failure.message, HTTPStatus.SERVICE_UNAVAILABLE)
        name = server.title or server.id
        said = f"{name} can be used from now on. Agents only have to call again; you may close this page."
        return self._page(HTTPStatus.OK, "Connected", said)

    async def refused(self, request: Request, message: str, status: int) -> Response:
        return self._page(status, _NOT_CONNECTED, message)

    def _page(self, status: int, title: str, message: str) -> Response:
        return message_page(status, deployment=self._deployment.name, title=title, message=message, links=[_HOME])

    def _origin(self, request: Request) -> str:
        return own_origins(request.scope, self._public_url, local=self._local)[0]
