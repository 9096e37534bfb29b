"""Batches: the 2025-03-26 revision obliges a server to take them, every later one forbids them."""

import json
from typing import Any

import pytest

from connecta.limits import LIMITS
from tests.fixtures.mcp_client import Client
from tests.fixtures.mcp_messages import Post, call, initialize

HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def batch(*messages: object, version: str | None = None) -> Post:
    headers = {**HEADERS, **({"mcp-protocol-version": version} if version else {})}
    return Post(json.dumps(messages).encode(), headers)


def request(id: object, method: str, params: object = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params or {}}


NOTIFICATION = {"jsonrpc": "2.0", "method": "notifications/initialized"}


async def test_every_request_of_a_batch_is_answered_in_order_and_notifications_are_not(client: Client) -> None:
    """2025-03-26, Base Protocol, Batching."""
    posted = batch(request(1, "ping"), NOTIFICATION, {"nonsense": True}, request("b", "tools/call", call("echo", {})))
    answer = await client.post(posted)
    assert answer.status_code == 200
    replies = answer.json()
    assert [reply["id"] for reply in replies] == [1, None, "b"]
    assert replies[0]["result"] == {}
    assert replies[1]["error"]["code"] == -32600
    assert replies[2]["result"]["content"]


async def test_a_batch_of_notifications_is_accepted_without_a_body(client: Client) -> None:
    answer = await client.post(batch(NOTIFICATION, NOTIFICATION))
    assert (answer.status_code, answer.content) == (202, b"")


async def test_initialize_cannot_be_part_of_a_batch(client: Client) -> None:
    """2025-03-26, Lifecycle, Initialization."""
    [reply] = (await client.post(batch(json.loads(initialize("2025-03-26").body)))).json()
    assert reply["error"]["code"] == -32600


@pytest.mark.parametrize("count", [0, LIMITS.batched_messages + 1])
async def test_an_empty_batch_and_one_too_long_are_refused_whole(client: Client, count: int) -> None:
    answer = await client.post(batch(*[request(n, "ping") for n in range(count)]))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)


@pytest.mark.parametrize("version", ["2025-06-18", "2025-11-25", "2026-07-28"])
async def test_a_later_revision_knows_no_batches(client: Client, version: str) -> None:
    answer = await client.post(batch(request(1, "ping"), version=version))
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)
