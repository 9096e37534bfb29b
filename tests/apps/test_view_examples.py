"""The two views the ``views`` guide shows, in a host: they keep the guide's own advice, and do what they promise."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from connecta.tools.examples import CHART, TABLE
from connecta.tools.usage import views
from tests.apps.driver import NONE, Driver, Live, Report, Scenario, Until, Update
from tests.fixtures.hostile_shop import ESCAPES
from tests.fixtures.local_server import running_local_server
from tests.fixtures.node import NodeProject

BAR = {"light": "47 107 196", "dark": "130 177 255"}


@pytest.fixture(scope="module")
def hostile_endpoint(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_local_server(tmp_path_factory.mktemp("hostile"), "tests.fixtures.hostile_shop:deployment") as server:
        yield server.url


def table(url: str) -> Scenario:
    return Scenario(until=Until(text="Open orders"), live=Live(url, {"code": TABLE}), max_height=500)


def chart(url: str) -> Scenario:
    shown = Until(text="Revenue by month")
    return Scenario(until=shown, live=Live(url, {"code": CHART}), max_height=500, painted=True)


def cells(report: Report, column: int) -> list[str]:
    """The texts of one column of the table, below its head."""
    lines = [line.split("\t") for line in report.payload.text.splitlines() if "\t" in line]
    return [line[column].strip() for line in lines[1:]]


def check_at_home(report: Report, width: int) -> None:
    assert report.complaints == NONE
    assert (report.payload.width, report.payload.beyond) == (width, 0)
    assert report.height == report.payload.height == report.payload.content < 500


@pytest.mark.parametrize("example", [TABLE, CHART])
def test_an_example_keeps_the_advice_of_its_guide(example: str) -> None:
    assert not re.search(r"\son\w+=", example)
    assert not re.search(r"background: (?!none)", example)
    assert not re.search(r"https?:", example)
    assert example.count("connecta.ui(") == example.count("  return {") == 1


def test_the_theme_variables_that_are_named_are_those_hosts_have(node_project: NodeProject) -> None:
    """The names of MCP Apps 2026-01-26, as the official package types them."""
    types = node_project.folder / "node_modules/@modelcontextprotocol/ext-apps/dist/src/spec.types.d.ts"
    known = set(re.findall(r'"(--[a-z-]+)"', types.read_text()))
    named = set(re.findall(r"--color-[a-z-]+", views()))
    kinds = {f"--color-text-{kind}" for kind in ("success", "warning", "danger")}
    assert {"--color-text-info", "--color-text-secondary"} <= named
    assert named | kinds <= known


@pytest.mark.parametrize("width", [360, 720, 1200])
def test_an_example_fits_any_width_below_the_height_hosts_give(host: Driver, shop_endpoint: str, width: int) -> None:
    for scenario in (table(shop_endpoint), chart(shop_endpoint)):
        check_at_home(host.play(replace(scenario, width=width)), width)


def test_the_table_is_sorted_by_the_heads_that_are_pressed(host: Driver, shop_endpoint: str) -> None:
    """By number where there are numbers, and the other way round when pressed again."""
    as_placed = host.play(table(shop_endpoint))
    rows = list(zip(cells(as_placed, 0), cells(as_placed, 1), map(float, cells(as_placed, 3)), strict=True))
    by_total, by_name = sorted(rows, key=lambda row: row[2]), sorted(rows, key=lambda row: row[1])
    assert by_total != rows != by_name
    once, again = pressing("Total", by_total[0][0]), pressing("Total", by_total[-1][0])
    rising = host.play(replace(table(shop_endpoint), updates=[once]))
    falling = host.play(replace(table(shop_endpoint), updates=[once, again]))
    named = host.play(replace(table(shop_endpoint), updates=[once, again, pressing("Customer", by_name[0][0])]))
    assert [rising.complaints, falling.complaints, named.complaints] == [NONE, NONE, NONE]
    assert cells(rising, 0) == [row[0] for row in by_total]
    assert cells(falling, 0) == [row[0] for row in reversed(by_total)]
    assert cells(named, 1) == [row[1] for row in by_name]


def pressing(head: str, first: str) -> Update:
    """A press of a head's button, until the order ``first`` is the first row."""
    return Update(None, Until(text=f"\tWhy\n{first}\t"), press=head, place="payload")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_bars_of_the_chart_are_seen_in_either_theme(host: Driver, shop_endpoint: str, theme: str) -> None:
    report = host.play(replace(chart(shop_endpoint), theme=theme, browser_scheme=theme))
    assert report.complaints == NONE
    ground = {"light": "255 255 255", "dark": "31 30 29"}[theme]
    assert next(iter(report.paint)) == ground
    assert report.paint[BAR[theme]] > 5_000


def test_the_chart_follows_a_theme_that_changes_and_takes_the_hosts_own_colour(
    host: Driver, shop_endpoint: str
) -> None:
    dark = Update({"theme": "dark"}, Until(color_scheme="dark"))
    changed = host.play(replace(chart(shop_endpoint), updates=[dark]))
    styles = {"variables": {"--color-text-info": "rgb(10, 120, 60)"}}
    own = host.play(replace(chart(shop_endpoint), context={"styles": styles}))
    assert [changed.complaints, own.complaints] == [NONE, NONE]
    assert changed.paint[BAR["dark"]] > 5_000
    assert own.paint["10 120 60"] > 5_000


def test_what_a_downstream_says_is_shown_and_never_becomes_markup(host: Driver, hostile_endpoint: str) -> None:
    shown, drawn = host.play(table(hostile_endpoint)), host.play(chart(hostile_endpoint))
    assert [shown.complaints, drawn.complaints] == [NONE, NONE]
    assert (cells(shown, 0), cells(shown, 1)) == ([ESCAPES], [ESCAPES])
    assert shown.payload.text.startswith("Open orders")
    assert drawn.payload.text.startswith("Revenue by month")
    assert drawn.payload.text.count(ESCAPES) == 1
