"""A JSON Schema walked once into a small tree that can be printed at any size.

Handles local ``$ref`` (any pointer, ``$anchor``), ``allOf``, ``anyOf``/``oneOf``, ``const``, ``enum``, ``nullable``,
type lists, tuples, maps, cycles and absurd depth. Whatever is boolean, broken or not understood is ``unknown``; the
walk raises for no input.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias, Union

from connecta.catalog.notes import literals, note_of
from connecta.catalog.references import References
from connecta.text import Json, JsonObject

Shape: TypeAlias = Union["Atom", "Array", "Record", "Choice"]

_DEPTH: Final = 16
_NODES: Final = 3_000
"""More than could ever be printed inside the bound; what lies beyond is ``unknown``."""
_PRIMITIVES: Final = frozenset({"string", "number", "integer", "boolean", "null"})
_OBJECT_KEYWORDS: Final = ("properties", "required", "additionalProperties", "patternProperties")
_ARRAY_KEYWORDS: Final = ("items", "prefixItems")


@dataclass(frozen=True, slots=True)
class Atom:
    """A type without parts. ``brief`` is the type it falls back to when ``text`` has no room."""

    text: str
    note: str = ""
    brief: str = "unknown"


@dataclass(frozen=True, slots=True)
class Array:
    """``first`` are the types at fixed positions, ``rest`` the type of every other element, if there may be one."""

    first: tuple[Shape, ...]
    rest: Shape | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    name: str
    required: bool
    shape: Shape


@dataclass(frozen=True, slots=True)
class Record:
    """An object: required fields first, otherwise as the schema orders them. ``rest`` is the type of other keys where
    the schema says something about them."""

    fields: tuple[Field, ...]
    rest: Shape | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A union (``|``) or an intersection (``&``)."""

    operator: str
    members: tuple[Shape, ...]


UNKNOWN: Final = Atom("unknown")
_ANY_RECORD: Final = Record((), None)


@dataclass(slots=True)
class Walk:
    """One walk over one schema. ``cut`` becomes true when a bound of the walk left something out."""

    references: References
    cut: bool = False
    _nodes: int = 0
    _open: list[int] = field(default_factory=list[int])

    def shape(self, schema: Json, depth: int = 0) -> Shape:
        if not isinstance(schema, dict):
            return UNKNOWN
        self._nodes += 1
        if depth >= _DEPTH or self._nodes > _NODES or id(schema) in self._open:
            self.cut = True
            return UNKNOWN
        self._open.append(id(schema))
        try:
            return self._whole(schema, depth)
        finally:
            self._open.pop()

    def _whole(self, schema: JsonObject, depth: int) -> Shape:
        shape = self._intersection(schema, depth)
        if schema.get("nullable") is True and shape is not UNKNOWN:
            return _choice("|", [shape, Atom("null", brief="null")])
        return shape

    def _intersection(self, schema: JsonObject, depth: int) -> Shape:
        """Everything that holds at once: the schema's own keywords, its reference, its ``allOf`` and its unions."""
        parts: list[Shape] = []
        for member in self._referenced(schema):
            parts.append(self.shape(member, depth + 1))
        for member in _list(schema.get("allOf")):
            parts.append(self.shape(member, depth + 1))
        for keyword in ("anyOf", "oneOf"):
            members = _list(schema.get(keyword))
            if members:
                parts.append(_choice("|", [self.shape(member, depth + 1) for member in members]))
        own = self._own(schema, depth)
        return _both([*([own] if own is not UNKNOWN else []), *(part for part in parts if part is not UNKNOWN)])

    def _referenced(self, schema: JsonObject) -> Iterator[Json]:
        for keyword in ("$ref", "$dynamicRef"):
            if keyword in schema:
                yield self.references.target(schema[keyword])

    def _own(self, schema: JsonObject, depth: int) -> Shape:
        if "const" in schema:
            return self._literals([schema["const"]])
        enum = schema.get("enum")
        if isinstance(enum, list) and enum:
            return self._literals(enum)
        kinds = _kinds(schema)
        return _choice("|", [self._kind(kind, schema, depth) for kind in kinds]) if kinds else UNKNOWN

    def _literals(self, values: Sequence[Json]) -> Shape:
        text, brief, whole = literals(values)
        self.cut = self.cut or not whole
        return Atom(text, brief=brief)

    def _kind(self, kind: str, schema: JsonObject, depth: int) -> Shape:
        note, whole = note_of(kind, schema)
        self.cut = self.cut or not whole
        if kind == "object":
            return self._record(schema, depth, note)
        if kind == "array":
            return self._array(schema, depth, note)
        return Atom(kind, note, brief=kind)

    def _record(self, schema: JsonObject, depth: int, note: str) -> Shape:
        known = schema.get("properties", {})
        if not isinstance(known, dict):
            return UNKNOWN
        required = dict.fromkeys(name for name in _list(schema.get("required")) if isinstance(name, str))
        names = [*required, *(name for name in known if name not in required)]
        fields = tuple(Field(name, name in required, self.shape(known.get(name), depth + 1)) for name in names)
        return Record(fields, self._others(schema, depth), note)

    def _others(self, schema: JsonObject, depth: int) -> Shape | None:
        patterns = schema.get("patternProperties")
        if isinstance(patterns, dict) and patterns:
            return _choice("|", [self.shape(member, depth + 1) for member in patterns.values()])
        for keyword in ("additionalProperties", "unevaluatedProperties"):
            others = schema.get(keyword)
            if others is True or isinstance(others, dict):
                return self.shape(others, depth + 1)
        return None

    def _array(self, schema: JsonObject, depth: int, note: str) -> Array:
        items = schema.get("items")
        first = schema.get("prefixItems")
        if not isinstance(first, list):
            first, items = (items, schema.get("additionalItems")) if isinstance(items, list) else ([], items)
        rest = None if items is False else self.shape(items, depth + 1)
        return Array(tuple(self.shape(member, depth + 1) for member in first), rest, note)


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []


