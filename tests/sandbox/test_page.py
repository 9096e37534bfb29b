"""docs/sandbox.md says what the code does."""

import re
from dataclasses import fields
from pathlib import Path

from connecta.limits import LIMITS
from connecta.sandbox.hardening import EXPECTED, REQUIRED
from tests.fixtures.layer import layer_module

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "sandbox.md").read_text()


def rows(heading: str) -> list[list[str]]:
    """The cells of the table under ``heading``."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line] for line in lines[2:]]


def test_the_page_lists_every_step_and_whether_programs_run_without_it() -> None:
    stated = {step.strip("`"): without for step, _, without in rows("The walls")}
    assert set(stated) == {*REQUIRED, *EXPECTED}
    assert {step for step, without in stated.items() if without == "no program runs"} == set(REQUIRED)


def test_the_page_names_exactly_the_system_calls_the_filter_leaves() -> None:
    stated = PAGE.partition("The filter leaves ")[2].partition(", and bounds")[0]
    assert re.findall(r"`(\w+)`", stated) == list(layer_module("hardening").RULES)


def test_the_page_states_the_defaults_of_the_limits_it_names() -> None:
    names = {field.name for field in fields(LIMITS)}
    written: dict[str, str] = {}
    for _, default, limits, _ in rows("The bounds"):
        written |= dict.fromkeys(re.findall(r"`(\w+)`", limits), default)
    assert set(written) <= names
    for name, default in written.items():
        assert any(re.search(rf"(?<![\d,]){unit}(?!\d|,\d)", default) for unit in written_as(getattr(LIMITS, name))), (
            name
        )


def written_as(value: float) -> list[str]:
    """The forms in which a number may stand on the page."""
    whole = int(value)
    return [f"{whole:,}", *([f"{whole >> 10} KiB", f"{whole >> 20} MiB"] if whole >= 2**18 else [])]
