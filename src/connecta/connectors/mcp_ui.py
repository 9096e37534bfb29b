"""The ``ui://`` resources a downstream names for a call, and the one hash of their content. None is rendered."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from typing import Final

from connecta.connectors.model import Tool, ToolResult
from connecta.text import Json, JsonObject

SCHEME: Final = "ui://"


def ui_resources(tool: Tool, result: ToolResult, most: int) -> dict[str, str | None]:
    """At most ``most`` URIs that ``tool`` or ``result`` names, in that order, each with the hash of its content where
    the result embeds it."""
    named: dict[str, str | None] = {}
    for uri, contents in _named(tool, result):
        if uri in named or len(named) < most:
            named[uri] = named.get(uri) or content_hash(contents)
    return named


def contents_of(uri: str, contents: Json) -> JsonObject | None:
    """The entry of a ``resources/read`` result that is the resource itself."""
    entries: Sequence[Json] = contents if isinstance(contents, list) else ()
    return next((entry for entry in entries if isinstance(entry, dict) and entry.get("uri") == uri), None)


def content_hash(contents: JsonObject | None) -> str | None:
    """``sha256:`` and hex digits over the bytes of a resource, whether it came embedded or was fetched, as text or as
    base64; ``None`` for what holds neither."""
    match contents:
        case {"text": str(text)}:
            data = text.encode("utf-8", "surrogatepass")
        case {"blob": str(blob)}:
            try:
                data = base64.b64decode(blob, validate=True)
            except ValueError:
                return None
        case _:
            return None
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def _named(tool: Tool, result: ToolResult) -> Iterator[tuple[str, JsonObject | None]]:
    """Every naming, of one resource more than once perhaps."""
    for meta in (tool.meta, result.meta):
        yield from _of(_linked(meta), None)
    for block in result.content:
        inner = block.get("resource")
        if block.get("type") == "resource" and isinstance(inner, dict):
            yield from _of(inner.get("uri"), inner)
        elif block.get("type") == "resource_link":
            yield from _of(block.get("uri"), None)


def _of(uri: Json, contents: JsonObject | None) -> Iterator[tuple[str, JsonObject | None]]:
    if isinstance(uri, str) and uri.startswith(SCHEME):
        yield uri, contents


def _linked(meta: JsonObject | None) -> Json:
    """``_meta.ui.resourceUri``, or the flat key that came before it."""
    match meta:
        case {"ui": {"resourceUri": uri}} | {"ui/resourceUri": uri}:
            return uri
        case _:
            return None
