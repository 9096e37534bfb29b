"""Whether the walls around a program stand: the child's own report, and the parent's one step."""

import ctypes
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PR_GET_DUMPABLE: Final = 3
PR_SET_DUMPABLE: Final = 4

REQUIRED: Final = ("environment", "rlimits", "cpu_limit", "not_dumpable", "parent_not_dumpable", "no_new_privileges")
"""Without any of these no program runs."""
EXPECTED: Final = ("seccomp", "death_signal")
"""Without these programs run degraded; ``strict`` makes them required. For root, seccomp always is: the
resource limits alone hold back an unprivileged process only."""


@dataclass(frozen=True, slots=True)
class HardeningStatus:
    """``steps`` maps each step to ``ok`` or to why it failed; ``missing`` are required steps that failed."""

    steps: Mapping[str, str]
    missing: tuple[str, ...]
    degraded: tuple[str, ...]
    """Expected steps that failed while programs still run."""

    @property
    def ready(self) -> bool:
        return not self.missing


def hardening_status(steps: Mapping[str, str], *, strict: bool, root: bool) -> HardeningStatus:
    """Judges a report; a step that was not reported counts as failed."""
    reported = {step: steps.get(step, "not reported") for step in (*REQUIRED, *EXPECTED)}
    failed = [step for step, outcome in reported.items() if outcome != "ok"]
    required = {*REQUIRED, *(EXPECTED if strict else ()), *(("seccomp",) if root else ())}
    return HardeningStatus(
        reported,
        tuple(step for step in failed if step in required),
        tuple(step for step in failed if step not in required),
    )


def running_as_root() -> bool:
    return os.geteuid() == 0


def make_parent_undumpable() -> str:
    """Closes ``/proc/PID/environ``, with the credentials in it, and ptrace to every process of the same user."""
    try:
        prctl = ctypes.CDLL(None, use_errno=True).prctl
    except (OSError, AttributeError):
        return "this system has no prctl"
    prctl.argtypes = [ctypes.c_int, *[ctypes.c_ulong] * 4]
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    return "ok" if prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 else "still dumpable"
