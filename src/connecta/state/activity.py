"""The calls requests attempted, 30 days each, listed newest first.

A partition holds the events of one deployment, one UTC day and one of a few shards: a listing asks only the days it
reaches into, and a day's events are not all written to the one partition that DynamoDB limits. Within a partition the
sort key begins with the time, so a page is a range of keys and nothing is ever scanned.
"""

import asyncio
import json
import random
import secrets
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from typing import Final, Literal

from connecta.failures import Failure
from connecta.limits import LIMITS, Limits
from connecta.state.owners import digest
from connecta.state.records import Record, Value
from connecta.state.table import Condition, Table
from connecta.text import Json, clamp, compact

DAY_S: Final = 24 * 3_600
_PAUSE_S: Final = 0.05
"""Before what DynamoDB had no capacity for is sent again; doubled each time, and jittered."""


Pin = Literal["embedded", "resolved", "not-requested", "unresolvable"]
"""Whether the content of an observed resource is known: it came with the result, it was fetched, nobody asked for it,
or it could not be had."""


@dataclass(frozen=True, slots=True)
class Observation:
    """A ``ui://`` resource that a call named. Its content is hashed where it is known, and kept nowhere."""

    resource_uri: str
    pin: Pin
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One attempted call and whose request it was (V2). No field can hold arguments, results or error text."""

    at: float
    """Epoch seconds when the call was attempted."""
    connector: str
    tool: str
    source: str
    outcome: str
    duration_ms: int
    attempts: int
    request_id: str
    actor: str
    deployment: str
    error_code: str | None = None
    friction: str | None = None
    observed: tuple[Observation, ...] = ()

    @property
    def address(self) -> str:
        """As it was written: without a dot where there was none (V3)."""
        return clamp(f"{self.connector}.{self.tool}", LIMITS.address_bytes) if self.tool else self.connector


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which entries to list: those at or after ``since`` (epoch seconds), of one connector, of one outcome."""

    since: float = 0.0
    connector: str | None = None
    outcome: str | None = None

    @property
    def condition(self) -> Condition | None:
        asked = {"connector": self.connector, "outcome": self.outcome}
        values: dict[str, Value] = {f":{name}": value for name, value in asked.items() if value is not None}
        return Condition(" AND ".join(f"{name[1:]} = {name}" for name in values), values) if values else None


@dataclass(slots=True)
class _Writing:
    """Batches still to be sent, and how many records DynamoDB has taken."""

    batches: deque[Sequence[Record]]
    kept: int = 0


class Activity:
    """The activity of one deployment in the table."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._partition = f"activity#{digest(deployment)}"
        self._limits = limits

    async def write(self, entries: Sequence[Entry], within_s: float) -> int:
        """Keep ``entries`` and return how many of them were lost: nothing is raised, and it ends in ``within_s``.

        Entries that were being written when the time was up count as lost, though DynamoDB may have them.
        """
        records, size = self._records(entries), self._limits.state_batch_items
        writing = _Writing(deque(records[start : start + size] for start in range(0, len(records), size)))
        workers = min(len(writing.batches), self._limits.activity_batches_at_once)
        with suppress(TimeoutError):
            async with asyncio.timeout(within_s):
                await asyncio.gather(*(self._send(writing) for _ in range(workers)))
        return len(entries) - writing.kept

    async def newest(self, wanted: Wanted, limit: int) -> list[Entry]:
        """At most ``limit`` entries, newest first. Raises ``unavailable``."""
        now = self._table.now()
        oldest = max(wanted.since, now - self._limits.activity_s)
        found: list[Record] = []
        # A clock that is ahead of this one may have written into tomorrow.
        for day in range(int(now // DAY_S) + 1, int(oldest // DAY_S) - 1, -1):
            found += await self._of_day(day, oldest, wanted.condition, limit - len(found))
            if len(found) >= limit:
                break
        return [_entry(record) for record in found]

    async def _of_day(self, day: int, oldest: float, where: Condition | None, limit: int) -> list[Record]:
        shards = range(self._limits.activity_shards)
        reads = (
            self._table.newest(self._pk(day, shard), from_sk=_moment(oldest), where=where, limit=limit)
            for shard in shards
        )
        records = [record for shard in await asyncio.gather(*reads) for record in shard]
        return sorted(records, key=lambda record: record.sk, reverse=True)[:limit]

    async def _send(self, writing: _Writing) -> None:
        """Send batches while there are any, or until the table fails: it would fail for the next one, too."""
        with suppress(Failure):
            while writing.batches:
                await self._send_one(writing.batches.popleft(), writing)

    async def _send_one(self, batch: Sequence[Record], writing: _Writing) -> None:
        for attempt in range(self._limits.state_attempts):
            if attempt:
                await asyncio.sleep(_PAUSE_S * 2**attempt * random.uniform(0.5, 1))  # noqa: S311 (jitter)
            left = await self._table.put_batch(batch)
            writing.kept += len(batch) - len(left)
            batch = left
            if not batch:
                return

    def _records(self, entries: Sequence[Entry]) -> list[Record]:
        # Messages of one HTTP request share its id, so what keeps the keys of two batches apart is random. One batch
        # stays in one shard, and keeps its keys when it is sent again: a write that was taken twice is there once.
        shard, batch = secrets.randbelow(self._limits.activity_shards), secrets.token_hex(8)
        return [
            Record(
                self._pk(int(entry.at // DAY_S), shard),
                f"{_moment(entry.at)}#{batch}#{number:06d}",
                ceil(entry.at + self._limits.activity_s),
                _values(entry),
            )
            for number, entry in enumerate(entries)
        ]

    def _pk(self, day: int, shard: int) -> str:
        return f"{self._partition}#{datetime.fromtimestamp(day * DAY_S, UTC):%Y-%m-%d}#{shard}"


def _moment(at: float) -> str:
    """Milliseconds of a fixed width, so that their text sorts as they do."""
    return f"{int(at * 1000):014d}"


def _values(entry: Entry) -> dict[str, Value]:
    values: dict[str, Value | None] = {
        "at": entry.at,
        "connector": entry.connector,
        "tool": entry.tool,
        "source": entry.source,
        "outcome": entry.outcome,
        "duration_ms": entry.duration_ms,
        "attempts": entry.attempts,
        "request_id": entry.request_id,
        "actor": entry.actor,
        "deployment": entry.deployment,
        "error_code": entry.error_code,
        "friction": entry.friction,
        "observed": _kept(entry.observed),
    }
    return {name: value for name, value in values.items() if value is not None}


def _entry(record: Record) -> Entry:
    values = record.values
    return Entry(
        at=float(values["at"]),
        connector=str(values["connector"]),
        tool=str(values["tool"]),
        source=str(values["source"]),
        outcome=str(values["outcome"]),
        duration_ms=int(values["duration_ms"]),
        attempts=int(values["attempts"]),
        request_id=str(values["request_id"]),
        actor=str(values["actor"]),
        deployment=str(values["deployment"]),
        error_code=_text(values.get("error_code")),
        friction=_text(values.get("friction")),
        observed=_observed(values.get("observed")),
    )


def _kept(observed: Sequence[Observation]) -> str | None:
    rows: list[Json] = [[each.resource_uri, each.pin, each.content_hash] for each in observed]
    return compact(rows) if rows else None


def _observed(value: Value | None) -> tuple[Observation, ...]:
    rows: list[tuple[str, Pin, str | None]] = json.loads(value) if isinstance(value, str) else []
    return tuple(Observation(uri, pin, hashed) for uri, pin, hashed in rows)


def _text(value: Value | None) -> str | None:
    return None if value is None else str(value)
