"""A tool's answer as ``CallToolResult``, and what stands in for one that does not fit."""

import pytest

from connecta.protocol.results import call_tool_result, is_tool_result, too_large
from connecta.protocol.wire import Reply
from connecta.text import Json, JsonObject
from connecta.tools.definition import Answer


@pytest.mark.parametrize(
    "block",
    [
        {"type": "text", "text": "a", "annotations": {"priority": 1}, "_meta": {"k": None}},
        {"type": "image", "data": "AA==", "mimeType": "image/png"},
        {"type": "audio", "data": "AA==", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "ui://x/y", "text": "<p>", "_meta": {"ui": {}}}},
        {"type": "resource", "resource": {"uri": "file:///x", "blob": "AA=="}},
        {"type": "resource_link", "uri": "file:///x", "name": "x", "size": 3},
    ],
)
def test_a_block_that_mcp_defines_passes_as_it_is(block: JsonObject):
    assert call_tool_result(Answer([block]), modern=True)["content"] == [block]


@pytest.mark.parametrize(
    ("block", "named"),
    [
        ({"type": "hologram"}, "hologram"),
        ({"type": "text"}, "text"),
        ({"type": "image", "data": "AA=="}, "image"),
        ({"type": "resource", "resource": {"uri": "x:y"}}, "resource"),
        ({"type": "resource", "resource": "x:y"}, "resource"),
        ({"type": ["text"]}, "unnamed"),
        ({}, "unnamed"),
    ],
)
def test_any_other_block_travels_inside_a_text_block_that_names_it(block: JsonObject, named: str):
    assert call_tool_result(Answer([block]), modern=False)["content"] == [
        {
            "type": "text",
            "text": f'A content block of type "{named}" that this protocol revision does not define.',
            "_meta": {"connecta/block": block},
        }
    ]


def test_what_does_not_fit_is_replaced_by_a_failure_under_the_same_id():
    content: list[Json] = [{"type": "text", "text": "x"}, {"type": "image", "data": "A" * 900, "mimeType": "image/png"}]
    reply = Reply(200, {"jsonrpc": "2.0", "id": "a", "result": {"content": content, "resultType": "complete"}})
    message = (
        "The result takes 7,000 bytes on the wire and 6,000 fit. Its largest part is the image block 1 with 949 bytes. "
        "Ask for less: select fields, lower the limit, or aggregate inside a program and return only what is needed."
    )
    error = {"error": {"code": "result_too_large", "message": message, "retryable": False}}
    answered = too_large(reply, 7_000, 6_000)
    result = answered.message.pop("result")
    assert answered == Reply(200, {"jsonrpc": "2.0", "id": "a"})
    assert isinstance(result, dict)
    assert result.pop("content")
    assert result == {"isError": True, "structuredContent": error, "resultType": "complete"}


def test_a_program_whose_answer_does_not_fit_keeps_its_logs_and_says_what_is_discarded():
    """M4, U3, R5."""
    envelope = '{"result":1,"logs":"so far","emitted":2,"ui":true,"view":"v_x","diagnostics":{"wallMs":1}}'
    reply = Reply(200, {"id": 1, "result": {"content": [{"type": "text", "text": envelope}]}})
    result = too_large(reply, 7_000, 6_000).message["result"]
    assert isinstance(result, dict)
    structured = result["structuredContent"]
    assert isinstance(structured, dict)
    error = structured.pop("error")
    assert structured == {"logs": "so far", "diagnostics": {"wallMs": 1}}
    assert isinstance(error, dict)
    assert (error["code"], error["emittedDiscarded"], error["uiDiscarded"]) == ("result_too_large", 2, True)


@pytest.mark.parametrize(
    "text",
    ['{"result":1,"emitted":2,"other":3}', '{"emitted":2}', "plain", '{"result":1,"emitted":"2","ui":1}'],
)
def test_a_downstreams_own_text_claims_no_discarded_output(text: str):
    result: JsonObject = {"content": [{"type": "text", "text": text}]}
    answered = too_large(Reply(200, {"id": 1, "result": result}), 7_000, 6_000)
    assert "Discarded" not in str(answered.message)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"result": {"content": []}}, True),
        ({"result": {"contents": []}}, False),
        ({"error": {"code": -32603}}, False),
        (None, False),
    ],
)
def test_only_a_tool_result_is_told_from_other_replies(body: JsonObject | None, expected: bool):
    assert is_tool_result(Reply(200, body)) is expected
