"""A client that goes away ends what it asked for, on the local server (L2; streamable-http, "Cancellation")."""

import asyncio
import json
from typing import Any

from connecta.tools.definition import text_block
from tests.fixtures.mcp_client import app_of
from tests.fixtures.mcp_messages import call, modern
from tests.fixtures.tool_service import Service

LONGEST_S = 60
ASKED = modern("tools/call", call("wait"))


async def test_a_tool_call_is_cancelled_when_its_client_leaves():
    service = Service()
    connection = Connection(ASKED.body)
    serving = asyncio.create_task(connection.run(app_of(service)))
    await asyncio.wait_for(service.waiting.wait(), LONGEST_S)
    assert not service.cancelled.is_set()
    connection.gone.set()
    await asyncio.wait_for(serving, LONGEST_S)
    assert service.cancelled.is_set()


async def test_a_client_that_stays_gets_its_answer():
    connection = Connection(modern("tools/call", call("echo")).body)
    await asyncio.wait_for(connection.run(app_of(Service()), name="echo"), LONGEST_S)
    body = json.loads(connection.sent[1]["body"])
    assert body["result"]["content"] == [text_block("{}")]


class Connection:
    """One HTTP connection as an ASGI server sees it: the body at once, then silence until the client leaves."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.gone = asyncio.Event()
        self.sent: list[dict[str, Any]] = []
        self._read = False

    async def run(self, app: Any, name: str = "wait") -> None:
        headers = {**ASKED.headers, "host": "127.0.0.1:8787", "mcp-name": name}
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "POST",
            "scheme": "http",
            "path": "/mcp",
            "raw_path": b"/mcp",
            "root_path": "",
            "query_string": b"",
            "client": ("127.0.0.1", 50_000),
            "server": ("127.0.0.1", 8787),
            "headers": [(key.encode(), value.encode()) for key, value in headers.items()],
        }
        await app(scope, self._receive, self._send)

    async def _receive(self) -> dict[str, Any]:
        if not self._read:
            self._read = True
            return {"type": "http.request", "body": self.body, "more_body": False}
        await self.gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        self.sent.append(message)
