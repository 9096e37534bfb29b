"""What the operator's pages show and do, over HTTP (auth.md "Operator pages")."""

import re
from dataclasses import replace
from typing import Any

import pytest

from connecta import AccessTokens, Bearer, Connecta, Open
from connecta.composition import Application
from connecta.limits import LIMITS
from connecta.state.activity import Entry
from tests.fixtures.mcp_messages import call, modern
from tests.fixtures.operated import KEY
from tests.web.operator.conftest import HERE, ORIGIN, PASSPHRASE, Person, alert_in, browsing, notice_in

PAGES = {"/": "Connectors", "/credentials": "Credentials", "/tokens": "Access", "/activity": "Activity"}
HTML = "text/html; charset=utf-8"
POLICY = (
    r"default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; frame-ancestors 'none'; "
    r"require-trusted-types-for 'script'; trusted-types 'none'"
)


async def test_a_page_runs_nothing_is_framed_by_nobody_and_kept_nowhere(person: Person):
    for path, name in PAGES.items():
        page = await person.get(path)
        headers = {name: page.headers[name] for name in ("cache-control", "referrer-policy", "x-frame-options")}
        assert headers == {"cache-control": "no-store", "referrer-policy": "same-origin", "x-frame-options": "DENY"}
        form = "" if path == "/" else "; form-action 'self'"
        assert re.fullmatch(POLICY + form, page.headers["content-security-policy"])
        assert f"<h1>{name}</h1>" in page.text
        assert f'<a href="{path}" aria-current="page">{name}</a>' in page.text
        assert not re.search(r"<script|<link|<img|https?://(?!login)[a-z.]*/", page.text.replace(ORIGIN, ""))


async def test_who_has_not_signed_in_is_sent_to_where_they_can(house: Application):
    async with browsing(house) as person:
        for path in PAGES:
            answer = await person.get(path)
            after = "" if path == "/" else f"?next=%2F{path[1:]}"
            assert (answer.status_code, answer.headers["location"]) == (303, f"/sign-in{after}")


@pytest.mark.parametrize(
    ("wanted", "after"),
    [
        ("/tokens", "/tokens"),
        ("", "/"),
        ("//evil.example", "/"),
        ("https://evil.example", "/"),
        ("/oauth/authorize?x=1", "/"),
        ("/tokens/../mcp", "/"),
    ],
)
async def test_signing_in_leads_to_a_page_of_ours_and_nowhere_else(house: Application, wanted: str, after: str):
    async with browsing(house) as person:
        page = await person.http.get("/sign-in", params={"next": wanted})
        [token] = re.findall(r'name="token" value="([^"]*)"', page.text)
        [action] = re.findall(r'<form method="post" action="([^"]*)"', page.text)
        answer = await person.http.post(action, data={"token": token, "passphrase": PASSPHRASE}, headers=HERE)
        assert (answer.status_code, answer.headers["location"]) == (303, after)
        forged = await person.http.post(
            f"/sign-in?next={wanted}", data={"token": token, "passphrase": PASSPHRASE}, headers=HERE
        )
        assert forged.headers.get("location", after) == after


async def test_a_wrong_passphrase_is_said_at_its_field_and_never_repeated(house: Application):
    async with browsing(house) as person:
        answer = await person.send("/sign-in", "/sign-in", passphrase="a wrong passphrase")
        assert (answer.status_code, "a wrong passphrase" in answer.text) == (403, False)
        assert alert_in(answer) == "That is not the passphrase. Check capitals and spaces, then try again."
        elsewhere = await person.http.post("/sign-in", data={"passphrase": PASSPHRASE}, headers=HERE)
        assert (elsewhere.status_code, "open for too long" in elsewhere.text) == (403, True)
        foreign = await person.http.post(
            "/sign-in", data={"passphrase": PASSPHRASE}, headers={**HERE, "origin": "https://evil.example"}
        )
        assert foreign.status_code == 403
        assert (await person.get("/")).status_code == 303


