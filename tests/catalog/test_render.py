"""Compact schemas: true, valid, bounded, and never an exception ("Discovery", S2)."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connecta.catalog.render import CompactSchema, render
from connecta.text import Json, JsonObject, size


def fields(text: str, *names: str, required: tuple[str, ...] = ()) -> CompactSchema:
    return CompactSchema(text, False, names, required)


def plain(text: str, *, truncated: bool = False) -> CompactSchema:
    return CompactSchema(text, truncated)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, plain("unknown")),
        (False, plain("unknown")),
        (None, plain("unknown")),
        ({"type": "nonsense"}, plain("unknown")),
        ({"type": "object", "properties": 7}, plain("unknown")),
        ({"$ref": "https://elsewhere.example/schema"}, plain("unknown")),
        ({"type": "object"}, plain("{ [key: string]: unknown }")),
        ({"type": "object", "properties": {}}, fields("{}")),
        ({"type": "object", "additionalProperties": False}, fields("{}")),
        (
            {"properties": {"b": {"type": "string"}, "a-b": {"type": "boolean"}}, "required": ["a-b", "c"]},
            fields('{ "a-b": boolean, c: unknown, b?: string }', "a-b", "c", "b", required=("a-b", "c")),
        ),
        ({"type": "object", "additionalProperties": {"type": "number"}}, plain("{ [key: string]: number }")),
        ({"enum": ["a", 1, None]}, plain('"a" | 1 | null')),
        ({"const": {"a": [True]}}, plain('{"a":[true]}')),
        ({"type": ["string", "null"]}, plain("string | null")),
        ({"type": "string", "nullable": True}, plain("string | null")),
        ({"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1}, plain('("a" | "b")[] /* items 1.. */')),
        ({"type": "array", "prefixItems": [{"type": "string"}], "items": False}, plain("[string]")),
        ({"type": "array", "prefixItems": [{"type": "string"}]}, plain("[string, ...unknown[]]")),
        (
            {"type": "string", "format": "email", "minLength": 3, "maxLength": 9, "pattern": "^a*/"},
            plain("string /* email, length 3..9, /^a*\\// */"),
        ),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 2.5}, plain("number /* ..2.5, > 0 */")),
        (
            {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            plain("string | string[]"),
        ),
        (
            {
                "allOf": [
                    {"$ref": "#/$defs/base~1x"},
                    {"properties": {"b": {"type": "integer"}}},
                ],
                "$defs": {"base/x": {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}},
            },
            fields("{ a: string, b?: integer }", "a", "b", required=("a",)),
        ),
        (
            {"allOf": [{"properties": {"a": True}}, {"properties": {"b": {"type": "null"}}, "required": ["b"]}]},
            fields("{ b: null, a?: unknown }", "b", "a", required=("b",)),
        ),
        ({"$ref": "#thing", "$defs": {"t": {"$anchor": "thing", "type": "boolean"}}}, plain("boolean")),
        (
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "oneOf": [{"required": ["a"]}, {"type": "null"}],
            },
            plain("{ a?: string } & ({ a: unknown } | null)"),
        ),
    ],
)
def test_a_schema_reads_as_typescript_like_text(schema: Json, expected: CompactSchema) -> None:
    assert render(schema) == expected


def test_a_cycle_ends_in_unknown_and_says_so() -> None:
    node: Json = {"type": "object", "properties": {"children": {"type": "array", "items": {"$ref": "#"}}}}
    assert render(node) == plain("{ children?: unknown[] }", truncated=True)


def test_absurd_depth_ends_in_unknown_and_says_so() -> None:
    schema: Json = {"type": "string"}
    for _ in range(5_000):
        schema = {"type": "array", "items": schema}
    assert render(schema).truncated


def test_a_long_enum_keeps_the_type_its_values_share() -> None:
    """At most 256 bytes an enum."""
    shown = render({"enum": [f"value number {n}" for n in range(100)]})
    assert size(shown.text) <= 256
    assert (shown.text.endswith(" | string"), shown.truncated) == (True, True)


def test_over_the_bound_constraints_go_before_types() -> None:
    properties: JsonObject = {f"field_{n}": {"type": "string", "format": "date-time"} for n in range(40)}
    shown = render({"type": "object", "properties": properties})
    assert shown == CompactSchema("{ " + ", ".join(f"field_{n}?: string" for n in range(40)) + " }", True)


def test_then_types_go_from_the_inside_out() -> None:
    deep: JsonObject = {"type": "object", "properties": {f"inner_{n}": {"type": "string"} for n in range(30)}}
    properties: Json = {"one": deep, "two": deep, "three": deep, "id": {"type": "string"}}
    shown = render({"type": "object", "properties": properties, "required": ["id"]})
    assert shown == plain("{ id: string, one?: unknown, two?: unknown, three?: unknown }", truncated=True)


def test_required_fields_come_first_and_are_never_lost() -> None:
    properties: JsonObject = {f"optional_field_{n}": {"type": "string"} for n in range(500)}
    required = [f"needed_{n}" for n in range(20)]
    shown = render({"type": "object", "properties": properties, "required": list[Json](required)})
    assert shown.text.startswith("{ " + ", ".join(f"{name}: unknown" for name in required))
    assert (shown.text.endswith(", [key: string]: unknown }"), shown.truncated, shown.keys) == (True, True, None)


CARD: Json = {"properties": {"kind": {"const": "card"}, "number": {"type": "string"}}, "required": ["kind", "number"]}
BANK: Json = {"properties": {"kind": {"const": "bank"}, "iban": {"type": "string"}}, "required": ["kind", "iban"]}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (
            {"oneOf": [CARD, BANK], "discriminator": {"propertyName": "kind"}},
            plain('{ kind: "card", number: string } | { kind: "bank", iban: string }'),
        ),
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "definitions": {"point": {"type": "array", "items": [{"type": "number"}, {"type": "number"}]}},
                "type": "object",
                "properties": {
                    "path": {"type": "array", "items": {"$ref": "#/definitions/point"}, "uniqueItems": True},
                    "mode": {"type": "string", "enum": ["walk", "drive"], "default": "walk"},
                },
                "required": ["path"],
            },
            fields(
                '{ path: [number, number, ...unknown[]][] /* unique */, mode?: "walk" | "drive" }',
                "path",
                "mode",
                required=("path",),
            ),
        ),
        (
            {
                "type": "object",
                "properties": {"to": {"anyOf": [{"type": "string", "format": "email"}, {"type": "null"}]}, "cc": True},
                "dependentRequired": {"cc": ["to"]},
                "additionalProperties": False,
            },
            fields("{ to?: string /* email */ | null, cc?: unknown }", "to", "cc"),
        ),
        (
            {
                "type": "object",
                "properties": {"filter": {"$ref": "#/$defs/filter"}},
                "$defs": {
                    "filter": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/both"}]},
                    "both": {"type": "array", "items": {"$ref": "#/$defs/filter"}},
                },
            },
            plain("{ filter?: string | unknown[] }", truncated=True),
        ),
    ],
)
def test_schemas_as_real_servers_write_them(schema: Json, expected: CompactSchema) -> None:
    """Discriminated unions, draft-07 tuples and definitions, nullable unions, definitions that need one another."""
    assert render(schema) == expected


def test_over_the_bound_a_union_names_what_all_of_its_choices_require() -> None:
    choices: list[Json] = [
        {"properties": {"kind": {"const": f"k{n}"}, f"choice_{n}": {"type": "string"}}, "required": ["kind"]}
        for n in range(60)
    ]
    shown = render({"oneOf": choices})
    assert (shown.text.startswith("{ kind: unknown, choice_0?: unknown, "), shown.truncated) == (True, True)


JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
KEYWORD_NAMES = """
type properties required items prefixItems additionalProperties patternProperties allOf anyOf oneOf enum const $ref
$defs nullable minimum maxLength pattern format minItems uniqueItems a b
"""
KEYWORDS: st.SearchStrategy[str] = st.sampled_from(KEYWORD_NAMES.split())
TYPES: st.SearchStrategy[Json] = st.sampled_from(["string", "object", "array", "integer", "null", "bogus"])
REFERENCES: st.SearchStrategy[Json] = st.sampled_from(
    ["#", "#/$defs/a", "#/properties/a", "#a", "#/%zz", "#/$defs/b/items/0", "x"]
)


LEAVES: st.SearchStrategy[Json] = JSON | TYPES | REFERENCES


def inside(inner: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    members: st.SearchStrategy[Json] = inner | st.lists(inner, max_size=4)
    keyed: st.SearchStrategy[Json] = st.dictionaries(KEYWORDS, members, max_size=6)
    named: st.SearchStrategy[Json] = st.dictionaries(st.text(max_size=60), inner, max_size=6)
    return keyed | named


SCHEMAS: st.SearchStrategy[Json] = st.recursive(LEAVES, inside, max_leaves=25)


@settings(max_examples=150)
@given(SCHEMAS, st.integers(32, 1_024))
def test_any_json_renders_within_its_bound_and_always_the_same(schema: Json, limit: int) -> None:
    shown = render(schema, limit)
    assert size(shown.text) <= limit
    assert shown == render(schema, limit)


@settings(max_examples=100)
@given(st.dictionaries(st.text(max_size=40), inside(TYPES), max_size=12), st.lists(st.text(max_size=40), max_size=5))
def test_key_lists_name_exactly_the_fields_of_the_schema(properties: JsonObject, required: list[str]) -> None:
    """S2: a list that is there is complete; a truncated schema has none."""
    shown = render({"type": "object", "properties": properties, "required": list[Json](required)})
    assert (shown.keys is None) == (shown.required is None) == shown.truncated
    if shown.keys is not None:
        assert set(shown.keys) == {*properties, *required}
        assert set(shown.required or ()) == set(required)
