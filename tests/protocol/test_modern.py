"""What a server owes a 2026-07-28 client, over HTTP: docs/specification/2026-07-28/basic/transports/streamable-http."""

import base64
import json
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from pydantic import TypeAdapter, ValidationError

from connecta.limits import LIMITS
from connecta.text import JsonObject
from connecta.tools.definition import Answer, text_block
from connecta.version import VERSION
from tests.fixtures.mcp_client import Client
from tests.fixtures.mcp_messages import (
    CAPABILITIES_KEY,
    ENVELOPE,
    MODERN,
    VERSION_KEY,
    Post,
    call,
    legacy,
    modern,
    post,
)
from tests.fixtures.tool_service import SHELL_MIME, SHELL_URI, Service

SERVER = {"io.modelcontextprotocol/serverInfo": {"name": "connecta", "title": "Connecta", "version": VERSION}}
LIST = {"resultType": "complete", "_meta": SERVER, "ttlMs": LIMITS.list_ttl_ms, "cacheScope": "private"}


async def test_discover_declares_tools_resources_and_the_ui_extension_and_nothing_else(client: Client):
    """Versioning: server/discover; MCP Apps: capability negotiation."""
    assert await client.result(modern("server/discover")) == {
        **LIST,
        "supportedVersions": [MODERN],
        "capabilities": {
            "tools": {"listChanged": False},
            "resources": {"listChanged": False, "subscribe": False},
            "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [SHELL_MIME]}},
        },
        "instructions": "Call echo first.",
    }


async def test_tools_list_shows_every_field_of_a_definition_in_order(client: Client):
    """Tools: listing tools. The order is the toolset's, so two lists are byte for byte the same."""
    first = await client.post(modern("tools/list"))
    second = await client.post(modern("tools/list"))
    result = first.json()["result"]
    assert first.content == second.content
    assert {key: value for key, value in result.items() if key != "tools"} == LIST
    assert [tool["name"] for tool in result["tools"]] == ["echo", "blocks", "refuse", "break", "wait"]
    assert result["tools"][1] == {
        "name": "blocks",
        "title": "Blocks",
        "description": "The tool blocks.",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        "annotations": {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False},
        "_meta": {"ui": {"resourceUri": SHELL_URI, "visibility": ["model", "app"]}, "ui/resourceUri": SHELL_URI},
    }


@pytest.mark.parametrize(
    ("method", "key"), [("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")]
)
async def test_resource_lists_are_empty_because_the_shell_is_found_through_its_tool(
    client: Client, method: str, key: str
):
    assert await client.result(modern(method)) == {**LIST, key: []}


async def test_a_list_is_one_page_so_any_cursor_is_unknown(client: Client):
    """Pagination: invalid cursors are -32602."""
    assert await client.error(modern("tools/list", {"cursor": "2"})) == (400, -32602, None)


async def test_the_shell_is_read_with_its_ui_meta(client: Client):
    assert await client.result(modern("resources/read", {"uri": SHELL_URI})) == {
        **LIST,
        "ttlMs": LIMITS.resource_ttl_ms,
        "contents": [
            {
                "uri": SHELL_URI,
                "mimeType": SHELL_MIME,
                "text": "<!doctype html>",
                "_meta": {"ui": {"prefersBorder": False}},
            }
        ],
    }


async def test_an_unknown_resource_is_invalid_params(client: Client):
    """Resources: resource not found is -32602 in this revision."""
    request = modern("resources/read", {"uri": "ui://connecta/other"})
    assert await client.error(request) == (400, -32602, {"uri": "ui://connecta/other"})


async def test_a_tool_result_is_structured_and_text(client: Client):
    assert await client.result(modern("tools/call", call("echo", {"text": "hi"}))) == {
        "resultType": "complete",
        "_meta": SERVER,
        "content": [{"type": "text", "text": '{"text":"hi"}'}],
        "structuredContent": {"text": "hi"},
        "isError": False,
    }


async def test_a_typed_failure_is_a_result_with_is_error(client: Client):
    """Tools: error handling. Business errors are for the model to see."""
    error = {"error": {"code": "not_found", "message": "There is no such note.", "retryable": False}}
    assert await client.result(modern("tools/call", call("refuse"))) == {
        "resultType": "complete",
        "_meta": SERVER,
        "content": [{"type": "text", "text": json.dumps(error, separators=(",", ":"))}],
        "structuredContent": error,
        "isError": True,
    }