async def test_a_token_that_agents_use_shows_no_page(house: Application):
    _, bearer = await house.state.access_tokens.issue("agent")
    async with browsing(house) as agent:
        agent.http.headers["authorization"] = f"Bearer {bearer}"
        for path in PAGES:
            assert (await agent.get(path)).status_code == 303


async def test_another_site_reads_no_page(person: Person):
    """A page of a local server is behind no other check than this one when another page of the machine asks for it."""
    for path in PAGES:
        answer = await person.http.get(path, headers={"origin": "https://partner.example"})
        assert (answer.status_code, "<h1>" in answer.text and "Connectors" in answer.text) == (403, False)


@pytest.mark.parametrize(
    "path",
    ["/connectors/shelf/connect", "/connectors/nothing/connect", "/credentials/calendar/set", "/tokens/x/revoke"],
)
async def test_what_is_not_there_cannot_be_asked_for(house: Application, person: Person, path: str):
    """No page has such a form, so no token is good for it."""
    token = await person.token("/tokens", "/tokens")
    answer = await person.http.post(path, data={"token": token}, headers=HERE)
    assert (answer.status_code, "Nothing was changed" in answer.text) == (403, True)


async def test_no_page_shows_a_value_that_was_set(person: Person):
    secret = "sk-recognisable-4711"
    sent = await person.send("/credentials/shelf/set", "/credentials", **{"value-value": secret})
    shown = [sent, *[await person.get(path) for path in PAGES]]
    assert [secret in page.text or secret in str(page.headers) for page in shown] == [False] * 5
    page = (await person.get("/credentials")).text
    for field in re.findall(r"<input[^>]*value-[^>]*>", page):
        assert ' type="password" autocomplete="off"' in field
        assert " value=" not in field


async def test_a_notice_is_shown_once_and_only_to_whose_form_it_was(
    deployment: Connecta, house: Application, person: Person
):
    await person.send("/credentials/shelf/set", "/credentials", **{"value-value": KEY})
    cookie = person.http.cookies["__Host-connecta-notice"]
    async with browsing(house) as other:
        other.sign_in(deployment.name)
        other.http.cookies.set("__Host-connecta-notice", cookie)
        assert 'class="note good"' not in (await other.get("/credentials")).text
    assert notice_in(await person.get("/credentials"))
    assert 'class="note good"' not in (await person.get("/credentials")).text


def entry(number: int, at: float, **more: Any) -> Entry:
    usual: dict[str, Any] = {
        "at": at + number / 1000,
        "connector": "shelf",
        "tool": f"tool_{number}",
        "source": "call_tool",
        "outcome": "success",
        "duration_ms": 5,
        "attempts": 1,
        "request_id": "r",
        "actor": "token:a",
        "deployment": "d",
    }
    return Entry(**{**usual, **more})


@pytest.mark.parametrize(
    "deployment", [{"limits": replace(LIMITS, operator_activity_rows=4)}], indirect=True, ids=["four a page"]
)
async def test_activity_is_listed_newest_first_in_pages_and_by_filters(house: Application, person: Person):
    at = house.state.table.now() - 100
    entries = [entry(number, at) for number in range(9)]
    entries[3] = replace(
        entries[3], outcome="error", error_code="invalid_args", connector="calendar", actor="oauth:ada"
    )
    assert await house.state.activity.write(entries, 30.0) == 0
    seen, path = list[str](), "/activity"
    while path:
        page = (await person.get(path)).text
        seen += re.findall(r"<bdi>(?:shelf|calendar)\.(tool_\d)</bdi>", page)
        older = re.findall(r'<a href="([^"]*)" rel="next">', page)
        path = older[0].replace("&amp;", "&") if older else ""
    assert seen == [f"tool_{number}" for number in reversed(range(9))]
    for asked in ("connector=calendar", "outcome=error", "caller=oauth:ada", "connector=calendar&outcome=error"):
        page = (await person.get(f"/activity?{asked}")).text
        assert re.findall(r"<bdi>(?:shelf|calendar)\.(tool_\d)</bdi>", page) == ["tool_3"]
        assert "invalid args" in page
    assert "No call matches" in (await person.get("/activity?caller=nobody")).text
    assert "tool_8" in (await person.get("/activity?cursor=none")).text


