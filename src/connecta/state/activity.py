"""The calls requests attempted, 30 days each, listed newest first.

A partition holds the events of one deployment, one UTC day and one of a few shards: a listing asks only the days it
reaches into, and a day's events are not all written to the one partition that DynamoDB limits. Within a partition the
sort key begins with the time, so a page is a range of keys and nothing is ever scanned.
"""

import asyncio
import json
import random
import re
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
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
_PLACE: Final = re.compile(r"[0-9]{14}#[0-9a-f]{16}#[0-9]{6}")
"""A sort key: the time in milliseconds, the batch, the number in it."""
_AFTER_ALL: Final = "~"
"""Sorts after every sort key."""

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
    """Which entries to list: those at or after ``since`` (epoch seconds), of one connector, of one outcome, of one
    caller as an entry's ``actor`` names it."""

    since: float = 0.0
    connector: str | None = None
    outcome: str | None = None
    caller: str | None = None

    @property
    def condition(self) -> Condition | None:
        asked = {"connector": self.connector, "outcome": self.outcome, "actor": self.caller}
        values: dict[str, Value] = {f":{name}": value for name, value in asked.items() if value is not None}
        return Condition(" AND ".join(f"{name[1:]} = {name}" for name in values), values) if values else None


@dataclass(frozen=True, slots=True)
class Page:
    """Entries, newest first, and the cursor of those before them; ``None`` where there are none."""

    entries: tuple[Entry, ...]
    next: str | None


@dataclass(slots=True)
class _Look:
    """A look through the past for one page: how far it got, what it found, and how many entries it looked at."""

    day: int
    before: str
    found: list[Record] = field(default_factory=list[Record])
    looked_at: int = 0

    @property
    def place(self) -> str:
        """Where the next look begins: what it has not looked at sorts before this."""
        return f"{_moment((self.day + 1) * DAY_S)}#{0:016x}#{0:06d}" if self.before == _AFTER_ALL else self.before


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
        """At most ``limit`` entries, newest first, however far back they are. Raises ``unavailable``."""
        entries: list[Entry] = []
        cursor: str | None = None
        while len(entries) < limit:
            page = await self.page(wanted, limit - len(entries), cursor)
            entries += page.entries
            cursor = page.next
            if cursor is None:
                break
        return entries

    async def page(self, wanted: Wanted, limit: int, cursor: str | None = None) -> Page:
        """At most ``limit`` entries, newest first, from where the page with this ``cursor`` ended.

        Entries written meanwhile move nothing: none that was there for the page before comes twice or is left out.
        A look ends after ``limits.activity_looked_at`` entries, so a page of a narrow choice may hold fewer, even none,
        and still have a ``next``. A cursor that is none of ours begins at the newest. Raises ``unavailable``.
        """
        now = self._table.now()
        oldest = max(wanted.since, now - self._limits.activity_s)
        last_day = int(oldest // DAY_S)
        # A clock that is ahead of this one may have written into tomorrow.
        look = _Look(int(now // DAY_S) + 1, _AFTER_ALL)
        if (place := _place_in(cursor)) is not None:
            look = _Look(min(look.day, _day_of(place)), place)
        # One more than asked for, so that whoever is told of a next page finds something there.
        while look.day >= last_day and len(look.found) <= limit:
            if look.looked_at >= self._limits.activity_looked_at:
                return _page(look.found, look.place)
            await self._look_further(look, wanted.condition, oldest, limit + 1)
        if len(look.found) > limit:
            return _page(look.found[:limit], look.found[limit - 1].sk)
        return _page(look.found, None)

    async def _look_further(self, look: _Look, where: Condition | None, oldest: float, enough: int) -> None:
        """One step back: a slice of every shard of the day, down to where the slowest of them ends."""
        most = enough if where is None else self._limits.activity_slice
        slices = await asyncio.gather(
            *(
                self._table.slice(
                    self._pk(look.day, shard), from_sk=_moment(oldest), before_sk=look.before, where=where, most=most
                )
                for shard in range(self._limits.activity_shards)
            )
        )
        look.looked_at += sum(each.looked_at for each in slices)
        # Below where one shard's slice ends nothing is known of that shard, so nothing below counts of any.
        end = max((each.ended_at for each in slices if each.ended_at is not None), default=None)
        records = [record for each in slices for record in each.records if end is None or record.sk >= end]
        look.found += sorted(records, key=lambda record: record.sk, reverse=True)
        if end is None:
            look.day, look.before = look.day - 1, _AFTER_ALL
        else:
            look.before = end

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


def _day_of(place: str) -> int:
    return int(place[:14]) // 1000 // DAY_S


def _page(records: Sequence[Record], place: str | None) -> Page:
    next = None if place is None else urlsafe_b64encode(place.encode()).decode().rstrip("=")
    return Page(tuple(_entry(record) for record in records), next)


def _place_in(cursor: str | None) -> str | None:
    """The sort key a cursor stands for; ``None`` for what is none of ours."""
    try:
        place = urlsafe_b64decode(f"{cursor or ''}==").decode("ascii")
    except ValueError:
        return None
    return place if _PLACE.fullmatch(place) else None


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
