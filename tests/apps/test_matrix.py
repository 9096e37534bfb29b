"""The shell in hosts of many kinds: combinations in which any two of the matrix's values come together once.

``make matrix`` plays every cell there is.
"""

import re

import pytest

from tests.apps.covering import Combination, every, pairs, pairwise
from tests.apps.driver import Driver
from tests.apps.matrix import EVERY, FACTORS, LINES, PAIRWISE, PAYLOADS, Served, check_cell, served, without_apps
from tests.fixtures.local_server import ROOT


@pytest.fixture(scope="module")
def given(shop_endpoint: str) -> Served:
    return served(shop_endpoint)


@pytest.mark.parametrize("cell", PAIRWISE, ids=" ".join)
def test_a_view_is_seen_themed_and_sized_or_one_line_says_why_not(
    host: Driver, given: Served, cell: Combination
) -> None:
    """U3, U5, U6."""
    check_cell(host, given, cell)


def test_the_cells_cover_every_pair_of_values() -> None:
    assert len(EVERY) == len(set(EVERY)) == 324
    assert set(PAIRWISE) <= set(EVERY)
    assert {pair for cell in PAIRWISE for pair in pairs(cell)} == {pair for cell in EVERY for pair in pairs(cell)}
    assert pairwise(FACTORS) == PAIRWISE


def test_two_factors_are_covered_by_nothing_less_than_every_combination() -> None:
    two = {"a": ("1", "2", "3"), "b": ("x", "y")}
    assert sorted(pairwise(two)) == sorted(every(two))


def test_each_line_that_stands_in_the_place_of_a_view_is_documented() -> None:
    page = (ROOT / "docs" / "views.md").read_text()
    assert [line for line in LINES.values() if f'"{line}"' not in page] == []


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_client_without_apps_is_answered_by_the_envelope_alone(shop_endpoint: str, payload: str) -> None:
    """U10, U12."""
    envelope = without_apps(shop_endpoint, payload)
    view = envelope.pop("view")
    assert re.fullmatch(r"v_[\w-]{22}", view)
    assert envelope == {"result": {"open": 3}, "ui": True}
