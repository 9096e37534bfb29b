"""``fields``: dot paths with ``[]`` through arrays."""

import pytest

from connecta.text import Json
from connecta.tools.projection import project

ORDERS: Json = {
    "total": 2,
    "orders": [{"id": "o1", "customer": {"name": "Ada"}}, {"id": "o2", "customer": {}}],
}


@pytest.mark.parametrize(
    ("value", "fields", "expected"),
    [
        (ORDERS, ["total"], {"total": 2}),
        (ORDERS, ["orders[].id"], {"orders[].id": ["o1", "o2"]}),
        (ORDERS, ["total", "orders[].id"], {"total": 2, "orders[].id": ["o1", "o2"]}),
        ([[{"a": 1}], [{"a": 2}]], ["[][].a"], {"[][].a": [[1], [2]]}),
        ({"rows": []}, ["rows[].id"], {"rows[].id": []}),
        ({"a": None}, ["a"], {"a": None}),
    ],
)
def test_paths_that_all_resolve_give_just_their_values(value: Json, fields: list[str], expected: Json) -> None:
    assert project(value, fields) == expected


def test_a_path_missing_in_some_elements_keeps_null_in_the_gaps_and_is_named() -> None:
    assert project(ORDERS, ["orders[].customer.name"]) == {
        "data": {"orders[].customer.name": ["Ada", None]},
        "$connecta": {
            "type": "field_projection",
            "unmatchedFields": [],
            "partialFields": ["orders[].customer.name"],
        },
    }


def test_a_missing_array_step_is_hinted_and_the_available_paths_are_listed() -> None:
    assert project(ORDERS, ["orders.id"]) == {
        "data": {},
        "$connecta": {
            "type": "field_projection",
            "unmatchedFields": ["orders.id"],
            "hint": "Go through the array with []: orders[].id",
            "availableFields": ["total", "orders", "orders[].id", "orders[].customer"],
        },
    }


@pytest.mark.parametrize("garbage", ["", ".", "a..b", "[", "a[0]", "a]b", "]["])
def test_a_path_of_no_known_form_is_named_as_invalid_and_loses_nothing_else(garbage: str) -> None:
    assert project({"a": 1}, [garbage, "a"]) == {
        "data": {"a": 1},
        "$connecta": {
            "type": "field_projection",
            "unmatchedFields": [],
            "invalidFields": [garbage],
            "availableFields": ["a"],
        },
    }


def test_a_huge_path_is_echoed_clamped() -> None:
    projected = project({"a": 1}, ["x" * 50_000])
    assert isinstance(projected, dict)
    report = projected["$connecta"]
    assert isinstance(report, dict)
    assert report["unmatchedFields"] == ["x" * 509 + "…"]
