"""What one hostile program is: its text, and the one outcome the guest API documents for it."""

from dataclasses import dataclass
from typing import Final, Literal

from connecta.text import MISSING, Json, Missing

QUICK_MS: Final = 100
"""CPU of programs that are loops, which spend all they are given."""
FULL_MS: Final = 6_000
"""CPU of all others, several times what the slowest needs to reach its own bound on a loaded machine."""


@dataclass(frozen=True, slots=True)
class Hostile:
    """``code`` is the failure's, ``None`` where the program succeeds with ``value``. ``says`` is in the failure's
    message. ``logs``, where given, is all that the program logged. ``host`` answers its calls: ``echo`` with what it
    was asked, ``desk`` as the real guest functions over the front desk."""

    name: str
    program: str
    code: str | None = None
    value: Json | Missing = MISSING
    says: str = ""
    logs: str | None = None
    host: Literal["echo", "desk"] = "echo"

    @property
    def cpu_ms(self) -> int:
        return QUICK_MS if self.code == "run_cpu" else FULL_MS


def gives(
    name: str, program: str, value: Json, *, logs: str | None = None, host: Literal["echo", "desk"] = "echo"
) -> Hostile:
    """A program that does no harm, however hard it tries, and gets its ``value``."""
    return Hostile(name, program, value=value, logs=logs, host=host)


def fails(
    name: str,
    code: str,
    program: str,
    *,
    says: str = "",
    logs: str | None = None,
    host: Literal["echo", "desk"] = "echo",
) -> Hostile:
    """A program that ends with ``code``."""
    return Hostile(name, program, code=code, says=says, logs=logs, host=host)
