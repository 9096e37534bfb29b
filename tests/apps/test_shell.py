"""The shell in a real host: what it shows, how it looks, and what it says when there is nothing to show."""

from dataclasses import replace
from typing import Any

import pytest

from connecta.views.shell import SHELL_HTML
from tests.apps.driver import NONE, Driver, Report, Scenario, Until, Update
from tests.apps.payloads import SHOWN, VIEW, payload, trying

PLAIN = payload("<h1>Plain</h1><p>no script at all</p>")


def scenario(result: dict[str, Any] | None = None, until: Until | None = None, **given: Any) -> Scenario:
    return Scenario(until=until or Until(text=SHOWN), shell=SHELL_HTML, result=result, **given)


def check_line(report: Report, line: str) -> None:
    """The view says ``line`` and nothing else, and its frame is as tall as that takes."""
    assert report.complaints == NONE
    assert (report.view.text.strip(), "payload" in report.frames) == (line, False)
    assert 15 <= report.view.content <= report.height <= 60


def test_a_payload_with_a_script_runs_and_shows(host: Driver) -> None:
    """U6: it runs in an origin of its own, and a ``data:`` image is allowed."""
    image = (
        '<img id="i" alt="" src="data:image/svg+xml,%3Csvg xmlns=\'http://www.w3.org/2000/svg\' width=\'40\' '
        "height='40'/%3E\">"
    )
    report = host.play(
        scenario(trying('await i.decode(); log("image", i.naturalWidth); log("origin", origin);', image))
    )
    assert report.complaints == NONE
    assert report.payload.text.splitlines() == [SHOWN, "image: 40", "origin: null"]


def test_a_payload_without_a_script_shows_at_its_height(host: Driver) -> None:
    """U6."""
    report = host.play(scenario(PLAIN, Until(text="Plain")))
    assert report.complaints == NONE
    assert report.payload.height == report.payload.content == report.height


def test_the_shell_says_it_is_there_once_and_asks_the_host_for_nothing_else(host: Driver) -> None:
    """U6: only its greeting may be repeated, until it is answered."""
    report = host.play(scenario(PLAIN, Until(text="Plain")))
    told = [message for message in report.messages if message != "ui/notifications/size-changed"]
    first, last = "ui/notifications/sandbox-proxy-ready", "ui/notifications/initialized"
    assert (list(dict.fromkeys(told)), told.count(last)) == ([first, "ui/initialize", last], 1)
    assert (report.executed, report.teardown) == ([], {})


def test_a_cancelled_call_says_so_in_one_line(host: Driver) -> None:
    report = host.play(scenario(until=Until("view", text="cancelled"), cancelled="the person stopped it"))
    check_line(report, "The call was cancelled.")


def test_a_view_shows_that_it_waits_before_anything_has_come(host: Driver) -> None:
    report = host.play(scenario(until=Until("view", height=70)))
    assert report.complaints == NONE
    assert (report.view.text.strip(), "payload" in report.frames) == ("", False)


def test_a_stripped_view_that_is_no_longer_kept_says_so_in_one_line(host: Driver) -> None:
    """U3."""
    unknown = {"content": [{"type": "text", "text": "unknown result"}], "isError": True}
    report = host.play(
        scenario(PLAIN, Until("view", text="could not be loaded"), strips=True, tool_results={"get_result": unknown})
    )
    check_line(report, "The view could not be loaded. The answer says the same in words.")
    assert report.executed == [{"name": "tools/call", "params": {"name": "get_result", "arguments": {"id": VIEW}}}]


def test_a_stripped_view_in_a_host_without_tools_for_views_says_so_in_one_line(host: Driver) -> None:
    """U3."""
    report = host.play(scenario(PLAIN, Until("view", text="could not be loaded"), strips=True))
    check_line(report, "The view could not be loaded. The answer says the same in words.")
    assert report.executed == []


@pytest.mark.parametrize(("theme", "browser"), [("dark", "light"), ("light", "dark")])
def test_the_hosts_theme_reaches_the_payload_whatever_the_browser_prefers(
    host: Driver, theme: str, browser: str
) -> None:
    colours = {"light": "rgb(20, 20, 19)", "dark": "rgb(250, 249, 245)"}
    tried = trying('log("text", getComputedStyle(document.body).color);')
    report = host.play(scenario(tried, theme=theme, browser_scheme=browser))
    assert report.complaints == NONE
    assert (report.view.colorScheme, report.payload.colorScheme) == (theme, theme)
    assert report.payload.text.splitlines() == [SHOWN, f"text: {colours[theme]}"]


def test_a_theme_that_changes_changes_the_payload(host: Driver) -> None:
    shown = scenario(PLAIN, Until(text="Plain"))
    report = host.play(replace(shown, updates=[Update({"theme": "dark"}, Until(color_scheme="dark"))]))
    assert report.complaints == NONE
    assert (report.view.colorScheme, report.payload.colorScheme) == ("dark", "dark")
    assert report.payload.height == report.payload.content == report.height


def test_a_payload_as_tall_as_its_frame_does_not_grow_for_ever(host: Driver) -> None:
    tall = payload("<style>body{min-height:100vh;padding:20px}</style><h1>Tall</h1>")
    report = host.play(scenario(tall, Until(text="Tall")))
    assert report.complaints == NONE
    assert report.height < 1000
    assert len(report.sizes) <= 60
    assert 0 not in report.sizes


def test_a_payload_taller_than_the_host_allows_scrolls_in_its_frame(host: Driver) -> None:
    report = host.play(
        scenario(payload('<h1>Tall</h1><div style="height:3000px">'), Until(text="Tall"), max_height=500)
    )
    assert report.complaints == NONE
    assert (report.height, report.payload.height) == (500, 500)
    assert report.payload.content > 3000
