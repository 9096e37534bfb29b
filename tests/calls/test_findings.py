"""The mistakes models make with arguments, and what they are told (E8): the place, what is expected, no value."""

import json
import sys
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connecta.calls.arguments import argument_failure
from connecta.text import Json, JsonObject, compact, size

ORDER: JsonObject = {
    "type": "object",
    "properties": {
        "customerId": {"type": "string"},
        "limit": {"type": "integer", "minimum": 1},
        "exact": {"type": "boolean"},
        "price": {"anyOf": [{"type": "number"}, {"type": "null"}]},
        "status": {"enum": ["open", "closed", "in_progress"]},
        "filter": {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": False},
        "ids": {"type": "array", "items": {"type": "string"}},
    },
    "additionalProperties": False,
}
NEEDS: JsonObject = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["query"],
    "additionalProperties": False,
}


def told(schema: Json, args: JsonObject) -> list[tuple[Json, Json, Json]]:
    """Each finding as path, code and expected."""
    failure = argument_failure(schema, args, "find")
    assert failure is not None
    found = failure.details["findings"]
    assert isinstance(found, list)
    return [(one["path"], one["code"], one["expected"]) for one in found if isinstance(one, dict)]


def message(schema: Json, args: JsonObject) -> str:
    failure = argument_failure(schema, args, "find")
    assert failure is not None
    return failure.message


@pytest.mark.parametrize(
    ("args", "finding"),
    [
        ({"customer_id": "a"}, ("customer_id", "unknown_key", "customerId")),
        ({"CustomerID": "a"}, ("CustomerID", "unknown_key", "customerId")),
        ({"custmerId": "a"}, ("custmerId", "unknown_key", "customerId")),
        ({"statuses": "open"}, ("statuses", "unknown_key", "status")),
        ({"city": "Malmö"}, ("city", "unknown_key", 'inside "filter"')),
        ({"filter": {"town": "a"}}, ("filter.town", "unknown_key", "one of city")),
        ({"limit": "5"}, ("limit", "wrong_type", "integer, without quotes")),
        ({"limit": "many"}, ("limit", "wrong_type", "integer")),
        ({"limit": 2.5}, ("limit", "wrong_type", "integer")),
        ({"limit": None}, ("limit", "wrong_type", "integer, or the key left out")),
        ({"exact": "True"}, ("exact", "wrong_type", "boolean, without quotes")),
        ({"price": "9.50"}, ("price", "wrong_type", "number or null, without quotes")),
        ({"customerId": 101}, ("customerId", "wrong_type", "string, in quotes")),
        ({"customerId": ["a"]}, ("customerId", "wrong_type", "string, not a list")),
        ({"ids": "a"}, ("ids", "wrong_type", "array, as a list, in [ ]")),
        ({"ids": '["a"]'}, ("ids", "wrong_type", "array, itself, not JSON in quotes")),
        ({"ids": ["a", 1]}, ("ids[1]", "wrong_type", "string, in quotes")),
        ({"filter": '{"city": "a"}'}, ("filter", "wrong_type", "object, itself, not JSON in quotes")),
        ({"status": "Closed"}, ("status", "enum", '"closed" | "open" | "in_progress"')),
        ({"status": "in-progress"}, ("status", "enum", '"in_progress" | "open" | "closed"')),
        ({"status": "gone"}, ("status", "enum", '"open" | "closed" | "in_progress"')),
    ],
)
def test_a_frequent_mistake_is_told_with_what_mends_it(args: JsonObject, finding: tuple[str, str, str]) -> None:
    assert told(ORDER, args) == [finding]


def test_a_missing_key_is_named_with_its_type() -> None:
    assert told(NEEDS, {}) == [("query", "missing_key", "string")]


def test_a_required_key_is_never_said_to_be_left_out() -> None:
    assert told(NEEDS, {"query": None}) == [("query", "wrong_type", "string")]


def test_every_key_that_is_no_field_is_a_finding_of_its_own() -> None:
    assert told(NEEDS, {"query": "a", "limt": 1, "sort": "b"}) == [
        ("limt", "unknown_key", "limit"),
        ("sort", "unknown_key", "one of query, limit"),
    ]


