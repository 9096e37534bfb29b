"""Where the events of one request go: a log line at once, and the table before the answer (V1, V2)."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from connecta.calls.activity import CallEvent, Origin
from connecta.log import logger
from connecta.state.activity import Activity, Entry, Observation
from connecta.text import JsonObject

Journal = Callable[[Sequence[CallEvent], Origin, float], Awaitable[None]]
"""Takes all events of a request at once, and the seconds the answer may wait for it. Writing them one by one would cost
a program more than its calls; writing them after the answer would lose them, since Lambda freezes the process."""

LINE_EVENTS: Final = 100
"""Events in one log line at most: a line has to stay well under what CloudWatch takes as one event."""


def journal(activity: Activity) -> Journal:
    """The journal of one process. It never fails a request: what the table does not take is a warning, with a count."""

    async def write(events: Sequence[CallEvent], origin: Origin, within_s: float) -> None:
        about = {"request_id": origin.request_id, "actor": origin.actor, "deployment": origin.deployment}
        entries = [_entry(event, origin) for event in events]
        for start in range(0, len(entries), LINE_EVENTS):
            calls = [described(entry) for entry in entries[start : start + LINE_EVENTS]]
            logger.info("calls", extra={**about, "calls": calls})
        lost = await activity.write(entries, within_s)
        if lost:
            logger.warning("Activity was lost: the state table did not take it", extra={**about, "lost": lost})

    return write


def described(entry: Entry) -> JsonObject:
    """What is said of the call itself (V2), without whose request it was."""
    return {
        "at": round(entry.at, 3),
        "address": entry.address,
        "connectorId": entry.connector,
        "toolName": entry.tool,
        "source": entry.source,
        "outcome": entry.outcome,
        "durationMs": entry.duration_ms,
        "attempts": entry.attempts,
        "errorCode": entry.error_code,
        "friction": entry.friction,
        **({"observations": [_observation(entry.tool, each) for each in entry.observed]} if entry.observed else {}),
    }


def _observation(tool: str, observed: Observation) -> JsonObject:
    hashed: JsonObject = {} if observed.content_hash is None else {"contentHash": observed.content_hash}
    return {"toolName": tool, "resourceUri": observed.resource_uri, **hashed, "pin": observed.pin}


def _entry(event: CallEvent, origin: Origin) -> Entry:
    return Entry(
        at=event.at,
        connector=event.connector,
        tool=event.tool,
        source=event.source,
        outcome=event.outcome,
        duration_ms=event.duration_ms,
        attempts=event.attempts,
        request_id=origin.request_id,
        actor=origin.actor,
        deployment=origin.deployment,
        error_code=event.error_code,
        friction=event.friction,
        observed=event.observed,
    )
