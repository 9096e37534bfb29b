"""``/activity``: the calls that were attempted, newest first; what they carried is nowhere to be shown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final
from urllib.parse import urlencode

from fastapi import FastAPI

from connecta.connectors.model import Connector
from connecta.limits import Limits
from connecta.state.activity import Activity, Entry, Wanted
from connecta.web.operator.desk import Desk
from connecta.web.operator.door import Visit
from connecta.web.operator.places import ACTIVITY
from connecta.web.operator.words import Moment, moment

OUTCOMES: Final = {"success": "Succeeded", "error": "Failed", "timeout": "Timed out", "cancelled": "Cancelled"}
_SOURCES: Final = {
    "execute_code": "in a program",
    "call_tool": "direct call",
    "call_destructive_tool": "direct call that may change things",
}
_SAID_ALREADY: Final = ("timeout", "cancelled")
"""Codes that say no more than the outcome they come with."""
_FILTERS: Final = ("connector", "outcome", "caller")


@dataclass(frozen=True, slots=True)
class Row:
    at: Moment
    outcome: str
    tone: str
    address: str
    duration: str
    source: str
    caller: str
    caller_link: str
    reason: str


class ActivityPage:
    place: ClassVar[str] = ACTIVITY
    template: ClassVar[str] = "activity.html"
    leads_elsewhere: ClassVar[bool] = False

    def __init__(
        self, connectors: Sequence[Connector], activity: Activity, limits: Limits, now: Callable[[], float]
    ) -> None:
        self._titles = {each.id: each.title or each.id for each in connectors}
        self._activity = activity
        self._limits = limits
        self._now = now

    def add_routes(self, app: FastAPI, desk: Desk) -> None:
        desk.add_page(app, self)

    async def values(self, visit: Visit) -> Mapping[str, object]:
        asked = self._asked(visit)
        filters = {name: asked[name] for name in _FILTERS if name in asked}
        wanted = Wanted(
            connector=filters.get("connector"), outcome=filters.get("outcome"), caller=filters.get("caller")
        )
        page = await self._activity.page(wanted, self._limits.operator_activity_rows, asked.get("cursor"))
        now = self._now()
        return {
            "rows": [_row(entry, now) for entry in page.entries],
            "filters": {name: filters.get(name, "") for name in _FILTERS},
            "filtered": bool(filters),
            "connectors": self._titles,
            "outcomes": OUTCOMES,
            "caller_chars": self._limits.operator_filter_chars,
            "older": None if page.next is None else _link({**filters, "cursor": page.next}),
            "newest": _link(filters) if "cursor" in asked else None,
            "days": self._limits.activity_s // (24 * 3_600),
        }

    def _asked(self, visit: Visit) -> dict[str, str]:
        """The filters and the place in the list, as far as they are any."""
        query, longest = visit.request.query_params, self._limits.operator_filter_chars
        asked = {name: query.get(name, "").strip() for name in (*_FILTERS, "cursor")}
        return {name: value for name, value in asked.items() if 0 < len(value) <= longest}


def _row(entry: Entry, now: float) -> Row:
    return Row(
        at=moment(entry.at, now),
        outcome=OUTCOMES.get(entry.outcome, entry.outcome),
        tone={"success": "good", "error": "bad", "timeout": "bad"}.get(entry.outcome, "calm"),
        address=entry.address,
        duration=f"{entry.duration_ms:,} ms",
        source=_SOURCES.get(entry.source, entry.source),
        caller=entry.actor,
        caller_link=_link({"caller": entry.actor}),
        reason=_reason(entry),
    )


def _reason(entry: Entry) -> str:
    said = entry.error_code or entry.friction or ""
    return "" if said in _SAID_ALREADY else said.replace("_", " ")


def _link(asked: Mapping[str, str]) -> str:
    return f"{ACTIVITY}?{urlencode(asked)}" if asked else ACTIVITY
