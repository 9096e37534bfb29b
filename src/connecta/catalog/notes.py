"""What stands beside a type in a compact schema: literals of an enum, and bounds, lengths, patterns and formats."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from connecta.limits import LIMITS
from connecta.text import Json, JsonObject, compact, size

_NAMES: Final[Mapping[type, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    type(None): "null",
}
_FORMAT: Final = re.compile(r"[\w./+-]{1,64}")
_INTEGER_DIGITS: Final = 40


def literals(values: Sequence[Json]) -> tuple[str, str, bool]:
    """``values`` as a union of literals, the type they have in common, and whether all of them found room.

    Over the bound the union ends in the common type, which keeps it true: any further value is one of those.
    """
    brief = " | ".join(dict.fromkeys(_NAMES.get(type(value), "unknown") for value in values[:1_000]))
    brief = "unknown" if "unknown" in brief else brief
    shown: list[str] = []
    room = LIMITS.schema_note_bytes - size(f" | {brief}")
    for value in values:
        text = _literal(value)
        if text is None or size(text) + 3 > room:
            return " | ".join([*shown, brief]) if brief != "unknown" else "unknown", brief, False
        shown.append(text)
        room -= size(text) + 3
    return " | ".join(dict.fromkeys(shown)), brief, True


def _literal(value: Json) -> str | None:
    """``value`` as JSON, or ``None`` where JSON has no text for it or it could not be printed in the bound."""
    if isinstance(value, str) and len(value) > LIMITS.schema_note_bytes:
        return None
    try:
        return compact(value)
    except (TypeError, ValueError, RecursionError):
        return None


def note_of(kind: str, schema: JsonObject) -> tuple[str, bool]:
    """The constraints of a type in a few characters (``1..100``, ``length 1..``, ``/^a/``), and whether all of them
    found room."""
    found = [part for part in _PARTS.get(kind, _no_parts)(schema) if part]
    shown: list[str] = []
    room = LIMITS.schema_note_bytes
    for part in (part.replace("*/", "*\\/") for part in found):
        if size(part) + 2 <= room:
            shown.append(part)
            room -= size(part) + 2
    return ", ".join(shown), len(shown) == len(found)


def _no_parts(schema: JsonObject) -> list[str]:
    del schema
    return []


def _string(schema: JsonObject) -> list[str]:
    pattern, format_ = schema.get("pattern"), schema.get("format")
    return [
        format_ if isinstance(format_, str) and _FORMAT.fullmatch(format_) else "",
        _span("length ", schema.get("minLength"), schema.get("maxLength")),
        f"/{' '.join(pattern.splitlines())}/" if isinstance(pattern, str) and pattern else "",
    ]


def _number(schema: JsonObject) -> list[str]:
    above, below = _amount(schema.get("exclusiveMinimum")), _amount(schema.get("exclusiveMaximum"))
    step = _amount(schema.get("multipleOf"))
    return [
        _span("", schema.get("minimum"), schema.get("maximum")),
        f"> {above}" if above else "",
        f"< {below}" if below else "",
        f"multiple of {step}" if step else "",
    ]


def _array(schema: JsonObject) -> list[str]:
    unique = "unique" if schema.get("uniqueItems") is True else ""
    return [_span("items ", schema.get("minItems"), schema.get("maxItems")), unique]


def _object(schema: JsonObject) -> list[str]:
    return [_span("keys ", schema.get("minProperties"), schema.get("maxProperties"))]


def _amount(value: Json) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if isinstance(value, int) and value.bit_length() > _INTEGER_DIGITS * 3:
        return ""
    return repr(value)


def _span(what: str, low: Json, high: Json) -> str:
    least, most = _amount(low), _amount(high)
    return f"{what}{least}..{most}" if least or most else ""


_PARTS: Final[Mapping[str, Callable[[JsonObject], list[str]]]] = {
    "string": _string,
    "number": _number,
    "integer": _number,
    "array": _array,
    "object": _object,
}
