"""HTML as programs write it, and as they should not: shown as a browser shows it alone, or refused in words (U1, U4).

The same HTML stands in a bare frame of the same width, with only the style that every view starts from. What a person
reads has to be the same there and here, and the room it takes.
"""

from typing import Any

import pytest

from connecta.failures import Failure
from connecta.limits import Limits
from connecta.local.preview.policies import VIEWS
from connecta.program.output import Output
from connecta.views.program_ui_v2.page import BASE_STYLE
from connecta.views.shell import SHELL_HTML
from tests.apps.driver import Driver, Plain, Scenario, Until
from tests.apps.odd import ODD
from tests.apps.payloads import payload

END = "the end"
NEAR_PX = 8


def bare(html: str) -> str:
    return f"<!doctype html><meta charset='utf-8'><style>{BASE_STYLE}</style>{html}"


@pytest.mark.parametrize("odd", ODD)
def test_it_is_shown_as_a_browser_shows_it_alone(host: Driver, odd: str) -> None:
    html = ODD[odd]
    policy = VIEWS[sorted(VIEWS)[len(odd) % len(VIEWS)]]
    alone = host.look(Plain("<!doctype html><body style='margin: 0'>", until=END, framed=bare(html)))
    result = payload(html)
    shown = host.play(Scenario(Until(text=END), shell=SHELL_HTML, result=result, policy=policy, max_height=4000))
    assert shown.payload.text == alone.text
    assert abs(min(alone.height, 4000) - shown.height) <= NEAR_PX
    assert (shown.complaints.page, shown.complaints.requests, shown.executed) == ([], [], [])


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["x" * 3_999_990], "4,000,001 bytes"),
        (["\ud83d" * 700_000], "4,200,011 bytes"),
        ([""], "an empty string"),
        ([["<p>"]], "an array"),
    ],
    ids=["one byte too long", "too long once it is written", "empty", "an array"],
)
def test_what_is_no_view_is_refused_in_words(given: list[Any], said: str) -> None:
    with pytest.raises(Failure, match=said):
        Output(Limits()).ui(given)
