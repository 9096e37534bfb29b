"""Whatever schema a downstream advertises, its compact text is bounded, valid, stable and names what is required."""

import copy
import json
import re
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connecta.catalog.render import render
from connecta.limits import LIMITS
from connecta.text import Json, JsonObject, size

Schemas = st.SearchStrategy[Json]

NAMES = st.sampled_from(["id", "query", "a-b", "größe", "名前", "$ref", "type", '"', "*/", "x" * 70]) | st.text(
    max_size=12
)
VALUES: Schemas = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30)
REFERENCES: Schemas = st.sampled_from(
    ["#", "#/$defs/node", "#/definitions/node", "#/properties/id", "#node", "#/$defs/lost", "https://x.example/s", ""]
)
TYPES: Schemas = st.sampled_from(["array", "object", ["array", "null"]])
DISCRIMINATOR: Json = {"propertyName": "type"}
DEPENDENT: Json = {"id": ["query"]}


def keyed(always: Mapping[str, Schemas], **optional: Schemas) -> Schemas:
    return st.fixed_dictionaries(dict(always), optional=optional).map(lambda found: {**found})


STRINGS = keyed(
    {"type": st.just("string")},
    minLength=st.integers(),
    maxLength=st.integers(),
    pattern=st.text(max_size=300),
    format=st.sampled_from(["date-time", "uri", "*/", "no\nformat"]),
    default=VALUES,
    nullable=st.booleans(),
)
NUMBERS = keyed(
    {"type": st.sampled_from(["number", "integer"])},
    minimum=VALUES,
    exclusiveMaximum=VALUES,
    exclusiveMinimum=st.booleans(),
    multipleOf=st.floats(),
)
ENUMS: Schemas = st.lists(VALUES, max_size=90).map(lambda values: list[Json](values))
LITERALS = keyed({"enum": ENUMS}) | keyed({"const": VALUES})
BROKEN: Schemas = st.sampled_from(
    [
        {"type": "object", "properties": ["a"]},
        {"type": 7, "enum": {}},
        {"items": "string", "required": "id"},
        {"allOf": {}, "anyOf": [], "oneOf": [None, 3]},
        {"$ref": 5, "additionalProperties": "no", "patternProperties": 1},
        {"type": ["string", 3, None, "bogus"], "prefixItems": {}},
        {"properties": {"id": [1]}, "required": [1, "id", None, "id"]},
    ]
)
LEAVES: Schemas = st.one_of(st.booleans(), STRINGS, NUMBERS, LITERALS, BROKEN, keyed({"$ref": REFERENCES}))


def holding(inner: Schemas) -> Schemas:
    """A schema of draft-07 or 2020-12 that holds others."""
    members: Schemas = st.lists(inner, min_size=1, max_size=4)
    return st.one_of(
        objects(inner),
        keyed(
            {},
            type=TYPES,
            items=inner | members,
            prefixItems=members,
            additionalItems=inner,
            uniqueItems=st.booleans(),
            contains=inner,
        ),
        keyed(
            {},
            allOf=members,
            anyOf=members,
            oneOf=members,
            then=inner,
            discriminator=st.just(DISCRIMINATOR),
        ),
    )


def objects(inner: Schemas) -> Schemas:
    return keyed(
        {"type": st.just("object"), "properties": st.dictionaries(NAMES, inner, max_size=7)},
        required=st.lists(NAMES, max_size=5).map(lambda names: list[Json](names)),
        additionalProperties=inner,
        patternProperties=st.dictionaries(NAMES, inner, max_size=2),
        minProperties=st.integers(),
        dependentRequired=st.just(DEPENDENT),
        unevaluatedProperties=st.booleans(),
    )


SCHEMAS: Schemas = st.recursive(LEAVES, holding, max_leaves=12)


@st.composite
def documents(draw: st.DrawFn) -> JsonObject:
    """An input schema with shared definitions, which may refer to one another in circles."""
    document = draw(objects(SCHEMAS))
    assert isinstance(document, dict)
    for keyword in draw(st.sets(st.sampled_from(["$defs", "definitions"]))):
        document[keyword] = {"node": draw(SCHEMAS)}
    return document


