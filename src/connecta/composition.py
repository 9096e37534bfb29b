"""The composition root: a deployment and a table in, one ASGI application out. Built once per process."""

import importlib
import os
from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import FastAPI

from connecta.calls.admission import Gates
from connecta.calls.journal import journal
from connecta.catalog.catalogs import Catalogs
from connecta.catalog.refresh import ToInvocation
from connecta.catalog.shared import SharedCatalogs
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
    deployment: Connecta, *, table: str, endpoint_url: str | None = None, environ: Mapping[str, str] = os.environ
) -> Application:
    """Everything one process needs, wired once."""
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
    asgi = create_app(
        deployment,
        tools,
        local=function is None,
        sandbox_status=sandbox.status,
        before_answer=sandbox.reap,
        after_answer=sandbox.prepare,
    )
    return Application(asgi, sandbox, state, catalogs, invocations)
