"""When a connector's tools were last listed, and when that last failed: two small records a connector, all of one
deployment in one partition, so that one query tells how everything stands."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Final

from connecta.limits import Limits
from connecta.state.owners import digest
from connecta.state.records import Record, Value
from connecta.state.table import Condition, Table
from connecta.text import compact

_LISTED: Final = "listed"
_FAILED: Final = "failed"


@dataclass(frozen=True, slots=True)
class Listed:
    """A listing that succeeded: how many tools there were, and how far they had moved from the reviewed list whose
    digest is ``reviewed``, in counts by name; neither where nobody keeps a list. ``at`` is epoch seconds."""

    at: float
    tools: int
    drift: Mapping[str, int] | None = None
    reviewed: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A listing that failed: the code of the failure and nothing else of it. ``at`` is epoch seconds."""

    at: float
    code: str


@dataclass(frozen=True, slots=True)
class Noted:
    """The last of either."""

    listed: Listed | None = None
    failed: Failed | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """One connector as it is configured now."""

    connector: str
    fingerprint: str


class StandingRecords:
    """The records of one deployment, each kept ``limits.standing_s``. Every method raises ``unavailable`` as ``Table``
    does."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._pk = f"standing#{digest(deployment)}"
        self._life_s = limits.standing_s

    async def note_listed(self, subject: Subject, listed: Listed) -> None:
        """Keep ``listed``, unless a later one is there."""
        values: dict[str, Value] = {"tools": listed.tools, "reviewed": listed.reviewed}
        drift = {} if listed.drift is None else {"drift": compact(dict(listed.drift))}
        await self._note(subject, _LISTED, listed.at, {**values, **drift})

    async def note_failed(self, subject: Subject, failed: Failed) -> None:
        """Keep ``failed``, unless a later one is there."""
        await self._note(subject, _FAILED, failed.at, {"code": failed.code})

    async def noted(self, subjects: Iterable[Subject]) -> Sequence[Noted]:
        """What is known of each of ``subjects``, in one query."""
        records = {record.sk: record.values for record in await self._table.query(self._pk)}
        return [
            Noted(_listed(records.get(_sk(each, _LISTED))), _failed(records.get(_sk(each, _FAILED))))
            for each in subjects
        ]

    async def _note(self, subject: Subject, what: str, at: float, values: Mapping[str, Value]) -> None:
        record = Record(self._pk, _sk(subject, what), ceil(at + self._life_s), {"noted_at": at, **values})
        await self._table.put(record, only_over=Condition("noted_at < :at", {":at": at}))


def _sk(subject: Subject, what: str) -> str:
    return f"{digest(subject.connector, subject.fingerprint)}#{what}"


def _listed(values: Mapping[str, Value] | None) -> Listed | None:
    if values is None:
        return None
    drift = values.get("drift")
    counts: dict[str, int] | None = json.loads(drift) if isinstance(drift, str) else None
    return Listed(float(values["noted_at"]), int(values["tools"]), counts, str(values["reviewed"]))


def _failed(values: Mapping[str, Value] | None) -> Failed | None:
    return None if values is None else Failed(float(values["noted_at"]), str(values["code"]))
