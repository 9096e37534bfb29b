"""A catalog as bytes, for the process that comes after this one."""

import json
from collections.abc import Sequence
from typing import Final, cast

from connecta.connectors.model import Annotations, Tool
from connecta.text import Json, JsonObject, compact

_FORMAT: Final = 1
"""Goes up whenever an older process could misread what is written here; other formats read as nothing."""


def pack(tools: Sequence[Tool], limit: int) -> bytes | None:
    """``tools`` as compact JSON, or ``None`` when that is over ``limit`` bytes or JSON cannot hold them (a schema
    with NaN, absurd depth): such a catalog is served from this process and loaded again by the next."""
    try:
        payload = compact({"format": _FORMAT, "tools": [_row(tool) for tool in tools]}).encode()
    except (TypeError, ValueError, RecursionError):
        return None
    return payload if len(payload) <= limit else None


def unpack(payload: bytes) -> tuple[Tool, ...] | None:
    """What ``pack`` wrote, or ``None`` for anything else: a damaged record is a record that is not there."""
    try:
        document: object = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    held = cast(JsonObject, document)
    rows = held.get("tools")
    if held.get("format") != _FORMAT or not isinstance(rows, list):
        return None
    tools = [_tool(row) for row in rows]
    return None if None in tools else tuple(tool for tool in tools if tool is not None)


def _row(tool: Tool) -> JsonObject:
    hints = tool.annotations
    row: JsonObject = {
        "name": tool.name,
        "description": tool.description,
        "title": tool.title,
        "input": tool.input_schema,
        "output": tool.output_schema,
        "hints": [hints.read_only, hints.destructive, hints.idempotent, hints.open_world],
        "meta": tool.meta,
    }
    return {key: value for key, value in row.items() if value is not None}


def _tool(row: Json) -> Tool | None:
    if not isinstance(row, dict):
        return None
    name, description, title, meta = (row.get(key) for key in ("name", "description", "title", "meta"))
    annotations = _annotations(row.get("hints"))
    if not isinstance(name, str) or not isinstance(description, str) or annotations is None:
        return None
    return Tool(
        name=name,
        description=description,
        title=title if isinstance(title, str) else None,
        input_schema=row.get("input"),
        output_schema=row.get("output"),
        annotations=annotations,
        meta=meta if isinstance(meta, dict) else None,
    )


def _annotations(hints: Json) -> Annotations | None:
    if not isinstance(hints, list) or len(hints) != 4:
        return None
    said = [hint for hint in hints if hint is None or isinstance(hint, bool)]
    return Annotations(*said) if len(said) == 4 else None
