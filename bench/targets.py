"""What a number has to be, and whether it is."""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Times:
    """At most so many times the echo."""

    factor: float

    def bound(self, echo: float) -> float:
        return self.factor * echo

    def __str__(self) -> str:
        return f"≤ {self.factor:g}× echo"


@dataclass(frozen=True, slots=True)
class Over:
    """At most so many milliseconds more than the echo."""

    ms: float

    def bound(self, echo: float) -> float:
        return echo + self.ms

    def __str__(self) -> str:
        return f"≤ echo + {self.ms:g} ms"


@dataclass(frozen=True, slots=True)
class AtMost:
    """At most so much, whatever the echo takes."""

    most: float
    unit: str = "ms"

    def bound(self, echo: float = 0.0) -> float:
        del echo
        return self.most

    def __str__(self) -> str:
        return f"≤ {self.most:g} {self.unit}"


Target: TypeAlias = Times | Over | AtMost


def verdict(target: Target | None, measured: float, echo: float = 0.0) -> str:
    """``met`` or ``MISSED`` and the target; nothing where there is none."""
    if target is None:
        return ""
    return f"{'met' if measured <= target.bound(echo) else 'MISSED'} ({target})"