async def test_an_unknown_tool_is_invalid_params(client: Client, service: Service):
    """Tools: error handling."""
    assert await client.error(modern("tools/call", call("nothing"))) == (400, -32602, None)
    assert service.requests == []


async def test_a_block_of_an_unknown_type_travels_inside_a_text_block(client: Client, service: Service):
    """The SDK would empty the whole result over it."""
    block: JsonObject = {"type": "hologram", "data": "AA=="}
    service.answer = Answer([text_block("before"), block], [1, 2], {"connecta/ui": {"html": None}})
    assert await client.result(modern("tools/call", call("blocks"))) == {
        "resultType": "complete",
        "_meta": {**SERVER, "connecta/ui": {"html": None}},
        "content": [
            {"type": "text", "text": "before"},
            {
                "type": "text",
                "text": 'A content block of type "hologram" that this protocol revision does not define.',
                "_meta": {"connecta/block": block},
            },
        ],
        "structuredContent": [1, 2],
        "isError": False,
    }


async def test_fields_of_a_block_that_the_sdk_does_not_know_survive(client: Client, service: Service):
    block: JsonObject = {"type": "image", "data": "AA==", "mimeType": "image/png", "alt": "A dot"}
    service.answer = Answer([block])
    assert (await client.result(modern("tools/call", call("blocks"))))["content"] == [block]


async def test_a_tool_cannot_say_who_the_server_is(client: Client, service: Service):
    service.answer = Answer([], None, {"io.modelcontextprotocol/serverInfo": {"name": "other", "version": "9"}})
    assert (await client.result(modern("tools/call", call("blocks"))))["_meta"] == SERVER


async def test_a_progress_token_is_accepted_and_ignored(client: Client):
    """Progress: the receiver may choose to send none."""
    request = modern("tools/call", call("echo"), meta={**ENVELOPE, "progressToken": "p"})
    assert (await client.result(request))["structuredContent"] == {}


async def test_session_and_resumption_headers_are_ignored(client: Client):
    """Backward compatibility: earlier revisions."""
    answer = await client.post(modern("tools/list").having(mcp_session_id="s", last_event_id="7"))
    assert answer.status_code == 200
    assert "mcp-session-id" not in answer.headers


async def test_a_notification_is_accepted_without_a_body(client: Client):
    """Sending messages, item 5."""
    answer = await client.post(
        post({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    )
    assert (answer.status_code, answer.content) == (202, b"")


@pytest.mark.parametrize("missing", [VERSION_KEY, CAPABILITIES_KEY])
async def test_a_missing_envelope_key_is_invalid_params(client: Client, missing: str):
    """Basic: per-request protocol fields."""
    request = modern("tools/list", meta={key: value for key, value in ENVELOPE.items() if key != missing})
    assert await client.error(request) == (400, -32602, None)


async def test_capabilities_of_the_wrong_shape_are_invalid_params(client: Client):
    assert await client.error(modern("tools/list", meta={**ENVELOPE, CAPABILITIES_KEY: "all"})) == (400, -32602, None)


async def test_client_info_may_be_left_out(client: Client):
    assert "tools" in await client.result(modern("tools/list", meta={VERSION_KEY: MODERN, CAPABILITIES_KEY: {}}))


def encoded(text: str) -> str:
    return f"=?base64?{base64.b64encode(text.encode()).decode()}?="


ECHO = modern("tools/call", call("echo"))


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(ECHO.without("mcp-protocol-version"), id="no version header"),
        pytest.param(ECHO.having(mcp_protocol_version="2025-11-25"), id="another version"),
        pytest.param(ECHO.without("mcp-method"), id="no method header"),
        pytest.param(ECHO.having(mcp_method="tools/list"), id="another method"),
        pytest.param(ECHO.having(mcp_method="Tools/Call"), id="values are case-sensitive"),
        pytest.param(ECHO.without("mcp-name"), id="no name header"),
        pytest.param(ECHO.having(mcp_name="refuse"), id="another name"),
        pytest.param(ECHO.having(mcp_name=encoded("refuse")), id="another name, encoded"),
        pytest.param(ECHO.having(mcp_name="=?base64?!?="), id="not base64"),
        pytest.param(modern("resources/read", {"uri": SHELL_URI}).having(mcp_name="ui://x"), id="another uri"),
    ],
)
async def test_headers_that_contradict_the_body_are_refused(client: Client, service: Service, request_: Post):
    """Request metadata: server validation."""
    assert await client.error(request_) == (400, -32020, None)
    assert service.requests == []


