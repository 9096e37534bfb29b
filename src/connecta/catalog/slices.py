"""Sets of tools, and one number for each of many tools, in a form where work on all of them is work on a few integers.

A set is an integer with a bit for each tool at its position. ``Slices`` hold a number for every tool, bit by bit: the
set at place n is of the tools whose number has bit n. Adding numbers and choosing the greatest are then a few
operations on whole sets, each over thousands of tools at the speed of memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import TypeAlias

Members: TypeAlias = int
Slices: TypeAlias = Sequence[Members]


def members_of(positions: Iterable[int], size: int) -> Members:
    """The set of these positions, each below ``size``."""
    held = bytearray(size + 7 >> 3)
    for at in positions:
        held[at >> 3] |= 1 << (at & 7)
    return int.from_bytes(held, "little")


def positions_of(members: Members) -> Iterator[int]:
    """The positions in a set, lowest first."""
    while members:
        lowest = members & -members
        yield lowest.bit_length() - 1
        members ^= lowest


def added(left: Slices, right: Slices) -> Slices:
    """The sum of two numbers for every tool."""
    total: list[Members] = []
    carry = 0
    for one, other in zip_longest(left, right, fillvalue=0):
        either = one ^ other
        total.append(either ^ carry)
        carry = one & other | carry & either
    return [*total, carry] if carry else total


def number_at(slices: Slices, position: int) -> int:
    return sum((members >> position & 1) << place for place, members in enumerate(slices))


def greatest(slices: Slices, members: Members, count: int) -> Members:
    """The ``count`` of ``members`` with the greatest numbers; of equal ones those at the lowest positions."""
    chosen, tied = 0, members
    room = count
    for having in reversed(slices):
        more = tied & having
        found = more.bit_count()
        if found > room:
            tied = more
        else:
            chosen |= more
            tied ^= more
            room -= found
    return chosen | _first(tied, room)


def _first(members: Members, count: int) -> Members:
    rest = members
    for _ in range(count):
        rest &= rest - 1
    return members ^ rest
