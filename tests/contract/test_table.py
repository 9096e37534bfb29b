"""The table keeps its own promises: no clause unproven, no proof that is not there, and a page that says so."""

import ast
from collections import Counter

from tests.contract.clauses import CLAUSES
from tests.contract.elsewhere import ELSEWHERE
from tests.contract.table import CASES
from tests.fixtures.sam import ROOT
from tools.guest_api import PAGE, render


def test_every_clause_has_a_proof() -> None:
    proven = {clause for case in CASES for clause in case.clauses} | set(ELSEWHERE)
    assert [clause for clause in CLAUSES if clause not in proven] == []


def test_every_clause_that_a_proof_names_exists() -> None:
    named = {clause for case in CASES for clause in case.clauses} | set(ELSEWHERE)
    assert named - set(CLAUSES) == set()
    assert [case.name for case in CASES if not case.clauses] == []


def test_every_test_that_proves_a_clause_elsewhere_exists() -> None:
    proofs = {proof.test for proofs in ELSEWHERE.values() for proof in proofs}
    assert [test for test in sorted(proofs) if not _exists(test)] == []


def test_no_two_cases_have_one_name() -> None:
    assert [name for name, count in Counter(case.name for case in CASES).items() if count > 1] == []


def test_the_page_is_what_the_table_says() -> None:
    """``make docs`` writes it again."""
    assert PAGE.read_text() == render()


def _exists(test: str) -> bool:
    file, _, function = test.partition("::")
    path = ROOT / file
    if not path.is_file():
        return False
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return any(isinstance(node, functions) and node.name == function for node in ast.parse(path.read_text()).body)
