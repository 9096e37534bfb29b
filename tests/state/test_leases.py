"""One holder in the whole fleet at a time, an end that is checked on reading, and fences that only rise."""

import asyncio
from itertools import chain, repeat

from connecta.limits import LIMITS
from connecta.state.leases import Lease
from tests.fixtures.dynamodb import Clock, StateOpener


async def test_one_of_many_at_once_gets_the_lease(open_here: StateOpener) -> None:
    clock = Clock()
    processes = [open_here("many", now=clock).leases for _ in range(20)]
    got = await asyncio.gather(*(leases.acquire("work", 10) for leases in processes))
    assert [lease.fence for lease in got if lease is not None] == [1]


async def test_a_lease_ends_by_itself_and_its_fence_rises(open_here: StateOpener) -> None:
    clock = Clock()
    leases = open_here(now=clock).leases
    first = await leases.acquire("ends", 10)
    clock.seconds += 9.9
    assert await leases.acquire("ends", 10) is None
    clock.seconds += 0.1
    second = await leases.acquire("ends", 10)
    assert first is not None
    assert second is not None
    assert (first.fence, second.fence, first.holder != second.holder) == (1, 2, True)


async def test_a_released_lease_is_free_at_once(open_here: StateOpener) -> None:
    leases = open_here().leases
    first = await leases.acquire("released", 10)
    assert first is not None
    await leases.release(first)
    second = await leases.acquire("released", 10)
    assert second is not None
    assert second.fence == 2


async def test_a_lease_rests_unless_the_work_cannot_wait(open_here: StateOpener) -> None:
    clock = Clock()
    leases = open_here(now=clock).leases
    first = await leases.acquire("rests", 10)
    assert first is not None
    await leases.release(first, rest_s=30)
    clock.seconds += 29
    assert await leases.acquire("rests", 10) is None
    urgent = await leases.acquire("rests", 10, through_rest=True)
    assert urgent is not None
    await leases.release(urgent, rest_s=30)
    clock.seconds += 30
    assert await leases.acquire("rests", 10) is not None


async def test_who_comes_late_takes_nothing_from_the_next_holder(open_here: StateOpener) -> None:
    clock = Clock()
    leases = open_here(now=clock).leases
    late = await leases.acquire("late", 10)
    clock.seconds += 10
    await leases.acquire("late", 10)
    assert late is not None
    await leases.release(late)
    assert await leases.acquire("late", 10) is None


async def test_fences_rise_as_long_as_anything_they_protect_lives(open_here: StateOpener) -> None:
    """A kept catalog lives for ``catalog_stale_s``; the record of its lease must not be gone before."""
    clock = Clock()
    leases = open_here(now=clock).leases
    await leases.acquire("long", 10)
    clock.seconds += LIMITS.catalog_stale_s + LIMITS.catalog_lease_s + LIMITS.catalog_start_s
    later = await leases.acquire("long", 10)
    assert later is not None
    assert later.fence == 2


async def test_a_lease_of_a_clock_a_little_ahead_is_waited_for(open_here: StateOpener) -> None:
    here, ahead = Clock(), Clock(Clock().seconds + LIMITS.lease_s_max - 10)
    assert await open_here(now=ahead).leases.acquire("a little ahead", 10)
    assert await open_here(now=here).leases.acquire("a little ahead", 10) is None


async def test_a_lease_of_a_clock_far_ahead_is_not_waited_for(open_here: StateOpener) -> None:
    """Its holder may be dead, and nobody could do the work until that clock's time has come. Its fence counts."""
    here, ahead = Clock(), Clock(Clock().seconds + 24 * 3_600)
    held = await open_here(now=ahead).leases.acquire("far ahead", 10)
    taken = await open_here(now=here).leases.acquire("far ahead", 10)
    assert held is not None
    assert taken is not None
    assert (held.fence, taken.fence) == (1, 2)
    await open_here(now=ahead).leases.release(held, rest_s=30)
    assert await open_here(now=here).leases.acquire("far ahead", 10) is None


async def test_a_lease_that_was_acquired_during_a_long_look_is_waited_for(open_here: StateOpener) -> None:
    """Nobody's clock is ahead: reading it took a second."""
    clock = Clock()
    began = clock()
    clock.seconds += 1
    assert await open_here(now=clock).leases.acquire("look", LIMITS.lease_s_max) is not None
    looks = chain([began], repeat(clock()))
    assert await open_here(now=lambda: next(looks)).leases.acquire("look", 1) is None


async def test_a_rest_of_a_clock_far_ahead_is_not_waited_for(open_here: StateOpener) -> None:
    here, ahead = Clock(), Clock(Clock().seconds + 24 * 3_600)
    held = await open_here(now=ahead).leases.acquire("rest ahead", 10)
    assert held is not None
    await open_here(now=ahead).leases.release(held, rest_s=30)
    taken = await open_here(now=here).leases.acquire("rest ahead", 10)
    assert taken is not None
    assert taken.fence == 2


async def test_a_lease_or_rest_asked_for_longer_than_there_is_is_the_longest_there_is(open_here: StateOpener) -> None:
    """And not one of a clock far ahead, which nobody would wait for."""
    clock, longest = Clock(), LIMITS.lease_s_max
    leases = open_here(now=clock).leases
    held = await leases.acquire("too long", 2 * longest)
    assert held is not None
    clock.seconds += longest - 1
    assert await leases.acquire("too long", 10) is None
    await leases.release(held, rest_s=2 * longest)
    clock.seconds += longest - 1
    assert await leases.acquire("too long", 10) is None
    clock.seconds += 2
    assert await leases.acquire("too long", 10)


async def test_leases_are_known_by_deployment_and_name(open_here: StateOpener) -> None:
    got = [
        await open_here("lease a").leases.acquire("one", 10),
        await open_here("lease a").leases.acquire("two", 10),
        await open_here("lease b").leases.acquire("one", 10),
    ]
    assert [lease.fence for lease in got if lease is not None] == [1, 1, 1]


async def test_a_lease_nobody_has_can_be_released(open_here: StateOpener) -> None:
    leases = open_here().leases
    await leases.release(Lease("nobody's", "holder", 4))
    after = await leases.acquire("nobody's", 10)
    assert after is not None
    assert after.fence == 5
