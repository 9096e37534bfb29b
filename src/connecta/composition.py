"""The composition root: a deployment and a table in, one ASGI application out. Built once per process."""

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from fastapi import FastAPI

from connecta.auth.authorization_server.config import AuthorizationServer
from connecta.auth.authorization_server.server import Server
from connecta.auth.authorizations import Authorizations
from connecta.auth.buckets import Buckets
from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.auth.exchange import Exchange
from connecta.auth.kinds import callers_of
from connecta.auth.sign_in.config import OidcProvider, SignIn
from connecta.auth.sign_in.passphrases import Passphrases
from connecta.auth.sign_in.provider import ProviderSignIn
from connecta.auth.sign_in.secret import SignInSecret, source_in
from connecta.auth.vault.keys import has_key, keys_in
from connecta.auth.vault.slots import Slots
from connecta.auth.vault.vault import Vault
from connecta.calls.admission import Gates
from connecta.calls.journal import journal
from connecta.catalog.catalogs import Catalogs
from connecta.catalog.refresh import ToInvocation
from connecta.catalog.shared import SharedCatalogs
from connecta.catalog.standing import StandingNotes, Standings
from connecta.connectors.strangers import exchange
from connecta.deployment import Connecta
from connecta.limits import Limits
from connecta.program.admission import RunAdmission
from connecta.program.run import Programs
from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox
from connecta.scope import Services
from connecta.state import State, open_state
from connecta.state.invocations import SelfInvocation
from connecta.tools.toolset import Tools
from connecta.web.app import create_app
from connecta.web.oauth import AuthorizePages
from connecta.web.operator.pages import OperatorPages
from connecta.web.sign_in.pages import SignInPages

DEFAULT_DEPLOYMENT = "deployment:deployment"


@dataclass(frozen=True, slots=True)
class Application:
    """The ASGI app and what has to be started ahead of, and stopped after, its requests."""

    asgi: FastAPI
    sandbox: Sandbox
    state: State
    catalogs: Catalogs
    invocations: SelfInvocation | None
    vault: Vault
    downstream_oauth: DownstreamOAuth | None

    async def settled(self, remaining_s: float) -> None:
        """Wait for what must be through before the process is frozen, which is in ``remaining_s`` seconds at the
        latest."""
        if self.downstream_oauth is not None:
            await self.downstream_oauth.settled(remaining_s)

    async def close(self) -> None:
        if self.downstream_oauth is not None:
            await self.downstream_oauth.settled()
        await self.catalogs.close()
        await self.sandbox.close()
        await self.vault.close()
        await self.state.close()
        if self.invocations is not None:
            self.invocations.close()


def load_deployment(spec: str) -> Connecta:
    """The deployment that ``module:name`` names. Raises ``ValueError`` saying what is wrong with ``spec``."""
    module_name, _, name = spec.partition(":")
    if not module_name or not name:
        raise ValueError(f"A deployment is named module:name, like {DEFAULT_DEPLOYMENT}; this is {spec!r}.")
    found = getattr(importlib.import_module(module_name), name, None)
    if isinstance(found, Connecta):
        return found
    raise ValueError(f"{module_name} has no Connecta(...) called {name}.")


def compose(
    deployment: Connecta,
    *,
    table: str,
    endpoint_url: str | None = None,
    environ: Mapping[str, str] = os.environ,
    authorize_pages: Callable[[Server], AuthorizePages] | None = None,
) -> Application:
    """Everything one process needs, wired once. ``authorize_pages`` makes the pages people sign in and agree on."""
    state = open_state(table, deployment.name, endpoint_url=endpoint_url, limits=deployment.limits)
    function = environ.get("AWS_LAMBDA_FUNCTION_NAME")
    invocations = None if function is None else SelfInvocation(function, deployment.limits)
    vault = Vault(keys_in(environ, deployment.limits), deployment.name, deployment.limits, state.table.now)
    slots, downstream_oauth = kept_credentials(state, vault, deployment.limits, environ)
    authorizations = Authorizations(slots, downstream_oauth, environ)
    catalogs = Catalogs(
        deployment.connectors,
        SharedCatalogs(
            state.catalogs, state.leases, deployment.limits, StandingNotes(state.standings, deployment.limits)
        ),
        deployment.limits,
        hand_over=None if invocations is None else ToInvocation(invocations.send),
        authorizations=authorizations,
    )
    standings = Standings(deployment.connectors, state.standings, state.table.now)
    services = Services(
        deployment,
        catalogs,
        state,
        Gates(state.budgets),
        journal(state.activity),
        authorizations,
    )
    sandbox = Sandbox(
        installed_config(
            shortcuts=deployment.shortcuts,
            limits=deployment.limits,
            strict=deployment.sandbox == "strict",
        )
    )
    tools = Tools(services, Programs(sandbox, RunAdmission(deployment.limits)))
    ask = exchange()
    server = _authorization_server(deployment, state, ask)
    secret, configured = SignInSecret(source_in(environ), deployment.limits), _configured(deployment)
    way = _way_in(deployment, state, secret, None if configured is None else configured.sign_in)
    operator_pages = OperatorPages(
        deployment, state, slots, downstream_oauth, authorizations, standings, secret, way, state.table.now
    )
    asgi = create_app(
        deployment,
        tools,
        local=function is None,
        callers=callers_of(deployment.auth, state, ask, deployment.limits),
        sandbox_status=sandbox.status,
        before_answer=sandbox.reap,
        after_answer=sandbox.prepare,
        buckets=Buckets(state.buckets, deployment.limits),
        downstream_oauth=downstream_oauth,
        standings=standings.all,
        authorization_server=server,
        authorize_pages=_authorize_pages(deployment, state, secret, server, way, authorize_pages),
        operator_pages=operator_pages,
    )
    return Application(asgi, sandbox, state, catalogs, invocations, vault, downstream_oauth)


def kept_credentials(
    state: State, vault: Vault, limits: Limits, environ: Mapping[str, str]
) -> tuple[Slots, DownstreamOAuth] | tuple[None, None]:
    """The credentials and grants that are kept under the vault's key, where ``environ`` names one."""
    if not has_key(environ):
        return None, None
    oauth = DownstreamOAuth(state.downstream_grants, state.downstream_flows, state.leases, vault, exchange, limits)
    return Slots(state.credentials, vault, limits), oauth


def _authorization_server(deployment: Connecta, state: State, ask: Exchange) -> Server | None:
    configured = _configured(deployment)
    return None if configured is None else Server(configured.clients, state, ask, deployment.limits, configured.sign_in)


def _authorize_pages(
    deployment: Connecta,
    state: State,
    secret: SignInSecret,
    server: Server | None,
    way: Passphrases | ProviderSignIn | None,
    given: Callable[[Server], AuthorizePages] | None,
) -> AuthorizePages | None:
    if server is None or way is None:
        return None
    if given is not None:
        return given(server)
    return SignInPages(server, way, secret, deployment=deployment.name, limits=deployment.limits, now=state.table.now)


def _way_in(
    deployment: Connecta, state: State, secret: SignInSecret, provider: SignIn | None
) -> Passphrases | ProviderSignIn | None:
    """How people sign in, where they can."""
    limits = deployment.limits
    if isinstance(provider, OidcProvider):
        ask = exchange(allow_private=provider.allow_private)
        return ProviderSignIn(provider, state.sign_ins, state.budgets, ask, limits)
    return None if provider is None else Passphrases(secret, state.attempts, state.budgets, limits)


def _configured(deployment: Connecta) -> AuthorizationServer | None:
    return next((kind for kind in deployment.auth if isinstance(kind, AuthorizationServer)), None)
