"""The composition root: a deployment and a table in, one ASGI application out. Built once per process."""

import importlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fastapi import FastAPI

from connecta.calls.activity import CallEvent, Origin
from connecta.catalog.catalogs import Catalogs
from connecta.deployment import Connecta
from connecta.log import logger
from connecta.program.admission import Admission
from connecta.program.run import Programs
from connecta.sandbox.config import installed_config
from connecta.sandbox.sandbox import Sandbox
from connecta.scope import Services
from connecta.state import State, open_state
from connecta.text import JsonObject
from connecta.tools.toolset import Tools
from connecta.web.app import create_app

DEFAULT_DEPLOYMENT = "deployment:deployment"


@dataclass(frozen=True, slots=True)
class Application:
    """The ASGI app and what has to be started ahead of, and stopped after, its requests."""

    asgi: FastAPI
    sandbox: Sandbox
    state: State

    async def close(self) -> None:
        await self.sandbox.close()
        await self.state.close()


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
    services = Services(
        deployment,
        Catalogs(deployment.connectors, state.catalogs, deployment.limits),
        state,
        _write_calls,
    )
    sandbox = Sandbox(
        installed_config(
            shortcuts=deployment.shortcuts,
            limits=deployment.limits,
            strict=deployment.sandbox == "strict",
        )
    )
    tools = Tools(services, Programs(sandbox, Admission(deployment.limits)))
    in_lambda = "AWS_LAMBDA_FUNCTION_NAME" in environ
    asgi = create_app(
        deployment,
        tools,
        local=not in_lambda,
        sandbox_status=sandbox.status,
        before_answer=sandbox.reap,
        after_answer=sandbox.prepare,
    )
    return Application(asgi, sandbox, state)


LINE_EVENTS = 100
"""Events in one log line at most: a line has to stay well under what CloudWatch takes as one event."""


def _write_calls(events: Sequence[CallEvent], origin: Origin) -> None:
    """The calls a request attempted, payload-free and as one log line, unless they are very many (V1, V2)."""
    about = {"request_id": origin.request_id, "actor": origin.actor, "deployment": origin.deployment}
    for start in range(0, len(events), LINE_EVENTS):
        calls = [_written(event) for event in events[start : start + LINE_EVENTS]]
        logger.info("calls", extra={**about, "calls": calls})


def _written(event: CallEvent) -> JsonObject:
    return {
        "at": round(event.at, 3),
        "address": event.address,
        "connectorId": event.connector,
        "toolName": event.tool,
        "source": event.source,
        "outcome": event.outcome,
        "durationMs": event.duration_ms,
        "attempts": event.attempts,
        "errorCode": event.error_code,
        "friction": event.friction,
    }
