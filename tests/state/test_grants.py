"""Grants (auth.md: access tokens 1 h; refresh tokens 30 days, rotated; a lost answer may be repeated within 60 s and
gets the same successor; later reuse revokes the family)."""

import asyncio
from collections.abc import Mapping

from connecta.limits import LIMITS
from connecta.state import State
from connecta.state.grants import Grant, Refused, Tokens
from connecta.state.records import Record
from connecta.state.table import Table
from connecta.state.tickets import new_ticket
from tests.fixtures.dynamodb import Clock, StateOpener
from tests.state.test_codes import AUTHORIZATION

CLIENT = AUTHORIZATION.client


async def granted(state: State) -> Tokens:
    return await state.grants.begin(new_ticket("ctk_"), AUTHORIZATION)


async def rotated(state: State, refresh: str, client: str = CLIENT) -> Tokens:
    tokens = await state.grants.refresh(refresh, client)
    assert isinstance(tokens, Tokens)
    return tokens


async def test_an_access_token_tells_who_granted_what_until_it_ends(open_here: StateOpener):
    clock = Clock()
    state = open_here(now=clock)
    tokens = await granted(state)
    assert (tokens.expires_in, tokens.scope) == (3_600, "mcp")
    assert await state.grants.verify(tokens.access) == Grant(
        "desk", "The Desk", "owner", "mcp", "https://tools.example.com/mcp", clock.seconds + 3_600
    )
    clock.seconds += 3_600
    assert await state.grants.verify(tokens.access) is None


async def test_nothing_else_is_an_access_token(open_here: StateOpener):
    state = open_here()
    tokens = await granted(state)
    for text in ("", "cto_", tokens.refresh, "cto_" + tokens.refresh[4:], tokens.access[:-1] + "="):
        assert await state.grants.verify(text) is None
    assert await open_here("elsewhere").grants.verify(tokens.access) is None


async def test_a_refresh_token_is_rotated_and_the_access_token_before_lives_on(open_here: StateOpener):
    clock = Clock()
    state = open_here(now=clock)
    first = await granted(state)
    clock.seconds += 3_000
    second = await rotated(state, first.refresh)
    assert len({first.access, first.refresh, second.access, second.refresh}) == 4
    assert [await state.grants.verify(access) is not None for access in (first.access, second.access)] == [True, True]
    clock.seconds += 700
    assert [await state.grants.verify(access) is not None for access in (first.access, second.access)] == [False, True]


async def test_a_lost_answer_is_given_again_for_a_minute(open_here: StateOpener):
    clock = Clock()
    state = open_here(now=clock)
    first = await granted(state)
    second = await rotated(state, first.refresh)
    clock.seconds += LIMITS.oauth_grace_s - 1
    assert await rotated(state, first.refresh) == Tokens(second.access, second.refresh, 3_600 - 59, "mcp")
    assert await rotated(state, second.refresh) != second


async def test_reuse_after_that_ends_the_grant(open_here: StateOpener):
    """RFC 9700 4.14.2: nobody can tell which of the two who hold the token is the thief."""
    clock = Clock()
    state = open_here(now=clock)
    first = await granted(state)
    second = await rotated(state, first.refresh)
    clock.seconds += LIMITS.oauth_grace_s
    assert await state.grants.refresh(first.refresh, CLIENT) is Refused.REUSED
    assert await state.grants.refresh(second.refresh, CLIENT) is Refused.UNKNOWN
    assert [await state.grants.verify(access) for access in (first.access, second.access)] == [None, None]


async def test_a_token_whose_successor_was_used_is_reused_at_once(open_here: StateOpener):
    state = open_here()
    first = await granted(state)
    second = await rotated(state, first.refresh)
    await rotated(state, second.refresh)
    assert await state.grants.refresh(first.refresh, CLIENT) is Refused.REUSED


async def test_many_who_refresh_at_once_get_the_same_tokens(open_here: StateOpener):
    state = open_here()
    first = await granted(state)
    answers = await asyncio.gather(*(state.grants.refresh(first.refresh, CLIENT) for _ in range(12)))
    [tokens] = set(answers)
    assert isinstance(tokens, Tokens)
    assert await state.grants.verify(tokens.access) is not None
    await rotated(state, tokens.refresh)


async def test_a_refresh_token_lasts_thirty_days_from_its_rotation(open_here: StateOpener):
    clock = Clock()
    state = open_here(now=clock)
    first = await granted(state)
    clock.seconds += LIMITS.oauth_refresh_s - 10
    second = await rotated(state, first.refresh)
    clock.seconds += LIMITS.oauth_refresh_s - 10
    third = await rotated(state, second.refresh)
    clock.seconds += LIMITS.oauth_refresh_s + 1
    assert await state.grants.refresh(third.refresh, CLIENT) is Refused.UNKNOWN


async def test_a_token_of_another_client_is_unknown_and_stays_good(open_here: StateOpener):
    state = open_here()
    first = await granted(state)
    assert await state.grants.refresh(first.refresh, "another") is Refused.UNKNOWN
    await state.grants.revoke(first.refresh, "another")
    assert await state.grants.verify(first.access) is not None
    await rotated(state, first.refresh)


async def test_revoking_any_living_token_ends_them_all(open_here: StateOpener):
    """RFC 7009 section 2.1."""
    state = open_here()
    for which in (0, 1):
        first = await granted(state)
        second = await rotated(state, first.refresh)
        await state.grants.revoke((second.access, second.refresh)[which], CLIENT)
        assert await state.grants.verify(second.access) is None
        assert await state.grants.refresh(second.refresh, CLIENT) is Refused.UNKNOWN


async def test_what_was_revoked_is_not_brought_back_by_a_rotation_under_way(open_here: StateOpener):
    class Slow(Table):
        """Lets the grant be revoked between a rotation's read and its write."""

        async def get(self, pk: str, sk: str) -> Record | None:
            found = await super().get(pk, sk)
            await self.delete(pk, sk)
            return found

    state = open_here()
    first = await granted(state)
    state.table.__class__ = Slow
    assert await state.grants.refresh(first.refresh, CLIENT) is Refused.UNKNOWN
    state.table.__class__ = Table
    assert await state.grants.verify(first.access) is None


async def test_a_code_used_again_ends_what_it_began(open_here: StateOpener):
    """RFC 6749 section 4.1.2."""
    state = open_here()
    code = new_ticket("ctk_")
    tokens = await state.grants.begin(code, AUTHORIZATION)
    await state.grants.end_by_code(new_ticket("ctk_"))
    assert await state.grants.verify(tokens.access) is not None
    await state.grants.end_by_code(code)
    assert await state.grants.verify(tokens.access) is None


async def test_the_table_holds_no_token_and_nothing_a_token_follows_from(open_here: StateOpener):
    written: list[Mapping[str, object]] = []

    class Watched(Table):
        async def put(self, record: Record, **options: object) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
            written.append(record.values)
            return await super().put(record)

        async def replace(self, record: Record, where: object) -> bool:
            written.append(record.values)
            return await super().replace(record, where)  # pyright: ignore[reportArgumentType]

    state = open_here()
    state.table.__class__ = Watched
    first = await granted(state)
    second = await rotated(state, first.refresh)
    state.table.__class__ = Table
    kept = repr(written)
    secrets = [text[-43:] for tokens in (first, second) for text in (tokens.access, tokens.refresh)]
    assert len(written) == 2
    assert not [secret for secret in secrets if secret in kept]
    assert not [secret for secret in secrets if secret in repr((first, second))]
