"""Writes ``events/``: what API Gateway's HTTP API (payload 2.0) hands the function for real MCP requests, and what the
function sends to itself.

    python3 tools/events.py            write the files
    sam local invoke McpFunction --event events/discover.json

The samples fit any deployment. The bearer token in them is a placeholder: whoever invokes with one sets the same.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent.parent / "events"
TOKEN = "sample-token"
"""A placeholder that opens nothing."""
CURRENT = "2026-07-28"
LEGACY = "2025-11-25"
HOST = "abcdef1234.execute-api.us-east-1.amazonaws.com"
CLIENT = {"name": "sample-client", "version": "1.0.0"}

PROGRAM = """async () => {
  const page = await connecta.search({ limit: 3 });
  const squares = [1, 2, 3].map(n => n * n);
  console.log("squares", squares);
  return { squares, tools: page.tools.map(tool => tool.address) };
}"""

VIEW = """async () => {
  const rows = ["Mon", "Tue", "Wed"].map((day, n) => `<li>${day}: ${n + 1}</li>`).join("");
  await connecta.ui(`<h1>This week</h1><ul>${rows}</ul>`);
  return { days: 3 };
}"""

Json = dict[str, Any]


def _event(body: Json, headers: dict[str, str]) -> Json:
    return {
        "version": "2.0",
        "routeKey": "ANY /{proxy+}",
        "rawPath": "/mcp",
        "rawQueryString": "",
        "headers": {
            "accept": "application/json, text/event-stream",
            "accept-encoding": "gzip, br",
            "authorization": f"Bearer {TOKEN}",
            "content-type": "application/json",
            "host": HOST,
            "user-agent": "sample-client/1.0.0",
            "x-forwarded-for": "203.0.113.7",
            "x-forwarded-port": "443",
            "x-forwarded-proto": "https",
            **headers,
        },
        "pathParameters": {"proxy": "mcp"},
        "requestContext": {
            "accountId": "123456789012",
            "apiId": HOST.partition(".")[0],
            "domainName": HOST,
            "domainPrefix": HOST.partition(".")[0],
            "http": {
                "method": "POST",
                "path": "/mcp",
                "protocol": "HTTP/1.1",
                "sourceIp": "203.0.113.7",
                "userAgent": "sample-client/1.0.0",
            },
            "requestId": "Kq1mYgkYoAMEJ7A=",
            "routeKey": "ANY /{proxy+}",
            "stage": "$default",
            "time": "28/Jul/2026:12:00:00 +0000",
            "timeEpoch": 1785240000000,
        },
        "body": json.dumps(body, separators=(",", ":")),
        "isBase64Encoded": False,
    }


def request(method: str, params: Json, *, name: str | None = None) -> Json:
    """One request of the current revision. ``name`` is what ``Mcp-Name`` mirrors, where the method has such a thing."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": CURRENT,
        "io.modelcontextprotocol/clientInfo": CLIENT,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    headers = {"mcp-protocol-version": CURRENT, "mcp-method": method}
    if name is not None:
        headers["mcp-name"] = name
    return _event({"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": meta}}, headers)


def tool_call(name: str, arguments: Json) -> Json:
    return request("tools/call", {"name": name, "arguments": arguments}, name=name)


def initialize() -> Json:
    params = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": CLIENT}
    return _event({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}, {})


def refresh() -> Json:
    """Asks for the catalog of a connector as one deployment knows it, under a lease that was acquired for it. This one
    is of no real deployment, so whoever gets it leaves it alone and answers null."""
    return {
        "connecta": "refresh",
        "connector": "docs",
        "fingerprint": "of-this-sample",
        "lease": {"name": '["catalog","docs","of-this-sample"]', "holder": "another-invocation", "fence": 1},
    }


def samples() -> dict[str, Json]:
    """File name to event, for every sample."""
    shell = "ui://connecta/program-ui/v2"
    return {
        "initialize.json": initialize(),
        "discover.json": request("server/discover", {}),
        "tools-list.json": request("tools/list", {}),
        "program.json": tool_call("execute_code", {"code": PROGRAM}),
        "view.json": tool_call("execute_code", {"code": VIEW}),
        "resources-read.json": request("resources/read", {"uri": shell}, name=shell),
        "refresh.json": refresh(),
    }


def render(event: Json) -> str:
    return json.dumps(event, indent=2) + "\n"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name, event in samples().items():
        (FOLDER / name).write_text(render(event))


if __name__ == "__main__":
    main()
