"""The sign-in pages over HTTP: what a form has to carry, and what nobody gets by forging it."""

import json
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx2
import pytest

from connecta import AuthorizationServer, DeclaredClient
from connecta.auth.sign_in.hashes import hashed
from connecta.auth.sign_in.passphrases import Passphrases
from connecta.auth.sign_in.secret import SignInSecret, secret_text
from connecta.limits import LIMITS
from connecta.state import State
from connecta.web.sign_in.pages import SignInPages
from tests.fixtures.dynamodb import Clock
from tests.fixtures.oauth import DESK, DESK_CALLBACK, ORIGIN, Documents, OAuthClient, app_with_oauth, oauth_client
from tests.web.conftest import clock, moto_url, oauth_state

__all__ = ["clock", "moto_url", "oauth_state"]

PASSPHRASE = "correct horse battery staple"
KEPT = hashed(PASSPHRASE)
COOKIE = "__Host-connecta-session"


def document(id: str, redirect_uri: str) -> bytes:
    """What a client says of itself at ``id``."""
    return json.dumps({"client_id": id, "client_name": "App", "redirect_uris": [redirect_uri]}).encode()


class Secret:
    """The secret as it is at the moment, read again by every request."""

    def __init__(self) -> None:
        self.text = secret_text("k" * 64, KEPT)

    def __call__(self) -> str:
        return self.text


def app(state: State, clock: Clock, secret: Secret | None = None, **options: Any):
    read = secret or Secret()

    def pages(server: Any) -> SignInPages:
        kept = SignInSecret(read, LIMITS, clock)
        way = Passphrases(kept, state.attempts, state.budgets, LIMITS, matches=lambda given, _: given == PASSPHRASE)
        return SignInPages(server, way, kept, deployment="tests", limits=LIMITS, now=clock)

    return app_with_oauth(state, pages=pages, **options)


class Person:
    """Somebody at a browser, which keeps their cookies."""

    def __init__(self, client: OAuthClient, **request: str | None) -> None:
        self.client = client
        self.request = request
        self.page: httpx2.Response | None = None

    async def open(self) -> httpx2.Response:
        self.page = await self.client.authorize(**self.request)
        return self.page

    def form(self) -> dict[str, str]:
        """What the page's form carries unseen."""
        assert self.page is not None
        return {"token": unescape(re.findall(r'name="token" value="([^"]*)"', self.page.text)[0])}

    async def send(self, headers: dict[str, str] | None = None, /, **fields: str) -> httpx2.Response:
        """Sends the page's form as a browser does; the page that comes back is the next one to send from."""
        if self.page is None:
            await self.open()
        assert self.page is not None
        usual = {"origin": ORIGIN, "sec-fetch-site": "same-origin"}
        body = {**self.form(), **fields}
        answer = await self.client.http.post(
            str(self.page.request.url), data=body, headers={**usual, **(headers or {})}
        )
        if answer.status_code == 303 and answer.headers["location"].startswith("/"):
            answer = await self.client.http.get(answer.headers["location"])
        if 'name="token"' in answer.text:
            self.page = answer
        return answer

    async def sign_in(self, passphrase: str = PASSPHRASE) -> httpx2.Response:
        return await self.send(action="sign-in", passphrase=passphrase)

    @property
    def cookie(self) -> str | None:
        return self.client.http.cookies.get(COOKIE)


def session_id(cookie: str | None) -> str:
    """A session is signed, not secret to who has it."""
    body = str(cookie).partition(".")[0]
    return json.loads(urlsafe_b64decode(body + "=" * (-len(body) % 4)))[0]["id"]


def sent_to(answer: httpx2.Response) -> dict[str, str]:
    """What the client is told."""
    assert answer.status_code == 303, answer.text
    assert answer.headers["location"].startswith(f"{DESK_CALLBACK}?")
    return dict(parse_qsl(urlsplit(answer.headers["location"]).query))


async def test_signing_in_and_allowing_gives_the_client_a_code_that_works(oauth_state: State, clock: Clock):
    async with oauth_client(app(oauth_state, clock)) as client:
        person = Person(client)
        assert "Allow <bdi>The Desk</bdi>" in (await person.sign_in()).text
        answer = await person.send(action="allow")
        assert (answer.headers["cache-control"], answer.headers["referrer-policy"]) == ("no-store", "no-referrer")
        tokens = (await client.redeem(sent_to(answer)["code"])).json()
        assert await client.calls(tokens["access_token"]) == 200


