"""What a form has to be before it does anything, and what no form can touch (auth.md "Operator pages")."""

from collections.abc import Sequence
from typing import Any, Final

import httpx2
import pytest

from connecta import Connecta
from connecta.auth.authorizations import Authorizations
from connecta.auth.vault.slots import Slots
from connecta.composition import Application
from connecta.connectors.api import Api
from connecta.connectors.authored import AuthoredConnector
from connecta.state.codes import PREFIX, Authorization
from connecta.state.downstream_grants import KeptGrant
from connecta.state.tickets import new_ticket
from connecta.web.operator.places import PAGES
from tests.fixtures.operated import KEY
from tests.web.operator.conftest import COOKIE, HERE, ORIGIN, Person, browsing, token_in

FILLED: Final = {"value-value": KEY}
FORMS: Final[Sequence[tuple[str, str, dict[str, str]]]] = (
    ("/connectors/{calendar}/connect", "/", {}),
    ("/connectors/{calendar}/disconnect", "/", {}),
    ("/credentials/{shelf}/set", "/credentials", FILLED),
    ("/credentials/{shelf}/test", "/credentials", {}),
    ("/credentials/{shelf}/remove", "/credentials", {}),
    ("/tokens", "/tokens", {"name": "Cursor", "life": "90", "once": "o" * 22}),
    ("/tokens/{token}/rename", "/tokens", {"name": "Another"}),
    ("/tokens/{token}/revoke", "/tokens", {}),
    ("/grants/{grant}/end", "/tokens", {}),
    ("/sign-out", "/tokens", {}),
)
"""Every form that changes anything: where it goes, the page it is on, and what is filled in."""


@pytest.fixture
async def paths(house: Application, person: Person) -> dict[str, str]:
    """The paths of ``FORMS`` with ids of what is there."""
    state = house.state
    token, _ = await state.access_tokens.issue("Editor")
    agreed = Authorization(
        "desk", "The Desk", "owner", "https://desk.example/callback", "c" * 43, "mcp", f"{ORIGIN}/mcp"
    )
    await state.grants.begin(new_ticket(PREFIX), agreed)
    [grant] = await state.grants.list()
    url = "http://127.0.0.1:9/mcp"
    kept = KeptGrant("v", "https://issuer.example", url, "read", None, 0.0, 1.0, "owner", b"sealed")
    await state.downstream_grants.put("calendar", kept)
    await person.told("/credentials/shelf/set", "/credentials", **FILLED)
    ids = {"calendar": "calendar", "shelf": "shelf", "token": token.id, "grant": grant.id}
    return {path: path.format(**ids) for path, _, _ in FORMS}


async def everything_kept(house: Application) -> dict[str, Any]:
    """What forms could change, as far as it can be read."""
    state = house.state
    return {
        "tokens": await state.access_tokens.tokens(),
        "grants": await state.grants.list(),
        "shelf": await state.credentials.read("shelf"),
        "calendar": await state.downstream_grants.read("calendar"),
    }


def is_refused(answer: httpx2.Response) -> bool:
    return (
        answer.status_code in (400, 403) and "location" not in answer.headers and "Nothing was changed" in answer.text
    )


@pytest.mark.parametrize(("path", "page", "fields"), FORMS)
async def test_a_form_from_anywhere_else_does_nothing(
    deployment: Connecta,
    house: Application,
    person: Person,
    paths: dict[str, str],
    path: str,
    page: str,
    fields: dict[str, str],
):
    """No session, another origin, no token, another page's or another browser's token, a bearer token, a GET."""
    there = paths[path]
    token = token_in((await person.get(page)).text, there)
    another = token_in((await person.get("/activity")).text, "/sign-out")
    _, bearer = await house.state.access_tokens.issue("bearer")
    before = await everything_kept(house)

    async def sent(who: Person, headers: dict[str, str], **given: str) -> httpx2.Response:
        return await who.http.post(there, data={**fields, **given}, headers={**HERE, **headers})

    async with browsing(house) as nobody, browsing(house) as other:
        other.sign_in(deployment.name)
        refused = [
            await sent(nobody, {}, token=token),
            await sent(nobody, {"authorization": f"Bearer {bearer}"}, token=token),
            await sent(person, {"authorization": f"Bearer {bearer}"}, token=token),
            await sent(person, {}),
            await sent(person, {}, token=""),
            await sent(person, {}, token="é.x"),
            await sent(other, {}, token=token),
            await sent(person, {"sec-fetch-site": "cross-site"}, token=token),
            await sent(person, {"sec-fetch-site": "same-site"}, token=token),
        ]
        if path != "/sign-out":
            refused.append(await sent(person, {}, token=another))
    assert [is_refused(answer) for answer in refused] == [True] * len(refused)
    for origin in ("https://evil.example", "null", "http://tools.example.com"):
        assert (await sent(person, {"origin": origin}, token=token)).status_code == 403
    without = await person.http.post(there, data={**fields, "token": token})
    assert is_refused(without)
    asked = await person.http.get(there, params={**fields, "token": token})
    assert asked.status_code == (200 if path == "/tokens" else 405)
    assert await everything_kept(house) == before


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (b"token=a&token=b", "application/x-www-form-urlencoded"),
        (b"token=%FF", "application/x-www-form-urlencoded"),
        (b"&".join(b"a%d=1" % n for n in range(60)), "application/x-www-form-urlencoded"),
        ("token=é".encode(), "application/x-www-form-urlencoded"),
        (b"a=" + b"x" * 70_000, "application/x-www-form-urlencoded"),
        (b'{"token": "a"}', "application/json"),
        (b"--x\r\n", "multipart/form-data; boundary=x"),
    ],
)
async def test_what_no_page_sends_is_not_understood(person: Person, body: bytes, media_type: str):
    answer = await person.http.post("/tokens", content=body, headers={**HERE, "content-type": media_type})
    assert (answer.status_code, "no form of this server" in answer.text) == (400, True)


