"""Whatever value a downstream gives and whatever paths are asked for: an answer, whole and bounded."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from connecta.text import Json
from connecta.tools.projection import project

ATOMS = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=4)
KEYS = st.sampled_from(["a", "b", "id", "", "a.b", "[]", "é", "__proto__"])
VALUES: st.SearchStrategy[Json] = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=12
)
PATHS = st.lists(
    st.lists(st.sampled_from(["a", "b", "id", "[]", ".", "é", "[0]"]), max_size=6).map("".join) | st.text(max_size=6),
    max_size=6,
)


@settings(max_examples=400)
@given(value=VALUES, fields=PATHS)
def test_every_path_is_answered_or_reported_once(value: Json, fields: list[str]) -> None:
    """A report is there exactly when some path did not resolve everywhere, and names each such path."""
    projected = project(value, fields)
    assert isinstance(projected, dict)
    report = projected.get("$connecta")
    if not isinstance(report, dict):
        assert set(projected) == set(fields)
        return
    data = projected["data"]
    assert isinstance(data, dict)
    told = [report[key] for key in ("unmatchedFields", "invalidFields") if key in report]
    missed = [path for each in told if isinstance(each, list) for path in each]
    assert len(missed) + sum(1 for path in fields if path in data) == len(fields)
    available = report.get("availableFields", [])
    assert isinstance(available, list)
    assert len(available) <= 20


@pytest.mark.parametrize("levels", [1, 128, 900])
@pytest.mark.parametrize("path", ["a", "[].a", "[]" * 128, "a.b.c", "[]" * 120 + ".a"])
def test_arrays_in_arrays_of_any_depth_cost_no_stack(levels: int, path: str) -> None:
    value = json.loads("[" * levels + '{"a":1}' + "]" * levels)
    projected = project(value, [path])
    assert isinstance(projected, dict)
    assert path in projected or projected["data"] == {}


def test_a_hint_goes_through_arrays_in_arrays() -> None:
    projected = project({"rows": [[{"id": 1}]]}, ["rows.id"])
    assert projected == {
        "data": {},
        "$connecta": {
            "type": "field_projection",
            "unmatchedFields": ["rows.id"],
            "hint": "Go through the array with []: rows[][].id",
            "availableFields": ["rows"],
        },
    }


def test_a_top_level_array_lists_its_paths_from_its_first_element() -> None:
    projected = project([[{"id": 1, "lines": [{"sku": "a"}]}]], ["id"])
    assert isinstance(projected, dict)
    report = projected["$connecta"]
    assert isinstance(report, dict)
    assert report["hint"] == "Go through the array with []: [][].id"
    assert report["availableFields"] == ["[][].id", "[][].lines", "[][].lines[].sku"]
