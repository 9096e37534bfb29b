"""The one path of a call, for both call tools and for programs (S6): from an address to a recorded outcome."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

from connecta import failures
from connecta.calls.activity import FRICTION_BY_CODE, CallEvent, Friction, Recorder, Source, state_of
from connecta.calls.arguments import check_arguments
from connecta.calls.observations import observe
from connecta.calls.targets import LoadCatalog, Target, resolve, resolve_shortcut
from connecta.calls.timings import Timings
from connecta.connectors.model import Connection, Connector, ToolResult
from connecta.failures import Failure, Route
from connecta.limits import Limits
from connecta.state.activity import Observation
from connecta.text import Json, JsonObject, clamp

RETRY_PAUSE_S = 0.25
"""Before a retry whose failure names no pause of its own."""


class World(Protocol):
    """What a call needs of the request it belongs to."""

    @property
    def connectors(self) -> Mapping[str, Connector]: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def load_catalog(self) -> LoadCatalog: ...
    @property
    def record(self) -> Recorder: ...
    @property
    def timings(self) -> Timings: ...
    def connection(self, connector: Connector) -> Connection: ...
    def remaining_s(self) -> float: ...
    def admitted(self, connector: Connector, left_s: float) -> AbstractAsyncContextManager[None]: ...


@dataclass(frozen=True, slots=True)
class CallRequest:
    """One call as asked for. ``shortcut`` is ``(connector, alias)`` and stands in for ``address``."""

    address: str
    args: JsonObject
    source: Source
    shortcut: tuple[Connector, str] | None = None
    timeout_s: float | None = None
    """In place of the connector's own."""
    bound_s: float | None = None
    """The most the whole call may take, the load of its catalog included; ``None`` is the rest of the request."""
    max_retries: int = 0
    too_large: Callable[[ToolResult], bool] | None = None
    """Whether a result is too big to return inline: friction of a success, and of nothing else (V2)."""

    @property
    def route(self) -> Route:
        return "function" if self.source == "execute_code" else "tool"


@dataclass(frozen=True, slots=True)
class CallOutcome:
    """A call that was answered; ``result.is_error`` says whether the downstream called its answer a failure."""

    address: str
    result: ToolResult
    duration_ms: int
    attempts: int
    too_large: bool = False
    """What the request's own measure said of the result."""


class CallFailed(Exception):
    """A call that was not answered, with what a failed answer reports beside the failure."""

    def __init__(self, failure: Failure, address: str, duration_ms: int, attempts: int) -> None:
        super().__init__(failure.message)
        self.failure = failure
        self.address = address
        self.duration_ms = duration_ms
        self.attempts = attempts


@dataclass(slots=True)
class _Progress:
    """How far a call has come, for its record: the names as the caller wrote them until they are resolved."""

    connector: str
    tool: str
    source: Source
    attempts: int = 0
    at: float = field(default_factory=time.time)
    started: float = field(default_factory=time.perf_counter)
    ended: float | None = None
    """When it was answered: pinning what it named is no part of it."""
    observed: tuple[Observation, ...] = ()

    @property
    def duration_ms(self) -> int:
        return round(((self.ended or time.perf_counter()) - self.started) * 1000)

    def saw(self, observed: tuple[Observation, ...]) -> None:
        self.observed = observed

    def event(self, failure: Failure | None, friction: Friction | None = None) -> CallEvent:
        code = failure.code if failure else None
        return CallEvent(
            at=self.at,
            connector=self.connector,
            tool=self.tool,
            source=self.source,
            outcome=state_of(failure) if failure else "success",
            duration_ms=self.duration_ms,
            attempts=self.attempts,
            error_code=code,
            friction=FRICTION_BY_CODE.get(code) if code else friction,
            observed=self.observed,
        )


