"""Two real processes over one table: what one grants the other honours, and they can do it at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, ExitStack

import httpx2
import pytest

from examples.shop.servers import serving_process
from tests.fixtures.mcp_messages import initialize
from tests.fixtures.oauth import OAuthClient, refusal_in

AT_ONCE = 6


@pytest.fixture
async def fleet(moto_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[OAuthClient, OAuthClient]]:
    """One client at each of two processes."""
    monkeypatch.setenv("OAUTH_TABLE_URL", moto_url)
    with ExitStack() as running:
        origins = [running.enter_context(serving_process("tests.fixtures.oauth_process", 0)) for _ in range(2)]
        async with AsyncExitStack() as clients:
            one, two = [
                OAuthClient(await clients.enter_async_context(httpx2.AsyncClient(base_url=origin, timeout=60)))
                for origin in origins
            ]
            yield one, two


async def initializes(client: OAuthClient, access_token: str) -> int:
    request = initialize("2025-11-25").having(authorization=f"Bearer {access_token}")
    return (await client.http.post("/mcp", content=request.body, headers=request.headers)).status_code


async def test_both_of_two_who_refresh_at_once_live_on(fleet: tuple[OAuthClient, OAuthClient]):
    one, two = fleet
    token = (await two.redeem(await one.code())).json()["refresh_token"]
    answers = await asyncio.gather(*(client.refresh(token) for client in AT_ONCE * [one, two]))
    assert [answer.status_code for answer in answers] == 2 * AT_ONCE * [200]
    pairs = {(answer.json()["access_token"], answer.json()["refresh_token"]) for answer in answers}
    [(access_token, refresh_token)] = pairs
    assert [await initializes(client, access_token) for client in fleet] == [200, 200]
    assert [(await client.refresh(refresh_token)).status_code for client in fleet] == [200, 200]


async def test_of_two_who_redeem_a_code_at_once_at_most_one_gets_tokens(fleet: tuple[OAuthClient, OAuthClient]):
    """The other is proof that somebody has it who should not, so neither may keep them (RFC 6749 4.1.2)."""
    code = await fleet[0].code()
    answers = await asyncio.gather(*(client.redeem(code) for client in AT_ONCE * [*fleet]))
    granted = [answer for answer in answers if answer.status_code == 200]
    refused = [refusal_in(answer) for answer in answers if answer.status_code != 200]
    assert (len(granted), set(refused)) == (1, {(400, "invalid_grant")})


async def test_what_one_process_revokes_is_over_in_the_other(fleet: tuple[OAuthClient, OAuthClient]):
    one, two = fleet
    tokens = await one.tokens()
    assert (await two.revoke(tokens["refresh_token"])).status_code == 200
    assert await initializes(one, tokens["access_token"]) == 401
    assert refusal_in(await one.refresh(tokens["refresh_token"])) == (400, "invalid_grant")
