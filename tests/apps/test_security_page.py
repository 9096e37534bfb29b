"""What the page on security says was tried is what the tests try."""

import re
from pathlib import Path

from tests.apps.odd import ODD
from tests.apps.test_leaks import SILENT
from tests.apps.vectors import DEPARTURES, FORGERIES, LEAVING, MARKUP, METHODS, SCRIPTS, WAYS_OUT

PAGE = Path(__file__).parents[2] / "docs" / "security.md"


def cells(heading: str) -> list[tuple[str, ...]]:
    """The rows of the table whose first column has this heading."""
    _, _, after = PAGE.read_text().partition(f"| {heading} |")
    lines = after.split("\n\n")[0].splitlines()[2:]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]


def test_the_page_states_how_much_is_tried() -> None:
    assert [(tried, int(count)) for tried, count, _ in cells("tried")] == [
        ("ways out in markup", len(MARKUP)),
        ("ways out in a script", len(SCRIPTS)),
        ("pages put in the view's place", len(LEAVING)),
        ("speaking as someone else", len(FORGERIES)),
        ("leaving in silence", len(DEPARTURES)),
        ("odd HTML", len(ODD)),
    ]


def test_the_page_states_what_comes_of_it() -> None:
    became = {tried: became for tried, _, became in cells("tried")}
    assert f"{len(SILENT)} of them open a connection" in became["ways out in a script"]
    assert f"{len(METHODS)} methods" in became["speaking as someone else"]


def test_the_page_names_each_way_out_that_is_proven_by_nothing() -> None:
    unproven = [(vector.name, vector.unproven) for vector in WAYS_OUT if vector.unproven]
    assert cells("way out") == unproven
    stated = re.search(r"These\s+(\d+) are silent there as well", PAGE.read_text())
    assert stated is not None
    assert int(stated[1]) == len(unproven)


def test_no_two_ways_out_have_one_name() -> None:
    names = [vector.name for vector in [*WAYS_OUT, *FORGERIES]]
    assert len(set(names)) == len(names)
