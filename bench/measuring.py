"""Timing one handler, with the time its state and the record of its calls took kept apart."""

import base64
import gzip
import json
import time
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from bench.handlers import Handler, LambdaContext
from bench.scenarios import Scenario
from connecta.state.activity import Activity
from connecta.state.table import Table
from connecta.tools.toolset import Tools

WARM_UP = 20
PAUSE_S = 0.1
"""Requests of people do not follow on each other's heels: time for the spare sandbox to be there and warm again."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds of each request: in all, and of that in the tool, in state, and in recording its calls before the
    answer. State and recording are within the tool."""

    total_ms: Sequence[float]
    tool_ms: Sequence[float]
    state_ms: Sequence[float]
    record_ms: Sequence[float]

    @property
    def own_ms(self) -> list[float]:
        return self._without_state(self.total_ms)

    @property
    def own_tool_ms(self) -> list[float]:
        return self._without_state(self.tool_ms)

    def _without_state(self, times: Sequence[float]) -> list[float]:
        parts = zip(times, self.state_ms, self.record_ms, strict=True)
        return [time - state - record for time, state, record in parts]


class Clock:
    """How long the process has waited for some operations, overlapping waits added up, in milliseconds."""

    def __init__(self) -> None:
        self.spent_ms = 0.0

    def timed(self, operation: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        async def run(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return await operation(*args, **kwargs)
            finally:
                self.spent_ms += (time.perf_counter() - started) * 1e3

        return run


@dataclass(frozen=True, slots=True)
class Clocks:
    """``tool`` is from a tool's arguments to its answer, ``state`` what requests ask of the table, ``record`` the one
    write of their calls, which is not in it."""

    tool: Clock
    state: Clock
    record: Clock

    @property
    def spent_ms(self) -> tuple[float, float, float]:
        return self.tool.spent_ms, self.state.spent_ms, self.record.spent_ms


@contextmanager
def clocks() -> Generator[Clocks]:
    """Times every call of ``Tools``, operation on any ``Table`` and write of ``Activity``, while the block runs."""
    running = Clocks(Clock(), Clock(), Clock())
    with ExitStack() as patched:
        for name in ("get", "put", "delete", "query"):
            patched.enter_context(_timed(Table, name, running.state))
        patched.enter_context(_timed(Activity, "write", running.record))
        patched.enter_context(_timed(Tools, "call", running.tool))
        yield running


@contextmanager
def _timed(owner: type, name: str, clock: Clock) -> Generator[None]:
    operation = getattr(owner, name)
    setattr(owner, name, clock.timed(operation))
    try:
        yield
    finally:
        setattr(owner, name, operation)


def check(response: dict[str, Any], scenario: Scenario) -> None:
    body = str(response.get("body", ""))
    if response.get("isBase64Encoded"):
        body = gzip.decompress(base64.b64decode(body)).decode()
    plain = body.replace('\\"', '"')
    if response.get("statusCode") != 200 or '"isError":true' in plain or scenario.shows not in plain:
        raise SystemExit(f"{scenario.name} did not answer as it should: {json.dumps(response)[:800]}")


def measure(handler: Handler, scenario: Scenario, clocks: Clocks, requests: int) -> Timing:
    """``requests`` answers, one after the other, each with a pause before it that is not counted."""
    context = LambdaContext()
    for _ in range(WARM_UP):
        check(handler(scenario.event, context), scenario)
    total: list[float] = []
    parts: list[tuple[float, ...]] = []
    for _ in range(requests):
        time.sleep(PAUSE_S)
        before = clocks.spent_ms
        started = time.perf_counter()
        response = handler(scenario.event, context)
        total.append((time.perf_counter() - started) * 1e3)
        parts.append(tuple(after - earlier for after, earlier in zip(clocks.spent_ms, before, strict=True)))
        check(response, scenario)
    return Timing(total, *zip(*parts, strict=True))


def p50(values: Sequence[float]) -> float:
    return median(values)


def p95(values: Sequence[float]) -> float:
    return quantiles(values, n=20)[-1]
