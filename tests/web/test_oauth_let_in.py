"""Somebody who is taken off the list has nothing any more at the next refresh (auth.md)."""

from collections.abc import Callable, Sequence
from functools import partial

import pytest
from fastapi import FastAPI

from connecta import AuthorizationServer
from connecta.auth.authorization_server.server import Server
from connecta.auth.sign_in.config import OidcProvider, Passphrase, SignIn
from connecta.auth.sign_in.sessions import Person
from connecta.state import State
from tests.fixtures.oauth import DESK, Approving, app_with_oauth, oauth_client, refusal_in

ISSUER = "https://id.example.com"
ADA = Person("7", "ada@example.com", "ada@example.com", ISSUER)
BOB = Person("8", "8", "", ISSUER)


def listing(allow: Sequence[str], issuer: str = ISSUER) -> OidcProvider:
    return OidcProvider(issuer, "connecta", allow)


def deployed(state: State, sign_in: SignIn, person: Person) -> FastAPI:
    """The deployment whose list is that of ``sign_in``, with ``person`` at its pages."""
    pages: Callable[[Server], Approving] = partial(Approving, person=person)
    return app_with_oauth(state, auth=[AuthorizationServer([DESK], sign_in)], pages=pages)


@pytest.mark.parametrize(
    ("person", "then"),
    [
        (ADA, listing(["8"])),
        (BOB, listing(["ada@example.com"])),
        (ADA, listing(["ada@example.com"], "https://other.example.com")),
        (ADA, Passphrase()),
    ],
)
async def test_who_is_off_the_list_loses_the_grant_at_the_next_refresh(
    oauth_state: State, person: Person, then: SignIn, caplog: pytest.LogCaptureFixture
) -> None:
    async with oauth_client(deployed(oauth_state, listing(["ada@example.com", "8"]), person)) as client:
        tokens = await client.tokens()
        tokens = (await client.refresh(tokens["refresh_token"])).json()
        assert [row.subject for row in await oauth_state.grants.list()] == [person.subject]

    async with oauth_client(deployed(oauth_state, then, person)) as client:
        assert refusal_in(await client.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
        assert await client.calls(tokens["access_token"]) == 401
    assert await oauth_state.grants.list() == []
    assert "Who granted this is not let in any more, so it has been ended." in caplog.messages

    async with oauth_client(deployed(oauth_state, listing(["ada@example.com", "8"]), person)) as client:
        assert refusal_in(await client.refresh(tokens["refresh_token"])) == (400, "invalid_grant")


async def test_who_is_still_on_the_list_notices_nothing_of_others(oauth_state: State) -> None:
    async with oauth_client(deployed(oauth_state, listing(["ada@example.com", "8"]), ADA)) as client:
        tokens = await client.tokens()
    async with oauth_client(deployed(oauth_state, listing(["ADA@example.com"]), ADA)) as client:
        assert (await client.refresh(tokens["refresh_token"])).status_code == 200
    [row] = await oauth_state.grants.list()
    assert (row.client, row.label, row.person) == ("desk", "The Desk", "ada@example.com")


async def test_a_grant_that_is_ended_on_a_page_is_over_for_its_client(oauth_state: State) -> None:
    async with oauth_client(deployed(oauth_state, Passphrase(), Person("owner", "the owner"))) as client:
        tokens = await client.tokens()
        [row] = await oauth_state.grants.list()
        assert await oauth_state.grants.end(row.id)
        assert await client.calls(tokens["access_token"]) == 401
        assert refusal_in(await client.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
