"""Every cell of the matrix, which takes minutes: played by ``make matrix`` and not by ``make test``."""

import pytest

from tests.apps.covering import Combination
from tests.apps.driver import Driver
from tests.apps.matrix import EVERY, Served, check_cell, served


@pytest.fixture(scope="module")
def given(shop_endpoint: str) -> Served:
    return served(shop_endpoint)


@pytest.mark.parametrize("cell", EVERY, ids=" ".join)
def test_a_view_is_seen_themed_and_sized_or_one_line_says_why_not(
    host: Driver, given: Served, cell: Combination
) -> None:
    """U3, U5, U6."""
    check_cell(host, given, cell)