async def test_a_routing_header_given_twice_is_refused(client: Client):
    """First-copy and last-copy readers would disagree about what was asked."""
    headers = [*ECHO.headers.items(), ("Mcp-Name", "echo")]
    answer = await client.http.post("/mcp", content=ECHO.body, headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32020)


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(ECHO.without("mcp-name").having(MCP_NAME="echo"), id="header names in any case"),
        pytest.param(ECHO.having(mcp_name=encoded("echo")), id="base64 value"),
    ],
)
async def test_headers_agree_whatever_their_spelling(client: Client, request_: Post):
    """Request metadata: case sensitivity, value encoding."""
    assert (await client.result(request_))["structuredContent"] == {}


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(
            modern("tools/list", meta={**ENVELOPE, VERSION_KEY: "2030-01-01"}).having(
                mcp_protocol_version="2030-01-01"
            ),
            id="a future revision",
        ),
        pytest.param(legacy("tools/list", version="2030-01-01"), id="a header alone"),
        pytest.param(
            post({"jsonrpc": "2.0", "method": "notifications/initialized"}, **{"mcp-protocol-version": "2030-01-01"}),
            id="a notification",
        ),
    ],
)
async def test_an_unsupported_version_is_told_what_is_supported(client: Client, request_: Post):
    """Versioning: protocol version negotiation."""
    assert await client.error(request_) == (400, -32022, {"supported": [MODERN], "requested": "2030-01-01"})


@pytest.mark.parametrize(
    "method", ["prompts/list", "ping", "initialize", "subscriptions/listen", "logging/setLevel", "x/y"]
)
async def test_a_method_that_is_not_served_is_not_found(client: Client, method: str):
    """Protocol version header: 404 with -32601. Prompts, subscriptions and logging are not declared."""
    assert (await client.error(modern(method)))[:2] == (404, -32601)


def invalid(text: str) -> ValidationError:
    try:
        TypeAdapter(int).validate_python(text)
    except ValidationError as error:
        return error
    raise AssertionError(text)


async def test_what_is_echoed_in_an_error_is_clamped(client: Client):
    long = "m" * 9_000
    for request in (
        modern(long),
        modern("tools/call", call(long)),
        modern("resources/read", {"uri": f"ui://{long}"}),
        modern("tools/list", meta={**ENVELOPE, VERSION_KEY: long}).having(mcp_protocol_version=long),
        legacy("tools/list", version=long),
    ):
        answer = await client.post(request)
        assert answer.status_code in (400, 404)
        assert len(answer.content) < 1_000


@pytest.mark.parametrize(
    "bug",
    [
        pytest.param(RuntimeError("hunter2"), id="any exception"),
        pytest.param(MCPError(-32000, "hunter2", {"token": "hunter2"}), id="a downstream's protocol error"),
        pytest.param(invalid("hunter2"), id="a model that did not validate"),
    ],
)
async def test_a_bug_of_ours_is_an_internal_error_that_only_names_its_log_entry(
    client: Client, service: Service, caplog: pytest.LogCaptureFixture, bug: Exception
):
    """Never an exception's text to a caller."""
    service.bug = bug
    answer = await client.post(modern("tools/call", call("break")))
    [request] = service.requests
    assert (answer.status_code, answer.json()) == (
        200,
        {
            "jsonrpc": "2.0",
            "id": 1,
            "error": {
                "code": -32603,
                "message": f"Something went wrong on the server. Its log has it under {request.request_id}.",
                "data": {"correlationId": request.request_id},
            },
        },
    )
    assert "hunter2" not in answer.text
    assert logged_correlations(caplog) == [request.request_id]


def logged_correlations(caplog: pytest.LogCaptureFixture) -> list[Any]:
    return [record.__dict__["correlation_id"] for record in caplog.records if "correlation_id" in record.__dict__]


async def test_a_result_that_is_not_json_is_an_internal_error(client: Client, service: Service):
    service.answer = Answer([], {"ratio": float("nan")})
    assert (await client.error(modern("tools/call", call("blocks"))))[:2] == (200, -32603)


@pytest.mark.parametrize("id", [0, "", "a-b", 2**53, -1])
async def test_an_id_comes_back_as_it_was_sent(client: Client, id: int | str):
    answer = await client.post(modern("tools/list", id=id))
    assert answer.json()["id"] == id
