"""Every hardening step made to fail in a real child, and what becomes of the program then.

The layer is the installed one, untouched: a kernel that refuses the step's own call, or an interpreter that is started
otherwise, is what lets the step fail.
"""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from connecta.sandbox.hardening import EXPECTED, REQUIRED
from tests.fixtures.layer import NOBODY, kernel_numbers

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tests" / "fixtures" / "refusing_kernel.py"
UNPRIVILEGED = os.getuid() or NOBODY
LINUX32 = 8
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SET_LIMITS: list[int | str] = ["prlimit64", "setrlimit"]
WARNING = "Programs are not walled in as they should be."


class Ran(NamedTuple):
    value: int | None
    failure: list[str] | None
    missing: list[str]
    degraded: list[str]
    log: str


def ran(
    refused: list[int | str] | None = None,
    *,
    uid: int = UNPRIVILEGED,
    strict: bool = False,
    personality: int = 0,
    python: Path | None = None,
) -> Ran:
    """One program of a server that runs as ``uid`` on a kernel that refuses those calls and prctl options."""
    numbers = kernel_numbers(platform.machine())
    request = {
        "refused": [each for each in refused or [] if isinstance(each, int) or each in numbers],
        "numbers": numbers,
        "personality": personality,
        "uid": uid,
        "strict": strict,
        "python": python and str(python),
    }
    done = subprocess.run(
        [sys.executable, str(SCRIPT)],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={"PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))},
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    report = json.loads(lines[-1])
    return Ran(**report, log="\n".join(lines[:-1]) + done.stderr)


def assert_refused(run: Ran, *steps: str) -> None:
    assert (run.value, run.missing) == (None, list(steps))
    assert run.failure is not None
    assert run.failure[0] == "sandbox_unavailable"
    assert f"these steps are required: {', '.join(steps)}" in run.failure[1]
    assert WARNING in run.log


def test_a_kernel_that_refuses_nothing_lets_every_step_succeed() -> None:
    """The ground for the rest: what fails below fails for the one call that is refused."""
    run = ran()
    assert (run.value, run.failure, run.missing, run.degraded) == (42, None, [], [])
    assert WARNING not in run.log


@pytest.mark.parametrize(
    ("refused", "steps"),
    [
        (SET_LIMITS, ("rlimits",)),
        (["setitimer"], ("cpu_limit",)),
        ([PR_SET_DUMPABLE], ("not_dumpable", "parent_not_dumpable")),
        ([PR_SET_NO_NEW_PRIVS], ("no_new_privileges",)),
    ],
)
def test_without_a_required_step_no_program_runs_and_the_step_is_named(
    refused: list[int | str], steps: tuple[str, ...]
) -> None:
    assert_refused(ran(refused), *steps)


def test_a_child_that_finds_an_environment_runs_no_program(tmp_path: Path) -> None:
    """As an interpreter would that is a wrapper of somebody's."""
    wrapper = tmp_path / "python"
    wrapper.write_text(f'#!/bin/sh\nAWS_SECRET_ACCESS_KEY=x exec "{sys.executable}" "$@"\n')
    wrapper.chmod(0o755)
    assert_refused(ran(python=wrapper), "environment")


@pytest.mark.parametrize(
    ("refused", "step"),
    [
        ([PR_SET_SECCOMP], "seccomp"),
        ([PR_SET_PDEATHSIG], "death_signal"),
    ],
)
def test_without_an_expected_step_programs_run_degraded_unless_strict(refused: list[int | str], step: str) -> None:
    """The log says so; strict makes every step a required one."""
    run = ran(refused)
    assert (run.value, run.failure, run.missing, run.degraded) == (42, None, [], [step])
    assert WARNING in run.log
    assert step in run.log
    assert_refused(ran(refused, strict=True), step)


def test_a_machine_without_a_table_of_system_calls_is_one_without_seccomp() -> None:
    run = ran(personality=LINUX32)
    assert (run.value, run.missing, run.degraded) == (42, [], ["seccomp"])
    assert "no table for" in run.log


def test_root_without_seccomp_runs_no_program() -> None:
    """The limits hold back nobody who is root."""
    assert_refused(ran([PR_SET_SECCOMP], uid=0), "seccomp")


def test_every_step_is_made_to_fail_here() -> None:
    failed = {"rlimits", "cpu_limit", "not_dumpable", "parent_not_dumpable", "no_new_privileges", "environment"}
    assert {*REQUIRED, *EXPECTED} == failed | {"seccomp", "death_signal"}