async def test_a_page_runs_nothing_is_framed_by_nobody_and_kept_nowhere(oauth_state: State, clock: Clock):
    async with oauth_client(app(oauth_state, clock)) as client:
        person = Person(client)
        for page, form in ((await person.open(), "; form-action 'self'"), (await person.sign_in(), "")):
            headers = {name: page.headers[name] for name in ("cache-control", "referrer-policy", "x-frame-options")}
            assert headers == {"cache-control": "no-store", "referrer-policy": "same-origin", "x-frame-options": "DENY"}
            policy = page.headers["content-security-policy"]
            assert re.fullmatch(
                r"default-src 'none'; style-src 'sha256-[A-Za-z0-9+/]{43}='; base-uri 'none'; frame-ancestors 'none'; "
                r"require-trusted-types-for 'script'; trusted-types 'none'" + form,
                policy,
            )
            assert "<script" not in page.text
            assert 'lang="en"' in page.text


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://tools.example.com"},
        {"origin": "https://partner.example"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
async def test_a_form_from_anywhere_else_is_refused(oauth_state: State, clock: Clock, headers: dict[str, str]):
    async with oauth_client(app(oauth_state, clock)) as client:
        person = Person(client)
        await person.sign_in()
        answer = await person.send(headers, action="allow")
    assert answer.status_code == 403
    assert "location" not in answer.headers


@pytest.mark.parametrize("token", ["", "x", "x.y", "é", "e30.e30"])
async def test_a_form_without_this_page_s_token_does_nothing(oauth_state: State, clock: Clock, token: str):
    async with oauth_client(app(oauth_state, clock)) as client:
        person = Person(client)
        await person.sign_in()
        answer = await person.send(action="allow", token=token)
        assert (answer.status_code, "location" in answer.headers) == (403, False)
        # What it shows instead is the page once more, with a token that works.
        assert sent_to(await person.send(action="allow"))["code"]


async def test_a_token_is_for_one_request_one_page_and_one_browser(oauth_state: State, clock: Clock):
    served = app(oauth_state, clock)
    async with oauth_client(served) as client, oauth_client(served) as elsewhere:
        person, other = Person(client), Person(elsewhere)
        await person.open()
        before = person.form()["token"]
        await person.sign_in()
        allowed = person.form()["token"]
        await other.sign_in()
        another = Person(client, state="another state")
        await another.open()
        for who, token in ((person, before), (other, allowed), (another, allowed)):
            assert (await who.send(action="allow", token=token)).status_code == 403


async def test_a_form_that_stood_too_long_is_shown_again(oauth_state: State, clock: Clock):
    async with oauth_client(app(oauth_state, clock)) as client:
        person = Person(client)
        await person.open()
        clock.seconds += LIMITS.sign_in_form_s
        answer = await person.sign_in()
        assert (answer.status_code, "open for too long" in answer.text) == (403, True)
        assert (await person.sign_in()).status_code == 200


async def test_nobody_agrees_without_having_signed_in(oauth_state: State, clock: Clock):
    async with oauth_client(app(oauth_state, clock)) as client:
        for action in ("allow", "deny", "", "other"):
            answer = await Person(client).send(action=action)
            assert (answer.status_code, "location" in answer.headers) == (200, False)
            assert "Passphrase" in answer.text


async def test_who_signs_in_gets_a_session_nobody_could_have_prepared(oauth_state: State, clock: Clock):
    """Session fixation: a cookie from before signing in is worth nothing after it."""
    served = app(oauth_state, clock)
    async with oauth_client(served) as client, oauth_client(served) as attacker:
        person = Person(client)
        await person.open()
        planted = person.cookie
        await person.sign_in()
        assert planted is not None
        assert session_id(person.cookie) != session_id(planted)
        attacker.http.cookies.set(COOKIE, planted)
        assert "Passphrase" in (await Person(attacker).open()).text


async def test_a_session_is_nobody_s_to_write_and_ends(oauth_state: State, clock: Clock):
    async with oauth_client(app(oauth_state, clock)) as client:
        person = Person(client)
        await person.sign_in()
        assert "Allow" in (await person.open()).text
        body, _, signature = str(person.cookie).partition(".")
        forged = urlsafe_b64encode(b'[{"id":"x","subject":"owner","name":"o"},9999999999]').decode().rstrip("=")
        for cookie in (f"{forged}.{signature}", f"{body}.", body, f"{body}.{signature}x"):
            client.http.cookies.clear()
            client.http.cookies.set(COOKIE, cookie)
            assert "Passphrase" in (await person.open()).text
        client.http.cookies.clear()
        client.http.cookies.set(COOKIE, f"{body}.{signature}")
        assert "Allow" in (await person.open()).text
        clock.seconds += LIMITS.sign_in_session_s
        assert "Passphrase" in (await person.open()).text


async def test_a_new_secret_ends_every_session(oauth_state: State, clock: Clock):
    secret = Secret()
    async with oauth_client(app(oauth_state, clock, secret)) as client:
        person = Person(client)
        await person.sign_in()
        secret.text = secret_text("another key of more than thirty-two", KEPT)
        clock.seconds += LIMITS.sign_in_secret_s
        assert (await person.send(action="allow")).status_code == 403
        assert "Passphrase" in (await person.open()).text


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"key": "short"}', '{"key": 1}', "{", "[" * 9_999])
async def test_a_secret_that_is_none_lets_nobody_sign_in(oauth_state: State, clock: Clock, text: str):
    secret = Secret()
    secret.text = text
    async with oauth_client(app(oauth_state, clock, secret)) as client:
        answer = await client.authorize()
    assert (answer.status_code, "Nobody can sign in here" in answer.text) == (503, True)


