"""How each connector of a deployment stands, told without asking any of them."""

import asyncio
import hashlib
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, get_args

from connecta.catalog.catalog import Catalog
from connecta.catalog.drift import Drift
from connecta.catalog.stored import pack
from connecta.connectors.api import Api
from connecta.connectors.model import Connector
from connecta.connectors.reviewed import ReviewedTools
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.state.standings import Failed, Listed, Noted, StandingRecords, Subject

_LOG: Final = logging.getLogger(__name__)

Condition: TypeAlias = Literal["ready", "failing", "auth_required", "unlisted"]
"""``failing`` and ``auth_required``: the last listing failed. ``unlisted``: nobody has asked for the tools yet."""
CONDITIONS: Final = get_args(Condition)


@dataclass(frozen=True, slots=True)
class Standing:
    """One connector. Times are epoch seconds. ``failure`` is the code of the last listing that failed, which may be
    long ago: ``condition`` says whether one has succeeded since."""

    condition: Condition
    tools: int | None = None
    loaded_at: float | None = None
    age_s: float | None = None
    drift: Drift | None = None
    failure: str | None = None
    failed_at: float | None = None


class Standings:
    """The connectors of one deployment as the table knows them. Safe for concurrent requests."""

    def __init__(
        self,
        connectors: Sequence[Connector],
        records: StandingRecords,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._connectors = connectors
        self._records = records
        self._clock = clock

    async def all(self) -> Mapping[str, Standing]:
        """How every connector stands, by id, in the order of the deployment: one query. Raises ``unavailable``."""
        listing = [connector for connector in self._connectors if connector.cacheable_catalog]
        noted = await self._records.noted([_subject_of(connector) for connector in listing])
        known, now = dict(zip((connector.id for connector in listing), noted, strict=True)), self._clock()
        return {
            connector.id: _standing(known[connector.id], _digest_of(connector.reviewed), now)
            if connector.id in known
            else _known_here(connector)
            for connector in self._connectors
        }


class StandingNotes:
    """Notes how listings went. Neither a table that cannot be reached nor one that is slow fails whoever listed."""

    def __init__(self, records: StandingRecords, limits: Limits, clock: Callable[[], float] = time.time) -> None:
        self._records = records
        self._limits = limits
        self._clock = clock
        self._failed: dict[str, Failed] = {}

    async def listed(self, catalog: Catalog) -> None:
        connector, drift = catalog.connector, catalog.drift
        self._failed.pop(connector.id, None)
        counts = None if drift is None else drift.counts
        listed = Listed(catalog.fetched_at, len(catalog.tools), counts, _digest_of(connector.reviewed))
        await self._kept(self._records.note_listed(_subject_of(connector), listed))

    async def failed(self, connector: Connector, failure: Failure) -> None:
        """A failure that comes again and again is noted every ``limits.standing_pause_s`` only."""
        failed = Failed(self._clock(), _code_of(failure))
        before = self._failed.get(connector.id)
        if before is not None and before.code == failed.code and failed.at < before.at + self._limits.standing_pause_s:
            return
        self._failed[connector.id] = failed
        await self._kept(self._records.note_failed(_subject_of(connector), failed))

    async def _kept(self, note: Awaitable[None]) -> None:
        try:
            async with asyncio.timeout(self._limits.standing_note_s):
                await note
        except (Failure, TimeoutError) as error:
            code = error.code if isinstance(error, Failure) else "timeout"
            _LOG.warning("how a listing went was not noted: %s", code)


def _subject_of(connector: Connector) -> Subject:
    return Subject(connector.id, connector.fingerprint)


def _standing(noted: Noted, reviewed: str, now: float) -> Standing:
    listed, failed = noted.listed, noted.failed
    return Standing(
        condition=_condition(listed, failed),
        tools=None if listed is None else listed.tools,
        loaded_at=None if listed is None else listed.at,
        age_s=None if listed is None else max(0.0, now - listed.at),
        drift=None if listed is None else _drift(listed, reviewed),
        failure=None if failed is None else failed.code,
        failed_at=None if failed is None else failed.at,
    )


def _condition(listed: Listed | None, failed: Failed | None) -> Condition:
    if failed is not None and (listed is None or listed.at <= failed.at):
        return "auth_required" if failed.code == "auth_required" else "failing"
    return "unlisted" if listed is None else "ready"


def _drift(listed: Listed, reviewed: str) -> Drift | None:
    """``None``, too, where the deployment has come with another list since: its next listing counts against that."""
    return Drift(**listed.drift) if listed.drift is not None and listed.reviewed == reviewed else None


def _known_here(connector: Connector) -> Standing:
    """Tools known in process are there for as long as the process is."""
    return Standing("ready", tools=len(connector.tools) if isinstance(connector, Api) else None)


def _digest_of(reviewed: ReviewedTools | None) -> str:
    if reviewed is None:
        return ""
    packed = pack([reviewed[name] for name in sorted(reviewed)], sys.maxsize)
    return hashlib.sha256(packed or b"").hexdigest()


def _code_of(failure: Failure) -> str:
    """What lies behind a listing that failed says more than that it did."""
    cause = failure.__cause__
    return cause.code if isinstance(cause, Failure) else failure.code
