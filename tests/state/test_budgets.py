"""A budget is one for all processes, and never gives out a place twice (tools.md, admission)."""

import asyncio
import subprocess
import sys
from dataclasses import replace

import pytest

from connecta.limits import LIMITS
from connecta.state.budgets import Contended
from tests.fixtures.dynamodb import TABLE, Clock, StateOpener

TAKER = """
import asyncio, sys
from dataclasses import replace
from connecta.limits import LIMITS
from connecta.state import open_state

async def main():
    state = open_state(sys.argv[1], sys.argv[2], endpoint_url=sys.argv[3], limits=replace(LIMITS, budget_tries=500))
    print("ready", flush=True)
    sys.stdin.readline()
    waits = [await state.budgets.take("crm", 25, 600) for _ in range(20)]
    print(sum(wait == 0 for wait in waits))
    await state.close()

asyncio.run(main())
"""


async def test_a_window_has_so_many_places_and_says_when_the_next_is_free(open_here: StateOpener) -> None:
    clock = Clock()
    budgets = open_here("window", now=clock).budgets
    first: list[float] = []
    for _ in range(3):
        first.append(await budgets.take("crm", 3, 60))
        clock.seconds += 10
    assert first == [0.0, 0.0, 0.0]
    assert await budgets.take("crm", 3, 60) == pytest.approx(30, abs=0.01)
    clock.seconds += 30.01
    assert await budgets.take("crm", 3, 60) == 0.0
    assert await budgets.take("crm", 3, 60) == pytest.approx(10, abs=0.02)


async def test_a_window_that_has_passed_begins_anew(open_here: StateOpener) -> None:
    """Expiry is checked on read: the old item may still be there."""
    clock = Clock()
    budgets = open_here("anew", now=clock).budgets
    assert [await budgets.take("crm", 1, 5) > 0 for _ in range(2)] == [False, True]
    clock.seconds += 7
    assert [await budgets.take("crm", 1, 5) > 0 for _ in range(2)] == [False, True]


async def test_budgets_of_other_names_and_deployments_are_their_own(open_here: StateOpener) -> None:
    one, other = open_here("own-1").budgets, open_here("own-2").budgets
    assert [await each.take(name, 1, 60) for each in (one, other) for name in ("a", "b")] == [0.0] * 4


async def test_calls_at_once_take_each_place_once(open_here: StateOpener) -> None:
    budgets = open_here("at-once", limits=replace(LIMITS, budget_tries=500)).budgets
    waits = await asyncio.gather(*(budgets.take("crm", 7, 600) for _ in range(12)))
    assert sum(wait == 0 for wait in waits) == 7
    assert all(590 < wait <= 600 for wait in waits if wait)


async def test_who_is_never_fast_enough_is_told(open_here: StateOpener) -> None:
    budgets = open_here("contended", limits=replace(LIMITS, budget_tries=0)).budgets
    with pytest.raises(Contended):
        await budgets.take("crm", 7, 600)


def test_processes_share_one_budget(dynamodb: str) -> None:
    """Three processes ask for 60 places and get the 25 there are."""
    command = [sys.executable, "-c", TAKER, TABLE, "processes", dynamodb]
    takers = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for taker in takers:
        assert taker.stdout is not None
        assert taker.stdout.readline() == "ready\n"
    told = [taker.communicate("go\n", timeout=60)[0] for taker in takers]
    assert sum(map(int, told)) == 25
