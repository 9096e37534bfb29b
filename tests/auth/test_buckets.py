"""Token buckets of one process and of a fleet."""

from dataclasses import replace

import pytest

from connecta.auth.buckets import Buckets, Size
from connecta.failures import unavailable
from connecta.limits import LIMITS
from connecta.state import State, open_state
from connecta.state.buckets import SharedBuckets
from tests.fixtures.dynamodb import TABLE, Clock, answering

SIZE = Size(burst=10, per_s=2.0)
PATIENT = replace(LIMITS, bucket_wait_s=60.0)
"""What a loaded machine takes to make its first client is not what is tested here."""
PROCESSES = 100


def alone(clock: Clock, **limits: int) -> Buckets:
    return Buckets(None, replace(LIMITS, **limits), clock)


async def taken(buckets: Buckets, count: int, size: Size = SIZE, name: str = "b") -> list[float]:
    return [await buckets.take(name, size) for _ in range(count)]


async def test_a_bucket_gives_its_burst_and_then_what_fills_in(clock: Clock):
    buckets = alone(clock)
    assert await taken(buckets, 10) == 10 * [0]
    assert await taken(buckets, 1) == [pytest.approx(0.5, abs=0.01)]
    clock.seconds += 0.5
    assert await taken(buckets, 2) == [0, pytest.approx(0.5, abs=0.01)]


async def test_a_bucket_never_holds_more_than_its_burst(clock: Clock):
    buckets = alone(clock)
    clock.seconds += 1e6
    await taken(buckets, 10)
    assert await buckets.take("b", SIZE) > 0


async def test_what_is_refused_takes_nothing(clock: Clock):
    buckets = alone(clock)
    await taken(buckets, 500)
    clock.seconds += 0.5
    assert await buckets.take("b", SIZE) == 0


async def test_asking_takes_nothing(clock: Clock):
    buckets = alone(clock)
    await taken(buckets, 9)
    assert [buckets.wait_s("b", SIZE) for _ in range(5)] == 5 * [0]
    await taken(buckets, 1)
    assert buckets.wait_s("b", SIZE) > 0


async def test_the_least_recently_used_bucket_is_forgotten_first(clock: Clock):
    buckets = alone(clock, buckets_remembered=2)
    await taken(buckets, 10, name="old")
    await taken(buckets, 10, name="kept")
    await taken(buckets, 1, name="new")
    assert (buckets.wait_s("kept", SIZE) > 0, buckets.wait_s("old", SIZE)) == (True, 0)


class Counting(SharedBuckets):
    """Counts how often a fleet asks the table."""

    asked = 0

    async def take(self, name: str, fill_s: float) -> float:
        self.asked += 1
        return await super().take(name, fill_s)


def counting(state: State) -> Counting:
    return Counting(state.table, "counting", LIMITS)


async def test_a_process_asks_the_table_once_a_share(oauth_state: State):
    shared = counting(oauth_state)
    buckets = Buckets(shared, PATIENT)
    assert await taken(buckets, 100, Size(burst=1_000, per_s=1.0)) == 100 * [0]
    assert shared.asked == 5


async def test_a_process_that_was_told_to_wait_asks_no_more_until_then(oauth_state: State, clock: Clock):
    shared = counting(oauth_state)
    await taken(Buckets(shared, PATIENT), 10)
    late = Buckets(shared, PATIENT)
    asked = shared.asked
    waits = await taken(late, 50)
    assert (min(waits) > 0, shared.asked) == (True, asked + 1)
    clock.seconds += waits[-1]
    assert await late.take("b", SIZE) == 0


async def test_a_hundred_processes_give_out_no_more_than_the_bound(oauth_state: State, clock: Clock):
    """``burst + per_s * t + n * (share - 1)``, with a share of 4 of 40."""
    size, limits = Size(burst=40, per_s=1.0), replace(PATIENT, bucket_shares=10)
    fleet = [Buckets(oauth_state.buckets, limits) for _ in range(PROCESSES)]
    given = 0
    for _ in range(3):
        for process in fleet:
            given += (await taken(process, 6, size)).count(0)
        clock.seconds += 10
    assert 40 <= given <= 40 + 20 + PROCESSES * 3


async def test_a_fleet_of_which_each_settles_every_request_is_exact(oauth_state: State):
    fleet = [Buckets(oauth_state.buckets, PATIENT) for _ in range(7)]
    waits = [await process.take("b", SIZE) for _ in range(4) for process in fleet]
    assert waits.count(0) == SIZE.burst


async def test_without_its_table_a_process_goes_by_its_own_bucket_and_says_so_once(
    clock: Clock, caplog: pytest.LogCaptureFixture
):
    """The table is asked again after a pause, not by every request."""
    with answering(500, "InternalServerError") as endpoint_url:
        state = open_state(
            TABLE, "down", endpoint_url=endpoint_url, limits=replace(LIMITS, state_attempts=1), now=clock
        )
        shared = Counting(state.table, "down", LIMITS)
        buckets = Buckets(shared, PATIENT)
        waits = await taken(buckets, 11)
        asked = [shared.asked]
        clock.seconds += LIMITS.bucket_retry_s
        await buckets.take("b", SIZE)
        asked.append(shared.asked)
        await state.close()
    assert (waits.count(0), asked) == (10, [1, 2])


async def test_what_was_taken_without_the_table_is_settled_when_it_is_back(oauth_state: State, clock: Clock):
    class Down(SharedBuckets):
        down = True

        async def take(self, name: str, fill_s: float) -> float:
            if self.down:
                raise unavailable("The table is away.")
            return await super().take(name, fill_s)

    shared = Down(oauth_state.table, "back", LIMITS)
    one, two = Buckets(shared, PATIENT), Buckets(shared, PATIENT)
    await taken(one, 10)
    shared.down = False
    clock.seconds += LIMITS.bucket_retry_s
    await one.take("b", SIZE)
    # Eleven and this one are two more than there are, and a half second each fills in.
    assert await two.take("b", SIZE) == pytest.approx(1.5, abs=0.01)
