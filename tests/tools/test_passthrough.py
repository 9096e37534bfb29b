"""What a downstream answers and how it comes back through ``call_tool`` ("Results"): real processes, both eras."""

from typing import Any

import pytest

from connecta.text import JsonObject, compact, size
from tests.contract.media import PIXEL
from tests.fixtures.odd_fleet import OddFleet
from tests.fixtures.odd_mcp_tools import ANSWERS, FREE_META, WHOLE


def asked(fleet: OddFleet, arguments: JsonObject, era: str) -> dict[str, Any]:
    """The result, without what the protocol of 2026 says in every result."""
    if era == "legacy":
        return fleet.tool("call_tool", arguments)
    result = fleet.modern("call_tool", arguments)
    assert result.pop("resultType") == "complete"
    assert result["_meta"].pop("io.modelcontextprotocol/serverInfo")["name"] == "odd-servers"
    return result


def masked(value: dict[str, Any]) -> dict[str, Any]:
    return {**value, "durationMs": 0}


@pytest.mark.parametrize("era", ["modern", "legacy"])
@pytest.mark.parametrize("connector", ["odd", "streams", "oldest", "older", "old", "pinned"])
def test_every_block_the_structured_value_and_meta_survive(odd_fleet: OddFleet, connector: str, era: str) -> None:
    """Images, audio, resources, links, annotations and fields nobody knows; keys of MCP and of ours are dropped."""
    result = asked(odd_fleet, {"address": f"{connector}.whole"}, era)
    assert result == {**WHOLE, "_meta": FREE_META, "isError": False}


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_an_error_of_the_downstream_survives_whole(odd_fleet: OddFleet, era: str) -> None:
    plain: JsonObject = {"address": "odd.failing"}
    picked: JsonObject = {"address": "odd.failing", "fields": ["n"]}
    for arguments in (plain, picked):
        result = asked(odd_fleet, arguments, era)
        assert result == {**WHOLE, "_meta": FREE_META, "isError": True}


def test_a_structured_value_that_is_no_object_goes_to_clients_that_take_it(odd_fleet: OddFleet) -> None:
    """Before 2026-07-28 ``structuredContent`` is an object or absent; the text says the same."""
    content = [{"type": "text", "text": "[1]"}]
    listed: JsonObject = {"address": "odd.listed"}
    assert odd_fleet.tool("call_tool", listed) == {"content": content, "isError": False}
    assert odd_fleet.modern("call_tool", listed)["structuredContent"] == [1]


def test_value_mode_unwraps_as_a_program_would_see_it(odd_fleet: OddFleet) -> None:
    """S5: a result with a block that is no text comes whole, else the structured value, else the text."""
    expected: dict[str, Any] = {
        "odd.whole": {**WHOLE, "_meta": ANSWERS["whole"]["_meta"]},
        "odd.listed": [1],
        "odd.no_schema": "called",
    }
    for address, data in expected.items():
        value = odd_fleet.tool("call_tool", {"address": address, "resultMode": "value"})["structuredContent"]
        assert masked(value) == {"ok": True, "data": data, "durationMs": 0, "attempts": 1}
        run = odd_fleet.tool("execute_code", {"code": f"async () => connecta.call('{address}')"})
        assert run["structuredContent"] == {"result": data}


def test_value_mode_tells_a_failure_as_an_envelope(odd_fleet: OddFleet) -> None:
    result = odd_fleet.tool("call_tool", {"address": "odd.failing", "resultMode": "value"})
    assert result["isError"] is True
    assert masked(result["structuredContent"]) == {
        "ok": False,
        "error": {"code": "connector_call_failed", "message": "odd.failing failed: one", "retryable": False},
        "durationMs": 0,
        "attempts": 1,
    }


@pytest.mark.parametrize("mode", ["mcp", "value"])
def test_a_large_picture_is_previewed_by_type_and_size_and_kept_whole(odd_fleet: OddFleet, mode: str) -> None:
    """Never by its base64; a program can show it."""
    result = odd_fleet.tool("call_tool", {"address": "odd.picture", "resultMode": mode})
    value = result["structuredContent"]
    picture = ANSWERS["picture"]["content"][0]
    assert value["preview"] == f"image image/png: {size(compact(picture)):,} bytes"
    assert value["hint"] == (
        "Read on with get_result, or ask for less with fields. To show an image or play audio, call it in a program "
        "and connecta.emit it."
    )
    assert PIXEL[:40] not in compact(result)
    assert value["totalBytes"] == size(compact(ANSWERS["picture"]))
    program = (
        "async () => { const { content } = await connecta.call('odd.whole'); "
        "const { type, data, mimeType } = content[1]; await connecta.emit({ type, data, mimeType }); }"
    )
    emitted = odd_fleet.tool("execute_code", {"code": program})
    assert emitted["content"][1] == {"type": "image", "data": PIXEL, "mimeType": "image/png"}


def test_fields_of_a_large_result_are_returned_inline_when_they_are_small(odd_fleet: OddFleet) -> None:
    result = odd_fleet.tool("call_tool", {"address": "odd.picture", "fields": ["content[].type", "content.mimeType"]})
    assert result["structuredContent"] == {
        "data": {"content[].type": ["image"]},
        "$connecta": {
            "type": "field_projection",
            "unmatchedFields": ["content.mimeType"],
            "hint": "Go through the array with []: content[].mimeType",
            "availableFields": ["content", "content[].type", "content[].data", "content[].mimeType"],
        },
    }


@pytest.mark.parametrize(
    ("times", "inline"), [(49_957, True), (50_100, False)], ids=["just under the cap", "just over it"]
)
def test_the_inline_cap_is_50_000_bytes_of_the_whole_result(odd_fleet: OddFleet, times: int, inline: bool) -> None:
    result = odd_fleet.tool("call_tool", {"address": "odd.sized", "args": {"text": "x", "times": times}})
    assert ("structuredContent" not in result) is inline
    [entry] = odd_fleet.newest()
    assert (entry.outcome, entry.error_code) == ("success", None)
    assert entry.friction == (None if inline else "result_too_large")


@pytest.mark.parametrize("levels", [100, 400, 900, 1_000, 3_000, 100_000])
@pytest.mark.parametrize("mode", ["mcp", "value"])
def test_a_result_of_any_depth_is_answered(odd_fleet: OddFleet, levels: int, mode: str) -> None:
    """As the text it came in, or as the value where that can be handed on; never as a failure of ours."""
    arguments: JsonObject = {"address": "odd.nested", "args": {"levels": levels}, "resultMode": mode, "fields": ["a"]}
    for asked_for in (arguments, {key: value for key, value in arguments.items() if key != "fields"}):
        result = odd_fleet.tool("call_tool", asked_for)
        assert result["isError"] is False, result
