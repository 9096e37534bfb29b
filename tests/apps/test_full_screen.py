"""The full screen: offered where the host offers it, filled, scrolled inside, and left as it was entered."""

from typing import Any

import pytest

from connecta.views.shell import SHELL_HTML
from tests.apps.driver import NONE, Driver, Scenario, Until, Update
from tests.apps.payloads import payload

ASKED = {"name": "ui/request-display-mode", "params": {"mode": "fullscreen"}}
BOTH = ("inline", "fullscreen")
SCREEN = 900
ENTER = Update(None, Until(height=SCREEN), press="Full screen")
LONG = payload('<p>shown</p><div style="height:3000px"></div>')


def scenario(result: dict[str, Any], **given: Any) -> Scenario:
    return Scenario(until=Until(text="shown"), shell=SHELL_HTML, result=result, **given)


def test_a_host_without_a_full_screen_is_not_asked_for_one(host: Driver) -> None:
    report = host.play(scenario(LONG, max_height=500))
    assert (report.view.text.strip(), report.payload.height, report.complaints) == ("", 500, NONE)


def test_the_offer_stands_beside_the_view_and_not_on_it(host: Driver) -> None:
    report = host.play(scenario(LONG, max_height=500, display_modes=BOTH))
    assert (report.view.text.strip(), report.height, report.complaints) == ("Full screen", 500, NONE)
    assert report.payload.height == 476


def test_nothing_is_offered_where_no_view_stands(host: Driver) -> None:
    without: dict[str, Any] = {"content": [{"type": "text", "text": '{"result":1}'}]}
    report = host.play(Scenario(until=Until(height=1), shell=SHELL_HTML, result=without, display_modes=BOTH))
    assert (report.view.text.strip(), report.height, report.complaints) == ("", 1, NONE)


def test_a_view_fills_the_full_screen_and_scrolls_inside(host: Driver) -> None:
    report = host.play(scenario(LONG, max_height=500, display_modes=BOTH, updates=[ENTER]))
    assert report.complaints == NONE
    assert report.executed == [ASKED]
    assert (report.view.text.strip(), report.view.content) == ("", SCREEN)
    assert report.payload.height == SCREEN < report.payload.content


@pytest.mark.parametrize("style", ["", "<style>body { min-height: 100vh }</style>"])
def test_a_short_view_fills_the_full_screen_and_is_short_again_after_it(host: Driver, style: str) -> None:
    short = payload(f"{style}<p>shown</p>")
    before = host.play(scenario(short, display_modes=BOTH))
    leave = Update({"displayMode": "inline"}, Until("view", text="Full screen"))
    report = host.play(scenario(short, display_modes=BOTH, updates=[ENTER, leave]))
    assert report.complaints == NONE
    assert SCREEN in report.sizes
    assert before.height < 300
    assert report.height < 300


def test_an_offer_that_the_host_takes_back_is_gone(host: Driver) -> None:
    asks = Update({"availableDisplayModes": ["inline"]}, Until(text="shown"))
    report = host.play(scenario(LONG, max_height=500, display_modes=BOTH, updates=[asks]))
    assert (report.view.text.strip(), report.payload.height, report.complaints) == ("", 500, NONE)
