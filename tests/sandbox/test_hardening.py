"""How the report on the walls around a child is judged."""

import pytest

from connecta.sandbox.hardening import HardeningStatus, hardening_status
from connecta.sandbox.sandbox import Sandbox

ALL_OK = dict.fromkeys(
    [
        "environment",
        "rlimits",
        "not_dumpable",
        "parent_not_dumpable",
        "no_new_privileges",
        "seccomp",
        "death_signal",
        "cpu_limit",
    ],
    "ok",
)


async def test_a_warm_sandbox_reports_every_step(sandbox: Sandbox) -> None:
    assert sandbox.status() is None
    await sandbox.warm()
    assert sandbox.status() == HardeningStatus(ALL_OK, missing=(), degraded=())


@pytest.mark.parametrize(
    ("failed", "strict", "root", "missing", "degraded"),
    [
        ("rlimits", False, False, ("rlimits",), ()),
        ("parent_not_dumpable", False, False, ("parent_not_dumpable",), ()),
        ("seccomp", False, False, (), ("seccomp",)),
        ("seccomp", True, False, ("seccomp",), ()),
        ("seccomp", False, True, ("seccomp",), ()),
        ("death_signal", False, True, (), ("death_signal",)),
    ],
)
def test_a_failed_step_refuses_or_degrades(
    failed: str, strict: bool, root: bool, missing: tuple[str, ...], degraded: tuple[str, ...]
) -> None:
    """Required steps refuse; seccomp degrades, unless strict or root."""
    steps = {**ALL_OK, failed: "errno 38"}
    status = hardening_status(steps, strict=strict, root=root)
    assert status == HardeningStatus(steps, missing, degraded)
    assert status.ready == (not missing)


def test_a_step_that_is_not_reported_has_failed() -> None:
    assert hardening_status({}, strict=True, root=False).missing == tuple(
        step for step in hardening_status({}, strict=True, root=False).steps
    )
