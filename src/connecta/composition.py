"""The composition root: a deployment and a table in, one ASGI application out. Built once per process."""

import importlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from fastapi import FastAPI

from connecta.auth.authorization_server.config import AuthorizationServer
from connecta.auth.authorization_server.server import Server
from connecta.auth.buckets import Buckets
from connecta.auth.fetching import Fetch
from connecta.auth.kinds import callers_of
from connecta.auth.sign_in.config import OidcProvider
from connecta.auth.sign_in.passphrases import Passphrases
from connecta.auth.sign_in.provider import ProviderSignIn
from connecta.auth.sign_in.secret import SignInSecret, source_in
from connecta.calls.admission import Gates
from connecta.calls.journal import journal
from connecta.catalog.catalogs import Catalogs
from connecta.catalog.refresh import ToInvocation
from connecta.catalog.shared import SharedCatalogs
from connecta.connectors.strangers import document_fetch, form_post
from connecta.deployment import Connecta
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

    async def close(self) -> None:
        await self.catalogs.close()
        await self.sandbox.close()
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
    catalogs = Catalogs(
        deployment.connectors,
        SharedCatalogs(state.catalogs, state.leases, deployment.limits),
        deployment.limits,
        hand_over=None if invocations is None else ToInvocation(invocations.send),
    )
    services = Services(
        deployment,
        catalogs,
        state,
        Gates(state.budgets),
        journal(state.activity),
    )
    sandbox = Sandbox(
        installed_config(
            shortcuts=deployment.shortcuts,
            limits=deployment.limits,
            strict=deployment.sandbox == "strict",
        )
    )
    tools = Tools(services, Programs(sandbox, RunAdmission(deployment.limits)))
    fetch = document_fetch()
    server = _authorization_server(deployment, state, fetch)
    pages = partial(_sign_in_pages, deployment, state, environ)
    asgi = create_app(
        deployment,
        tools,
        local=function is None,
        callers=callers_of(deployment.auth, state, fetch, deployment.limits),
        sandbox_status=sandbox.status,
        before_answer=sandbox.reap,
        after_answer=sandbox.prepare,
        buckets=Buckets(state.buckets, deployment.limits),
        authorization_server=server,
        authorize_pages=None if server is None else (authorize_pages or pages)(server),
    )
    return Application(asgi, sandbox, state, catalogs, invocations)


def _authorization_server(deployment: Connecta, state: State, fetch: Fetch) -> Server | None:
    configured = _configured(deployment)
    return None if configured is None else Server(configured.clients, state, fetch, deployment.limits)


def _sign_in_pages(deployment: Connecta, state: State, environ: Mapping[str, str], server: Server) -> AuthorizePages:
    configured, limits = _configured(deployment), deployment.limits
    assert configured is not None
    secret = SignInSecret(source_in(environ), limits)
    provider = configured.sign_in
    if isinstance(provider, OidcProvider):
        private = provider.allow_private
        fetch, post = document_fetch(allow_private=private), form_post(allow_private=private)
        way = ProviderSignIn(provider, state.sign_ins, state.budgets, fetch, post, limits)
    else:
        way = Passphrases(secret, state.attempts, state.budgets, limits)
    return SignInPages(server, way, secret, deployment=deployment.name, limits=limits, now=state.table.now)


def _configured(deployment: Connecta) -> AuthorizationServer | None:
    return next((kind for kind in deployment.auth if isinstance(kind, AuthorizationServer)), None)
