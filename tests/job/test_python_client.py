"""The main job through the official Python client: on the local server, and on the artifact in Lambda's runtime."""

import asyncio
import json
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from connecta.views.shell import SHELL_MIME, SHELL_URI
from tests.fixtures.job import JOB_PROGRAM, TOOL_NAMES, check_job_result
from tests.fixtures.served import TOKEN

ERAS = ("legacy", "2026-07-28")


@dataclass(frozen=True)
class Seen:
    """What one client saw of one server."""

    tools: list[str]
    result: dict[str, Any]
    kept: dict[str, Any]
    refund: dict[str, Any]
    shell: dict[str, Any]


async def do_the_job(url: str, mode: str, token: str | None = None) -> Seen:
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=40) as http,
        Client(streamable_http_client(url, http_client=http, terminate_on_close=False), mode=mode) as client,
    ):
        tools = await client.list_tools()
        ran = await client.call_tool("execute_code", {"code": JOB_PROGRAM})
        result = _json(ran)
        view = check_job_result(result)
        kept = await client.call_tool("get_result", {"id": view})
        refund = await client.call_tool(
            "call_destructive_tool",
            {
                "address": "shop.create_refund",
                "args": {"order_id": "o-2003", "amount": 0.01, "reason": "goodwill"},
                "resultMode": "value",
                "reason": "The parcel came late",
            },
        )
        shell = await client.read_resource(SHELL_URI)
        return Seen([t.name for t in tools.tools], result, _json(kept), _json(refund), _json(shell.contents[0]))


def _json(model: Any) -> dict[str, Any]:
    return model.model_dump(by_alias=True, mode="json", exclude_none=True)


def check(seen: Seen) -> None:
    assert seen.tools == TOOL_NAMES
    assert seen.kept["_meta"]["connecta/ui"] == seen.result["_meta"]["connecta/ui"]
    assert "<h1>" not in json.dumps(seen.kept["content"])
    refund = seen.refund["structuredContent"]
    assert refund["ok"] is True
    assert {k: refund["data"][k] for k in ("order_id", "amount", "reason")} == {
        "order_id": "o-2003",
        "amount": 0.01,
        "reason": "goodwill",
    }
    assert seen.shell["mimeType"] == SHELL_MIME
    assert seen.shell["text"].startswith("<!doctype html>")


@pytest.mark.parametrize("mode", ERAS)
def test_the_python_client_does_the_job_on_the_local_server(shop_endpoint: str, mode: str) -> None:
    """P1, A2, S1, S5, E4, M2, U3."""
    check(asyncio.run(do_the_job(shop_endpoint, mode)))


@pytest.mark.parametrize("mode", ERAS)
def test_the_python_client_does_the_job_on_the_built_artifact_behind_the_gateway(
    gateway_endpoint: str, mode: str
) -> None:
    check(asyncio.run(do_the_job(gateway_endpoint, mode, TOKEN)))
