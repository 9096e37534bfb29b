"""The preview as anything on this machine or on the web can ask for it: over HTTP, with headers of its choice."""

import json
import re
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from connecta.local.preview.policies import VIEWS
from connecta.local.preview.reports import REPORT_BYTES
from connecta.local.server import open_page
from tests.fixtures.local_server import LocalServer, running_local_server

RUN = "0123456789abcdef" * 2
TOKEN = "a-token-nobody-must-see"
STATIC = Path(__file__).parents[2] / "src" / "connecta" / "local" / "preview" / "static"
REPORT = {"csp-report": {"effective-directive": "img-src", "blocked-uri": "https://elsewhere.example/x", "other": 1}}


@dataclass(frozen=True)
class Answer:
    """Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def refused(self) -> tuple[int, str]:
        return self.status, json.loads(self.body)["error"]["code"]


def ask(
    port: int, path: str, *, method: str = "GET", body: bytes | None = None, headers: dict[str, str] | None = None
) -> Answer:
    connection = HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return Answer(answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read())
    finally:
        connection.close()


def page_port(server: LocalServer) -> int:
    port = urlsplit(server.origin).port
    assert port is not None
    return port


def about(server: LocalServer) -> dict[str, Any]:
    return json.loads(ask(page_port(server), "/preview/about.json").body)


def sandbox_port(server: LocalServer) -> int:
    return about(server)["sandboxPort"]


def policy_of(answer: Answer) -> dict[str, str]:
    """A policy's directives by name."""
    directives = (part.strip().partition(" ") for part in answer.headers["content-security-policy"].split(";"))
    return {name: value for name, _, value in directives if name}


@pytest.fixture(scope="module")
def guarded_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    """A server whose clients send ``TOKEN``, started as ``python -m connecta preview``."""
    folder = tmp_path_factory.mktemp("guarded")
    deployment = "tests.fixtures.lambda_deployment:deployment"
    start = ("preview", "--no-browser")
    with running_local_server(folder, deployment, {"CONNECTA_TOKEN": TOKEN}, start) as server:
        yield server


def test_the_page_may_run_nothing_but_its_own_files_and_nobody_may_frame_it(shop_server: LocalServer) -> None:
    answer = ask(page_port(shop_server), "/preview")
    sandbox = sandbox_port(shop_server)
    assert (answer.status, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert policy_of(answer) == {
        "default-src": "'none'",
        "script-src": "'self'",
        "style-src": "'self'",
        "img-src": "'self' data:",
        "connect-src": "'self'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
        "frame-src": f"http://127.0.0.1:{sandbox} http://localhost:{sandbox}",
    }
    assert b"<script>" not in answer.body
    assert b"style=" not in answer.body


@pytest.mark.parametrize("name", sorted(path.name for path in STATIC.iterdir()))
def test_every_file_but_the_sandbox_is_served_to_its_own_origin_alone(shop_server: LocalServer, name: str) -> None:
    path = "/preview" if name == "index.html" else f"/preview/{name}"
    answer = ask(page_port(shop_server), path)
    if name == "sandbox.html":
        assert answer.status == 404
        return
    assert (answer.status, answer.body) == (200, (STATIC / name).read_bytes())
    headers = ("cross-origin-resource-policy", "x-content-type-options", "cache-control")
    assert [answer.headers[each] for each in headers] == ["same-origin", "nosniff", "no-store"]


@pytest.mark.parametrize(
    "path", ["/preview/../server.py", "/preview/%2e%2e/site.py", "/preview/static/page.js", "/previews"]
)
def test_no_other_file_can_be_had(shop_server: LocalServer, path: str) -> None:
    assert ask(page_port(shop_server), path).status == 404


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8787", "127.0.0.1.evil.example", "127.0.0.1@evil.example", ""]
)
def test_a_foreign_host_name_is_refused_on_both_ports(shop_server: LocalServer, host: str) -> None:
    """DNS rebinding: another site's name that leads to this machine."""
    sandbox = f"/sandbox.html?policy=spec&run={RUN}"
    asked = [(page_port(shop_server), "/preview"), (page_port(shop_server), "/preview/about.json")]
    for port, path in [*asked, (sandbox_port(shop_server), sandbox)]:
        assert ask(port, path, headers={"host": host}).refused == (421, "host_not_served")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://127.0.0.1.evil.example"])
def test_another_sites_pages_are_refused(shop_server: LocalServer, origin: str) -> None:
    for path in ("/preview", "/preview/about.json", f"/preview/violations.json?run={RUN}"):
        answer = ask(page_port(shop_server), path, headers={"origin": origin})
        assert answer.refused == (403, "origin_not_allowed")
        assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_views_can_reach_neither_the_endpoint_nor_the_page(shop_server: LocalServer, name: str) -> None:
    """What runs on the sandbox's origin gets nothing from the server's."""
    headers = {"origin": f"http://{name}:{sandbox_port(shop_server)}", "content-type": "application/json"}
    for method, path in (("POST", "/mcp"), ("OPTIONS", "/mcp"), ("GET", "/preview/about.json"), ("GET", "/health")):
        answer = ask(page_port(shop_server), path, method=method, headers=headers)
        assert answer.refused == (403, "origin_not_allowed")
        assert "access-control-allow-origin" not in answer.headers


