"""What a check is, and what comes of it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Generic, Literal, TypeAlias, TypeVar

from connecta.text import JsonObject, clamp, printable

VisitT = TypeVar("VisitT")
Outcome: TypeAlias = Literal["ok", "failed", "not tried"]

_SENTENCE_BYTES: Final = 600
_QUOTED_BYTES: Final = 120


class Problem(Exception):
    """The check failed; the message is a sentence that says what to fix."""


class NotTried(Exception):
    """The check does not apply here, or lacks something; the message goes after "not tried because"."""


@dataclass(frozen=True, slots=True)
class Check(Generic[VisitT]):
    """``run`` returns what is good, in a few words, or raises ``Problem`` or ``NotTried``. It is tried only when all
    of ``needs``, names of earlier checks, are well."""

    name: str
    title: str
    run: Callable[[VisitT], Awaitable[str]]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """What came of one check."""

    name: str
    title: str
    outcome: Outcome
    message: str

    def described(self) -> JsonObject:
        return {"name": self.name, "title": self.title, "outcome": self.outcome, "message": self.message}


def finding(check: Check[VisitT], outcome: Outcome, message: str) -> Finding:
    """With what others wrote made fit for a terminal."""
    return Finding(check.name, check.title, outcome, clamp(printable(message), _SENTENCE_BYTES))


def quoted(value: object) -> str:
    """Something a server sent, for a sentence: short and on one line."""
    return f'"{clamp(printable(str(value)), _QUOTED_BYTES)}"'
