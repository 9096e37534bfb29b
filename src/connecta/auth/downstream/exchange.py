"""What this floor needs of the network for a downstream's authorization: one guarded request, and its answer."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from connecta.text import JsonObject, json_object


@dataclass(frozen=True, slots=True)
class Answer:
    """``challenges`` are the values of ``WWW-Authenticate``. The body may hold tokens, so it is not shown."""

    status: int
    body: bytes
    challenges: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Answer(status={self.status})"

    def json(self) -> JsonObject | None:
        return json_object(self.body)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, and that the answer has at most ``limit`` bytes and comes within ``wait_s`` seconds. Headers and
    body may hold secrets, so they are not shown."""

    method: Literal["GET", "POST"]
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = field(default=None, repr=False)
    limit: int
    wait_s: float


Exchange: TypeAlias = Callable[[Question], Awaitable[Answer]]
"""Asks over https and at public addresses only (unless its connector allows private ones), following no redirect. Gives
the answer, whatever its status; raises ``Failure`` where there is none."""


class Exchanges(Protocol):
    """The exchange of a connector that allows private addresses, or does not."""

    def __call__(self, *, allow_private: bool) -> Exchange: ...
