"""What the seccomp filter lets through, worked out for every system call of both architectures."""

from collections.abc import Iterable
from typing import Protocol, cast

import pytest

from tests.fixtures.layer import kernel_numbers, layer_module

ALLOW, EPERM, KILL = 0x7FFF0000, 0x00050001, 0x80000000
X32 = 0x40000000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OTHERS = {"i386": 0x40000003, "arm": 0x40000028}
Instruction = tuple[int, int, int, int]
"""Code, jump if true, jump if false, operand."""

GOOD: dict[str, list[tuple[int, ...]]] = {
    "read": [(0, 0, 1)],
    "write": [(1, 0, 1)],
    "lseek": [(3, 0, 0)],
    "exit_group": [(0,)],
    "brk": [(0,)],
    "munmap": [(0, 4096)],
    "mmap": [(0, 4096, prot, 0x22) for prot in (0, 1, 3)],
    "mremap": [(0, 4096, 8192, 1)],
    "clock_gettime": [(0,), (1,), (2,)],
    "gettimeofday": [(0,)],
    "futex": [(0, 129)],
}
"""Every allowed call with arguments it is made with."""

BAD: dict[str, list[tuple[int, ...]]] = {
    "mmap": [
        *[(0, 4096, prot, 0x22) for prot in (4, 5, 7, 4 | 1 << 40)],  # executable
        *[
            (0, 4096, 3, flags) for flags in (0x02, 0x21, 0x32, 0x01, 0x40022, 0x122, 0)
        ],  # a file, shared, fixed, huge, …
    ],
    "mremap": [(0, 4096, 8192, flags) for flags in (0, 2, 3, 5)],  # onto an address; leaving the old one
    "clock_gettime": [(3,), (7,), (0xFFFFFFFE,), ((~1234 << 3 | 2) & 0xFFFFFFFF,)],  # of another process or a device
    "futex": [(0, operation) for operation in (0, 1, 128, 131, 132, 6, 7, 9, 11, 137, 385)],  # waiting, requeueing, PI
}
"""Allowed calls with arguments that they are refused for."""


class Hardening(Protocol):
    TABLES: dict[str, dict[str, object]]
    RULES: dict[str, object]

    def program(self, table: dict[str, object]) -> list[Instruction]: ...


@pytest.fixture(scope="module")
def hardening() -> Hardening:
    return cast(Hardening, layer_module("hardening"))


def verdict(program: list[Instruction], architecture: int, number: int, arguments: Iterable[int] = ()) -> int:
    """What the kernel would do: classic BPF over ``struct seccomp_data`` of a little-endian machine."""
    words = {0: number, 4: architecture}
    words |= {16 + 8 * at: value & 0xFFFFFFFF for at, value in enumerate((*arguments, *[0] * 6))}
    at = accumulator = 0
    while True:
        code, when_true, when_false, operand = program[at]
        at += 1
        match code:
            case 0x20:
                accumulator = words[operand]
            case 0x54:
                accumulator &= operand
            case 0x15:
                at += when_true if accumulator == operand else when_false
            case 0x06:
                return operand
            case _:
                raise AssertionError(f"unknown instruction {code:#x}")


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_number_is_the_kernels_own(hardening: Hardening, machine: str) -> None:
    """The table of an architecture nobody runs the tests on is right by name, call for call."""
    numbers = cast(dict[str, int], hardening.TABLES[machine]["numbers"])
    assert numbers == {name: kernel_numbers(machine)[name] for name in hardening.RULES}
    assert hardening.TABLES[machine]["architecture"] == ARCHITECTURES[machine]


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_only_the_listed_calls_pass_with_the_arguments_they_need(hardening: Hardening, machine: str) -> None:
    program, kernel = hardening.program(hardening.TABLES[machine]), kernel_numbers(machine)
    passed = {
        name
        for name, number in kernel.items()
        for arguments in GOOD.get(name, [()])
        if verdict(program, ARCHITECTURES[machine], number, arguments) == ALLOW
    }
    assert passed == set(GOOD)
    for name, calls in GOOD.items():
        assert {verdict(program, ARCHITECTURES[machine], kernel[name], each) for each in calls} == {ALLOW}, name
    for name, calls in BAD.items():
        assert {verdict(program, ARCHITECTURES[machine], kernel[name], each) for each in calls} == {EPERM}, name


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_numbers_without_a_name_are_refused(hardening: Hardening, machine: str) -> None:
    """Those of later kernels, of private ranges, and every one of the x32 ABI."""
    program, kernel = hardening.program(hardening.TABLES[machine]), kernel_numbers(machine)
    unnamed = {*range(4096), 2**31, 2**32 - 1} - set(kernel.values())
    x32 = {number | X32 for number in range(1024)}
    assert {verdict(program, ARCHITECTURES[machine], number) for number in unnamed | x32} == {EPERM}


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("other", [*ARCHITECTURES.items(), *OTHERS.items()])
def test_a_call_of_another_architecture_ends_the_process(
    hardening: Hardening, machine: str, other: tuple[str, int]
) -> None:
    program = hardening.program(hardening.TABLES[machine])
    outcomes = {verdict(program, other[1], number) for number in range(512)}
    assert outcomes == ({KILL} if other[0] != machine else {ALLOW, EPERM})
