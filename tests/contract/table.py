"""Every case of the contract."""

from importlib import import_module
from pathlib import Path
from typing import Final

from tests.contract.case import Case


def _cases() -> tuple[Case, ...]:
    modules = sorted(path.stem for path in Path(__file__).parent.glob("cases_*.py"))
    found: list[Case] = []
    for module in modules:
        found.extend(import_module(f"tests.contract.{module}").CASES)
    return tuple(found)


CASES: Final = _cases()
