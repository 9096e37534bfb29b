"""The one path of a call, from its address to its record (S6, E4, E7, E8, V1, V2)."""

import asyncio
import re
from dataclasses import replace

import pytest

from connecta.calls.activity import CallEvent, Source
from connecta.calls.call import CallFailed, CallRequest, call
from connecta.failures import Failure
from connecta.text import JsonObject
from tests.fixtures.desk import Desk
from tests.fixtures.scopes import bench


def masked(event: CallEvent) -> CallEvent:
    return replace(event, at=0.0, duration_ms=0)


def event(tool: str, source: Source = "call_tool", connector: str = "desk") -> CallEvent:
    return CallEvent(0.0, connector, tool, source, "success", 0, 1)


async def failing(request: CallRequest, desk: Desk) -> tuple[Failure, list[CallEvent]]:
    """The failure of a call that must fail, and the events it left."""
    place = bench([desk.connector])
    async with place.scope() as scope:
        with pytest.raises(CallFailed) as failed:
            await call(request, scope)
    return failed.value.failure, [masked(e) for e in place.events]


async def test_an_answered_call_gives_its_value_and_records_one_success() -> None:
    desk = Desk()
    place = bench([desk.connector])
    async with place.scope() as scope:
        outcome = await call(CallRequest("desk.read_note", {"id": "n1"}, "call_tool"), scope)
    assert (outcome.address, outcome.result.unwrap(), outcome.attempts) == (
        "desk.read_note",
        {"id": "n1", "lines": 1},
        1,
    )
    assert [masked(e) for e in place.events] == [event("read_note")]


@pytest.mark.parametrize("source", ["call_tool", "execute_code"])
async def test_a_tool_that_is_not_read_only_is_refused_before_it_is_reached(source: Source) -> None:
    """E4."""
    desk = Desk()
    failure, events = await failing(CallRequest("desk.write_note", {"id": "n1"}, source), desk)
    assert failure.code == "destructive_tool_requires_approval"
    assert failure.retryable is False
    assert failure.details["nextAction"] == {
        "tool": "call_destructive_tool",
        "arguments": {"address": "desk.write_note", "args": {"id": "n1"}},
        "purpose": "Writes are one visible call, so that the person can see and stop it.",
    }
    assert desk.calls == []
    assert events == [
        replace(
            event("write_note", source),
            outcome="error",
            attempts=0,
            error_code="destructive_tool_requires_approval",
            friction="destructive_reroute",
        )
    ]


async def test_arguments_too_long_to_echo_are_left_out_whole_and_asked_for_again() -> None:
    """E4."""
    args: JsonObject = {"id": "n1", "text": "x" * 600}
    failure, _ = await failing(CallRequest("desk.write_note", args, "call_tool"), Desk())
    assert failure.details["nextAction"] == {
        "tool": "call_destructive_tool",
        "arguments": {"address": "desk.write_note"},
        "purpose": "Writes are one visible call, so that the person can see and stop it. Send the same args again.",
    }


async def test_the_destructive_door_reaches_a_write() -> None:
    desk = Desk()
    place = bench([desk.connector])
    async with place.scope() as scope:
        await call(CallRequest("desk.write_note", {"id": "n1"}, "call_destructive_tool"), scope)
    assert desk.calls == ["write_note n1"]


@pytest.mark.parametrize(
    ("address", "code", "connector", "tool"),
    [
        ("nowhere.read_note", "unknown_address", "nowhere", "read_note"),
        ("no-dot", "unknown_address", "no-dot", ""),
        ("", "unknown_address", "", ""),
        ("desk.read_notes", "unknown_tool", "desk", "read_notes"),
        ("x" * 50_000 + "." + "y" * 50_000, "unknown_address", "x" * 125 + "…", "y" * 254 + "…"),
    ],
)
async def test_a_miss_is_final_says_where_to_search_and_is_recorded_clamped(
    address: str, code: str, connector: str, tool: str
) -> None:
    """E7, V3."""
    failure, events = await failing(CallRequest(address, {}, "call_tool"), Desk())
    assert (failure.code, failure.retryable) == (code, False)
    action = failure.details["nextAction"]
    assert isinstance(action, dict)
    assert action["tool"] == "search_tools"
    assert len(str(failure.envelope())) < 4_000
    assert events == [
        replace(
            event(tool, connector=connector),
            outcome="error",
            attempts=0,
            error_code=code,
            friction="tool_not_found",
        )
    ]


async def test_a_misspelled_tool_suggests_its_nearest_addresses() -> None:
    failure, _ = await failing(CallRequest("desk.read_notes", {}, "call_tool"), Desk())
    suggestions = failure.details["suggestions"]
    assert isinstance(suggestions, list)
    assert suggestions[0] == "desk.read_note"


async def test_wrong_arguments_fail_before_the_tool_is_called_and_echo_no_value() -> None:
    """E8."""
    desk = Desk()
    failure, events = await failing(CallRequest("desk.read_note", {"id": 5, "secret": "hunter2"}, "call_tool"), desk)
    assert failure.code == "invalid_args"
    assert "hunter2" not in str(failure.envelope())
    assert desk.calls == []
    assert [e.friction for e in events] == ["schema_retry"]


async def test_a_retry_is_made_only_when_asked_for() -> None:
    """Y1."""
    desk = Desk()
    desk.failures_left = 1
    failure, events = await failing(CallRequest("desk.flaky", {}, "call_tool"), desk)
    assert (failure.code, failure.retryable, len(desk.calls)) == ("unavailable", True, 1)
    assert [(e.outcome, e.attempts) for e in events] == [("error", 1)]


async def test_a_retry_that_was_asked_for_is_counted() -> None:
    desk = Desk()
    desk.failures_left = 1
    place = bench([desk.connector])
    async with place.scope() as scope:
        outcome = await call(CallRequest("desk.flaky", {}, "call_tool", max_retries=2), scope)
    assert (outcome.result.unwrap(), outcome.attempts, len(desk.calls)) == ("open", 2, 2)


async def test_a_call_past_its_deadline_is_a_timeout_and_recorded_as_one() -> None:
    failure, events = await failing(CallRequest("desk.slow", {}, "call_tool", timeout_s=0.05), Desk())
    assert (failure.code, failure.retryable) == ("timeout", True)
    assert re.search(r"did not answer within \d+ ms\.", failure.message)
    assert [(e.outcome, e.error_code) for e in events] == [("timeout", "timeout")]


async def test_a_tool_that_breaks_tells_nobody_what_its_exception_said() -> None:
    failure, _ = await failing(CallRequest("desk.broken", {}, "call_tool"), Desk())
    assert failure.code == "connector_call_failed"
    assert "hunter2" not in str(failure.envelope())


async def test_a_cancelled_call_is_recorded_as_cancelled() -> None:
    desk = Desk()
    place = bench([desk.connector])
    async with place.scope() as scope:
        running = asyncio.create_task(call(CallRequest("desk.slow", {}, "call_tool"), scope))
        await desk.slow_began.wait()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
    assert [(e.outcome, e.error_code) for e in place.events] == [("cancelled", "cancelled")]
