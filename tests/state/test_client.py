"""The client of DynamoDB is made once, ahead of its first request where somebody asked for that."""

import asyncio

import pytest

from connecta.limits import LIMITS, Limits
from connecta.state import client as module
from connecta.state.client import DynamoClient, open_client


async def test_a_client_made_ahead_is_the_one_that_requests_use(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()

    def counted(endpoint_url: str | None, limits: Limits) -> object:
        made.append(client := open_client(endpoint_url, limits))
        loop.call_soon_threadsafe(asked.set)
        return client

    monkeypatch.setattr(module, "open_client", counted)
    dynamo = DynamoClient("http://127.0.0.1:9", LIMITS)
    dynamo.prepare()
    dynamo.prepare()
    await asked.wait()

    assert [await dynamo.call(lambda client: client), await dynamo.call(lambda client: client)] == made * 2
    await dynamo.close()
    assert len(made) == 1
