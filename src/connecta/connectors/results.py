"""What a tool function returned, as a ``ToolResult``."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from connecta import failures
from connecta.connectors.model import ToolResult
from connecta.text import MISSING, Json, JsonObject, compact


@dataclass(frozen=True, slots=True)
class Image:
    """An image a tool returns, alone or in a list beside texts and other values."""

    data: bytes
    mime_type: str = "image/png"


def result_of(value: object, operation: str) -> ToolResult:
    """``value`` as JSON, or as content blocks when it is or holds an ``Image``. Raises ``connector_call_failed``
    for what JSON cannot hold."""
    if isinstance(value, Image):
        return ToolResult(content=[_block(value, operation)])
    items = cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
    if any(isinstance(item, Image) for item in items):
        return ToolResult(content=[_block(item, operation) for item in items])
    plain, text = _json(cast("object", value), operation)
    structured = plain if isinstance(plain, dict) else MISSING
    return ToolResult(content=[_text(plain, text)], structured=structured, value=plain)


def _block(item: object, operation: str) -> JsonObject:
    if isinstance(item, Image):
        return {"type": "image", "data": base64.b64encode(item.data).decode(), "mimeType": item.mime_type}
    return _text(*_json(item, operation))


def _text(value: Json, text: str) -> JsonObject:
    return {"type": "text", "text": value if isinstance(value, str) else text}


def _json(value: object, operation: str) -> tuple[Json, str]:
    """``value`` in plain JSON types (models, dataclasses and dates converted) and as text."""
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        plain = cast("Json", to_jsonable_python(value))
        return plain, compact(plain)
    except (PydanticSerializationError, TypeError, ValueError, RecursionError):
        raise failures.call_failed(f"{operation} returned something that is not JSON.") from None
