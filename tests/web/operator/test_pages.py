"""What the operator's pages show and do, over HTTP (auth.md "Operator pages")."""

import re
import time
from dataclasses import replace
from typing import Any

import pytest

from connecta import AccessTokens, Bearer, Connecta, Open
from connecta.composition import Application
from connecta.limits import LIMITS
from connecta.state.activity import Entry
from connecta.state.codes import PREFIX, Authorization
from connecta.state.downstream_grants import KeptGrant
from connecta.state.standings import Failed, Listed, Subject
from connecta.state.tickets import new_ticket
from tests.fixtures.keyed_mcp import KeyedMcp
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


async def test_a_connector_says_what_is_missing_and_what_to_do(person: Person):
    page = (await person.get("/")).text
    states = re.findall(r'<h2><bdi>([^<]*)</bdi></h2>\s*<span class="state \w+">([^<]*)</span>', page)
    assert states == [
        ("Front desk", "Credential missing"),
        ("Book shelf", "Credential missing"),
        ("Calendar", "Not connected"),
        ("Weather", "Not configured"),
    ]
    assert '<a href="/credentials#shelf">Fill it in</a>' in page
    assert "WEATHER_TOKEN" in page
    assert "0 of 4 connectors ready." in page


async def test_a_connector_says_how_its_last_listing_went(deployment: Connecta, house: Application, person: Person):
    standings, now = house.state.standings, house.state.table.now()
    shelf = Subject("shelf", deployment.by_id["shelf"].fingerprint)
    await person.told("/credentials/shelf/set", "/credentials", **{"value-value": KEY})
    assert await _state_of(person, "shelf") == (
        "Not asked yet",
        "Its tools are listed when an agent first looks for one.",
    )
    drift = {"added": 1, "removed": 0, "schema_changed": 2, "annotation_changed": 0}
    await standings.note_listed(shelf, Listed(now - 60, 3, drift))
    assert await _state_of(person, "shelf") == ("Ready", "")
    await standings.note_failed(shelf, Failed(now, "timeout"))
    failing = await _state_of(person, "shelf")
    assert failing == (
        "Failing",
        "Its tools were asked for just now: it did not answer in time. It is asked again on demand.",
    )
    await standings.note_failed(shelf, Failed(house.state.table.now(), "auth_required"))
    assert (await _state_of(person, "shelf"))[0] == "Refused"
    await person.told("/credentials/shelf/set", "/credentials", **{"value-value": "another"})
    assert (await _state_of(person, "shelf"))[0] == "Not asked since"


async def _state_of(person: Person, id: str) -> tuple[str, str]:
    page = (await person.get("/")).text
    [panel] = re.findall(rf'<li class="panel" id="{id}">(.*?)</li>', page, re.DOTALL)
    [word] = re.findall(r'<span class="state \w+">([^<]*)</span>', panel)
    details = re.findall(r'<p class="detail">(.*?)</p>', panel)
    return word, details[0].strip() if details else ""


async def test_a_connected_connector_says_by_whom_and_can_be_disconnected(house: Application, person: Person):
    url = "http://127.0.0.1:9/mcp"
    kept = KeptGrant("v", "https://issuer.example", url, "read write", None, 0.0, 1.0, "ada", b"sealed-secret")
    await house.state.downstream_grants.put("calendar", kept)
    page = (await person.get("/")).text
    for told in ("https://issuer.example", "read write", "<bdi>ada</bdi>"):
        assert told in page
    assert "sealed-secret" not in page
    told = await person.told("/connectors/calendar/disconnect", "/")
    assert told == "Calendar is disconnected, and what was kept for it is forgotten."
    assert await house.state.downstream_grants.read("calendar") is None


async def test_only_a_grant_that_still_holds_says_when_it_is_renewed(house: Application, person: Person):
    """Or that nobody can renew it."""
    kept = KeptGrant(
        "v", "https://issuer.example", "http://127.0.0.1:9/mcp", "read", time.time() + 900, 0.0, 1.0, "ada", b"sealed"
    )
    shown: list[tuple[bool, bool]] = []
    for grant in (replace(kept, renewable=True), kept, replace(kept, refused="refused")):
        await house.state.downstream_grants.put("calendar", grant)
        text = (await person.get("/")).text
        shown.append(("renewed before" in text, "connect it again then" in text))
    assert shown == [(True, False), (False, True), (False, False)]


async def test_a_connector_that_cannot_be_connected_says_why(person: Person):
    """Nothing answers where its authorization server should be."""
    answer = await person.send("/connectors/calendar/connect", "/")
    assert answer.status_code == 503
    assert alert_in(answer).startswith("Not done. ")


@pytest.mark.parametrize(
    "path",
    ["/connectors/shelf/connect", "/connectors/nothing/connect", "/credentials/calendar/set", "/tokens/x/revoke"],
)
async def test_what_is_not_there_cannot_be_asked_for(house: Application, person: Person, path: str):
    """No page has such a form, so no token is good for it."""
    token = await person.token("/tokens", "/tokens")
    answer = await person.http.post(path, data={"token": token}, headers=HERE)
    assert (answer.status_code, "Nothing was changed" in answer.text) == (403, True)


