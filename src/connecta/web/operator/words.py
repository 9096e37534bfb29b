"""How the pages say times, counts and reasons."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

_SPANS: Final = ((86_400, "day"), (3_600, "hour"), (60, "minute"))
_FAILURES: Final = {
    "auth_required": "it asks for a credential, or refuses the one it was sent",
    "timeout": "it did not answer in time",
    "unavailable": "it could not be reached",
    "rate_limited": "it asked for a pause",
    "result_too_large": "its list of tools is too large",
    "catalog_lookup_failed": "its tools could not be listed",
}
_GRANTS: Final = {
    "expired": "Its access has ended and cannot be renewed.",
    "refused": "Its authorization server refused to renew the access.",
    "rejected": "It does not take the access it was given.",
    "scope": "It wants more than was granted.",
    "issuer": "It trusts another authorization server now.",
    "client": "It was connected by an application that is not this deployment's any more.",
    "moved": "Its URL in the deployment is another now.",
    "unreadable": "What was kept for it cannot be read any more.",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """A time as a page has it: for machines, for people, and how long ago."""

    iso: str
    text: str
    ago: str


def moment(at: float, now: float) -> Moment:
    """``at`` and ``now`` are epoch seconds."""
    when = datetime.fromtimestamp(at, UTC)
    return Moment(when.isoformat(timespec="seconds"), f"{when:%Y-%m-%d %H:%M} UTC", _ago(now - at))


def counted(count: int, one: str, many: str | None = None) -> str:
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def failure_words(code: str) -> str:
    return _FAILURES.get(code, code.replace("_", " "))


def grant_words(reason: str) -> str:
    return _GRANTS.get(reason, "It has to be connected again.")


def _ago(seconds: float) -> str:
    for length, name in _SPANS:
        if abs(seconds) >= length:
            # What lies behind has fully passed; what lies ahead is named as it was asked for.
            span = counted(int(seconds // length) if seconds > 0 else round(-seconds / length), name)
            return f"{span} ago" if seconds > 0 else f"in {span}"
    return "just now" if seconds >= 0 else "in a moment"