async def test_each_empty_page_says_what_would_fill_it(person: Person):
    assert "No access token yet." in (await person.get("/tokens")).text
    assert "No application is connected." in (await person.get("/tokens")).text
    assert "No call yet" in (await person.get("/activity")).text


@pytest.mark.parametrize("deployment", [{"auth": [Bearer(), AccessTokens()]}], indirect=True, ids=["no sign-in"])
async def test_where_nobody_can_sign_in_every_page_says_so(house: Application):
    async with browsing(house) as person, browsing(house, address="127.0.0.1") as near:
        for who in (person, near):
            for path in PAGES:
                page = await who.get(path)
                assert (page.status_code, "Nobody can sign in here" in page.text) == (403, True)
            assert (await who.get("/sign-in")).status_code == 404
            sent = await who.http.post("/tokens", data={"name": "x", "life": ""}, headers=HERE)
            assert sent.status_code == 403
    assert await house.state.access_tokens.tokens() == []


LOCAL = "http://127.0.0.1:8787"


@pytest.mark.parametrize("deployment", [{"auth": [Open()], "public_url": None}], indirect=True, ids=["open"])
async def test_on_one_s_own_machine_the_pages_of_an_open_deployment_are_open(house: Application):
    """To browsers on it, for forms of its own pages; to nobody else."""
    async with browsing(house, origin=LOCAL, address="127.0.0.1") as person:
        page = await person.get("/credentials")
        assert (page.status_code, "Open to whoever is on this machine" in page.text) == (200, True)
        token = await person.token("/credentials/shelf/set", "/credentials")
        fields = {"token": token, "value-value": KEY}
        other = await person.http.post(
            "/credentials/shelf/set", data=fields, headers={"origin": "http://127.0.0.1:3000"}
        )
        assert (other.status_code, await house.state.credentials.read("shelf")) == (403, None)
        peeking = await person.http.get("/credentials", headers={"origin": "http://127.0.0.1:3000"})
        assert (peeking.status_code, "token" in peeking.text) == (403, False)
        own = await person.http.post("/credentials/shelf/set", data=fields, headers={"origin": LOCAL})
        assert own.status_code == 303
        kept = await house.state.credentials.read("shelf")
        assert kept is not None
        assert kept.set_by == "whoever is on this machine"
    async with browsing(house, origin=LOCAL, address="192.0.2.7") as stranger:
        assert (await stranger.get("/credentials")).status_code == 403


async def test_agents_still_meet_the_endpoint_where_the_pages_are(house: Application, person: Person):
    """A session opens no tool, as a token opens no page."""
    echo = modern("tools/call", call("search_tools", {"query": "x"}))
    assert (await person.http.post("/mcp", content=echo.body, headers=echo.headers)).status_code == 401


ONE_PAGE = {"limits": replace(LIMITS, page_burst=1, page_per_s=0.001)}


@pytest.mark.parametrize(
    "deployment", [ONE_PAGE, {**ONE_PAGE, "auth": [Bearer()]}], indirect=True, ids=["sign-in", "no sign-in"]
)
async def test_who_asks_for_too_many_pages_is_told_so_on_one(house: Application):
    """Each kind of place a browser comes to; what programs ask for is told them in JSON (RFC 6749 5.2)."""
    async with browsing(house) as person:
        await person.get("/")
        for path in ("/", "/sign-in", "/oauth/callback/calendar"):
            page = await person.get(path)
            left = page.headers["retry-after"]
            told = f"Too many requests came from your network. Try again in {left} seconds." in page.text
            assert (page.status_code, page.headers["content-type"], told) == (429, HTML, True), path
            assert 900 < int(left) <= 1000
        program = await person.get("/oauth/client.json")
    assert (program.status_code, program.json()["error"]) == (429, "temporarily_unavailable")
