"""The walls around the child: what they refuse, and what happens where one is missing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from connecta.sandbox.hardening import HardeningStatus, hardening_status
from connecta.sandbox.sandbox import Sandbox, installed_config

ALL_OK = dict.fromkeys(
    [
        "environment",
        "rlimits",
        "not_dumpable",
        "parent_not_dumpable",
        "no_new_privileges",
        "seccomp",
        "death_signal",
        "cpu_backstop",
    ],
    "ok",
)

PROBE = r"""
import ctypes, json, os, sys
sys.path.append(sys.argv[1])
libc = ctypes.CDLL(None, use_errno=True)
import hardening
os.closerange(3, 64)
steps = hardening.harden(2 << 30, 5)
buffer = ctypes.create_string_buffer(8)
probes = {
    "socket": lambda: libc.socket(2, 1, 0),
    "unix_socket": lambda: libc.socket(1, 1, 0),
    "open": lambda: libc.open(b"/etc/passwd", 0),
    "environ": lambda: libc.open(b"/proc/%d/environ" % int(sys.argv[2]), 0),
    "create": lambda: libc.open(b"/tmp/x", 0o101, 0o600),
    "fork": lambda: libc.fork(),
    "kill_parent": lambda: libc.kill(int(sys.argv[2]), 0),
    "ptrace": lambda: libc.ptrace(0, 0, 0, 0),
    "exec": lambda: libc.execv(b"/bin/true", (ctypes.c_char_p * 2)(b"/bin/true", None)),
    "pipe": lambda: libc.pipe(buffer),
    "make_executable": lambda: libc.mprotect(0, 4096, 4),
    "raise_limit": lambda: libc.setrlimit(7, buffer),
    "setuid": lambda: libc.setuid(0),
    "unlink": lambda: libc.unlink(b"/tmp/x"),
}
refused = {name: probe() == -1 and ctypes.get_errno() == 1 for name, probe in probes.items()}
os.write(1, json.dumps({"steps": steps, "refused": refused}).encode())
os._exit(0)
"""


def test_a_hardened_process_is_refused_everything_but_its_pipes() -> None:
    """What native code that escaped the engine would try: each system call gets EPERM."""
    directory = installed_config().directory
    parent = str(Path("/proc/self").resolve().name)
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROBE, directory, parent],
        capture_output=True,
        env={},
        check=True,
        timeout=20,
    )
    report = json.loads(done.stdout)
    assert set(report["steps"].values()) == {"ok"}
    assert [name for name, refused in report["refused"].items() if not refused] == []


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