async def test_nothing_a_page_is_asked_for_makes_a_session_last_longer(person: Person):
    """``auth.md``: 12 hours from when somebody signed in, on the page to sign in as well."""
    for path in (*PAGES, "/sign-in"):
        answer = await person.get(path)
        assert (answer.status_code, COOKIE in answer.headers.get("set-cookie", "")) == (200, False)
    for passphrase in ("a wrong passphrase", ""):
        answer = await person.send("/sign-in", "/sign-in", passphrase=passphrase)
        assert (answer.status_code, COOKIE in answer.headers.get("set-cookie", "")) == (403, False)


async def test_a_form_works_until_its_session_is_over(house: Application, person: Person):
    """Who signs out leaves nothing in the browser that a page it had open could still do something with."""
    page = await person.get("/tokens")
    token, cookie = token_in(page.text, "/tokens"), person.http.cookies[COOKIE]
    assert (await person.send("/sign-out", "/")).headers["location"] == "/sign-in"
    assert (await person.get("/tokens")).headers["location"] == "/sign-in?next=%2Ftokens"
    assert person.http.cookies[COOKIE] != cookie
    answer = await person.http.post("/tokens", data={"token": token, "name": "x", "life": ""}, headers=HERE)
    assert is_refused(answer)
    assert await house.state.access_tokens.tokens() == []


@pytest.mark.parametrize(("path", "page", "fields"), FORMS)
async def test_no_form_touches_connectors_catalogs_annotations_scopes_or_limits(
    deployment: Connecta,
    house: Application,
    person: Person,
    paths: dict[str, str],
    path: str,
    page: str,
    fields: dict[str, str],
):
    """Operators manage authentication material, never what agents reach: byte for byte the same after each form."""
    authorizations = Authorizations(Slots(house.state.credentials, house.vault))
    shelf = deployment.by_id["shelf"]
    catalog = await house.catalogs.load("shelf", lambda: shelf.open(None, authorizations))
    assert [tool.name for tool in catalog.tools] == ["look"]
    before = await what_agents_reach(deployment, house)
    answer = await person.send(paths[path], page, **fields)
    assert answer.status_code == (200 if path == "/tokens" else 503 if path.endswith("/connect") else 303), answer.text
    assert await what_agents_reach(deployment, house) == before


async def what_agents_reach(deployment: Connecta, house: Application) -> bytes:
    """The connector set, every catalog with its annotations, the scopes and the limits, as text."""
    rows: list[str] = [repr(deployment.limits), repr(deployment.auth), repr(sorted(deployment.shortcuts.items()))]
    for connector in deployment.connectors:
        assert isinstance(connector, AuthoredConnector)
        kept = await house.state.catalogs.load(connector.id, connector.fingerprint)
        about = (
            connector.id,
            connector.url,
            connector.title,
            connector.description,
            connector.guide,
            connector.timeout_s,
        )
        tools = connector.tools if isinstance(connector, Api) else None if kept is None else kept.payload
        rows.append(repr((about, connector.auth, connector.admission, connector.fingerprint, connector.limits, tools)))
        rows.append(repr(None if kept is None else kept.fetched_at))
    return "\n".join(rows).encode()
