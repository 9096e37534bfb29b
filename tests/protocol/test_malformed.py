"""Bodies that are not one JSON-RPC request or notification."""

import json

import pytest

from connecta.limits import LIMITS
from connecta.text import JsonObject
from tests.fixtures.mcp_client import Client
from tests.fixtures.mcp_messages import Post, call, legacy, modern, post

JSON = {"content-type": "application/json"}
REQUEST: JsonObject = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def nested(levels: int, innermost: bytes = b"1") -> bytes:
    """A request of so many levels, the message itself among them, with ``innermost`` in the last."""
    inside = levels - 1
    return b'{"jsonrpc":"2.0","id":1,"method":"ping","params":' + b'{"a":' * inside + innermost + b"}" * inside + b"}"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"{", id="cut off"),
        pytest.param(b"\xff\xfe", id="not UTF-8"),
        pytest.param(json.dumps(REQUEST).encode("utf-16"), id="UTF-16"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":NaN}}', id="NaN"),
        pytest.param(b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"n":1e999}}', id="a number beyond all bounds"),
        pytest.param(b'{"jsonrpc":"2.0","id":' + b"9" * 5_000 + b',"method":"ping"}', id="an absurd integer"),
        pytest.param(b"[" * 200_000, id="nesting that exhausts the parser"),
        pytest.param(nested(LIMITS.request_depth + 1), id="nesting beyond the bound"),
        pytest.param(nested(LIMITS.request_depth, b"{}"), id="an empty object beyond the bound"),
    ],
)
async def test_what_cannot_be_parsed_is_a_parse_error(client: Client, body: bytes):
    """JSON-RPC 2.0 section 5.1."""
    answer = await client.post(Post(body, JSON))
    assert (answer.status_code, answer.json()["id"], answer.json()["error"]["code"]) == (400, None, -32700)


@pytest.mark.parametrize("body", [nested(LIMITS.request_depth), nested(LIMITS.request_depth - 1, b"[]")])
async def test_nesting_within_the_bound_is_read(client: Client, body: bytes):
    """An empty list is a level, too."""
    assert (await client.post(Post(body, JSON))).json()["result"] == {}


@pytest.mark.parametrize(
    "message",
    [
        pytest.param([], id="an empty batch"),
        pytest.param("ping", id="a string"),
        pytest.param(None, id="null"),
        pytest.param({**REQUEST, "jsonrpc": "1.0"}, id="another JSON-RPC"),
        pytest.param({"id": 1, "method": "ping"}, id="no version"),
        pytest.param({"jsonrpc": "2.0", "id": 1}, id="no method"),
        pytest.param({**REQUEST, "method": 7}, id="a method that is no string"),
        pytest.param({**REQUEST, "params": [1]}, id="params by position"),
        pytest.param({**REQUEST, "params": None}, id="params null"),
        pytest.param({"jsonrpc": "2.0", "id": 1, "result": {}}, id="a response"),
        pytest.param({**REQUEST, "id": None}, id="id null"),
        pytest.param({**REQUEST, "id": True}, id="id true"),
        pytest.param({**REQUEST, "id": 1.5}, id="id a fraction"),
        pytest.param({**REQUEST, "id": {}}, id="id an object"),
        pytest.param({**REQUEST, "id": "i" * 513}, id="id too long to echo"),
    ],
)
async def test_what_is_not_one_message_is_an_invalid_request(client: Client, message: object):
    """Sending messages, item 4: no responses; the body's id cannot be trusted, so the answer's is null."""
    answer = await client.post(Post(json.dumps(message).encode(), JSON))
    assert (answer.status_code, answer.json()["id"], answer.json()["error"]["code"]) == (400, None, -32600)


@pytest.mark.parametrize("arguments", [[1], "text", 7])
async def test_tool_arguments_are_an_object(client: Client, arguments: object):
    params = {"name": "echo", "arguments": arguments}
    assert (await client.error(modern("tools/call", params)))[:2] == (400, -32602)  # pyright: ignore[reportArgumentType]


async def test_lone_surrogates_come_back_as_json(client: Client):
    """Half a character is legal in JSON text; it must not break the answer's encoding."""
    answer = await client.post(modern("tools/call", call("echo", {"text": "\ud800"})))
    assert answer.json()["result"]["structuredContent"] == {"text": "\ud800"}


async def test_a_legacy_body_under_a_legacy_header_is_not_taken_for_modern(client: Client):
    assert "tools" in await client.result(legacy("tools/list", {"_meta": {"progressToken": 1}}))


async def test_a_body_is_bounded_by_what_it_declares_and_by_what_it_holds(client: Client):
    """limits.request_bytes; a stream without Content-Length is cut off, not collected."""
    big = b'"' + b"x" * LIMITS.request_bytes + b'"'

    async def stream():
        for start in range(0, len(big), 65_536):
            yield big[start : start + 65_536]

    for content in (big, stream()):
        answer = await client.http.post("/mcp", content=content, headers=JSON)
        assert (answer.status_code, answer.json()["error"]["code"]) == (413, "request_too_large")


@pytest.mark.parametrize(
    "content_type", [None, "text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]
)
async def test_a_body_of_another_type_is_refused(client: Client, content_type: str | None):
    request = post(REQUEST).without("content-type")
    answer = await client.post(request if content_type is None else request.having(content_type=content_type))
    assert (answer.status_code, answer.json()["error"]["code"]) == (415, "unsupported_media_type")


async def test_a_compressed_body_is_refused(client: Client):
    assert (await client.post(post(REQUEST).having(content_encoding="gzip"))).status_code == 415


async def test_a_charset_beside_the_type_is_fine(client: Client):
    request = post(REQUEST).having(content_type="Application/JSON; charset=utf-8")
    assert (await client.post(request)).status_code == 200


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json, text/event-stream", 200),
        ("application/json", 200),
        ("application/*;q=0.1", 200),
        ("*/*", 200),
        ("", 200),
        ("text/event-stream", 200),
        ("application/json;q=0, text/event-stream", 406),
        ("application/json;q=0, */*", 406),
        ("*/*;q=0", 406),
    ],
)
async def test_only_a_client_that_rules_json_out_is_not_answered(client: Client, accept: str, status: int):
    """Sending messages, items 2 and 6: clients must take JSON; RFC 9110 12.5.1 lets a server disregard the rest."""
    assert (await client.post(post(REQUEST).having(accept=accept))).status_code == status


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "PATCH", "HEAD", "OPTIONS"])
async def test_every_method_but_post_is_not_allowed(client: Client, method: str):
    """Backward compatibility: GET opened a stream and DELETE ended a session, once."""
    answer = await client.http.request(method, "/mcp")
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