def test_the_sandboxs_origin_has_no_endpoint_and_no_page(shop_server: LocalServer) -> None:
    port = sandbox_port(shop_server)
    assert [ask(port, path).status for path in ("/mcp", "/preview", "/health", "/preview/page.js")] == [404] * 4


@pytest.mark.parametrize("name", VIEWS)
def test_a_sandbox_has_the_policy_of_the_host_it_imitates_and_only_the_page_may_frame_it(
    shop_server: LocalServer, name: str
) -> None:
    answer = ask(sandbox_port(shop_server), f"/sandbox.html?policy={name}&run={RUN}")
    port = page_port(shop_server)
    framed = f"frame-ancestors http://127.0.0.1:{port} http://localhost:{port}"
    expected = f"{VIEWS[name]}{framed}; report-uri /csp-report?run={RUN}"
    assert (answer.status, answer.headers["content-security-policy"]) == (200, expected)


@pytest.mark.parametrize(
    "query", ["", f"policy=spec&run={RUN[1:]}", f"policy=own&run={RUN}", f"policy=spec;x&run={RUN}"]
)
def test_there_is_no_sandbox_with_another_policy_or_for_no_run(shop_server: LocalServer, query: str) -> None:
    assert ask(sandbox_port(shop_server), f"/sandbox.html?{query}").refused == (404, "refused")


def test_what_a_policy_stopped_is_told_to_the_page_that_knows_the_run(shop_server: LocalServer) -> None:
    sandbox, page = sandbox_port(shop_server), page_port(shop_server)
    run, unknown = "a" * 32, "b" * 32
    ask(sandbox, f"/sandbox.html?policy=spec&run={run}")
    for name in (run, unknown):
        sent = ask(sandbox, f"/csp-report?run={name}", method="POST", body=json.dumps(REPORT).encode())
        assert sent.status == 204
    told = [json.loads(ask(page, f"/preview/violations.json?run={name}").body) for name in (run, unknown)]
    assert told == [[{"directive": "img-src", "blocked": "https://elsewhere.example/x", "sample": ""}], []]


def test_a_report_that_is_too_long_is_not_read(shop_server: LocalServer) -> None:
    body = b"x" * (REPORT_BYTES + 1)
    assert ask(sandbox_port(shop_server), f"/csp-report?run={RUN}", method="POST", body=body).status == 413


def test_both_ports_listen_on_this_machine_alone(shop_server: LocalServer) -> None:
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    ours = {f"{port:04X}" for port in (page_port(shop_server), sandbox_port(shop_server))}
    addresses = {at for _, at, _, state, *_ in listening if state == "0A" and at.partition(":")[2] in ours}
    assert addresses == {f"0100007F:{port}" for port in ours}
    everywhere = Path("/proc/net/tcp6")
    if everywhere.exists():
        assert not [port for port in ours if re.search(rf":{port} 0+:0000 0A", everywhere.read_text())]


def test_the_page_is_told_that_a_token_is_needed_and_never_which(guarded_server: LocalServer) -> None:
    told = about(guarded_server)
    deployment = "tests.fixtures.lambda_deployment:deployment"
    assert told == {"deployment": deployment, "token": True, "sandboxPort": told["sandboxPort"]}
    paths = ["/preview", "/preview/about.json", *(f"/preview/{path.name}" for path in STATIC.iterdir())]
    answers = [ask(page_port(guarded_server), path) for path in paths]
    assert [answer for answer in answers if TOKEN.encode() in answer.body or TOKEN in str(answer.headers)] == []
    assert TOKEN not in guarded_server.log.read_text()


def test_the_page_opens_no_way_past_the_token(guarded_server: LocalServer) -> None:
    port = page_port(guarded_server)
    headers = {"origin": guarded_server.origin, "content-type": "application/json"}
    asked = [ask(port, path, method="POST", body=b"{}", headers=headers).status for path in ("/mcp", "/preview/mcp")]
    assert asked == [401, 404]


def test_the_server_prints_where_the_page_is(shop_server: LocalServer, guarded_server: LocalServer) -> None:
    for server in (shop_server, guarded_server):
        assert f"{server.origin}/preview\n" in server.log.read_text()


def test_a_browser_is_opened_only_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without one a text browser would take the terminal, and could not show the page."""
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    open_page("http://127.0.0.1:1/preview")
    monkeypatch.setenv("DISPLAY", ":0")
    open_page("http://127.0.0.1:2/preview")
    assert opened == ["http://127.0.0.1:2/preview"]