async def test_a_wrong_passphrase_is_said_at_its_field_and_never_repeated(
    oauth_state: State, clock: Clock, caplog: pytest.LogCaptureFixture
):
    async with oauth_client(app(oauth_state, clock)) as client:
        person = Person(client)
        answer = await person.sign_in("a wrong passphrase")
        assert answer.status_code == 403
        assert 'aria-invalid="true" aria-describedby="error hint"' in answer.text
        assert "a wrong passphrase" not in answer.text
        for _ in range(LIMITS.passphrases_free - 1):
            await person.sign_in("a wrong passphrase")
        slowed = await person.sign_in()
        assert (slowed.status_code, slowed.headers["retry-after"]) == (429, "2")
        assert "Try again in 2 seconds" in slowed.text
    logged = " ".join(str(vars(record)) for record in caplog.records)
    assert "A wrong passphrase was given." in logged
    assert "a wrong passphrase" not in logged
    assert PASSPHRASE not in logged


async def test_forged_headers_neither_change_where_a_form_goes_nor_whose_attempts_count(
    oauth_state: State, clock: Clock
):
    async with oauth_client(app(oauth_state, clock)) as client:
        person = Person(client)
        forged = {"x-forwarded-host": "evil.example", "x-forwarded-proto": "http", "forwarded": "host=evil.example"}
        page = await client.http.get(str((await person.open()).request.url), headers=forged)
        assert "evil.example" not in page.text
        for number in range(LIMITS.passphrases_free):
            await person.send({"x-forwarded-for": f"198.51.100.{number}"}, action="sign-in", passphrase="x")
        answer = await person.send({"x-forwarded-for": "198.51.100.99"}, action="sign-in", passphrase=PASSPHRASE)
        assert answer.status_code == 429
        foreign = await client.http.get(page.request.url.raw_path.decode(), headers={"host": "evil.example"})
        assert foreign.status_code == 421


async def test_a_form_s_own_address_is_checked_again(oauth_state: State, clock: Clock):
    """Nothing that was approved can be sent anywhere a client has not named."""
    async with oauth_client(app(oauth_state, clock)) as client:
        person = Person(client)
        await person.sign_in()
        assert person.page is not None
        address = str(person.page.request.url).replace("desk.example", "evil.example")
        answer = await client.http.post(address, data={**person.form(), "action": "allow"}, headers={"origin": ORIGIN})
        assert (answer.status_code, "location" in answer.headers) == (400, False)


@pytest.mark.parametrize("name", ['<img src=x onerror="alert(1)">', "{{ 7 * 7 }}", "</title><script>1</script>"])
async def test_what_a_client_calls_itself_is_shown_as_text(oauth_state: State, clock: Clock, name: str):
    desk = DeclaredClient("named", name, [DESK_CALLBACK])
    served = app(oauth_state, clock, auth=[AuthorizationServer(clients=[desk])])
    async with oauth_client(served, id="named") as client:
        person = Person(client)
        for page in (await person.open(), await person.sign_in()):
            assert "<img" not in page.text
            assert "<script" not in page.text
            assert "49" not in re.sub(r'value="[^"]*"', "", page.text)