@pytest.mark.parametrize("key", ["args", "arguments", "input", "params", "anything"])
@pytest.mark.parametrize("written", [dict, json.dumps])
def test_fields_put_one_level_too_deep_belong_at_the_top(key: str, written: Callable[[JsonObject], Json]) -> None:
    wrapped = written({"query": "hunter2"})
    expected = "its fields at the top level: { query: string, limit?: integer }"
    assert told(NEEDS, {key: wrapped}) == [(key, "extra_level", expected)]
    assert message(NEEDS, {key: wrapped}) == (
        f'The arguments of "find" do not match its input schema: "{key}" is one level too many, expected {expected}.'
    )


def test_what_else_is_wrong_with_fields_too_deep_is_told_at_once() -> None:
    assert told(NEEDS, {"address": "a.b", "args": {"query": "a", "limit": "5"}})[1:] == [
        ("limit", "wrong_type", "integer, without quotes")
    ]


def test_fields_put_one_level_too_high_belong_inside_the_missing_one() -> None:
    schema: JsonObject = {"type": "object", "properties": {"input": NEEDS}, "required": ["input"]}
    assert told(schema, {"query": "a"}) == [("input", "missing_key", "{ query: string, limit?: integer }")]
    assert message(schema, {"query": "a"}).endswith("(put query inside it).")


def test_a_tool_s_own_field_beside_an_open_args_is_sent_inside_it() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"address": {"type": "string"}, "args": {"type": "object"}},
        "additionalProperties": False,
    }
    assert message(schema, {"address": "a", "colour": "red"}).endswith(
        '"colour" is not a field, expected one of address, args (a field of the called tool goes inside "args").'
    )
    assert told(schema, {"address": "a", "arguments": {}}) == [("arguments", "unknown_key", "args")]


PET: JsonObject = {
    "properties": {"pet": {"$ref": "#/$defs/pet"}},
    "$defs": {
        "pet": {"oneOf": [{"$ref": "#/$defs/cat"}, {"$ref": "#/$defs/dog"}]},
        "cat": {
            "type": "object",
            "properties": {"kind": {"const": "cat"}, "lives": {"type": "integer"}},
            "required": ["kind", "lives"],
        },
        "dog": {"type": "object", "properties": {"kind": {"const": "dog"}, "tricks": {"type": "array"}}},
    },
}


@pytest.mark.parametrize(
    ("pet", "finding"),
    [
        ({"kind": "cat", "lives": "9"}, ("pet.lives", "wrong_type", "integer, without quotes")),
        ({"kind": "cat"}, ("pet.lives", "missing_key", "integer")),
        ({"kind": "Dog"}, ("pet.kind", "enum", '"dog" | "cat"')),
        ("cat", ("pet", "wrong_type", "object")),
    ],
)
def test_of_a_union_the_member_that_was_meant_is_explained(pet: Json, finding: tuple[str, str, str]) -> None:
    assert told(PET, {"pet": pet}) == [finding]


