"""What a fleet took from a bucket: added up in one item, whoever writes at the same time."""

import asyncio

from tests.fixtures.dynamodb import Clock, StateOpener


async def test_takings_add_up_over_processes(open_here: StateOpener):
    clock = Clock(1_000.0)
    one, two = open_here(now=clock).buckets, open_here(now=clock).buckets
    assert await one.take("b", 2.0) == 1_002.0
    assert await two.take("b", 0.5) == 1_002.5


async def test_a_bucket_that_filled_up_begins_anew(open_here: StateOpener):
    clock = Clock(1_000.0)
    buckets = open_here(now=clock).buckets
    await buckets.take("b", 2.0)
    clock.seconds = 1_002.0
    assert await buckets.take("b", 1.0) == 1_003.0


async def test_what_many_take_at_once_is_all_counted(open_here: StateOpener):
    """Also the first takings of all, of which one begins the bucket."""
    clock = Clock(1_000.0)
    buckets = [open_here(now=clock).buckets for _ in range(4)]
    await asyncio.gather(*(each.take("b", 1.0) for each in 5 * buckets))
    assert await buckets[0].take("b", 1.0) == 1_021.0


async def test_buckets_and_deployments_are_apart(open_here: StateOpener):
    clock = Clock(1_000.0)
    await open_here("one", now=clock).buckets.take("b", 9.0)
    assert await open_here("one", now=clock).buckets.take("c", 1.0) == 1_001.0
    assert await open_here("two", now=clock).buckets.take("b", 1.0) == 1_001.0


async def test_a_bucket_is_forgotten_a_day_after_it_was_last_taken_from(open_here: StateOpener):
    clock = Clock(1_000.0)
    buckets = open_here(now=clock).buckets
    await buckets.take("b", 10 * 24 * 3_600.0)
    clock.seconds += 24 * 3_600
    assert await buckets.take("b", 1.0) == clock.seconds + 1
