"""The operator's pages of one deployment: what they need, and their routes."""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from fastapi import FastAPI, Response

from connecta.auth.access_tokens import AccessTokens as TakesTokens
from connecta.auth.authorization_server.config import AuthorizationServer
from connecta.auth.authorizations import Authorizations
from connecta.auth.callers import Open
from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.auth.sign_in.passphrases import Passphrases
from connecta.auth.sign_in.provider import ProviderSignIn
from connecta.auth.sign_in.secret import SignInSecret
from connecta.auth.vault.slots import Slots
from connecta.catalog.standing import Standings
from connecta.catalog.trial import Trials
from connecta.deployment import Connecta
from connecta.state import State
from connecta.web.operator.activity_page import ActivityPage
from connecta.web.operator.connectors_page import ConnectorsPage
from connecta.web.operator.credentials_page import CredentialsPage
from connecta.web.operator.desk import Desk
from connecta.web.operator.door import Door
from connecta.web.operator.signing_in import SigningIn
from connecta.web.operator.tokens_page import TokensPage
from connecta.web.rendering import message_page


@dataclass(frozen=True, slots=True)
class OperatorPages:
    """Authentication material is managed here, and nothing else: no page changes a connector, a catalog, an
    annotation, a scope or a limit. ``way`` is how people sign in, ``None`` where nobody can; ``slots`` and ``oauth``
    are ``None`` where nothing can be kept secret."""

    deployment: Connecta
    state: State
    slots: Slots | None
    oauth: DownstreamOAuth | None
    authorizations: Authorizations
    standings: Standings
    secret: SignInSecret
    way: Passphrases | ProviderSignIn | None
    now: Callable[[], float]

    def add_routes(self, app: FastAPI, *, public_url: str | None, local: bool) -> None:
        deployment, state = self.deployment, self.state
        connectors, limits, now = deployment.connectors, deployment.limits, self.now
        door = Door(
            self.secret,
            deployment=deployment.name,
            lets_in=None if self.way is None else self.way.lets_in,
            public_url=public_url,
            limits=limits,
            now=now,
            local=local,
            open_here=all(isinstance(kind, Open) for kind in deployment.auth),
        )
        desk = Desk(door)
        ConnectorsPage(
            connectors, self.standings, self.authorizations, self.slots, self.oauth, state.activity, limits, now
        ).add_routes(app, desk)
        trials = Trials(self.authorizations, limits, now)
        CredentialsPage(connectors, self.slots, trials, now).add_routes(app, desk)
        TokensPage(
            state.access_tokens,
            state.grants,
            limits,
            now,
            takes_tokens=any(isinstance(kind, TakesTokens) for kind in deployment.auth),
            takes_applications=any(isinstance(kind, AuthorizationServer) for kind in deployment.auth),
        ).add_routes(app, desk)
        ActivityPage(connectors, state.activity, limits, now).add_routes(app, desk)
        if self.way is not None:
            SigningIn(door, self.way).add_routes(app)

    def throttled(self, message: str) -> Response:
        """The page for an address that asks for too many."""
        return message_page(
            HTTPStatus.TOO_MANY_REQUESTS, deployment=self.deployment.name, title="Too many requests", message=message
        )
