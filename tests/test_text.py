"""JSON at its bounds."""

import pytest

from connecta.text import Json, deeper_than

CASES: list[tuple[Json, int]] = [
    (1, 0),
    ("[[[]]]", 0),
    ([], 1),
    ({}, 1),
    ([1, "two", None], 1),
    ({"a": 1}, 1),
    ([[]], 2),
    ({"a": []}, 2),
    ({"a": [1], "b": 2}, 2),
    ([1, [2, {"a": [[]]}], 3], 5),
]


@pytest.mark.parametrize(("value", "levels"), CASES)
def test_every_list_and_object_is_a_level_an_empty_one_too(value: Json, levels: int) -> None:
    assert [deeper_than(value, depth) for depth in range(7)] == [depth < levels for depth in range(7)]


def test_depth_is_told_of_what_python_could_not_walk() -> None:
    value: Json = []
    for _ in range(100_000):
        value = [value]
    assert deeper_than(value, 100_000)
    assert not deeper_than(value, 100_001)
    while isinstance(value, list) and value:
        value = value.pop()
