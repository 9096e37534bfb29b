"""A view that speaks as the shell, as the host or as the proxy is not believed, and the shell works on (U6)."""

import re
from typing import Any

import pytest

from connecta.local.preview.policies import VIEWS
from connecta.views.shell import SHELL_HTML
from tests.apps.driver import NONE, Driver, Report, Scenario, Until, Update
from tests.apps.payloads import payload
from tests.apps.vectors import DEPARTURES, FORGERIES, METHODS, SENT, Vector, script_page
from tests.fixtures.node import NodeProject

UNREADABLE = {"prelude's own tools, replaced", "prelude's document, replaced", "prelude's names, taken by elements"}
"""They hide their own text from who reads it here, too. The shell shows them, as its button tells, or takes one that
never said a height for a view that has left: which of the two depends on what was faster."""
SHOWN = Until(text=SENT)
LEFT = "left its page"
REMOVED = Until("view", text=LEFT)
EITHER = Until("view", text=("Full screen", LEFT))
ROOM = 800
DARK = Update({"theme": "dark"}, Until("view", color_scheme="dark"))
MODES = ("inline", "fullscreen")


def play(host: Driver, vector: Vector, until: Until, *updates: Update) -> Report:
    """Under the policies in turn, in a host that would do everything a view may ask for."""
    policy = VIEWS[sorted(VIEWS)[len(vector.name) % len(VIEWS)]]
    html = script_page([vector], {vector.name: 0})
    return host.play(
        Scenario(
            until,
            shell=SHELL_HTML,
            result=payload(html),
            max_height=ROOM,
            policy=policy,
            display_modes=MODES,
            tool_results={},
            updates=updates,
        )
    )


def unharmed(report: Report) -> None:
    """The host did nothing, heard nothing but the shell, and the shell answers it."""
    assert (report.executed, report.complaints.popups, report.complaints.requests) == ([], [], [])
    once = [message for message in report.messages if message not in {"ui/notifications/size-changed", "ui/initialize"}]
    assert once == ["ui/notifications/sandbox-proxy-ready", "ui/notifications/initialized"]
    assert report.teardown == {}
    assert 0 < min(report.sizes) <= max(report.sizes) <= ROOM
    assert len(report.sizes) <= 60


@pytest.mark.parametrize("vector", FORGERIES, ids=lambda vector: vector.name)
def test_a_view_that_speaks_as_someone_else_is_not_believed(host: Driver, vector: Vector) -> None:
    """The theme that the host changes afterwards still arrives, so the shell is alive and listens to its host."""
    until = EITHER if vector.name in UNREADABLE else SHOWN
    report = play(host, vector, until, DARK)
    unharmed(report)
    assert report.view.colorScheme == "dark"
    if until == SHOWN:
        assert report.payload.text.split(": ")[-1] in {"undefined", "waits"}
    assert not any("nested" in str(refused) for refused in report.complaints.refused_by_host)


@pytest.mark.parametrize("vector", DEPARTURES, ids=lambda vector: vector.name)
def test_a_view_that_leaves_its_page_is_removed_and_one_line_says_so(host: Driver, vector: Vector) -> None:
    report = play(host, vector, REMOVED, DARK)
    unharmed(report)
    assert set(report.frames) == {"proxy", "view"}
    assert report.view.text == "The view left its page and was removed. The answer says the same in words."


def test_every_window_heard_every_method_and_refused_it(host: Driver) -> None:
    """So the tries above were really made: what went past the shell was refused by who got it."""
    report = play(host, FORGERIES[0], SHOWN)
    for refused in (report.complaints.refused_by_host, report.complaints.refused_by_proxy):
        assert [message["method"] for message in refused] == list(METHODS)


def test_the_methods_are_those_of_the_official_package(node_project: NodeProject) -> None:
    scripts = (node_project.folder / "node_modules/@modelcontextprotocol/ext-apps/dist/src").glob("*.js")
    quoted = re.compile(r'"((?:ui|tools|resources|prompts|sampling|notifications|roots|elicitation)/[\w/-]+)"')
    named = {name for script in scripts for name in quoted.findall(script.read_text())}
    assert named - {"ui/resourceUri"} <= set(METHODS)


def test_an_answer_to_a_request_of_the_shell_counts_only_from_the_host(host: Driver) -> None:
    """The view answers every request of the shell at once, again and again; the host's refusal is what stands."""
    answers = """<p>answering</p><script>
      const answer = () => {
        for (let id = 0; id < 50; id++) parent.postMessage({ jsonrpc: "2.0", id, result: { mode: "fullscreen" } }, "*");
        setTimeout(answer, 5);
      };
      answer();
    </script>"""
    pressed = Update(None, Until(text="answering"), press="Full screen")
    narrow = Update({"availableDisplayModes": ["inline"]}, Until(text="answering"))
    offered = {"availableDisplayModes": list(MODES)}
    report = host.play(
        Scenario(
            Until(text="answering"),
            shell=SHELL_HTML,
            result=payload(answers),
            context=offered,
            updates=[pressed, narrow],
        )
    )
    assert report.executed == [{"name": "ui/request-display-mode", "params": {"mode": "fullscreen"}}]
    assert report.complaints == NONE


def test_the_shell_listens_to_its_parent_alone(host: Driver) -> None:
    """Any other window may post to it, and nothing comes of it."""
    strange: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "method": "ui/notifications/host-context-changed", "params": {"theme": "dark"}},
        {"jsonrpc": "2.0", "id": 9, "method": "ui/resource-teardown", "params": {}},
    ]
    shown = Until(text="honest")
    report = host.play(Scenario(until=shown, shell=SHELL_HTML, result=payload("<p>honest</p>"), strange=strange))
    assert report.complaints == NONE
    assert (report.payload.text, report.payload.colorScheme) == ("honest", "light")


def test_a_height_is_bounded_by_what_the_host_gives(host: Driver) -> None:
    html = "<p style='height: 9000px'>tall</p><script>setInterval(() => parent.postMessage(1e9, '*'), 20)</script>"
    report = host.play(Scenario(Until(height=ROOM), shell=SHELL_HTML, result=payload(html), max_height=ROOM))
    assert report.complaints == NONE
    assert (report.payload.text, max(report.sizes)) == ("tall", ROOM)


def test_a_view_that_contradicts_its_own_height_stays_within_that_bound(host: Driver) -> None:
    """The prelude says what is measured, the view says a billion. Which of the two stands in the end depends on whether
    the shell took the quarrel for a view that follows its own frame."""
    html = "<p>short</p><script>setInterval(() => parent.postMessage(1e9, '*'), 20)</script>"
    report = host.play(Scenario(Until(text="short"), shell=SHELL_HTML, result=payload(html), max_height=ROOM))
    assert report.complaints == NONE
    assert 0 < min(report.sizes) <= max(report.sizes) <= ROOM


def test_a_height_is_a_finite_number_and_nothing_else(host: Driver) -> None:
    html = """<p>short</p><script>
      const none = [null, NaN, Infinity, { height: 900 }, [900], "900", 900n, new Number(900)];
      const post = () => { for (const each of none) parent.postMessage(each, "*"); setTimeout(post, 20); };
      post();
    </script>"""
    report = host.play(Scenario(Until(text="short"), shell=SHELL_HTML, result=payload(html)))
    assert report.complaints == NONE
    assert max(report.sizes) < 200
