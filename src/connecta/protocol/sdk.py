"""The one seam to the MCP SDK's server side (``mcp`` is pinned exactly: most of these names are undocumented).

Stateless: one call of ``serve_one`` per request, without a session, a lifespan or a background task, for the
2026-07-28 revision and for the revisions that begin with ``initialize``.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

import anyio
import mcp_types as types
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.runner import serve_one
from mcp.shared.dispatcher import CallOptions
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.inbound import (
    ERROR_CODE_HTTP_STATUS,
    MCP_PROTOCOL_VERSION_HEADER,
    InboundLadderRejection,
    classify_inbound_request,
    find_duplicated_routing_header,
    unsupported_protocol_version_rejection,
)
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.transport_context import TransportContext
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from pydantic import ValidationError

from connecta.failures import quote
from connecta.limits import Limits
from connecta.protocol.results import call_tool_result
from connecta.protocol.wire import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, Message, RequestId, RpcError
from connecta.text import Json, JsonObject
from connecta.tools.definition import ToolDefinition, ToolRequest, ToolService
from connecta.views.shell import SHELL_MIME

UI_EXTENSION: Final = "io.modelcontextprotocol/ui"

_ASSUMED_VERSION: Final = "2025-03-26"
"""The revision of a request without a version header: the last one that did not have the header."""
_RESOURCE_NOT_FOUND: Final = -32002
"""What revisions before 2026-07-28 answer for a resource that does not exist."""

ShellContents = Callable[[str], JsonObject | None]
"""The ``resources/read`` content entry of a shell by its URI, ``None`` for any other URI."""


@dataclass(frozen=True, slots=True)
class Era:
    """The revision one request is served under, and what its client says of itself."""

    version: str
    modern: bool
    client_info: object = None
    client_capabilities: object = None


@dataclass(slots=True)
class _Exchange:
    """What travels with one request through the SDK: down what the door knows, up a result as it has to arrive."""

    request: ToolRequest
    modern: bool
    result: JsonObject | None = None


@dataclass
class _Dispatch:
    """The SDK's view of one HTTP request: nothing can be sent to the client but the one reply."""

    request_id: RequestId
    message_metadata: ServerMessageMetadata
    transport: TransportContext = field(
        default_factory=lambda: TransportContext(kind="streamable-http", can_send_request=False)
    )
    cancel_requested: anyio.Event = field(default_factory=anyio.Event)
    can_send_request: bool = False

    async def send_raw_request(
        self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None
    ) -> dict[str, Any]:
        raise NoBackChannelError(method)

    async def notify(self, method: str, params: Mapping[str, Any] | None, opts: CallOptions | None = None) -> None:
        """A stateless JSON reply has nowhere to stream, so notifications and progress go nowhere."""

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        """As ``notify``."""


def era_of(message: Message, headers: Mapping[str, str], raw_headers: Iterable[tuple[str, str]]) -> Era:
    """The era of one request, by its body's ``_meta`` or its version header; either alone would mis-route clients
    that set only the other. Raises ``RpcError`` for what a 2026-07-28 server must refuse."""
    version = headers.get(MCP_PROTOCOL_VERSION_HEADER)
    if not _has_envelope(message.params):
        if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
            return Era(version or _ASSUMED_VERSION, modern=False)
        check_version(version)
    duplicated = find_duplicated_routing_header(raw_headers)
    if duplicated is not None:
        raise _refused(types.HEADER_MISMATCH, f"The header {duplicated} appears more than once.")
    verdict = classify_inbound_request(message.body, headers=headers)
    if isinstance(verdict, InboundLadderRejection):
        raise _rejected(verdict)
    return Era(verdict.protocol_version, True, verdict.client_info, verdict.client_capabilities)


def check_version(version: str | None) -> None:
    """Refuse a version header that names no revision of either era. Raises ``RpcError`` (400, -32022)."""
    if version is None or version in HANDSHAKE_PROTOCOL_VERSIONS:
        return
    rejection = unsupported_protocol_version_rejection(version)
    if rejection is not None:
        raise _rejected(rejection)


class ToolBug(Exception):
    """A tool raised what the SDK would take for an error of the request, and would tell the caller."""


