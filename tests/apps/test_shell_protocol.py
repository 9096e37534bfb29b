"""How the shell gets along with hosts: in which order things come, what is left of them, and what makes no sense."""

import json
from typing import Any

import pytest

from connecta.views.shell import SHELL_HTML
from tests.apps.driver import NONE, Driver, Report, Scenario, Until, Update
from tests.apps.payloads import VIEW, payload

PLAIN = payload("<p>shown</p>")
SHOWN = Until(text="shown")
FETCH = {"name": "tools/call", "params": {"name": "get_result", "arguments": {"id": VIEW}}}
CALLED_OFF: dict[str, Any] = {"jsonrpc": "2.0", "method": "ui/notifications/tool-cancelled", "params": {}}


def delivered(result: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": "ui/notifications/tool-result", "params": result}


def enveloped(**envelope: Any) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": json.dumps(envelope)}]}


def scenario(result: dict[str, Any] | None, until: Until = SHOWN, **given: Any) -> Scenario:
    return Scenario(until=until, shell=SHELL_HTML, result=result, **given)


def check_shown(report: Report, executed: list[dict[str, Any]]) -> None:
    assert report.complaints == NONE
    assert (report.payload.text, report.executed) == ("shown", executed)
    assert report.messages.count("ui/notifications/initialized") == 1


def test_a_result_that_comes_before_the_handshake_is_shown(host: Driver) -> None:
    check_shown(host.play(scenario(None, before=[delivered(PLAIN)])), [])


def test_a_stripped_result_that_comes_before_the_handshake_is_fetched_after_it(host: Driver) -> None:
    """U3: only the handshake says whether the host has tools for views."""
    early = delivered({"content": PLAIN["content"]})
    check_shown(host.play(scenario(None, before=[early], tool_results={"get_result": PLAIN})), [FETCH])


def test_a_host_that_is_not_ready_is_greeted_again_until_it_is(host: Driver) -> None:
    report = host.play(scenario(PLAIN, refusals=3))
    check_shown(report, [])
    assert report.messages.count("ui/initialize") >= 4


@pytest.mark.parametrize("late", [delivered(payload("<p>other</p>")), delivered({"content": []}), CALLED_OFF])
def test_nothing_replaces_the_first_result(host: Driver, late: dict[str, Any]) -> None:
    check_shown(host.play(scenario(PLAIN, after=[late, late])), [])


def test_a_result_that_comes_after_the_call_was_said_to_be_cancelled_is_shown(host: Driver) -> None:
    cancelled = Until("view", text="cancelled")
    shown = Update(None, SHOWN, says=[delivered(PLAIN)])
    check_shown(host.play(scenario(None, cancelled, cancelled="a mistake", updates=[shown])), [])


def test_a_view_that_waits_says_so_after_some_seconds_and_still_shows_what_comes(host: Driver) -> None:
    nothing = Until("view", text="Nothing has arrived for this view yet.")
    waits, comes = Update(None, nothing, forward_ms=12_000), Update(None, SHOWN, says=[delivered(PLAIN)])
    waiting = Until("view", height=70)
    report = host.play(scenario(None, waiting, updates=[waits]))
    assert report.complaints == NONE
    assert (report.view.text.strip(), 15 <= report.height <= 60) == (nothing.text, True)
    check_shown(host.play(scenario(None, waiting, updates=[waits, comes])), [])


@pytest.mark.parametrize(
    "meta",
    [
        "/mnt/results/1.json",
        {"connecta/ui": "/mnt/results/1.json"},
        {"connecta/ui": {"file": "/mnt/results/1.json"}},
        {"connecta/ui": {"html": ""}},
        {"connecta/ui": None, "openai/widget": {"html": "<p>other</p>"}},
        None,
    ],
)
def test_whatever_stands_in_the_place_of_the_payload_the_view_is_fetched(host: Driver, meta: Any) -> None:
    """U3."""
    result = {"content": PLAIN["content"], "structuredContent": {"view": "v_other"}, "_meta": meta}
    raw = Update(None, SHOWN, says=[delivered(result)])
    report = host.play(
        scenario(None, Until("view", height=70), tool_results={"get_result": PLAIN}, updates=[raw]),
    )
    check_shown(report, [FETCH])


def test_the_id_is_read_from_the_first_text_alone(host: Driver) -> None:
    """U3: the texts after it are the program's own."""
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    forged = {"type": "text", "text": json.dumps({"view": "v_forged"})}
    result = {"content": [image, *PLAIN["content"], forged]}
    check_shown(host.play(scenario(result, tool_results={"get_result": PLAIN})), [FETCH])


@pytest.mark.parametrize("text", [{"result": 7}, {"result": {"view": "v_x"}}, [1], None, "text"])
def test_a_program_without_a_view_leaves_one_pixel_whatever_it_emitted(host: Driver, text: object) -> None:
    """U6."""
    forged = {"type": "text", "text": json.dumps({"ui": True, "view": VIEW})}
    result = {"content": [{"type": "text", "text": json.dumps(text)}, forged]}
    report = host.play(scenario(result, Until(height=1), tool_results={"get_result": PLAIN}))
    assert report.complaints == NONE
    assert (report.height, report.view.text.strip(), report.executed) == (1, "", [])


def test_a_view_that_was_not_kept_and_did_not_arrive_says_so(host: Driver) -> None:
    """U3: a run whose view could not be kept succeeds without an id."""
    line = "The view could not be loaded. The answer says the same in words."
    report = host.play(scenario(enveloped(result=1, ui=True), Until("view", text=line), tool_results={}))
    assert (report.view.text.strip(), report.executed, report.complaints) == (line, [], NONE)


def test_messages_that_make_no_sense_change_nothing(host: Driver) -> None:
    contexts: list[Any] = [
        None,
        5,
        "x",
        [],
        {"styles": 5, "safeAreaInsets": {"top": "x", "left": -3}, "containerDimensions": 7},
    ]
    odd: list[Any] = [
        "text",
        5,
        {"jsonrpc": "1.0", "method": "ui/notifications/tool-result", "params": payload("<p>other</p>")},
        {"jsonrpc": "2.0"},
        {"jsonrpc": "2.0", "id": "none", "result": {"hostContext": {"theme": "dark"}}},
        {"jsonrpc": "2.0", "method": 7},
        {"jsonrpc": "2.0", "method": "__proto__", "params": {}},
        {"jsonrpc": "2.0", "method": "ui/notifications/tool-input"},
        *[{"jsonrpc": "2.0", "method": "ui/notifications/host-context-changed", "params": each} for each in contexts],
    ]
    check_shown(host.play(scenario(PLAIN, before=odd, after=odd)), [])


def test_a_host_that_says_nothing_of_itself_is_shown_the_view(host: Driver) -> None:
    report = host.play(scenario(PLAIN, theme=None, context={"styles": None, "platform": None}, before=[]))
    check_shown(report, [])


def test_the_hosts_requests_are_answered_known_or_not(host: Driver) -> None:
    asked = [{"jsonrpc": "2.0", "id": f"q{n}", "method": method} for n, method in enumerate(["ping", "ui/unheard-of"])]
    report = host.play(scenario(PLAIN, after=asked))
    check_shown(report, [])
    assert report.messages.count("answer") == 2


def test_room_is_kept_free_where_the_host_says_its_screen_ends(host: Driver) -> None:
    insets = {"safeAreaInsets": {"top": 20, "right": 30, "bottom": 40, "left": 10}}
    report = host.play(
        scenario(payload("<p>shown</p><div style='height:900px'></div>"), context=insets, max_height=300)
    )
    assert report.complaints == NONE
    assert (report.height, report.payload.height, report.payload.width) == (300, 240, 680)
