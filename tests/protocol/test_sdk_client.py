"""The SDK's own client, speaking each era, gets along with this endpoint."""

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from connecta.tools.definition import Answer
from tests.fixtures.mcp_client import ORIGIN, app_of
from tests.fixtures.tool_service import SHELL_URI, Service


@pytest.mark.parametrize("mode", ["2026-07-28", "auto", "legacy"])
async def test_the_sdk_s_client_lists_calls_and_reads(mode: str):
    service = Service(Answer([{"type": "hologram"}], {"n": 1}, {"connecta/ui": {"id": "v_1"}}))
    transport = httpx2.ASGITransport(app=app_of(service))
    async with (
        httpx2.AsyncClient(transport=transport, base_url=ORIGIN) as http,
        Client(streamable_http_client(f"{ORIGIN}/mcp", http_client=http), mode=mode) as client,  # pyright: ignore
    ):
        tools = await client.list_tools()
        result = await client.call_tool("blocks", {})
        shell = await client.read_resource(SHELL_URI)
    assert [tool.name for tool in tools.tools] == ["echo", "blocks", "refuse", "break", "wait"]
    assert (result.structured_content, result.is_error) == ({"n": 1}, False)
    assert (result.meta or {})["connecta/ui"] == {"id": "v_1"}
    assert [block.type for block in result.content] == ["text"]
    assert (shell.contents[0].meta or {})["ui"] == {"prefersBorder": False}