async def test_a_credential_is_set_tested_replaced_and_removed(house: Application, person: Person, shelf: KeyedMcp):
    """And used by the next call, in this process and every other."""
    told = await person.told("/credentials/shelf/set", "/credentials", **{"value-value": "a wrong key"})
    assert told == "The credential for Book shelf is set. It is used from the next call on."
    refused = await person.send("/credentials/shelf/test", "/credentials")
    assert (refused.status_code, alert_in(refused)) == (
        422,
        "Book shelf did not take the credential. Look whether it is whole and still valid, and set it again.",
    )
    assert "a wrong key" not in refused.text
    await person.told("/credentials/shelf/set", "/credentials", **{"value-value": KEY})
    told = await person.told("/credentials/shelf/test", "/credentials")
    assert told == "Book shelf takes the credential: it lists 1 tool."
    assert "tools/list" in shelf.asked
    told = await person.told("/credentials/shelf/remove", "/credentials")
    assert told == "The credential for Book shelf is removed. Agents cannot use the connector until it is set again."
    assert await house.state.credentials.read("shelf") is None
    assert '<span class="state warn">Not set</span>' in (await person.get("/credentials")).text


async def test_a_downstream_that_is_down_does_not_say_that_the_credential_is_bad(person: Person, shelf: KeyedMcp):
    await person.told("/credentials/shelf/set", "/credentials", **{"value-value": KEY})
    shelf.is_down = True
    refused = await person.send("/credentials/shelf/test", "/credentials")
    assert refused.status_code == 422
    assert alert_in(refused).endswith("Whether the credential is good is not known; test it again later.")


async def test_an_api_s_credential_is_only_read_when_it_is_tested(person: Person):
    fields = {"value-user": "ada", "value-password": "a password of the desk"}
    await person.told("/credentials/front-desk/set", "/credentials", **fields)
    told = await person.told("/credentials/front-desk/test", "/credentials")
    assert told.startswith("The credential for Front desk can be read. No call was made with it: ")


async def test_a_pair_that_no_header_can_carry_is_refused(house: Application, person: Person):
    """RFC 7617 2: the colon ends the user name."""
    fields = {"value-user": "a:da", "value-password": "a password of the desk"}
    answer = await person.send("/credentials/front-desk/set", "/credentials", **fields)
    assert (answer.status_code, alert_in(answer)) == (
        422,
        "A user name with a colon in it cannot be sent. Nothing was changed.",
    )
    assert await house.state.credentials.read("front-desk") is None


@pytest.mark.parametrize("value", ["", " ", "a\r\nb", "x" * 70_000, "  a", "clé"])
async def test_a_value_that_cannot_be_kept_is_refused_at_its_form_and_not_repeated(
    house: Application, person: Person, value: str
):
    answer = await person.send("/credentials/shelf/set", "/credentials", **{"value-value": value})
    assert answer.status_code in (400, 422)
    assert "Nothing was changed." in answer.text
    assert await house.state.credentials.read("shelf") is None


async def test_no_page_shows_a_value_that_was_set(person: Person):
    secret = "sk-recognisable-4711"
    sent = await person.send("/credentials/shelf/set", "/credentials", **{"value-value": secret})
    shown = [sent, *[await person.get(path) for path in PAGES]]
    assert [secret in page.text or secret in str(page.headers) for page in shown] == [False] * 5
    page = (await person.get("/credentials")).text
    for field in re.findall(r"<input[^>]*value-[^>]*>", page):
        assert ' type="password" autocomplete="off"' in field
        assert " value=" not in field


async def test_a_token_is_shown_once_works_and_is_renamed_and_revoked(house: Application, person: Person):
    answer = await person.send("/tokens", "/tokens", name="Cursor <b>", life="30")
    assert (answer.status_code, answer.headers["cache-control"], "location" in answer.headers) == (
        200,
        "no-store",
        False,
    )
    [text] = re.findall(r'<code class="secret" tabindex="0">([^<]*)</code>', answer.text)
    [token] = await house.state.access_tokens.tokens()
    assert (token.name, token.expires_at) == ("Cursor <b>", int(token.created_at + 30 * 24 * 3_600))
    assert (await house.state.access_tokens.verify(text)) == token
    again = await person.get("/tokens")
    assert (text in again.text, "Cursor &lt;b&gt;" in again.text) == (False, True)
    told = await person.told(f"/tokens/{token.id}/rename", "/tokens", name="Editor")
    assert told == "The token is now called “Editor”."
    told = await person.told(f"/tokens/{token.id}/revoke", "/tokens")
    assert told == "The token is revoked. It is refused everywhere within 30 seconds."
    assert await house.state.access_tokens.verify(text) is None


@pytest.mark.parametrize(
    "fields", [{"name": " ", "life": ""}, {"name": "x" * 101, "life": ""}, {"name": "x", "life": "1"}]
)
async def test_a_token_without_a_proper_name_or_end_is_not_issued(
    house: Application, person: Person, fields: dict[str, str]
):
    answer = await person.send("/tokens", "/tokens", **fields)
    assert (answer.status_code, 'aria-invalid="true"' in answer.text) == (422, True)
    assert await house.state.access_tokens.tokens() == []


async def test_an_application_that_was_connected_is_listed_and_ended(house: Application, person: Person):
    agreed = Authorization("desk", "The <i>Desk", "owner", "https://desk.example/cb", "c" * 43, "mcp", f"{ORIGIN}/mcp")
    tokens = await house.state.grants.begin(new_ticket(PREFIX), agreed)
    page = (await person.get("/tokens")).text
    assert "The &lt;i&gt;Desk" in page
    assert tokens.access not in page
    [grant] = await house.state.grants.list()
    told = await person.told(f"/grants/{grant.id}/end", "/tokens")
    assert told == "The application is disconnected. It is refused everywhere within 30 seconds."
    assert await house.state.grants.verify(tokens.access) is None


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
