"""When a call is attempted again: asked for, harmless, and within what the downstream wants ("Calls")."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from connecta import api, failures
from connecta.calls.call import CallFailed, CallRequest, call
from connecta.connectors.api import Api
from connecta.failures import Failure
from tests.fixtures.scopes import bench


@dataclass
class Shop:
    """Every tool fails as ``trouble`` says, as often as ``times`` says."""

    trouble: Failure
    times: int = 1
    attempts: int = 0
    connector: Api = field(default_factory=lambda: api("shop", base_url="https://shop.example"))

    def __post_init__(self) -> None:
        @self.connector.tool(read_only=True)
        async def look(ctx: Any) -> str:
            """Read something."""
            return self.served()

        @self.connector.tool(read_only=False, idempotent=True)
        async def put(ctx: Any) -> str:
            """Write the same as before."""
            return self.served()

        @self.connector.tool(read_only=False)
        async def add(ctx: Any) -> str:
            """Write once more."""
            return self.served()

        del look, put, add

    def served(self) -> str:
        self.attempts += 1
        if self.attempts <= self.times:
            raise self.trouble
        return "done"


async def outcome(shop: Shop, tool: str, retries: int = 2, remaining_s: float = 29.0) -> tuple[str, int, int]:
    """The value or the error's code, how often the downstream was asked, and how often the record says so."""
    place = bench([shop.connector])
    request = CallRequest(f"shop.{tool}", {}, "call_destructive_tool", max_retries=retries)
    async with place.scope(remaining_s=remaining_s) as scope:
        try:
            told = str((await call(request, scope)).result.unwrap())
        except CallFailed as failed:
            told = failed.failure.code
    [event] = place.events
    return told, shop.attempts, event.attempts


@pytest.mark.parametrize(
    ("tool", "expected"),
    [("look", ("done", 2, 2)), ("put", ("done", 2, 2)), ("add", ("unavailable", 1, 1))],
)
async def test_only_a_read_or_an_idempotent_write_is_retried(tool: str, expected: tuple[str, int, int]) -> None:
    assert await outcome(Shop(failures.unavailable("Closed.")), tool) == expected


@pytest.mark.parametrize(("retries", "asked"), [(0, 1), (1, 2), (2, 3)])
async def test_as_often_as_asked_for_and_no_more(retries: int, asked: int) -> None:
    shop = Shop(failures.unavailable("Closed."), times=9)
    assert await outcome(shop, "look", retries) == ("unavailable", asked, asked)


@pytest.mark.parametrize(
    ("trouble", "expected"),
    [
        (failures.call_failed("No."), ("connector_call_failed", 1, 1)),
        (failures.not_found("None."), ("not_found", 1, 1)),
        (failures.unavailable("Misconfigured.", retryable=False), ("unavailable", 1, 1)),
        (failures.rate_limited("Slowly.", 0.01), ("done", 2, 2)),
        (failures.rate_limited("Very slowly.", 10.5), ("rate_limited", 1, 1)),
    ],
    ids=lambda value: value.message if isinstance(value, Failure) else None,
)
async def test_only_what_a_retry_can_help_and_within_the_pause_the_downstream_asks_for(
    trouble: Failure, expected: tuple[str, int, int]
) -> None:
    """Ten seconds or not at all."""
    assert await outcome(Shop(trouble), "look") == expected


async def test_a_pause_longer_than_the_call_has_left_is_not_begun() -> None:
    shop = Shop(failures.rate_limited("Slowly.", 9.0))
    assert await outcome(shop, "look", remaining_s=6.0) == ("rate_limited", 1, 1)


async def told(shop: Shop, tool: str) -> tuple[str, bool]:
    async with bench([shop.connector]).scope() as scope:
        with pytest.raises(CallFailed) as failed:
            await call(CallRequest(f"shop.{tool}", {}, "call_destructive_tool"), scope)
    return failed.value.failure.message, failed.value.failure.retryable


@pytest.mark.parametrize(
    ("trouble", "tool", "expected"),
    [
        (failures.timeout("Too slow."), "look", ("Too slow.", True)),
        (failures.timeout("Too slow."), "put", ("Too slow.", True)),
        (
            failures.timeout("Too slow."),
            "add",
            ("Too slow. It may have been done all the same: look before you call it again.", False),
        ),
        (
            failures.unavailable("Broke off."),
            "add",
            ("Broke off. It may have been done all the same: look before you call it again.", False),
        ),
        (failures.unheard("Not reached."), "add", ("Not reached.", True)),
        (failures.rate_limited("Too many."), "add", ("Too many.", True)),
    ],
)
async def test_a_write_without_an_answer_is_not_called_retryable(
    trouble: Failure, tool: str, expected: tuple[str, bool]
) -> None:
    """The same call again might do it twice."""
    assert await told(Shop(trouble), tool) == expected
