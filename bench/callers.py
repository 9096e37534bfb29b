"""What it costs to know who asks: ``tools/list`` by a caller whose token was verified within the last half minute, over
the same by anybody at an open deployment."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from mangum import Mangum

from bench.deployment import busy, constant
from bench.handlers import TABLE, Handler, LambdaContext, environment, unseen_log
from bench.measuring import WARM_UP, check
from bench.scenarios import Json, Scenario
from connecta import AccessTokens, AuthorizationServer, Connecta, Open
from connecta.auth.kinds import AuthKind
from connecta.composition import compose
from connecta.local.emulator import running_emulator
from connecta.state import State, open_state
from connecta.state.codes import Authorization
from connecta.state.tickets import new_ticket
from tools.events import HOST, request

NAME = "bench-callers"
NOBODY = "open to anybody"
KNOWN_TARGET = 1.5
"""Times ``NOBODY``."""
_limits = replace(busy, stranger_burst=busy.caller_burst, stranger_per_s=busy.caller_per_s)
"""Nobody settles as seldom with the table as somebody does: what differs is knowing who asks."""


def measure_callers(requests: int) -> Mapping[str, Sequence[float]]:
    """Milliseconds of each request, by how its caller comes in. They take turns, so that what else the machine does
    falls on all; a token is verified before the first and whenever the half minute is over."""
    with TemporaryDirectory() as folder, ExitStack() as running:
        endpoint_url = running.enter_context(running_emulator(Path(folder), table=TABLE))
        running.enter_context(environment(endpoint_url))
        running.enter_context(unseen_log())
        ways = [
            (NOBODY, Open(), None),
            ("AccessTokens()", AccessTokens(), asyncio.run(_token(endpoint_url, _issued))),
            ("AuthorizationServer()", AuthorizationServer(), asyncio.run(_token(endpoint_url, _granted))),
        ]
        asked = {name: (_handler(kind), _scenario(name, token)) for name, kind, token in ways}
        for _ in range(WARM_UP):
            _round(asked)
        rounds = [_round(asked) for _ in range(requests)]
        return {name: [each[name] for each in rounds] for name in asked}


def _handler(kind: AuthKind) -> Handler:
    deployment = Connecta(connectors=[constant], auth=[kind], name=NAME, limits=_limits)
    return Mangum(compose(deployment, table=TABLE).asgi, lifespan="off")


def _scenario(name: str, token: str | None) -> Scenario:
    event = request("tools/list", {})
    headers: Json = {key: value for key, value in event["headers"].items() if key != "authorization"}
    if token is not None:
        headers["authorization"] = f"Bearer {token}"
    return Scenario(f"tools/list, {name}", {**event, "headers": headers}, "execute_code")


def _round(asked: Mapping[str, tuple[Handler, Scenario]]) -> dict[str, float]:
    """Milliseconds of one request each."""
    taken: dict[str, float] = {}
    for name, (handler, scenario) in asked.items():
        started = time.perf_counter()
        response = handler(scenario.event, LambdaContext())
        taken[name] = (time.perf_counter() - started) * 1e3
        check(response, scenario)
    return taken


async def _token(endpoint_url: str, given: Callable[[State], Awaitable[str]]) -> str:
    state = open_state(TABLE, NAME, endpoint_url=endpoint_url)
    try:
        return await given(state)
    finally:
        await state.close()


async def _issued(state: State) -> str:
    return (await state.access_tokens.issue("bench"))[1]


async def _granted(state: State) -> str:
    granted = Authorization("bench", "Bench", "owner", "https://bench.example/", "c" * 43, "mcp", f"https://{HOST}/mcp")
    return (await state.grants.begin(new_ticket("ctk_"), granted)).access