async def call(request: CallRequest, world: World) -> CallOutcome:
    """Resolve, classify, validate, attempt, record. Raises ``CallFailed``; one event whatever happens (V1)."""
    left = world.remaining_s() if request.bound_s is None else min(request.bound_s, world.remaining_s())
    end = time.monotonic() + left
    connector, _, tool = request.address.partition(".")
    limits = world.limits
    progress = _Progress(clamp(connector, limits.connector_id_bytes), clamp(tool, limits.address_bytes), request.source)
    try:
        target = await _in_time(_admit(request, world, progress), left, request.address)
        result = await _attempts(target, request, world, progress, end)
    except asyncio.CancelledError:
        world.record(progress.event(failures.cancelled()))
        raise
    except Failure as failure:
        world.record(progress.event(failure))
        raise CallFailed(failure, request.address, progress.duration_ms, progress.attempts) from None
    progress.ended = time.perf_counter()
    too_large = request.too_large is not None and request.too_large(result)
    failure = downstream_failure(target.address, result) if result.is_error else None
    try:
        await observe(target, result, world, end - time.monotonic(), progress.saw)
    finally:
        # It has been answered, even if the run that asked is over.
        world.record(progress.event(failure, "result_too_large" if too_large and failure is None else None))
    return CallOutcome(target.address, result, progress.duration_ms, progress.attempts, too_large)


async def _admit(request: CallRequest, world: World, progress: _Progress) -> Target:
    """The tool, once the call is known to be allowed and its arguments fit."""
    try:
        if request.shortcut:
            target = await resolve_shortcut(*request.shortcut, world.load_catalog)
        else:
            target = await resolve(request.address, world.connectors, world.load_catalog, request.route)
    except Failure as failure:
        # A catalog does not know which call it was loaded for.
        raise failures.of_operation(failure, failures.quote(request.address)) from failure
    progress.connector, progress.tool = target.connector.id, clamp(target.tool.name, world.limits.address_bytes)
    if request.source != "call_destructive_tool" and not target.tool.annotations.program_may_call:
        raise failures.requires_approval(target.address, request.args, request.route)
    check_arguments(target.tool, request.args, target.address)
    return target


async def _in_time(admitting: Awaitable[Target], left: float, address: str) -> Target:
    try:
        async with asyncio.timeout(left):
            return await admitting
    except TimeoutError:
        raise failures.timeout(f"The tool {failures.quote(address)} could not be looked up in time.") from None


async def _attempts(target: Target, request: CallRequest, world: World, progress: _Progress, end: float) -> ToolResult:
    """Attempt until answered, or until a failure no retry is asked for, allowed or worth it."""
    hints = target.tool.annotations
    repeatable = hints.program_may_call or hints.idempotent is True
    retries = request.max_retries if repeatable else 0
    end = min(end, time.monotonic() + (request.timeout_s or target.connector.timeout_s))

    async def attempt(left: float) -> ToolResult:
        progress.attempts += 1
        return await world.connection(target.connector).call(target.tool, request.args, left)

    tried = 0
    while True:
        tried += 1
        try:
            async with world.admitted(target.connector, max(0.0, end - time.monotonic())):
                with world.timings.connector():
                    return await _within(attempt, end - time.monotonic(), target, request.route, repeatable)
        except Failure as failure:
            pause = _pause(failure)
            if tried > retries or not failure.retryable or pause > world.limits.retry_after_s:
                raise
            if time.monotonic() + pause >= end:
                raise
            await asyncio.sleep(pause)


async def _within(
    attempt: Callable[[float], Awaitable[ToolResult]], left: float, target: Target, route: Route, repeatable: bool
) -> ToolResult:
    """One attempt under its deadline, whatever the connection does about its own."""
    address = failures.quote(target.address)
    if left <= 0:
        raise failures.timeout(f"There was no time left to call {address}. Call it earlier or on its own.")
    try:
        async with asyncio.timeout(left):
            return await attempt(left)
    except TimeoutError:
        # A program has no timeoutMs to raise.
        way_out = "Ask for less." if route == "function" else "Ask for less, or raise timeoutMs (at most 25,000)."
        trouble = failures.timeout(f"{address} did not answer within {failures.span(left)}. {way_out}")
    except Failure as failure:
        trouble = failure
    raise trouble if repeatable else failures.perhaps_done(trouble)


def _pause(failure: Failure) -> float:
    asked: Json = failure.details.get("retryAfterMs")
    return asked / 1000 if isinstance(asked, int | float) else RETRY_PAUSE_S


def downstream_failure(address: str, result: ToolResult) -> Failure:
    """A downstream's own ``isError`` as a typed failure; its text is the downstream's prose, clamped."""
    said = " ".join(str(b["text"]) for b in result.content if b.get("type") == "text" and "text" in b)
    return failures.call_failed(f"{failures.quote(address)} failed: {failures.quote(said) or 'it gave no reason'}")