class Seam:
    """The SDK's low-level server around one ``ToolService``. Built once per process, shared by all requests."""

    def __init__(
        self, service: ToolService, shell_contents: ShellContents, *, name: str, version: str, limits: Limits
    ) -> None:
        self._service = service
        self._shell_contents = shell_contents
        self._names = frozenset(definition.name for definition in service.toolset.definitions)
        self._tools = [_tool(entry) for entry in service.toolset.definitions]
        self._server: Server[Any] = Server(
            name,
            version=version,
            title="Connecta",
            instructions=service.toolset.instructions or None,
            cache_hints=_cache_hints(limits),
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_resource_templates,
            on_read_resource=self._read_resource,
        )
        self._server.extensions = {UI_EXTENSION: {"mimeTypes": [SHELL_MIME]}}
        # Replaces the SDK's default, which opens a tracing span per message that nothing here exports.
        self._server.middleware = [self._finish]

    async def serve(self, message: Message, id: RequestId, era: Era, request: ToolRequest) -> JsonObject:
        """The result of one request. Raises ``RpcError`` for what the protocol answers with an error, and whatever
        a bug of ours raises."""
        if message.method != "initialize" and self._server.get_request_handler(message.method) is None:
            # Left to itself the SDK looks at the params first, and echoes the method whole.
            raise _error(METHOD_NOT_FOUND, "Method not found", quote(message.method), era)
        exchange = _Exchange(request, era.modern)
        connection = Connection.from_envelope(era.version, era.client_info, era.client_capabilities)
        dispatch = _Dispatch(id, ServerMessageMetadata(request_context=exchange))
        try:
            return await serve_one(
                self._server, dispatch, message.method, message.params, connection=connection, lifespan_state={}
            )
        except ValidationError:
            raise _error(INVALID_PARAMS, "Invalid request parameters", None, era) from None
        except MCPError as error:
            if error.code == INTERNAL_ERROR:
                raise
            raise _error(error.code, error.message, cast(Json, error.data or None), era) from None

    async def _finish(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """What the SDK's own serialization would lose or labour over, put onto its finished result.

        The 2025 schemas have no ``capabilities.extensions``; a tool result is sieved down to the fields the SDK
        knows, which empties it over one unknown content block; the list of tools never changes.
        """
        result = await call_next(ctx)
        if not isinstance(result, dict):
            return result
        if ctx.method == "initialize":
            result["capabilities"]["extensions"] = self._server.extensions
        exchange = cast(_Exchange, ctx.request)
        if exchange.result is not None:
            # Ours first: what the SDK stamps there (who answered) is not a tool's to say.
            meta = _meta(exchange.result) | _meta(result)
            return {**result, **exchange.result, **({"_meta": meta} if meta else {})}
        return result

    async def _list_tools(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        _refuse_cursor(params)
        cast(_Exchange, ctx.request).result = {"tools": list[Json](self._tools)}
        return types.ListToolsResult(tools=[])

    async def _list_resources(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        _refuse_cursor(params)
        return types.ListResourcesResult(resources=[])

    async def _list_resource_templates(
        self, ctx: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        _refuse_cursor(params)
        return types.ListResourceTemplatesResult(resource_templates=[])

    async def _read_resource(
        self, ctx: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        contents = self._shell_contents(str(params.uri))
        if contents is None:
            exchange = cast(_Exchange, ctx.request)
            raise MCPError(
                INVALID_PARAMS if exchange.modern else _RESOURCE_NOT_FOUND,
                "Resource not found",
                {"uri": quote(str(params.uri))},
            )
        return types.ReadResourceResult(contents=[types.TextResourceContents.model_validate(contents)])

    async def _call_tool(
        self, ctx: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        if params.name not in self._names:
            raise MCPError(INVALID_PARAMS, f"Unknown tool: {quote(params.name)}")
        exchange = cast(_Exchange, ctx.request)
        try:
            answer = await self._service.call(params.name, cast(JsonObject, params.arguments or {}), exchange.request)
        except (MCPError, ValidationError) as error:
            raise ToolBug from error
        exchange.result = call_tool_result(answer, modern=exchange.modern)
        return types.CallToolResult(content=[])


def _tool(definition: ToolDefinition) -> JsonObject:
    """The entry of ``tools/list``. Raises ``ValidationError`` for a definition that is none of MCP's."""
    tool = types.Tool.model_validate(
        {
            "name": definition.name,
            "title": definition.title,
            "description": definition.description,
            "inputSchema": definition.input_schema,
            "annotations": definition.annotations,
            "_meta": definition.meta,
        }
    )
    return tool.model_dump(by_alias=True, mode="json", exclude_none=True)


def _cache_hints(limits: Limits) -> dict[CacheableMethod, CacheHint]:
    lists: tuple[CacheableMethod, ...] = (
        "server/discover",
        "tools/list",
        "resources/list",
        "resources/templates/list",
    )
    hints: dict[CacheableMethod, CacheHint] = {}
    hints |= dict.fromkeys(lists, CacheHint(ttl_ms=limits.list_ttl_ms, scope="private"))
    hints["resources/read"] = CacheHint(ttl_ms=limits.resource_ttl_ms, scope="private")
    return hints


def _refuse_cursor(params: types.PaginatedRequestParams | None) -> None:
    if params is not None and params.cursor is not None:
        raise MCPError(INVALID_PARAMS, "Unknown cursor: every list here is one page.")


def _meta(result: Mapping[str, Any]) -> JsonObject:
    meta = result.get("_meta")
    return cast(JsonObject, meta) if isinstance(meta, dict) else {}


def _has_envelope(params: JsonObject | None) -> bool:
    meta = (params or {}).get("_meta")
    return isinstance(meta, dict) and types.PROTOCOL_VERSION_META_KEY in meta


def _rejected(rejection: InboundLadderRejection) -> RpcError:
    data = cast(Json, rejection.data)
    if isinstance(data, dict) and isinstance(requested := data.get("requested"), str):
        data = {**data, "requested": quote(requested)}
    return _refused(rejection.code, rejection.message, data)


def _refused(code: int, message: str, data: Json = None) -> RpcError:
    return RpcError(code, message, data, status=ERROR_CODE_HTTP_STATUS[code])


def _error(code: int, message: str, data: Json, era: Era) -> RpcError:
    """Before 2026-07-28 every JSON-RPC error travels with status 200."""
    return RpcError(code, message, data, status=ERROR_CODE_HTTP_STATUS.get(code, 200) if era.modern else 200)