@settings(max_examples=60)
@given(documents(), st.sampled_from([64, 256, LIMITS.schema_bytes]))
def test_any_schema_renders_as_valid_text_within_the_bound_and_always_the_same(schema: JsonObject, limit: int) -> None:
    shown = render(schema, limit)
    assert size(shown.text) <= limit
    assert is_valid(shown.text)
    assert shown == render(copy.deepcopy(schema), limit)


@settings(max_examples=40)
@given(documents(), st.lists(NAMES, max_size=6, unique=True), st.sampled_from(["own", "allOf", "$ref", "oneOf"]))
def test_a_required_key_is_in_the_text_however_little_else_is(
    schema: JsonObject, names: list[str], held_by: str
) -> None:
    """Also where a part of the schema or every choice of a union requires it."""
    demands: Json = {"type": "object", "required": list[Json](names), "properties": schema["properties"]}
    held: dict[str, Json] = {
        "own": demands,
        "allOf": {"allOf": [schema, demands]},
        "$ref": {**schema, "$defs": {"demands": demands}, "$ref": "#/$defs/demands"},
        "oneOf": {"oneOf": [demands, {**demands, "properties": {f"other_{n}": schema for n in range(30)}}]},
    }
    text = render(held[held_by]).text
    assert [name for name in names if not re.search(f"(?<![\\w$]){re.escape(printed(name))}: ", text)] == []


def printed(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_$][A-Za-z0-9_$]*", name) else json.dumps(name, ensure_ascii=False)


@settings(max_examples=40)
@given(STRINGS | NUMBERS | LITERALS)
def test_a_note_and_an_enum_have_their_own_bound(schema: Json) -> None:
    """At most 256 bytes each, the type beside a note not counted."""
    text = render(schema).text
    assert size(text) <= LIMITS.schema_note_bytes + size("integer /*  */ | null")


TOKEN = re.compile(
    r"""\s+|/\*(?:(?!\*/).)*\*/|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\.\.|[A-Za-z_$][\w$]*|[{}\[\]():,?|&]""",
    re.DOTALL | re.ASCII,
)

PUNCTUATION = frozenset("{}[]():,?|&;") | {"..."}


def is_valid(text: str) -> bool:
    """Whether ``text`` is one type of the grammar: unions, intersections, arrays, tuples, objects, literals."""
    tokens: list[str] = []
    at = 0
    while at < len(text):
        found = TOKEN.match(text, at)
        if found is None:
            return False
        at = found.end()
        if not found[0].isspace() and not found[0].startswith("/*"):
            tokens.append(found[0])
    return _type([*tokens, ";", ";", ";"], 0) == len(tokens)


def _type(tokens: list[str], at: int) -> int:
    """The place after the type at ``at``, or -1 where there is none."""
    at = _operand(tokens, at)
    while at >= 0 and tokens[at] in ("|", "&"):
        at = _operand(tokens, at + 1)
    return at


def _operand(tokens: list[str], at: int) -> int:
    opening = tokens[at]
    if opening == "(":
        at = _closed(tokens, _type(tokens, at + 1), ")")
    elif opening in ("{", "["):
        at = _listed(tokens, at + 1, "}" if opening == "{" else "]")
    else:
        at = -1 if opening in PUNCTUATION else at + 1
    while at >= 0 and tokens[at : at + 2] == ["[", "]"]:
        at += 2
    return at


def _listed(tokens: list[str], at: int, closing: str) -> int:
    if tokens[at] == closing:
        return at + 1
    while at >= 0:
        at = _entry(tokens, at) if closing == "}" else _type(tokens, at + (tokens[at] == "..."))
        if at < 0 or tokens[at] != ",":
            return _closed(tokens, at, closing)
        at += 1
    return at


def _entry(tokens: list[str], at: int) -> int:
    if tokens[at : at + 5] == ["[", "key", ":", "string", "]"]:
        at += 5
    elif tokens[at] in PUNCTUATION:
        return -1
    else:
        at += 2 if tokens[at + 1] == "?" else 1
    return _type(tokens, at + 1) if tokens[at] == ":" else -1


def _closed(tokens: list[str], at: int, closing: str) -> int:
    return at + 1 if at >= 0 and tokens[at] == closing else -1


@pytest.mark.parametrize(
    "text", ["", "{", "{ a }", "string |", "(string", "[string, ]", "{ a: }", "a b", "string[]]", "é"]
)
def test_the_grammar_used_here_refuses_what_is_no_type(text: str) -> None:
    assert not is_valid(text)
