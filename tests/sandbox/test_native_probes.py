"""What native code in the child could do if it escaped the engine: nothing but use its pipes.

The same attempts are made without the walls first, or a refusal would prove nothing.
"""

import json
import os
import platform
import signal
import socket
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TypedDict

import pytest

from connecta.sandbox.config import installed_config
from tests.fixtures.layer import NOBODY, kernel_numbers

SCRIPT = Path(__file__).parents[1] / "fixtures" / "native_probes.py"
UIDS = sorted({os.getuid(), os.getuid() or NOBODY})
"""Root is refused less, so where root runs the tests another user makes the attempts as well."""
SECRET = "an access key"

REFUSED_ANYWAY = {
    "mount",
    "chroot",
    "bpf",
    "perf_event_open",
    "keyctl",
    "add_key",
    "userfaultfd",
    "io_uring_setup",
    "memfd_secret",
    "kcmp",
    "landlock",
    "open_by_handle_at",
    "process_vm_writev",
    "socket packet",
    "socket raw",
    "socket xdp",
    "unshare a user namespace",
    "setns",
    "personality",
}
"""Attempts that a machine's own policy may answer with EPERM, or that need a privilege."""


class Report(TypedDict):
    steps: dict[str, str]
    outcomes: dict[str, str]


@cache
def attempted(mode: str, uid: int) -> Report:
    """Makes every attempt as ``uid``, beside a listener that stands for the Lambda runtime API."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        request = {
            "layer": installed_config().directory,
            "mode": mode,
            "uid": uid,
            "numbers": kernel_numbers(platform.machine()),
            "port": listener.getsockname()[1],
        }
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(SCRIPT)],
            input=json.dumps(request),
            capture_output=True,
            text=True,
            env={"AWS_SECRET_ACCESS_KEY": SECRET},
            check=False,
            timeout=30,
        )
    assert done.returncode == 0, done.stderr
    report: Report = json.loads(done.stdout)
    return report


@pytest.mark.parametrize("uid", UIDS)
def test_a_hardened_process_is_refused_everything_but_its_pipes(uid: int) -> None:
    """Every attempt gets EPERM; a call of another architecture ends the process."""
    report = attempted("hardened", uid)
    assert set(report["steps"].values()) == {"ok"}
    expected = dict.fromkeys(report["outcomes"], "refused EPERM")
    if platform.machine() == "x86_64":
        expected["int 0x80"] = f"signal {signal.SIGSYS.value}"
    assert report["outcomes"] == expected


@pytest.mark.parametrize("uid", UIDS)
def test_the_same_attempts_are_not_refused_without_the_walls(uid: int) -> None:
    """Where the machine has the call at all, another answer than EPERM shows that the walls are what refuses."""
    outcomes = attempted("open", uid)["outcomes"]
    assert {name for name, outcome in outcomes.items() if outcome == "refused EPERM"} <= REFUSED_ANYWAY


@pytest.mark.parametrize("uid", UIDS)
def test_the_attempts_that_matter_most_succeed_without_the_walls(uid: int) -> None:
    outcomes = attempted("open", uid)["outcomes"]
    succeeding = (
        "environment of the parent",
        "memory of the parent",
        "process_vm_readv",
        "ptrace attach",
        "ptrace seize",
        "socket inet",
        "socket unix",
        "connect to loopback",
        "read a file",
        "write a file",
        "execve",
        "clone",
        "kill the parent",
        "pidfd_open",
        "executable mapping",
        "make executable",
        "memfd_create",
        "disarm the timer",
        "block signals",
        "clock of the parent",
    )
    assert {name: outcomes[name] for name in succeeding if not outcomes[name].startswith(("done", "replaced"))} == {}


def test_without_seccomp_limits_and_a_closed_parent_still_hold_an_unprivileged_process() -> None:
    """The degraded state that runs on: no socket, no file, no process, nothing of the parent."""
    report = attempted("without seccomp", UIDS[-1])
    assert report["steps"]["seccomp"] == f"no table for {platform.machine()}"
    held = {
        "environment of the parent": "refused EMFILE",
        "memory of the parent": "refused EMFILE",
        "descriptors of the parent": "refused EACCES",
        "process_vm_readv": "refused EPERM",
        "ptrace attach": "refused EPERM",
        "pidfd_getfd": "refused EBADF",
        "socket inet": "refused EMFILE",
        "socket unix": "refused EMFILE",
        "read a file": "refused EMFILE",
        "write a file": "refused EMFILE",
        "memfd_create": "refused EMFILE",
        "pidfd_open": "refused EMFILE",
        "clone": "refused EAGAIN",
        "clone3": "refused EAGAIN",
        "fork of libc": "refused EAGAIN",
    }
    outcomes = {name: report["outcomes"][name] for name in held}
    assert outcomes == held
