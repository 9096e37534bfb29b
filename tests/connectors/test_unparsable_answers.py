"""Answers the SDK's parser refuses, or that no JSON can be made of again: Python's own takes more than either."""

import json
import logging
from collections.abc import Callable

import pytest

from connecta import remote_mcp
from connecta.catalog.stored import pack
from connecta.connectors.mcp_wire import well_formed
from connecta.connectors.model import Tool
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.text import JsonObject
from tests.fixtures.misbehaving_server import MisbehavingServer

DEEP = 300
Frame = Callable[[str], str]


def in_json(answer: str) -> str:
    return f"RAW HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(answer)}\r\n\r\n{answer}"


def in_events(answer: str) -> str:
    """``data:`` in chunks that end in the middle of everything, and lines of every kind."""
    event = f": one\r: two\revent: message\r\ndata: {answer}\n\n"
    pieces = [event[start : start + 7] for start in range(0, len(event), 7)]
    chunks = "".join(f"{len(piece):x}\r\n{piece}\r\n" for piece in pieces)
    head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    return f"RAW {head}{chunks}0\r\n\r\n"


def answer(result: str) -> str:
    return f'{{"jsonrpc":"2.0","id":1,"result":{result}}}'


@pytest.mark.parametrize("events", [False, True])
async def test_half_a_surrogate_pair_in_an_answer_costs_one_character(server: MisbehavingServer, events: bool) -> None:
    connection = remote_mcp("docs", url=f"{server.url}/mcp", allow_private=True).open()
    await connection.call(Tool("look"), {}, 10.0)
    text = "\ud83d and \U0001f600 and \\ud83d and é"
    result: JsonObject = {"content": [{"type": "text", "text": text}], "resultType": "complete"}
    server.answers["tools/call"] = result
    server.behaviour = in_events(answer(json.dumps(result))) if events else None
    told = await connection.call(Tool("look"), {}, 10.0)
    await connection.close()
    assert told.unwrap() == "\ufffd and \U0001f600 and \\ud83d and é"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (r'"\ud83d\ude00"', "\U0001f600"),
        (r'"\uD83D\uDE00"', "\U0001f600"),
        (r'"\ud83d"', "\ufffd"),
        (r'"\ude00\ud83d"', "\ufffd\ufffd"),
        (r'"\ud83d\ud83d\ude00"', "\ufffd\U0001f600"),
        (r'"\\ud83d"', r"\ud83d"),
        (r'"\\\ud83d"', "\\\ufffd"),
        (r'"\"\n\u00e9"', '"\né'),
    ],
)
def test_only_halves_are_replaced(text: str, expected: str) -> None:
    assert json.loads(well_formed(text.encode())) == expected


@pytest.mark.parametrize("framed", [in_json, in_events])
async def test_an_answer_nested_too_deep_for_the_parser_is_named_and_neither_quoted_nor_logged(
    server: MisbehavingServer, framed: Frame, caplog: pytest.LogCaptureFixture
) -> None:
    connection = remote_mcp("docs", url=f"{server.url}/mcp", allow_private=True).open()
    await connection.call(Tool("look"), {}, 10.0)
    server.behaviour = framed(answer('{"hunter2":' + "[" * DEEP + "]" * DEEP + "}"))
    with caplog.at_level(logging.INFO), pytest.raises(Failure) as caught:
        await connection.call(Tool("look"), {}, 10.0)
    await connection.close()
    assert caught.value.envelope() == {
        "code": "connector_call_failed",
        "message": '"docs" answered with something that is not MCP.',
        "retryable": False,
    }
    assert "hunter2" not in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_notification_of_another_shape_is_not_logged(
    server: MisbehavingServer, caplog: pytest.LogCaptureFixture
) -> None:
    connection = remote_mcp("docs", url=f"{server.url}/mcp", allow_private=True).open()
    await connection.call(Tool("look"), {}, 10.0)
    well = answer('{"content":[{"type":"text","text":"well"}],"resultType":"complete"}')
    notifications = (
        '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"hunter2"}}',
        '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":"hunter2"}}',
    )
    server.behaviour = in_events("\n\ndata: ".join((*notifications, well)) + "\n\nevent: hunter2\ndata: 1")
    with caplog.at_level(logging.INFO):
        assert (await connection.call(Tool("look"), {}, 10.0)).unwrap() == "well"
        await connection.close()
    assert "hunter2" not in caplog.text
    assert "Traceback" not in caplog.text


async def test_a_schema_with_a_number_that_is_not_finite_costs_neither_its_tool_nor_the_catalog(
    server: MisbehavingServer,
) -> None:
    infinite = {"type": "object", "properties": {"n": {"maximum": float("inf")}}}
    server.answers["tools/list"] = {
        "tools": [
            {"name": "in", "inputSchema": infinite},
            {"name": "out", "inputSchema": {"type": "object"}, "outputSchema": infinite, "_meta": {"x": float("nan")}},
        ],
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
    }
    connection = remote_mcp("docs", url=f"{server.url}/mcp", allow_private=True).open()
    tools = list(await connection.list_tools())
    await connection.close()
    assert tools == [Tool("in", input_schema="unreadable"), Tool("out", output_schema="unreadable")]
    assert pack(tools, LIMITS.catalog_bytes) is not None
