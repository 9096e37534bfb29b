"""How much work a validation would be, known before it is done: schemas and arguments are both written by others."""

import json
from collections.abc import Callable

import pytest

from connecta.calls.arguments import argument_failure
from connecta.calls.effort import ASKED, UNROLLED, too_much_to_judge, unrolled
from connecta.text import Json, JsonObject

LEVELS = 60


def nested(levels: int) -> JsonObject:
    value: JsonObject = {"a": "leaf"}
    for _ in range(levels - 1):
        value = {"a": value}
    return value


def doubling(reference: str, define: Callable[[int], JsonObject]) -> JsonObject:
    """Definitions that double one another: ``2 ** LEVELS`` subschemas in a few lines. ``reference`` has the number of
    one in place of ``{}``."""
    keyword = "$dynamicRef" if reference.startswith("#dynamic") else "$ref"
    held: JsonObject = {f"a{LEVELS}": {**define(LEVELS), "type": "integer"}}
    for number in range(LEVELS):
        following: JsonObject = {keyword: reference.format(number + 1)}
        held[f"a{number}"] = {**define(number), "anyOf": [following, following]}
    return held


def anonymous(number: int) -> JsonObject:
    del number
    return {}


POINTER = "#/$defs/a{}"
ABSOLUTE = "https://schemas.example/root#/$defs/a{}"
INNER: JsonObject = {"$id": "https://schemas.example/inner", "$ref": "#/$defs/a0"}
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
DRAFT_4 = "http://json-schema.org/draft-04/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
BEHIND: JsonObject = {"$recursiveRef": "#"}
UNBOUNDED: list[JsonObject] = [
    {"$ref": POINTER.format(0), "$defs": doubling(POINTER, anonymous)},
    {"$ref": "#a0", "$defs": doubling("#a{}", lambda n: {"$anchor": f"a{n}"})},
    {"$dynamicRef": "#dynamic0", "$defs": doubling("#dynamic{}", lambda n: {"$dynamicAnchor": f"dynamic{n}"})},
    {"$schema": DRAFT_7, "$ref": "#a0", "definitions": doubling("#a{}", lambda n: {"$id": f"#a{n}"})},
    {"$schema": DRAFT_4, "$ref": "#a0", "definitions": doubling("#a{}", lambda n: {"id": f"#a{n}"})},
    {"$id": "https://schemas.example/root", "$ref": ABSOLUTE.format(0), "$defs": doubling(ABSOLUTE, anonymous)},
    {"$ref": INNER["$id"], "$defs": {"inner": {**INNER, "$defs": doubling(POINTER, anonymous)}}},
    {"$defs": doubling(POINTER, anonymous), "propertyNames": {"$ref": "#/$defs/a0"}},
    {"$schema": DRAFT_2019, "type": "object", "properties": {"a": {"anyOf": [BEHIND, BEHIND]}}},
]


@pytest.mark.parametrize("schema", UNBOUNDED)
def test_a_schema_that_unrolls_without_bound_is_left_to_the_downstream(schema: JsonObject) -> None:
    """By whatever references it doubles itself: a validator would not come to an end in a lifetime."""
    assert unrolled(schema) > UNROLLED
    assert argument_failure(schema, nested(LEVELS), "find") is None


@pytest.mark.parametrize(
    ("reference", "held"),
    [
        ("#here", {"$anchor": "here"}),
        ("https://schemas.example/root#/$defs/x", {}),
        ("#/$defs/x", {"id": "not a base in this dialect"}),
    ],
)
def test_arguments_are_checked_through_every_kind_of_reference_that_is_followed(
    reference: str, held: JsonObject
) -> None:
    schema: JsonObject = {
        "$id": "https://schemas.example/root",
        "properties": {"a": {"$ref": reference}},
        "$defs": {"x": {**held, "type": "object", "properties": {"city": {"type": "string"}}}},
    }
    failure = argument_failure(schema, {"a": {"city": 1}}, "find")
    assert failure is not None
    assert failure.details["findings"] == [{"path": "a.city", "code": "wrong_type", "expected": "string, in quotes"}]


def test_each_value_may_be_asked_about_every_subschema() -> None:
    """Lists and objects count, too."""
    items: list[Json] = [1] * (ASKED // 1_000 - 3)
    assert not too_much_to_judge(1_000, {"a": items})
    assert not too_much_to_judge(1_000, {"a": items, "b": {}})
    assert too_much_to_judge(1_000, {"a": items, "b": {}, "c": 1})
    assert too_much_to_judge(1_000, {"a": items, "b": {"c": 1}})


def test_many_values_by_an_entangled_schema_are_left_to_the_downstream() -> None:
    """One value is judged; of as many as a request may carry the judgement would take hours."""
    schema: JsonObject = {
        "properties": {"a": {"items": {"$ref": f"#/$defs/a{LEVELS - 16}"}}},
        "additionalProperties": False,
        "$defs": doubling(POINTER, anonymous),
    }
    many: list[Json] = ["leaf"] * 500_000
    assert argument_failure(schema, {"a": many}, "find") is None
    assert argument_failure(schema, {"a": ["leaf"]}, "find") is not None
    assert [finding_codes(schema, {"args": json.dumps({"a": values})}) for values in (["leaf"], ["leaf"] * 1_000)] == [
        ["extra_level", "mismatch"],
        ["extra_level"],
    ]


def finding_codes(schema: Json, args: JsonObject) -> list[Json]:
    failure = argument_failure(schema, args, "find")
    assert failure is not None
    found = failure.details["findings"]
    assert isinstance(found, list)
    return [one["code"] for one in found if isinstance(one, dict)]
