"""A connector takes so many calls at once and so many in a window, whoever makes them (tools.md, admission)."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from connecta import Admission, Connecta, DeploymentError, api
from connecta.calls.call import CallFailed, CallRequest, call
from connecta.connectors.api import Api
from tests.fixtures.dynamodb import running_moto
from tests.fixtures.scopes import Bench, bench


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    with running_moto() as endpoint_url:
        yield endpoint_url


def desk(id: str, admission: Admission, *, free_at: int = 0) -> tuple[Api, list[int], asyncio.Event]:
    """A connector whose one tool waits to be let go, or until ``free_at`` calls are under way; how many were under way
    whenever a call began."""
    connector = api(id, base_url="https://desk.example", admission=admission)
    under_way, seen, let_go = [0], list[int](), asyncio.Event()

    @connector.tool(read_only=True)
    async def wait(ctx: Any) -> str:
        """Wait until let go."""
        under_way[0] += 1
        seen.append(under_way[0])
        if under_way[0] == free_at:
            let_go.set()
        try:
            await let_go.wait()
        finally:
            under_way[0] -= 1
        return "done"

    del wait
    return connector, seen, let_go


async def outcomes(place: Bench, address: str, count: int, **options: Any) -> list[str]:
    """The code of each of ``count`` calls made at once."""

    async def one() -> str:
        try:
            await call(CallRequest(address, {}, "call_tool", **options), scope)
        except CallFailed as failed:
            return failed.failure.code
        return "ok"

    async with place.scope() as scope:
        return await asyncio.gather(*(one() for _ in range(count)))


async def test_more_calls_than_may_be_made_at_once_wait_for_a_place() -> None:
    connector, seen, _ = desk("at-once", Admission(concurrent=2), free_at=2)
    assert await outcomes(bench([connector]), "at-once.wait", 6) == ["ok"] * 6
    assert max(seen) == 2


async def test_a_call_that_finds_no_place_in_its_time_is_told_to_come_again() -> None:
    connector, seen, let_go = desk("full", Admission(concurrent=1))
    place = bench([connector])
    holder = asyncio.create_task(outcomes(place, "full.wait", 1))
    while not seen and not holder.done():  # noqa: ASYNC110 - the tool is counted before it waits
        await asyncio.sleep(0)
    assert await outcomes(place, "full.wait", 1, timeout_s=0.05) == ["rate_limited"]
    let_go.set()
    assert await holder == ["ok"]
    assert await outcomes(place, "full.wait", 1) == ["ok"]
    assert seen == [1, 1]


async def test_the_calls_of_a_window_are_counted_whatever_comes_of_them(moto: str) -> None:
    """The refusal says when the next place is free, and reaches nobody."""
    connector, seen, let_go = desk("window", Admission(calls=3, per_s=600))
    let_go.set()
    place = bench([connector], endpoint_url=moto)
    assert sorted(await outcomes(place, "window.wait", 5)) == ["ok", "ok", "ok", "rate_limited", "rate_limited"]
    async with place.scope() as scope:
        with pytest.raises(CallFailed) as failed:
            await call(CallRequest("window.wait", {}, "call_tool"), scope)
    failure = failed.value.failure
    retry_after = failure.details["retryAfterMs"]
    assert isinstance(retry_after, int)
    assert (failure.code, failure.retryable, 500_000 < retry_after <= 600_000) == ("rate_limited", True, True)
    assert '"window" takes 3 calls in 600 s' in failure.message
    assert len(seen) == 3


async def test_without_its_table_a_budget_lets_nobody_through() -> None:
    connector, seen, _ = desk("no-table", Admission(calls=3))
    place = bench([connector])
    assert await outcomes(place, "no-table.wait", 1) == ["unavailable"]
    assert (seen, [event.attempts for event in place.events]) == ([], [0])


@pytest.mark.parametrize(
    ("admission", "says"),
    [
        (Admission(), "bounds nothing"),
        (Admission(concurrent=0), "concurrent=…) must be a whole number from 1 to 1,000"),
        (Admission(calls=1_001), "calls=…) must be a whole number from 1 to 1,000"),
        (Admission(calls=1, per_s=0), "per_s=…) must be from 1 to 86,400 seconds"),
        ("fast", "must be an Admission(…)"),
    ],
)
def test_an_admission_that_makes_no_sense_refuses_the_deployment(admission: Any, says: str) -> None:
    connector, _, _ = desk("odd", admission)
    with pytest.raises(DeploymentError) as refused:
        Connecta(connectors=[connector], name="tests")
    assert says in str(refused.value)
