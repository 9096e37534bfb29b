"""A downstream MCP server's own words for tools and results, taken leniently and kept whole."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from connecta import failures
from connecta.connectors.model import Annotations, Tool, ToolResult
from connecta.text import MISSING, Json, JsonObject, compact

UNREADABLE: Final = "unreadable"
"""Stands in for a schema JSON cannot hold."""


@dataclass(slots=True)
class Era:
    """Which protocol a downstream speaks, remembered so that it is asked once per process: what it said of itself to
    ``server/discover``, or that it still wants ``initialize``."""

    discovered: JsonObject | None = None
    legacy: bool = False

    def forget(self) -> None:
        self.discovered, self.legacy = None, False


@dataclass(frozen=True, slots=True)
class Review:
    """What the deployment says of tools by name. It classifies only what the downstream leaves unannotated, save that
    a name reviewed as destructive outranks a downstream's ``readOnlyHint: true``."""

    read_only: frozenset[str] = frozenset()
    destructive: frozenset[str] = frozenset()

    def of(self, name: str, hints: Annotations) -> Annotations:
        if name in self.destructive and (hints.destructive is None or hints.read_only is True):
            return replace(hints, read_only=False, destructive=True)
        if name in self.read_only and hints.read_only is None and hints.destructive is not True:
            return replace(hints, read_only=True)
        return hints


def tools_of(entries: Iterable[Json], review: Review) -> list[Tool]:
    """The tools among ``entries`` in order, a name as often as it is listed: the catalog chooses, fail-closed. What
    has no usable name cannot be called and is left out; everything else odd about a tool is kept, so that one tool
    never costs the others."""
    tools: list[Tool] = []
    for entry in entries:
        name = entry.get("name") if isinstance(entry, dict) else None
        if isinstance(entry, dict) and isinstance(name, str) and name:
            tools.append(_tool(name, entry, review))
    return tools


def _tool(name: str, entry: JsonObject, review: Review) -> Tool:
    raw = entry.get("annotations")
    hints = raw if isinstance(raw, dict) else {}
    meta = entry.get("_meta")
    return Tool(
        name=name,
        description=_text(entry.get("description")) or "",
        title=_text(entry.get("title")) or _text(hints.get("title")),
        input_schema=_held(entry.get("inputSchema", {"type": "object"})),
        output_schema=_held(entry.get("outputSchema")),
        annotations=review.of(
            name,
            Annotations(
                read_only=_flag(hints.get("readOnlyHint")),
                destructive=_flag(hints.get("destructiveHint")),
                idempotent=_flag(hints.get("idempotentHint")),
                open_world=_flag(hints.get("openWorldHint")),
            ),
        ),
        meta=meta if isinstance(meta, dict) and _is_json(meta) else None,
    )


def _held(schema: Json) -> Json:
    """One tool's NaN would keep the whole catalog from being kept."""
    return schema if _is_json(schema) else UNREADABLE


def result_of(raw: JsonObject, operation: str) -> ToolResult:
    """A raw ``tools/call`` result, nothing flattened. Raises ``input_required_unsupported`` and
    ``connector_call_failed`` (E2)."""
    if raw.get("resultType", "complete") == "input_required":
        raise failures.input_required(operation)
    content = raw.get("content", [])
    if not _is_json(raw):
        raise failures.call_failed(f"{operation} answered with a number that is not finite, which JSON does not have.")
    if not isinstance(content, list) or ("content" not in raw and "structuredContent" not in raw):
        raise failures.call_failed(f"{operation} answered with something that is not a tool result.")
    meta = raw.get("_meta")
    return ToolResult(
        content=[block for block in content if isinstance(block, dict)],
        structured=raw.get("structuredContent", MISSING),
        meta=meta if isinstance(meta, dict) else None,
        is_error=raw.get("isError") is True,
    )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _flag(value: Json) -> bool | None:
    """Only a real boolean is a hint: a string "false" must not read as true."""
    return value if isinstance(value, bool) else None


def _is_json(value: Json) -> bool:
    """Parsers take NaN and infinities, which nothing further up can hand on."""
    try:
        compact(value)
    except (ValueError, RecursionError):
        return False
    return True