def _kinds(schema: JsonObject) -> list[str]:
    """The types a schema names, or the one its keywords imply."""
    said = schema.get("type")
    named = [kind for kind in (said if isinstance(said, list) else [said]) if isinstance(kind, str)]
    known = [kind for kind in dict.fromkeys(named) if kind in _PRIMITIVES or kind in ("object", "array")]
    if known or named:
        return known
    if any(keyword in schema for keyword in _OBJECT_KEYWORDS):
        return ["object"]
    return ["array"] if any(keyword in schema for keyword in _ARRAY_KEYWORDS) else []


def _choice(operator: str, members: Sequence[Shape]) -> Shape:
    """One member as itself, nested choices of the same kind as one, each member once."""
    flat: dict[Shape, None] = {}
    for member in members:
        inner = member.members if isinstance(member, Choice) and member.operator == operator else (member,)
        flat.update(dict.fromkeys(inner))
    if operator == "|" and UNKNOWN in flat:
        return UNKNOWN
    return next(iter(flat)) if len(flat) == 1 else Choice(operator, tuple(flat))


def _both(parts: Sequence[Shape]) -> Shape:
    """The intersection of ``parts``; objects among them become one object."""
    records = [part for part in parts if isinstance(part, Record)]
    others = [part for part in parts if not isinstance(part, Record)]
    merged: list[Shape] = [_merge(records)] if records else []
    if others and merged == [_ANY_RECORD]:
        merged = []
    return _choice("&", [*merged, *others]) if merged or others else UNKNOWN


def _merge(records: Sequence[Record]) -> Record:
    if len(records) == 1:
        return records[0]
    shapes: dict[str, Shape] = {}
    required: dict[str, bool] = {}
    for entry in (entry for record in records for entry in record.fields):
        known = shapes.get(entry.name, UNKNOWN)
        shapes[entry.name] = _both([part for part in (known, entry.shape) if part is not UNKNOWN])
        required[entry.name] = required.get(entry.name, False) or entry.required
    fields = [Field(name, required[name], shape) for name, shape in shapes.items()]
    rest = next((record.rest for record in records if record.rest is not None), None)
    note = next((record.note for record in records if record.note), "")
    return Record(tuple(sorted(fields, key=lambda entry: not entry.required)), rest, note)
