"""Who is let in, on ``/tokens``: access tokens and applications (auth.md "Operator pages")."""

import re
from typing import NoReturn

import pytest

from connecta.composition import Application
from connecta.failures import unavailable
from connecta.state.codes import PREFIX, Authorization
from connecta.state.tickets import new_ticket
from tests.web.operator.conftest import HERE, ORIGIN, Person, alert_in, unseen_in


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


async def test_a_form_that_is_sent_again_issues_nothing_more(house: Application, person: Person):
    """As a browser sends it that is asked to load the page with the new token anew."""
    fields = {**unseen_in((await person.get("/tokens")).text, "/tokens"), "name": "Cursor", "life": "30"}
    first, second = [await person.http.post("/tokens", data=fields, headers=HERE) for _ in range(2)]
    shown = ['class="secret"' in page.text for page in (first, second)]
    assert (first.status_code, second.status_code, shown) == (200, 409, [True, False])
    assert alert_in(second).startswith("This form was sent before.")
    assert len(await house.state.access_tokens.tokens()) == 1
    assert unseen_in(first.text, "/tokens")["once"] != fields["once"]


@pytest.mark.parametrize("once", ["", "short", "-" * 22, "x" * 23, "é" * 22])
async def test_a_form_that_could_not_be_told_from_another_issues_nothing(house: Application, person: Person, once: str):
    answer = await person.send("/tokens", "/tokens", name="Cursor", life="30", once=once)
    assert (answer.status_code, "Nothing was changed" in alert_in(answer)) == (422, True)
    assert await house.state.access_tokens.tokens() == []


async def test_no_token_is_issued_where_it_could_not_be_shown(
    house: Application, person: Person, monkeypatch: pytest.MonkeyPatch
):
    fields = {**unseen_in((await person.get("/tokens")).text, "/tokens"), "name": "Cursor", "life": "30"}

    async def unreachable() -> NoReturn:
        raise unavailable("The table is out of reach.")

    monkeypatch.setattr(house.state.grants, "list", unreachable)
    answer = await person.http.post("/tokens", data=fields, headers=HERE)
    assert (answer.status_code, await house.state.access_tokens.tokens()) == (503, [])
