"""``python -m connecta activity``: the calls that were attempted, from the local table or a deployed one."""

import asyncio
import logging
import os
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TextIO, cast

from connecta.calls.journal import described
from connecta.composition import load_deployment
from connecta.deployment import Connecta, DeploymentError
from connecta.failures import Failure
from connecta.local.emulator import EmulatorError, reachable_emulator
from connecta.local.errors import CommandError
from connecta.local.server import TABLE
from connecta.log import logger
from connecta.state import open_state
from connecta.state.activity import Entry, Wanted
from connecta.text import JsonObject, ascii_json, clamp

_HEADINGS: Final = ("TIME (UTC)", "OUTCOME", "MS", "ADDRESS", "SOURCE", "ACTOR", "ERROR")
_CELL_BYTES: Final = 64
"""An address may be what a model made up, up to 257 bytes of it; --json has it whole."""


class ActivityError(CommandError):
    """The activity cannot be listed; the message says what to change."""


@dataclass(frozen=True, slots=True)
class Listing:
    """What the command was asked for. ``table`` is a deployed one; without it the local table under ``data``."""

    deployment: str
    data: Path
    table: str | None
    connector: str | None
    outcome: str | None
    since_s: float | None
    limit: int
    as_json: bool


def show_activity(listing: Listing) -> None:
    """Print the calls ``listing`` asks for, newest first. Raises ``ActivityError``."""
    _log_to_stderr()
    try:
        sys.path.insert(0, os.getcwd())
        deployment = load_deployment(listing.deployment)
        with _endpoint(listing) as endpoint_url:
            entries = asyncio.run(_entries(listing, deployment, endpoint_url))
    except (ValueError, ImportError, DeploymentError, EmulatorError) as error:
        raise ActivityError(str(error)) from error
    except Failure as failure:
        raise ActivityError(failure.message) from failure
    lines = [ascii_json(_described(entry)) for entry in entries] if listing.as_json else _columns(entries)
    print(*lines, sep="\n", end="\n" if lines else "")


async def _entries(listing: Listing, deployment: Connecta, endpoint_url: str | None) -> list[Entry]:
    since = 0.0 if listing.since_s is None else time.time() - listing.since_s
    table = listing.table or TABLE
    state = open_state(table, deployment.name, endpoint_url=endpoint_url, limits=deployment.limits)
    try:
        return await state.activity.newest(Wanted(since, listing.connector, listing.outcome), listing.limit)
    finally:
        await state.close()


@contextmanager
def _endpoint(listing: Listing) -> Generator[str | None]:
    """Where the table is: ``None`` is AWS, as the environment's credentials and region say."""
    if listing.table is not None:
        yield None
        return
    if not listing.data.is_dir():
        raise ActivityError(
            f"There is no local state in {listing.data}. Start a server with python -m connecta dev, name its folder "
            "with --data, or a deployed table with --table."
        )
    with reachable_emulator(listing.data, table=TABLE) as endpoint_url:
        yield endpoint_url


def _log_to_stderr() -> None:
    """What the server would log (why AWS refused, say) belongs beside the list, not into it."""
    for handler in logger.handlers:
        if isinstance(handler, logging.StreamHandler):
            cast("logging.StreamHandler[TextIO]", handler).setStream(sys.stderr)


def _described(entry: Entry) -> JsonObject:
    whose: JsonObject = {"requestId": entry.request_id, "actor": entry.actor, "deployment": entry.deployment}
    return {"time": _time(entry).isoformat(timespec="milliseconds"), **described(entry), **whose}


def _columns(entries: Sequence[Entry]) -> list[str]:
    rows = [_HEADINGS, *(_row(entry) for entry in entries)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEADINGS))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _row(entry: Entry) -> tuple[str, ...]:
    told = f"{_time(entry):%Y-%m-%d %H:%M:%S}", entry.outcome, str(entry.duration_ms)
    names = entry.address, entry.source, entry.actor, entry.error_code or entry.friction or ""
    return *told, *(_cell(name) for name in names)


def _cell(text: str) -> str:
    """``text`` for a terminal: what callers wrote may hold control characters, and those would be obeyed."""
    return clamp("".join(char if char.isprintable() else "?" for char in text), _CELL_BYTES)


def _time(entry: Entry) -> datetime:
    return datetime.fromtimestamp(entry.at, UTC)
