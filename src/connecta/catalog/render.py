"""A schema as compact, TypeScript-like text, with the key lists of the same walk (S2).

``{ query: string /* length 1.. */, limit?: integer /* 1..100 */, state?: "open" | "closed" }``: required fields first,
property prose left out, at most ``limits.schema_bytes`` bytes. Over the bound the notes go first, then types become
``unknown`` from the inside out, then optional fields make way for an index signature; the text stays valid throughout.
"""

import re
from dataclasses import dataclass
from typing import Final

from connecta.catalog.references import References
from connecta.catalog.shapes import UNKNOWN, Array, Atom, Choice, Record, Shape, Walk
from connecta.limits import LIMITS
from connecta.text import Json, compact, size

_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_BRIEF_ATOM: Final = 24
_MORE: Final = "[key: string]: unknown"


@dataclass(frozen=True, slots=True)
class CompactSchema:
    """``keys`` and ``required`` are ``None`` where only the schema itself tells: truncated, open-ended, not an object.
    An empty list is "takes no fields"."""

    text: str
    truncated: bool
    keys: tuple[str, ...] | None = None
    required: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class _Style:
    """How much is printed: objects nested up to ``depth``, ``notes`` beside types, literals or their ``brief`` type."""

    depth: int
    notes: bool = False
    brief: bool = True

    def inner(self) -> "_Style":
        return _Style(self.depth - 1, self.notes, self.brief)


_STYLES: Final = (
    _Style(99, notes=True, brief=False),
    _Style(99, brief=False),
    *(_Style(depth) for depth in (99, 4, 3, 2, 1)),
)


def _says_nothing(schema: Json) -> bool:
    """Whether an object schema names no field and rules none out: it takes anything, which is not taking nothing."""
    return isinstance(schema, dict) and "properties" not in schema and schema.get("additionalProperties") is not False


def render(schema: Json, limit: int = LIMITS.schema_bytes) -> CompactSchema:
    """``schema`` in at most ``limit`` bytes. The same schema always renders the same; nothing raises."""
    walk = Walk(References(schema))
    shape = walk.shape(schema)
    if shape == Record((), None) and _says_nothing(schema):
        shape = Record((), UNKNOWN)
    text, shortened = _fitted(shape, limit)
    truncated = walk.cut or shortened
    if truncated or not isinstance(shape, Record) or shape.rest is not None:
        return CompactSchema(text, truncated)
    names = tuple(entry.name for entry in shape.fields)
    return CompactSchema(text, truncated, names, tuple(entry.name for entry in shape.fields if entry.required))


def _fitted(shape: Shape, limit: int) -> tuple[str, bool]:
    """The fullest text that fits, and whether anything had to go for it."""
    for style in _STYLES:
        text = _text(shape, style)
        if size(text) <= limit:
            return text, style is not _STYLES[0]
    return _names(shape, limit), True


def _names(shape: Shape, limit: int) -> str:
    """The field names that fit, required ones first, each of type ``unknown``; then "and others"."""
    outline = _outline(shape)
    if outline is None:
        return "unknown"
    shown: list[str] = []
    room = limit - size(f"{{ {_MORE} }}")
    for name in sorted(outline, key=lambda name: not outline[name]):
        text = f"{_key(name, outline[name])}: unknown"
        if size(text) + 2 <= room:
            shown.append(text)
            room -= size(text) + 2
    return f"{{ {', '.join([*shown, _MORE])} }}"


def _outline(shape: Shape) -> dict[str, bool] | None:
    """Whether each field of an object is required, whichever of a union's objects it is; ``None`` for what need not be
    an object."""
    if isinstance(shape, Record):
        return {entry.name: entry.required for entry in shape.fields}
    if not isinstance(shape, Choice):
        return None
    outlines = [_outline(member) for member in shape.members]
    known = [outline for outline in outlines if outline is not None]
    if not known or (shape.operator == "|" and len(known) < len(outlines)):
        return None
    holds = all if shape.operator == "|" else any
    names = dict.fromkeys(name for outline in known for name in outline)
    return {name: holds(outline.get(name, False) for outline in known) for name in names}


def _text(shape: Shape, style: _Style) -> str:
    if isinstance(shape, Choice):
        return _choice(shape, style)
    text = _plain(shape, style)
    return f"{text} /* {shape.note} */" if style.notes and shape.note else text


def _plain(shape: Atom | Array | Record, style: _Style) -> str:
    if isinstance(shape, Atom):
        return shape.brief if style.brief and len(shape.text) > _BRIEF_ATOM else shape.text
    if isinstance(shape, Array):
        return _array(shape, style)
    if style.depth <= 0:
        return "unknown"
    return _record(shape, style.inner())


def _record(record: Record, style: _Style) -> str:
    entries = [f"{_key(entry.name, entry.required)}: {_text(entry.shape, style)}" for entry in record.fields]
    if record.rest is not None:
        entries.append(f"[key: string]: {_text(record.rest, style)}")
    return f"{{ {', '.join(entries)} }}" if entries else "{}"


def _key(name: str, required: bool) -> str:
    key = name if _IDENTIFIER.fullmatch(name) else compact(name)
    return key if required else f"{key}?"


def _array(array: Array, style: _Style) -> str:
    rest = "" if array.rest is None else f"{_operand(array.rest, style)}[]"
    if not array.first:
        return rest or "[]"
    members = [_text(member, style) for member in array.first]
    return f"[{', '.join([*members, f'...{rest}'] if rest else members)}]"


def _choice(choice: Choice, style: _Style) -> str:
    texts = [_operand(m, style) if choice.operator == "&" else _text(m, style) for m in choice.members]
    if choice.operator == "|" and "unknown" in texts:
        return "unknown"
    return f" {choice.operator} ".join(dict.fromkeys(texts))


def _operand(shape: Shape, style: _Style) -> str:
    """``shape`` where a neighbouring operator would otherwise take only a part of it."""
    text = _text(shape, style)
    closed = isinstance(shape, Record | Array) and not (style.notes and shape.note)
    return text if closed or " " not in text or text == "unknown" else f"({text})"
