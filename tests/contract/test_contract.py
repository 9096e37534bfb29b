"""Every case of the table, against both surfaces."""

from typing import Any

import pytest

from tests.contract.case import Case
from tests.contract.endpoint import Endpoint
from tests.contract.table import CASES

SURFACES = ("local", "lambda")


def _runs() -> list[Any]:
    """Surface by surface, so that the artifact's instance serves one case after the other."""
    return [
        pytest.param(
            f"{surface}_hasty" if case.hasty else surface, case, id=f"{surface} {' '.join(case.clauses)}: {case.name}"
        )
        for surface in SURFACES
        for case in CASES
        if case.serial or surface == "local"
    ]


@pytest.mark.parametrize(("endpoint", "case"), _runs(), indirect=["endpoint"])
def test_the_contract_holds(endpoint: Endpoint, case: Case) -> None:
    case.check(endpoint)
