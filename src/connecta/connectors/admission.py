"""How many calls a connector takes, as its author says."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

CALLS_MAX: Final = 1_000
"""A budget keeps the time of each of its calls in one item of the table."""
WINDOW_MAX_S: Final = 24 * 3_600


@dataclass(frozen=True, slots=True)
class Admission:
    """``concurrent`` calls at once from one process, and ``calls`` in any ``per_s`` seconds from all processes of the
    deployment together. What is ``None`` is not bounded."""

    concurrent: int | None = None
    calls: int | None = None
    per_s: float = 60.0

    def problems(self) -> Iterator[str]:
        """What is wrong with the numbers, each naming its fix."""
        if self.concurrent is None and self.calls is None:
            yield "admission=Admission(…) bounds nothing; give concurrent= or calls=."
        if self.concurrent is not None and not _within(self.concurrent, 1, CALLS_MAX, whole=True):
            yield f"admission=Admission(concurrent=…) must be a whole number from 1 to {CALLS_MAX:,}."
        if self.calls is not None and not _within(self.calls, 1, CALLS_MAX, whole=True):
            yield f"admission=Admission(calls=…) must be a whole number from 1 to {CALLS_MAX:,}."
        if not _within(self.per_s, 1, WINDOW_MAX_S):
            yield f"admission=Admission(per_s=…) must be from 1 to {WINDOW_MAX_S:,} seconds."


def _within(value: object, least: float, most: float, *, whole: bool = False) -> bool:
    numbers = int if whole else (int, float)
    return isinstance(value, numbers) and not isinstance(value, bool) and least <= value <= most
