"""The process behind the contract's connectors: four MCP servers and an HTTP API, which record what they are asked.

``GET /calls`` gives the record and ``DELETE /calls`` empties it; ``POST /calls`` adds to it what another server was
asked. ``deployment.py`` reaches all of it at one origin.
"""

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import mcp_types as types
from mcp import MCPError
from mcp.server.lowlevel import Server
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from examples.shop.serving import serve
from tests.contract import downstream_tools as tables
from tests.contract.downstream_tools import Probe

calls: list[dict[str, object]] = []


def record(server: str, method: str, name: str, arguments: object) -> None:
    calls.append({"server": server, "method": method, "name": name, "arguments": arguments})


def mcp_server(id: str, probes: Sequence[Probe], *, lists: bool = True) -> Starlette:
    """``probes`` at ``/<id>/mcp``. With ``lists`` off, the catalog cannot be had."""
    by_name = {probe.tool.name: probe for probe in probes}

    async def list_tools(context: object, params: object) -> types.ListToolsResult:
        record(id, "tools/list", "", None)
        if not lists:
            raise MCPError(-32603, "The catalog is on fire.")
        return types.ListToolsResult(tools=[probe.tool for probe in probes])

    async def call_tool(
        context: object, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        record(id, "tools/call", params.name, params.arguments)
        return await by_name[params.name].answer(params.arguments or {})

    server: Server[Any] = Server(id, on_list_tools=list_tools, on_call_tool=call_tool)
    return server.streamable_http_app(
        streamable_http_path=f"/{id}/mcp", stateless_http=True, json_response=True, max_request_body_size=16_000_000
    )


async def ready(request: Request) -> Response:
    return PlainTextResponse("ready")


async def recorded(request: Request) -> Response:
    if request.method == "DELETE":
        calls.clear()
    if request.method == "POST":
        calls.append(await request.json())
    return JSONResponse(calls)


async def status(request: Request) -> Response:
    """The HTTP status that the path names, and what a server says with it."""
    record("desk", "GET", request.url.path, None)
    code = int(request.path_params["code"])
    headers = {"retry-after": "7"} if code == 429 else {}
    return JSONResponse({"status": code, "secret": "hunter2"}, status_code=code, headers=headers)


async def notes(request: Request) -> Response:
    body = await request.body()
    record("desk", request.method, request.url.path, json.loads(body) if body else dict(request.query_params))
    return JSONResponse({"id": request.path_params["id"], "asked": dict(request.query_params)})


async def hold(request: Request) -> Response:
    """Never answers; recorded when it begins, and when its client is gone."""
    record("desk", "GET", request.url.path, None)
    await request.body()
    while (await request.receive())["type"] != "http.disconnect":
        pass
    record("desk", "GONE", request.url.path, None)
    return PlainTextResponse("late")


SERVERS = (
    mcp_server("probe", tables.PROBE),
    mcp_server("odd-names", tables.ODD_NAMES),
    mcp_server("class", tables.CLASS),
    mcp_server("many", tables.MANY),
    mcp_server("broken", (), lists=False),
)


@asynccontextmanager
async def lifespan(app: Starlette) -> AsyncGenerator[None]:
    async with AsyncExitStack() as running:
        for server in SERVERS:
            await running.enter_async_context(server.router.lifespan_context(server))
        yield


app = Starlette(
    routes=[
        Route("/ready", ready),
        Route("/calls", recorded, methods=["GET", "POST", "DELETE"]),
        Route("/desk/status/{code}", status),
        Route("/desk/notes/{id}", notes, methods=["GET", "POST"]),
        Route("/desk/hold", hold),
        *(route for server in SERVERS for route in server.routes),
    ],
    lifespan=lifespan,
)

if __name__ == "__main__":
    serve(app)
