"""The revisions that begin with ``initialize``, served without a session."""

import pytest

from connecta.tools.definition import Answer, text_block
from connecta.version import VERSION
from tests.fixtures.mcp_client import Client
from tests.fixtures.mcp_messages import LEGACY, call, initialize, legacy, post
from tests.fixtures.tool_service import SHELL_MIME, SHELL_URI, Service

pytestmark = pytest.mark.parametrize("version", LEGACY)


async def test_initialize_answers_in_the_client_s_revision_and_declares_the_ui_extension(client: Client, version: str):
    """Lifecycle: initialization. The 2025 schemas have no extensions; hosts read them all the same."""
    answer = await client.post(initialize(version))
    assert "mcp-session-id" not in answer.headers
    assert answer.json() == {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {
            "protocolVersion": version,
            "capabilities": {
                "tools": {"listChanged": False},
                "resources": {"listChanged": False, "subscribe": False},
                "extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": [SHELL_MIME]}},
            },
            "serverInfo": {"name": "connecta", "title": "Connecta", "version": VERSION},
            "instructions": "Call echo first.",
        },
    }


async def test_a_request_needs_no_session_and_no_handshake_before_it(client: Client, version: str):
    request = legacy("tools/list", version=version).having(mcp_session_id="gone", last_event_id="3")
    result = await client.result(request)
    assert [tool["name"] for tool in result["tools"]] == ["echo", "blocks", "refuse", "break", "wait"]
    assert set(result) == {"tools"}


async def test_the_initialized_notification_is_accepted_without_a_body(client: Client, version: str):
    request = post({"jsonrpc": "2.0", "method": "notifications/initialized"}).having(mcp_protocol_version=version)
    answer = await client.post(request)
    assert (answer.status_code, answer.content) == (202, b"")


async def test_ping_answers_with_an_empty_result(client: Client, version: str):
    assert await client.result(legacy("ping", version=version)) == {}


async def test_a_tool_result_has_no_fields_of_the_new_revision(client: Client, version: str):
    assert await client.result(legacy("tools/call", call("echo", {"text": "hi"}), version=version)) == {
        "content": [{"type": "text", "text": '{"text":"hi"}'}],
        "structuredContent": {"text": "hi"},
        "isError": False,
    }


async def test_structured_content_that_is_no_object_stays_in_the_text(client: Client, service: Service, version: str):
    """Tools: structuredContent is an object before 2026-07-28; the SDK would fail the whole call."""
    service.answer = Answer([text_block("[1]")], [1], {"connecta/ui": {"id": "v_1"}})
    assert await client.result(legacy("tools/call", call("blocks"), version=version)) == {
        "content": [{"type": "text", "text": "[1]"}],
        "_meta": {"connecta/ui": {"id": "v_1"}},
        "isError": False,
    }


async def test_a_block_of_an_unknown_type_is_named_in_a_text_block(client: Client, service: Service, version: str):
    service.answer = Answer([{"type": "hologram"}])
    assert await client.result(legacy("tools/call", call("blocks"), version=version)) == {
        "content": [
            {
                "type": "text",
                "text": 'A content block of type "hologram" that this protocol revision does not define.',
                "_meta": {"connecta/block": {"type": "hologram"}},
            }
        ],
        "isError": False,
    }


async def test_the_shell_is_read_with_its_ui_meta(client: Client, version: str):
    [contents] = (await client.result(legacy("resources/read", {"uri": SHELL_URI}, version=version)))["contents"]
    assert contents["_meta"] == {"ui": {"prefersBorder": False}}


async def test_an_unknown_resource_has_the_code_of_its_time(client: Client, version: str):
    """Resources: resource not found is -32002 before 2026-07-28."""
    request = legacy("resources/read", {"uri": "ui://connecta/other"}, version=version)
    assert await client.error(request) == (200, -32002, {"uri": "ui://connecta/other"})


@pytest.mark.parametrize(
    ("method", "code"), [("prompts/list", -32601), ("server/discover", -32601), ("x/y", -32601), ("tools/call", -32602)]
)
async def test_errors_of_json_rpc_travel_with_status_200(client: Client, version: str, method: str, code: int):
    assert (await client.error(legacy(method, version=version)))[:2] == (200, code)


async def test_an_unknown_tool_is_invalid_params(client: Client, version: str):
    assert await client.error(legacy("tools/call", call("nothing"), version=version)) == (200, -32602, None)


async def test_a_bug_of_ours_says_nothing_of_itself(client: Client, version: str):
    answer = await client.post(legacy("tools/call", call("break"), version=version))
    assert answer.json()["error"]["code"] == -32603
    assert "hunter2" not in answer.text
