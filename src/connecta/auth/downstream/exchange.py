"""What this floor needs of the network for a downstream's authorization: one guarded request, and its answer."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

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


class Exchange(Protocol):
    """Asks over https and at public addresses only (unless its connector allows private ones), following no
    redirect."""

    def __call__(
        self,
        method: Literal["GET", "POST"],
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None,
        limit: int,
        wait_s: float,
    ) -> Awaitable[Answer]:
        """The answer, whatever its status, of at most ``limit`` bytes and within ``wait_s`` seconds. Raises
        ``Failure`` where there is none."""
        ...


class Exchanges(Protocol):
    """The exchange of a connector that allows private addresses, or does not."""

    def __call__(self, *, allow_private: bool) -> Exchange: ...
