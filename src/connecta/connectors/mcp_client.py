"""The one seam to the SDK's client side. Imported on first use: the SDK costs more to load than a call to make."""

import logging
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, cast

import anyio
import httpx2
from mcp.client.session import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError
from mcp.shared.inbound import find_invalid_x_mcp_header, mcp_param_headers, x_mcp_header_map
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher
from mcp.shared.transport_context import TransportContext
from mcp_types import (
    CONNECTION_CLOSED,
    PARSE_ERROR,
    REQUEST_TIMEOUT,
    CallToolRequest,
    CallToolRequestParams,
    CallToolResult,
    DiscoverResult,
    Implementation,
    ListToolsRequest,
    ListToolsResult,
    PaginatedRequestParams,
    ReadResourceRequest,
    ReadResourceRequestParams,
    ReadResourceResult,
    RequestId,
    Result,
)
from mcp_types.version import LATEST_MODERN_VERSION, MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from connecta import failures
from connecta.connectors.identity import Identity
from connecta.connectors.mcp_tools import Era
from connecta.connectors.mcp_wire import Tickets, Wire, not_mcp
from connecta.failures import Failure
from connecta.text import Json, JsonObject

WHOLE: Final = "connecta/whole"
STAND_INS: Final[Mapping[str, Mapping[str, Any]]] = {
    "tools/list": {"tools": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"},
    "tools/call": {"content": [], "resultType": "complete"},
    "resources/read": {"contents": [], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"},
}
"""What the SDK validates in place of a result: one odd tool or block would otherwise cost the whole of it. The result
itself rides along under ``_meta`` and is read from there."""

CLIENT: Final = Implementation(name="connecta", version="0.1.0")

UNPARSED: Final = "Failed to parse "
"""How the SDK begins what it says in a server's place about an answer it could not parse, an excerpt of it included."""

INPUT_REQUIRED: Final = -32042
"""A server that wants its user to open a URL first; no program and no tool call can."""

SDK_TROUBLES: Final = (ValidationError, RuntimeError, ValueError, anyio.BrokenResourceError, anyio.ClosedResourceError)
"""What the SDK raises, beside ``MCPError``, at a server that does not keep to the protocol."""


def _holds_no_answer(record: logging.LogRecord) -> bool:
    """Whether ``record`` may be logged: the SDK logs what it could not parse, and no log holds a body."""
    return not str(record.msg).startswith(("Error parsing ", "Failed to validate notification", "Unknown SSE event"))


for _name in ("mcp.client.streamable_http", "client"):
    logging.getLogger(_name).addFilter(_holds_no_answer)


class _Dispatcher(JSONRPCDispatcher[TransportContext]):
    """Stands in for results, and sends the headers a tool's schema asks for without listing the tools first."""

    def __init__(self, *streams: Any) -> None:
        super().__init__(*streams)
        self.schemas: dict[str, Json] = {}
        """The input schema of every tool called, by name."""

    async def send_raw_request(
        self,
        method: str,
        params: Mapping[str, Any] | None,
        opts: CallOptions | None = None,
        *,
        _related_request_id: RequestId | None = None,
    ) -> dict[str, Any]:
        if method == "tools/call" and params is not None and opts is not None:
            opts = {**opts, "headers": {**opts.get("headers", {}), **self._param_headers(params)}}
        raw = await super().send_raw_request(method, params, opts, _related_request_id=_related_request_id)
        stand_in = STAND_INS.get(method)
        return raw if stand_in is None else {**stand_in, "_meta": {WHOLE: raw}}

    def _param_headers(self, params: Mapping[str, Any]) -> dict[str, str]:
        schema = self.schemas.get(params["name"])
        if find_invalid_x_mcp_header(schema) is not None:
            return {}
        return mcp_param_headers(x_mcp_header_map(schema), params.get("arguments") or {})


@dataclass(frozen=True, slots=True)
class McpSession:
    """An open session. Methods raise ``Failure`` only and return results as the downstream wrote them."""

    session: ClientSession
    dispatcher: _Dispatcher
    translate: Callable[[Exception], Failure]

    async def list_page(self, cursor: str | None) -> JsonObject:
        return await self._send(ListToolsRequest(params=PaginatedRequestParams(cursor=cursor)), ListToolsResult)

    async def call(self, name: str, args: Mapping[str, Json], input_schema: Json) -> JsonObject:
        """One ``tools/call``, and nothing else on the wire."""
        self.dispatcher.schemas[name] = input_schema
        params = CallToolRequestParams(name=name, arguments=dict(args))
        return await self._send(CallToolRequest(params=params), CallToolResult)

    async def read(self, uri: str) -> JsonObject:
        """One ``resources/read``."""
        return await self._send(ReadResourceRequest(params=ReadResourceRequestParams(uri=uri)), ReadResourceResult)

    async def _send(
        self, request: ListToolsRequest | CallToolRequest | ReadResourceRequest, kind: type[Result]
    ) -> JsonObject:
        try:
            result = await self.session.send_request(request, kind)
        except (MCPError, *SDK_TROUBLES) as error:
            raise self.translate(error) from error
        return cast("JsonObject", (result.meta or {})[WHOLE])


@asynccontextmanager
async def mcp_session(
    url: str, wire: Wire, era: Era, translate: Callable[[Exception], Failure], limit: int
) -> AsyncGenerator[McpSession]:
    """A session with the server at ``url``, ended (a stateful one by DELETE) on the way out. Raises ``Failure``."""
    failure: Failure | None = None
    async with (
        httpx2.AsyncClient(transport=wire, timeout=None, trust_env=False) as client,
        # The wire counts bytes and says so in words; the SDK's own bound only has to be out of its way.
        streamable_http_client(url, http_client=client, max_sse_event_size=2 * limit) as streams,
    ):
        dispatcher = _Dispatcher(*streams)
        async with ClientSession(dispatcher=dispatcher, client_info=CLIENT) as session:
            # What is raised in here would leave the task groups as an ExceptionGroup.
            try:
                await _negotiate(session, era, translate)
            except Failure as found:
                failure = found
            else:
                yield McpSession(session, dispatcher, translate)
    if failure is not None:
        raise failure


async def _negotiate(session: ClientSession, era: Era, translate: Callable[[Exception], Failure]) -> None:
    """Speak the newest protocol both know. Only a refusal of us, and not of the question, keeps the question open."""
    if era.discovered is not None:
        session.adopt(DiscoverResult.model_validate(era.discovered))
        return
    if not era.legacy:
        try:
            found = DiscoverResult.model_validate(await session.send_discover(LATEST_MODERN_VERSION))
        except ValidationError:
            found = None
        except MCPError as error:
            found, failure = None, translate(error)
            if failure.code in ("auth_required", "rate_limited", "timeout"):
                raise failure from error
        if found is not None and set(found.supported_versions) & set(MODERN_PROTOCOL_VERSIONS):
            session.adopt(found)
            era.discovered = found.model_dump(by_alias=True, mode="json")
            return
    try:
        await session.initialize()
    except (MCPError, *SDK_TROUBLES) as error:
        raise translate(error) from error
    era.legacy = True


def translator(who: str, era: Era, tickets: Tickets, identity: Identity) -> Callable[[Exception], Failure]:
    """What the SDK raised, as the ``Failure`` it stands for. A server's own words are quoted, clamped, and dropped
    whole should they repeat what it was shown of us."""

    def translate(error: Exception) -> Failure:
        carried = tickets.redeem(error.error.message) if isinstance(error, MCPError) else None
        if carried is not None:
            return carried
        era.forget()  # It may have been replaced by one that speaks another protocol.
        if not isinstance(error, MCPError):
            return not_mcp(who)
        said = error.error.message
        if error.code == PARSE_ERROR and said.startswith(UNPARSED):
            return not_mcp(who)
        if error.code == CONNECTION_CLOSED:
            return failures.unavailable(f'"{who}" broke off in the middle of its answer.')
        if error.code == REQUEST_TIMEOUT:
            return failures.timeout(f'"{who}" did not answer in time.')
        if error.code == INPUT_REQUIRED:
            return failures.input_required(who)
        words = "" if identity.is_repeated(said, in_error=True) else f": {failures.quote(said)}"
        return failures.call_failed(f'"{who}" refused the request (JSON-RPC error {error.code}){words}')

    return translate
