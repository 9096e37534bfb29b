# pyright: basic
"""What the child gives up before it reads a program. Each step reports ``ok`` or why it failed.

The order matters: seccomp comes last because it forbids the calls the earlier steps need.
"""

import ctypes
import os
import resource
from _signal import ITIMER_PROF, setitimer  # pyright: ignore[reportMissingImports]
from _struct import pack

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
SECCOMP_MODE_FILTER = 2
SIGKILL = 9

# struct seccomp_data: nr at 0, arch at 4, then six 64-bit arguments from 16; a load takes the low word.
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
LOAD, AND, JUMP_EQUAL, RETURN = 0x20, 0x54, 0x15, 0x06
ALLOW, REFUSE_EPERM, KILL_PROCESS = 0x7FFF0000, 0x00050001, 0x80000000
ANY_BIT = 0xFFFFFFFF
PROT_EXEC, PRIVATE_ANONYMOUS, MAY_MOVE, WAKE_PRIVATE = 4, 0x22, 1, 129

RULES = {
    "read": (),
    "write": (),
    "lseek": (),  # the memory report is read again from its start
    "exit_group": (),
    "brk": (),
    "munmap": (),
    # Anonymous and never executable, and never over what is mapped already.
    "mmap": ((2, PROT_EXEC, (0,)), (3, ANY_BIT, (PRIVATE_ANONYMOUS,))),
    "mremap": ((3, ANY_BIT, (MAY_MOVE,)),),
    # The clocks of every process can be read by their numbers: only real time, monotonic time and its own CPU.
    "clock_gettime": ((0, ANY_BIT, (0, 1, 2)),),
    "gettimeofday": (),  # where the kernel's clock cannot be read in user space
    # A thread that is alone never waits, but libc aborts where a wake is refused.
    "futex": ((1, ANY_BIT, (WAKE_PRIVATE,)),),
}
"""All that is left to the process: for each system call what must hold of its arguments, as (index, mask, values)."""

X86_64 = {
    "architecture": 0xC000003E,
    "numbers": {
        "read": 0,
        "write": 1,
        "lseek": 8,
        "mmap": 9,
        "munmap": 11,
        "brk": 12,
        "mremap": 25,
        "gettimeofday": 96,
        "futex": 202,
        "clock_gettime": 228,
        "exit_group": 231,
    },
}
AARCH64 = {
    "architecture": 0xC00000B7,
    "numbers": {
        "lseek": 62,
        "read": 63,
        "write": 64,
        "exit_group": 94,
        "futex": 98,
        "clock_gettime": 113,
        "gettimeofday": 169,
        "brk": 214,
        "munmap": 215,
        "mremap": 216,
        "mmap": 222,
    },
}
TABLES = {"x86_64": X86_64, "aarch64": AARCH64}


def harden(address_space: int, cpu_s: float) -> dict[str, str]:
    """Takes every step, whatever the ones before it said: the parent decides which it can do without."""
    libc = ctypes.CDLL(None, use_errno=True)
    prctl = libc.prctl
    prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * 4

    def control(option: int, value: int, pointer: int = 0) -> str:
        return "ok" if prctl(option, value, pointer, 0, 0) == 0 else f"errno {ctypes.get_errno()}"

    return {
        "environment": environment(),
        "death_signal": control(PR_SET_PDEATHSIG, SIGKILL),
        "not_dumpable": control(PR_SET_DUMPABLE, 0),
        "no_new_privileges": control(PR_SET_NO_NEW_PRIVS, 1),
        "rlimits": rlimits(address_space),
        "cpu_limit": cpu_limit(cpu_s),
        "seccomp": seccomp(control),
    }


def environment() -> str:
    # The interpreter itself sets LC_CTYPE when it starts without a locale, and may need its library's folder to start.
    left = sorted(set(os.environ) - {"LC_CTYPE", "LD_LIBRARY_PATH"})
    return f"{len(left)} variables left" if left else "ok"


def rlimits(address_space: int) -> str:
    bounds = {
        "CORE": 0,
        "FSIZE": 0,
        "NPROC": 0,
        "NOFILE": 3,
        "AS": address_space,
    }
    refused: list[str] = []
    for name, bound in bounds.items():
        try:
            resource.setrlimit(getattr(resource, f"RLIMIT_{name}"), (bound, bound))
        except (OSError, ValueError) as error:
            refused.append(f"{name}: {error}")
    return ", ".join(refused) or "ok"


def cpu_limit(cpu_s: float) -> str:
    """SIGPROF ends the process after so much CPU, whatever it is doing: the engine's own interrupt can be caught by the
    program, and is not looked at in a long native loop."""
    try:
        setitimer(ITIMER_PROF, cpu_s)
    except OSError as error:
        return str(error)
    return "ok"


def seccomp(control) -> str:
    machine = os.uname().machine
    table = TABLES.get(machine)
    if table is None:
        return f"no table for {machine}"
    instructions = program(table)
    code = ctypes.create_string_buffer(b"".join(pack("=HBBI", *each) for each in instructions))

    class Filter(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))

    held = Filter(len(instructions), ctypes.addressof(code))
    return control(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(held))


def program(table) -> list[tuple[int, int, int, int]]:
    """The allow-list as classic BPF: another architecture dies, everything unlisted gets EPERM.

    Numbers are compared whole, so those of the x32 ABI, which carry a bit of their own, are unlisted too.
    """
    out = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, table["architecture"]),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD, 0, 0, NUMBER),
    ]
    for name, conditions in RULES.items():
        checks = [*(step for each in conditions for step in check(*each)), (RETURN, 0, 0, ALLOW)]
        out += [(JUMP_EQUAL, 0, len(checks), table["numbers"][name]), *checks]
    return [*out, (RETURN, 0, 0, REFUSE_EPERM)]


def check(argument: int, mask: int, values: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    """Goes on where the masked argument is one of ``values``, and refuses otherwise."""
    jumps = [(JUMP_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
    return [(LOAD, 0, 0, ARGUMENTS + 8 * argument), (AND, 0, 0, mask), *jumps, (RETURN, 0, 0, REFUSE_EPERM)]
