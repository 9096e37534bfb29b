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
NUMBER, ARCHITECTURE, FIRST_ARGUMENT, THIRD_ARGUMENT = 0, 4, 16, 32
LOAD, JUMP_EQUAL, JUMP_BITS, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, REFUSE_EPERM, KILL_PROCESS = 0x7FFF0000, 0x00050001, 0x80000000
PROT_EXEC = 4

X86_64 = {
    "architecture": 0xC000003E,
    "allowed": (
        0,  # read
        1,  # write
        3,  # close
        5,  # fstat
        7,  # poll
        8,  # lseek
        11,  # munmap
        12,  # brk
        14,  # rt_sigprocmask
        15,  # rt_sigreturn
        20,  # writev
        24,  # sched_yield
        25,  # mremap
        28,  # madvise
        39,  # getpid
        60,  # exit
        96,  # gettimeofday
        98,  # getrusage
        186,  # gettid
        201,  # time
        202,  # futex
        219,  # restart_syscall
        228,  # clock_gettime
        229,  # clock_getres
        231,  # exit_group
        271,  # ppoll
        318,  # getrandom
    ),
    "mapping": (9, 10),  # mmap, mprotect
    "tgkill": 234,
}
AARCH64 = {
    "architecture": 0xC00000B7,
    "allowed": (
        57,  # close
        62,  # lseek
        63,  # read
        64,  # write
        66,  # writev
        73,  # ppoll
        80,  # fstat
        93,  # exit
        94,  # exit_group
        98,  # futex
        113,  # clock_gettime
        114,  # clock_getres
        124,  # sched_yield
        128,  # restart_syscall
        135,  # rt_sigprocmask
        139,  # rt_sigreturn
        165,  # getrusage
        169,  # gettimeofday
        172,  # getpid
        178,  # gettid
        214,  # brk
        215,  # munmap
        216,  # mremap
        233,  # madvise
        278,  # getrandom
    ),
    "mapping": (222, 226),  # mmap, mprotect
    "tgkill": 131,
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
        "cpu_backstop": backstop(cpu_s),
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


def backstop(cpu_s: float) -> str:
    """SIGPROF ends the process where the engine's own interrupt cannot: inside one long native loop."""
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
    """The allow-list as classic BPF: another architecture dies, everything unlisted gets EPERM."""
    out = [
        (LOAD, 0, 0, ARCHITECTURE),
        (JUMP_EQUAL, 1, 0, table["architecture"]),
        (RETURN, 0, 0, KILL_PROCESS),
        (LOAD, 0, 0, NUMBER),
    ]
    for number in table["allowed"]:
        out += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ALLOW)]
    for number in table["mapping"]:  # memory is never made executable
        out += [
            (JUMP_EQUAL, 0, 4, number),
            (LOAD, 0, 0, THIRD_ARGUMENT),
            (JUMP_BITS, 0, 1, PROT_EXEC),
            (RETURN, 0, 0, REFUSE_EPERM),
            (RETURN, 0, 0, ALLOW),
        ]
    out += [  # abort() signals its own process, and no other may be signalled
        (JUMP_EQUAL, 0, 4, table["tgkill"]),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (JUMP_EQUAL, 0, 1, os.getpid()),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE_EPERM),
        (RETURN, 0, 0, REFUSE_EPERM),
    ]
    return out
