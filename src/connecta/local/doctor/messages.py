"""The MCP messages the doctor sends, in both eras."""

from typing import Final

from connecta.text import JsonObject
from connecta.version import VERSION

MODERN: Final = "2026-07-28"
LEGACY: Final = "2025-11-25"
_CLIENT: Final[JsonObject] = {"name": "connecta-doctor", "version": VERSION}
_META: Final = "io.modelcontextprotocol/"


def initialize() -> JsonObject:
    params: JsonObject = {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": _CLIENT}
    return {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}


def legacy(method: str, params: JsonObject | None = None) -> tuple[JsonObject, dict[str, str]]:
    """A request of a client that has initialized, and its headers."""
    message: JsonObject = {"jsonrpc": "2.0", "id": 2, "method": method, "params": params or {}}
    return message, {"mcp-protocol-version": LEGACY}


def modern(
    method: str, params: JsonObject | None = None, *, name: str | None = None
) -> tuple[JsonObject, dict[str, str]]:
    """A request that stands alone, and its headers; ``name`` is the tool's or the resource's."""
    meta: JsonObject = {
        f"{_META}protocolVersion": MODERN,
        f"{_META}clientCapabilities": {},
        f"{_META}clientInfo": _CLIENT,
    }
    message: JsonObject = {"jsonrpc": "2.0", "id": 3, "method": method, "params": {**(params or {}), "_meta": meta}}
    headers = {"mcp-protocol-version": MODERN, "mcp-method": method}
    return message, headers if name is None else {**headers, "mcp-name": name}
