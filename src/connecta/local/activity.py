"""``python -m connecta activity``: the calls that were attempted, from the local table or a deployed one."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from connecta.calls.journal import described
from connecta.local.states import Place, with_state
from connecta.state import State
from connecta.state.activity import Entry, Wanted
from connecta.text import JsonObject, ascii_json, clamp

_HEADINGS: Final = ("TIME (UTC)", "OUTCOME", "MS", "ADDRESS", "SOURCE", "ACTOR", "ERROR", "UI")
_CELL_BYTES: Final = 64
"""An address may be what a model made up, up to 257 bytes of it; --json has it whole."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What the command was asked for. ``table`` is a deployed one; without it the local table under ``data``."""

    deployment: str
    data: Path
    table: str | None
    connector: str | None
    outcome: str | None
    caller: str | None
    since_s: float | None
    limit: int
    as_json: bool


def show_activity(listing: Listing) -> None:
    """Print the calls ``listing`` asks for, newest first. Raises ``CommandError``."""
    place = Place(listing.deployment, listing.data, listing.table)
    entries = asyncio.run(with_state(place, partial(_entries, listing)))
    lines = [ascii_json(_described(entry)) for entry in entries] if listing.as_json else _columns(entries)
    print(*lines, sep="\n", end="\n" if lines else "")


async def _entries(listing: Listing, state: State) -> list[Entry]:
    since = 0.0 if listing.since_s is None else time.time() - listing.since_s
    return await state.activity.newest(Wanted(since, listing.connector, listing.outcome, listing.caller), listing.limit)


def _described(entry: Entry) -> JsonObject:
    whose: JsonObject = {"requestId": entry.request_id, "actor": entry.actor, "deployment": entry.deployment}
    return {"time": _time(entry).isoformat(timespec="milliseconds"), **described(entry), **whose}


def _columns(entries: Sequence[Entry]) -> list[str]:
    rows = [_HEADINGS, *(_row(entry) for entry in entries)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _row(entry: Entry) -> tuple[str, ...]:
    told = f"{_time(entry):%Y-%m-%d %H:%M:%S}", entry.outcome, str(entry.duration_ms)
    names = entry.address, entry.source, entry.actor, entry.error_code or entry.friction or "", _shown(entry)
    return *told, *(_cell(name) for name in names)


def _shown(entry: Entry) -> str:
    """The first ``ui://`` resource and its pin, and how many more there were."""
    if not entry.observed:
        return ""
    first, *others = entry.observed
    return f"{first.pin}{f' +{len(others)}' if others else ''} {first.resource_uri}"


def _cell(text: str) -> str:
    """``text`` for a terminal: what callers wrote may hold control characters, and those would be obeyed."""
    return clamp("".join(char if char.isprintable() else "?" for char in text), _CELL_BYTES)


def _time(entry: Entry) -> datetime:
    return datetime.fromtimestamp(entry.at, UTC)