@pytest.mark.parametrize(
    ("schema", "args", "finding"),
    [
        (
            {"anyOf": [{"required": ["id"]}, {"required": ["name"]}], "properties": {"id": {}, "name": {}}},
            {"x": 1},
            ("", "missing_key", "one of id, name"),
        ),
        (
            {"oneOf": [{"required": ["id"]}, {"required": ["name"]}]},
            {"id": 1, "name": 2},
            (
                "",
                "oneOf",
                "exactly one of the alternatives { id: unknown } | { name: unknown }",
            ),
        ),
        (
            {
                "allOf": [{"$ref": "#/$defs/base"}],
                "$defs": {"base": {"required": ["id"]}},
                "properties": {"id": {"type": "integer"}},
            },
            {},
            ("id", "missing_key", "integer"),
        ),
        (
            {
                "allOf": [{"properties": {"id": {"type": "integer"}}}],
                "unevaluatedProperties": False,
            },
            {"Id": 1},
            ("Id", "unknown_key", "id"),
        ),
        (
            {"properties": {"a": {}, "b": {"type": "string"}}, "dependentRequired": {"a": ["b"]}},
            {"a": 1},
            ("b", "missing_key", "string"),
        ),
        (
            {"properties": {"b": {"type": "string"}}, "dependentSchemas": {"a": {"required": ["b"]}}},
            {"a": 1},
            ("b", "missing_key", "string"),
        ),
        (
            {
                "$schema": "http://json-schema.org/draft-07/schema#",
                "properties": {"b": {"type": "string"}},
                "dependencies": {"a": ["b"]},
            },
            {"a": 1},
            ("b", "missing_key", "string"),
        ),
        (
            {
                "properties": {"rows": {"type": "array", "items": {"type": "array", "items": {"$ref": "#/$defs/n"}}}},
                "$defs": {"n": {"type": "integer"}},
            },
            {"rows": [[1], [2, "3"]]},
            ("rows[1][1]", "wrong_type", "integer, without quotes"),
        ),
        ({"properties": {"a": False}}, {"a": 1}, ("a", "falseSchema", "left out")),
        ({"properties": {"a": {"not": {"type": "string"}}}}, {"a": "x"}, ("a", "not", "anything but string")),
        (
            {"properties": {"a": {"contains": {"const": 1}}}},
            {"a": [2]},
            ("a", "contains", "a list with an item that is 1"),
        ),
        (
            {"propertyNames": {"pattern": "^x"}},
            {"a": 1},
            ("", "propertyNames", "keys that are unknown"),
        ),
        (
            {
                "if": {"properties": {"a": {"const": 1}}},
                "then": {"required": ["b"]},
                "properties": {"b": {"type": "string"}},
            },
            {"a": 1},
            ("b", "missing_key", "string"),
        ),
    ],
)
def test_findings_reach_through_what_schemas_are_composed_of(
    schema: Json, args: JsonObject, finding: tuple[str, str, str]
) -> None:
    assert told(schema, args) == [finding]


def test_of_many_allowed_values_the_nearest_is_listed_first_and_the_rest_counted() -> None:
    schema: JsonObject = {"properties": {"country": {"enum": [f"country-{n}" for n in range(900)]}}}
    ((_, _, expected),) = told(schema, {"country": "Country_77"})
    assert str(expected).startswith('"country-77" | "country-0" | ')
    assert str(expected).endswith(" | 888 more")
    assert size(str(expected)) <= 256


def test_of_more_values_than_can_be_explained_the_first_are_and_else_the_schema_is_shown() -> None:
    schema: JsonObject = {"properties": {"a": {"type": "array", "items": {"type": "string"}, "maxItems": 9}}}
    assert told(schema, {"a": MANY})[0] == ("a[0]", "wrong_type", "string, in quotes")
    many: list[Json] = ["b"] * 200_000
    assert told(schema, {"a": many}) == [("", "mismatch", "{ a?: string[] /* items ..9 */ }")]


MANY: list[Json] = [1] * 200_000


def doubling(levels: int) -> JsonObject:
    """References that double one another: ``2 ** levels`` subschemas written in a few lines."""
    defs: JsonObject = {
        f"a{n}": {"anyOf": [{"$ref": f"#/$defs/a{n + 1}"}, {"$ref": f"#/$defs/a{n + 1}"}]} for n in range(levels)
    }
    return {"$ref": "#/$defs/a0", "$defs": {**defs, f"a{levels}": {"type": "string"}}}


def nested(levels: int, inner: Json = "leaf") -> JsonObject:
    value: JsonObject = {"a": inner}
    for _ in range(levels):
        value = {"a": value}
    return value


BRANCHING: JsonObject = {
    "anyOf": [
        {"type": "object", "properties": {"a": {"$ref": "#"}}},
        {"type": "object", "properties": {"a": {"$ref": "#"}}},
    ]
}