async def test_a_client_that_registered_itself_is_not_taken_at_its_word(oauth_state: State, clock: Clock):
    async with oauth_client(app(oauth_state, clock)) as client:
        wanted = {"client_name": "Claude", "redirect_uris": [DESK_CALLBACK]}
        id = (await client.http.post("/oauth/register", json=wanted)).json()["client_id"]
        person = Person(client, client_id=id)
        page = await person.sign_in()
    assert "says it is “<bdi>Claude</bdi>”" in page.text
    assert "<dd>desk.example" in page.text


async def test_an_application_s_own_scheme_shows_no_host_that_it_made_up(oauth_state: State, clock: Clock):
    async with oauth_client(app(oauth_state, clock)) as client:
        wanted = {"client_name": "Claude", "redirect_uris": ["com.evil.app://claude.ai/callback"]}
        id = (await client.http.post("/oauth/register", json=wanted)).json()["client_id"]
        person = Person(client, client_id=id, redirect_uri=None)
        page = await person.sign_in()
    assert "<dd>com.evil.app: <span>the application on this device that opens such addresses</span>" in page.text
    assert "claude.ai" not in re.sub(r'action="[^"]*"', "", page.text)


async def test_a_person_agrees_to_what_the_page_showed_although_the_client_s_document_has_changed(
    oauth_state: State, clock: Clock
):
    id = "https://app.example/client.json"
    documents = Documents({id: document(id, "https://shown.example/callback")})
    async with oauth_client(app(oauth_state, clock, ask=documents), id=id) as client:
        person = Person(client, redirect_uri=None)
        assert "<dd>shown.example" in (await person.sign_in()).text
        await oauth_state.client_documents.keep(id, document(id, "https://hidden.example/callback"))
        answer = await person.send(action="allow")
        assert (answer.status_code, "location" in answer.headers) == (403, False)
        assert "<dd>hidden.example" in answer.text


async def test_a_refusal_for_a_site_anybody_may_have_registered_is_taken_there_by_the_person(
    oauth_state: State, clock: Clock
):
    """RFC 9700 4.11.2, RFC 6749 4.1.2.1."""
    async with oauth_client(app(oauth_state, clock)) as client:
        wanted = {"client_name": "Claude", "redirect_uris": ["https://some.example/callback"]}
        id = (await client.http.post("/oauth/register", json=wanted)).json()["client_id"]
        page = await client.authorize(client_id=id, redirect_uri=None, response_type="token")
    assert (page.status_code, "location" in page.headers) == (400, False)
    link = unescape(re.findall(r'<a href="([^"]*)" rel="noreferrer">Go to some.example</a>', page.text)[0])
    assert link.startswith("https://some.example/callback?")
    told = dict(parse_qsl(urlsplit(link).query))
    assert (told["error"], told["iss"]) == ("unsupported_response_type", ORIGIN)


@pytest.mark.parametrize(
    ("body", "type"),
    [
        (b"x" * (LIMITS.oauth_form_bytes + 1), "application/x-www-form-urlencoded"),
        (b"{}", "application/json"),
        (b"\xff", "application/x-www-form-urlencoded"),
    ],
)
async def test_what_no_page_of_ours_sends_is_refused(oauth_state: State, clock: Clock, body: bytes, type: str):
    async with oauth_client(app(oauth_state, clock)) as client:
        person = Person(client)
        address = str((await person.open()).request.url)
        answer = await client.http.post(address, content=body, headers={"origin": ORIGIN, "content-type": type})
    assert answer.status_code == 400


async def test_a_refused_request_is_a_page_that_leads_nowhere(oauth_state: State, clock: Clock):
    async with oauth_client(app(oauth_state, clock)) as client:
        answer = await client.authorize(client_id="nobody")
    assert (answer.status_code, answer.headers["x-frame-options"]) == (400, "DENY")
    assert "<h1>Not connected</h1>" in answer.text
    assert DESK.id not in answer.text


async def test_who_denies_is_sent_back_with_the_refusal(oauth_state: State, clock: Clock):
    async with oauth_client(app(oauth_state, clock)) as client:
        person = Person(client)
        await person.sign_in()
        assert sent_to(await person.send(action="deny"))["error"] == "access_denied"
