"""``ctx.cache`` and ``cache=``: what a tool keeps for the next call (tools.md)."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from connecta import Connecta, DeploymentError, api
from connecta.connectors.api import Api
from connecta.state import State, open_state
from connecta.text import Json
from tests.fixtures.dynamodb import TABLE, running_moto


@pytest.fixture(scope="module")
def moto() -> Iterator[str]:
    with running_moto() as endpoint_url:
        yield endpoint_url


def shop(id: str) -> tuple[Api, list[str]]:
    """A connector whose read is cached, and what it was asked."""
    connector = api(id, base_url="https://shop.example")
    asked: list[str] = []

    @connector.tool(read_only=True, cache=300)
    async def price(ctx: Any, item: str, currency: str = "EUR") -> dict[str, Any]:
        """What an item costs."""
        asked.append(item)
        if item == "nothing":
            raise RuntimeError("sold out")
        return {"item": item, "currency": currency}

    @connector.tool(read_only=True)
    async def counted(ctx: Any) -> Any:
        """How often this was asked, as the cache has it."""
        before = await ctx.cache.get("count")
        await ctx.cache.set("count", (before or 0) + 1, ttl=60)
        return before

    del price, counted
    return connector, asked


async def answers(connector: Api, state: State | None, name: str, *calls: Mapping[str, Json]) -> list[Json]:
    """The value of each call, each in a connection of its own, as requests have."""
    values: list[Json] = []
    for args in calls:
        connection = connector.open(state.values if state else None)
        [tool] = [tool for tool in await connection.list_tools() if tool.name == name]
        values.append((await connection.call(tool, args, 5.0)).unwrap())
        await connection.close()
    return values


async def test_the_same_arguments_are_asked_once_in_whatever_order_they_come(moto: str) -> None:
    connector, asked = shop("once")
    state = open_state(TABLE, "cache", endpoint_url=moto)
    calls: list[dict[str, Json]] = [
        {"item": "pen", "currency": "USD"},
        {"currency": "USD", "item": "pen"},
        {"item": "pen"},
        {"item": "ink", "currency": "USD"},
    ]
    told = await answers(connector, state, "price", *calls)
    assert told == [
        {"item": "pen", "currency": "USD"},
        {"item": "pen", "currency": "USD"},
        {"item": "pen", "currency": "EUR"},
        {"item": "ink", "currency": "USD"},
    ]
    assert asked == ["pen", "pen", "ink"]
    elsewhere = open_state(TABLE, "cache", endpoint_url=moto)
    assert await answers(connector, elsewhere, "price", calls[0]) == told[:1]
    assert asked == ["pen", "pen", "ink"]
    await state.close()
    await elsewhere.close()


async def test_a_failure_is_not_kept(moto: str) -> None:
    connector, asked = shop("failing")
    state = open_state(TABLE, "cache", endpoint_url=moto)
    for _ in range(2):
        with pytest.raises(Exception, match="failed in the deployment's own code"):
            await answers(connector, state, "price", {"item": "nothing"})
    assert asked == ["nothing", "nothing"]
    await state.close()


async def test_a_tool_finds_what_it_kept(moto: str) -> None:
    connector, _ = shop("kept")
    state = open_state(TABLE, "cache", endpoint_url=moto)
    assert await answers(connector, state, "counted", {}, {}, {}) == [None, 1, 2]
    assert await answers(connector, None, "counted", {}, {}) == [None, None]
    await state.close()


@pytest.mark.parametrize(
    ("read_only", "cache", "says"),
    [
        (False, 60, "it has cache= and is not read_only=True"),
        (True, 0, "its cache= must be more than 0"),
        (True, 90_000, "at most 86,400 seconds"),
        (True, "long", "its cache= must be"),
    ],
)
def test_a_cache_that_makes_no_sense_refuses_the_deployment(read_only: bool, cache: Any, says: str) -> None:
    connector = api("odd", base_url="https://odd.example")

    @connector.tool(read_only=read_only, cache=cache)
    async def look(ctx: Any) -> str:
        """Look."""
        return ""

    del look
    with pytest.raises(DeploymentError) as refused:
        Connecta(connectors=[connector], name="tests")
    assert says in str(refused.value)