COSTLY: list[tuple[JsonObject, JsonObject]] = [
    ({"properties": {"a": {"items": {"type": "string"}}}}, {"a": MANY}),
    ({"properties": {"a": {"items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}}, {"a": MANY}),
    ({"additionalProperties": {"type": "string"}}, dict.fromkeys((f"k{n}" for n in range(100_000)), 1)),
    ({"additionalProperties": False}, dict.fromkeys((f"k{n}" for n in range(100_000)), 1)),
    ({"additionalProperties": False, "properties": {"a" * 60: {}}}, {"a" * 50_000: 1}),
    ({"required": list[Json](f"k{n}" for n in range(5_000))}, dict.fromkeys((f"j{n}" for n in range(5_000)), 1)),
    ({"properties": {"x" * n: {} for n in range(900)}, "additionalProperties": False}, {"y" * 64: 1, "x" * 63: 1}),
    ({"properties": {"a": {"items": {"pattern": "^(a+)+$(?=x)"}}}}, {"a": list[Json](["a" * 60 + "!"]) * 2_000}),
    ({"properties": {"a": {"enum": list[Json](["b" * 60]) * 50_000}}}, {"a": "c" * 60}),
    (doubling(14), {"a": 1}),
    (BRANCHING, nested(90)),
    ({"$defs": {"u": BRANCHING}, "properties": {"a": BRANCHING}}, nested(90)),
    (NEEDS, {"args": '{"query": ' + "[" * 60_000}),
    (NEEDS, {"args": '{"query": "\\ud800", "limit": "5"}'}),
    ({"allOf": list[Json]([{"minProperties": 9}]) * 4_000}, {"a": "b" * 1_000_000}),
]


STEPS = 20_000_000
"""More than twice what the costliest takes; a quadratic one of these sizes takes a hundred times as many."""


@pytest.mark.parametrize(("schema", "args"), COSTLY)
def test_wrong_arguments_cost_little_whatever_they_and_the_schema_are(schema: Json, args: JsonObject) -> None:
    """Cost is counted in calls and returns, which are the same on every machine."""
    steps = 0

    def count(*_: object) -> None:
        nonlocal steps
        steps += 1

    sys.setprofile(count)
    try:
        failure = argument_failure(schema, args, "find")
    finally:
        sys.setprofile(None)
    assert steps < STEPS
    assert failure is not None
    assert size(compact(failure.envelope())) < 4_096


KEYS = st.sampled_from(["query", "limit", "args", "filter", "Query", "\ud800", "\x00", "a.b"]) | st.text(max_size=8)
ATOMS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES: st.SearchStrategy[Json] = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=8
)


@settings(max_examples=150)
@given(args=st.dictionaries(KEYS, VALUES, max_size=5), schema=st.sampled_from([ORDER, NEEDS, PET, BRANCHING]))
def test_any_arguments_are_judged_without_an_exception_and_within_bounds(args: JsonObject, schema: Json) -> None:
    failure = argument_failure(schema, args, "find")
    if failure is not None:
        assert failure.code == "invalid_args"
        found = failure.details["findings"]
        assert isinstance(found, list)
        assert 1 <= len(found) <= 3
        assert size(compact(failure.envelope())) < 4_096


WORDS = st.sampled_from(
    ["type", "properties", "items", "anyOf", "oneOf", "allOf", "$ref", "required", "enum", "const", "not", "if", "then"]
)
LEAVES = st.sampled_from(["string", "integer", "object", "#", "#/$defs/a", "query", True, False, None, 1])
SCHEMAS: st.SearchStrategy[Json] = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS | KEYS, inner, max_size=4), max_leaves=12
)


@settings(max_examples=300)
@given(schema=SCHEMAS, args=st.dictionaries(KEYS, VALUES, max_size=3))
def test_no_schema_makes_the_judgement_fail(schema: Json, args: JsonObject) -> None:
    failure = argument_failure(schema, args, "find")
    assert failure is None or failure.code == "invalid_args"


def test_the_values_of_an_enum_are_named_to_whoever_sent_another_type() -> None:
    """E8."""
    schema: Json = {"properties": {"form": {"type": "string", "enum": ["a", "b"]}}}
    assert told(schema, {"form": True}) == [("form", "wrong_type", '"a" | "b"')]
