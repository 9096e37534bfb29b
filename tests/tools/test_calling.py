"""``call_tool`` and ``call_destructive_tool``: results in both modes, large ones kept, failures typed."""

import json
from typing import Any

import pytest

from connecta.auth.callers import Caller
from connecta.text import JsonObject, compact, size
from connecta.tools.definition import ToolRequest
from tests.fixtures.scopes import CALLER
from tests.tools.conftest import House

NOTE: JsonObject = {"id": "n1", "lines": 1}
READ: JsonObject = {"address": "desk.read_note", "args": {"id": "n1"}}


async def test_an_object_comes_back_as_text_and_structured_content(stateless_house: House) -> None:
    answer = await stateless_house.call("call_tool", READ)
    assert (list(answer.content), answer.structured, answer.is_error) == (
        [{"type": "text", "text": compact(NOTE)}],
        NOTE,
        False,
    )


async def test_value_mode_unwraps_and_says_how_long_it_took(stateless_house: House) -> None:
    value = await stateless_house.value("call_tool", {**READ, "resultMode": "value"})
    assert {**value, "durationMs": 0} == {"ok": True, "data": NOTE, "durationMs": 0, "attempts": 1}


async def test_fields_pick_parts_of_the_value(stateless_house: House) -> None:
    assert await stateless_house.value("call_tool", {**READ, "fields": ["lines"]}) == {"lines": 1}


async def test_diagnostics_add_the_timing_numbers(stateless_house: House) -> None:
    value = await stateless_house.value("call_tool", {**READ, "resultMode": "value", "diagnostics": True})
    assert set(value["diagnostics"]) == {"catalogMs", "connectorMs"}
    answer = await stateless_house.call("call_tool", {**READ, "diagnostics": True})
    assert answer.meta is not None
    assert set(answer.meta) == {"connecta/diagnostics"}


async def test_a_write_is_refused_by_call_tool_and_done_by_call_destructive_tool(stateless_house: House) -> None:
    """E4."""
    write: JsonObject = {"address": "desk.write_note", "args": {"id": "n1"}, "resultMode": "value"}
    error = await stateless_house.error("call_tool", write)
    assert error["code"] == "destructive_tool_requires_approval"
    assert error["nextAction"]["arguments"] == {"address": "desk.write_note", "args": {"id": "n1"}}
    value = await stateless_house.value("call_destructive_tool", {**write, "reason": "asked for"})
    assert value["data"] == {"written": "n1"}


async def test_a_failed_call_reports_its_envelope_duration_and_attempts(stateless_house: House) -> None:
    stateless_house.desk.failures_left = 9
    answer = await stateless_house.call("call_tool", {"address": "desk.flaky", "maxRetries": 1})
    assert answer.is_error
    assert isinstance(answer.structured, dict)
    assert {**answer.structured, "durationMs": 0} == {
        "ok": False,
        "error": {"code": "unavailable", "message": "The desk is closed for a moment.", "retryable": True},
        "durationMs": 0,
        "attempts": 2,
    }


async def test_a_request_out_of_time_is_answered_typed_by_us_and_not_by_the_platform(stateless_house: House) -> None:
    slow = ToolRequest(CALLER, "request-1", 1.2)
    answer = await stateless_house.tools.call("call_tool", {"address": "desk.slow"}, slow)
    assert isinstance(answer.structured, dict)
    error: Any = answer.structured["error"]
    assert (error["code"], error["retryable"]) == ("timeout", True)


async def test_a_large_result_comes_as_a_preview_and_is_read_page_by_page(house: House) -> None:
    value = await house.value("call_tool", {"address": "desk.big", "args": {"size": 60_000}})
    assert (value["truncated"], value["totalBytes"], value["preview"][:5]) == (True, 60_002, '"xxxx')
    assert size(compact(value)) < 5_000
    assert value["nextAction"] == {"tool": "get_result", "arguments": {"id": value["resultId"], "offset": 0}}
    read, offset = "", 0
    while True:
        page = await house.value("get_result", {"id": value["resultId"], "offset": offset})
        assert page["totalBytes"] == 60_002
        read += page["text"]
        if "nextOffset" not in page:
            break
        offset = page["nextOffset"]
    assert json.loads(read) == "x" * 60_000
    assert [event.friction for event in house.place.events] == ["result_too_large"]
    assert [event.outcome for event in house.place.events] == ["success"]


async def test_a_large_result_that_cannot_be_kept_still_succeeds_and_says_so(stateless_house: House) -> None:
    value = await stateless_house.value("call_tool", {"address": "desk.big", "args": {"size": 60_000}})
    assert "resultId" not in value
    assert value["hint"] == "The result is too large to return and could not be kept. Ask for less with fields."


@pytest.mark.parametrize("id", ["r_" + "A" * 22, "v_" + "A" * 22, "", "x" * 50_000, "r_\x00", "../../etc"])
async def test_an_id_nobody_was_given_is_an_error_that_says_to_call_again(house: House, id: str) -> None:
    error = await house.error("get_result", {"id": id})
    assert (error["code"], error["retryable"]) == ("not_found", False)
    assert error["message"].endswith("Make the call again.")
    assert size(error["message"]) < 700


async def test_offsets_may_come_as_the_floats_that_json_schema_takes_for_integers(house: House) -> None:
    value = await house.value("call_tool", {"address": "desk.big", "args": {"size": 60_000}})
    page = await house.value("get_result", {"id": value["resultId"], "offset": 3.0, "maxBytes": 2.0})
    assert page == {"text": "xx", "offset": 3, "nextOffset": 5, "totalBytes": 60_002}


async def test_a_kept_result_is_unknown_to_another_caller(house: House) -> None:
    value = await house.value("call_tool", {"address": "desk.big", "args": {"size": 60_000}})
    stranger = await house.call("get_result", {"id": value["resultId"]}, Caller("bearer", "stranger", "Stranger"))
    assert isinstance(stranger.structured, dict)
    error: Any = stranger.structured["error"]
    assert error["code"] == "not_found"


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("call_tool", {}, "address"),
        ("call_tool", {"address": 5}, "address"),
        ("call_tool", {"address": "desk.big", "timeoutMs": 25_001}, "timeoutMs"),
        ("call_tool", {"address": "desk.big", "maxRetries": 3}, "maxRetries"),
        ("call_tool", {"address": "desk.big", "reason": "x"}, "reason"),
        ("call_tool", {"address": "desk.big", "fields": [".".join("a" * 39_000)]}, "fields"),
        ("call_destructive_tool", {"address": "desk.big", "reason": "x" * 501}, "reason"),
        ("get_result", {"id": "r_1", "offset": -1}, "offset"),
        ("get_result", {"id": "r_1", "maxBytes": 0}, "maxBytes"),
        ("search_tools", {"limit": 0}, "limit"),
        ("search_tools", {"limit": 101}, "limit"),
        ("search_tools", {"safety": "safe"}, "safety"),
        ("execute_code", {}, "code"),
        ("skills", {"name": 1}, "name"),
    ],
)
async def test_arguments_of_the_wrong_shape_are_refused_naming_the_field(
    stateless_house: House, name: str, arguments: JsonObject, says: str
) -> None:
    error = await stateless_house.error(name, arguments)
    assert error["code"] == "invalid_args"
    assert says in error["message"]
    assert stateless_house.place.events == []
