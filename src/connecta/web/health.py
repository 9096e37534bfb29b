"""``GET /health``: open to everybody, so it counts connectors, names none, and says nothing of any caller or call."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from connecta.catalog.standing import CONDITIONS, Standing
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.text import Json, JsonObject

SandboxState: TypeAlias = Literal["ready", "degraded", "refused", "unknown"]
TableState: TypeAlias = Literal["reachable", "unreachable"]


class Hardening(Protocol):
    """What the last sandbox said of its own hardening."""

    @property
    def ready(self) -> bool: ...
    @property
    def degraded(self) -> tuple[str, ...]: ...


SandboxStatus: TypeAlias = Callable[[], Hardening | None]
ReadStandings: TypeAlias = Callable[[], Awaitable[Mapping[str, Standing]]]
"""How every connector stands, by id. Raises ``Failure`` when the table cannot be reached."""


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the table said: how many connectors there are of each condition, ``None`` when it said nothing."""

    counts: Mapping[str, int] | None
    until: float


class Health:
    """One process's. It asks the table once in ``limits.health_memory_s``, however often it is asked itself."""

    def __init__(
        self,
        version: str,
        connectors: int,
        sandbox_status: SandboxStatus,
        standings: ReadStandings,
        limits: Limits,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._version = version
        self._connectors = connectors
        self._sandbox_status = sandbox_status
        self._standings = standings
        self._limits = limits
        self._clock = clock
        self._seen: _Seen | None = None
        self._look: asyncio.Future[_Seen] | None = None

    async def report(self) -> JsonObject:
        """``{ status, version, connectors: { total, ready, failing, auth_required, unlisted }, sandbox, table }``.

        ``status`` is ``degraded`` where programs do not run or the table is out of reach; then nothing but ``total`` is
        known of the connectors. A connector that fails is its own downstream's affair, and nothing is degraded by it.
        """
        seen = await self._lately()
        sandbox = sandbox_state(self._sandbox_status())
        table: TableState = "unreachable" if seen.counts is None else "reachable"
        counts: dict[str, Json] = {} if seen.counts is None else {**seen.counts}
        return {
            "status": "degraded" if sandbox == "refused" or table == "unreachable" else "ok",
            "version": self._version,
            "connectors": {"total": self._connectors, **counts},
            "sandbox": sandbox,
            "table": table,
        }

    async def _lately(self) -> _Seen:
        """What was seen a moment ago, else what is seen now: all who ask meanwhile wait for the same look."""
        if self._seen is not None and self._clock() < self._seen.until:
            return self._seen
        look = self._look
        # A look that was begun in a loop before this one never ends.
        if look is None or look.done() or look.get_loop() is not asyncio.get_running_loop():
            look = self._look = asyncio.ensure_future(self._looked())
        return await asyncio.shield(look)

    async def _looked(self) -> _Seen:
        try:
            async with asyncio.timeout(self._limits.health_wait_s):
                standings = await self._standings()
            found = Counter(standing.condition for standing in standings.values())
            counts = {condition: found[condition] for condition in CONDITIONS}
        except (Failure, TimeoutError):
            counts = None
        self._seen = _Seen(counts, self._clock() + self._limits.health_memory_s)
        return self._seen


def sandbox_state(hardening: Hardening | None) -> SandboxState:
    """``unknown`` until a first child has reported; ``refused`` where programs do not run at all."""
    if hardening is None:
        return "unknown"
    if not hardening.ready:
        return "refused"
    return "degraded" if hardening.degraded else "ready"
