"""Grants (auth.md: access tokens 1 h; refresh tokens 30 days, rotated; a lost answer may be repeated within 60 s and
gets the same successor; later reuse revokes the family)."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from math import ceil

import pytest

from connecta.failures import Failure, unavailable
from connecta.limits import LIMITS
from connecta.state import State
from connecta.state.codes import Authorization
from connecta.state.grants import Grant, Grantor, GrantRow, Refused, Tokens
from connecta.state.records import Record
from connecta.state.table import Table
from connecta.state.tickets import new_ticket
from tests.fixtures.dynamodb import Clock, StateOpener
from tests.state.test_codes import AUTHORIZATION

CLIENT = AUTHORIZATION.client


def anybody(_: Grantor) -> bool:
    return True


async def granted(state: State, authorization: Authorization = AUTHORIZATION) -> Tokens:
    return await state.grants.begin(new_ticket("ctk_"), authorization)


async def rotated(state: State, refresh: str, client: str = CLIENT) -> Tokens:
    tokens = await state.grants.refresh(refresh, client, let_in=anybody)
    assert isinstance(tokens, Tokens)
    return tokens


def id_of(tokens: Tokens) -> str:
    return tokens.access[4:26]


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
    assert await state.grants.refresh(first.refresh, CLIENT, let_in=anybody) is Refused.REUSED
    assert await state.grants.refresh(second.refresh, CLIENT, let_in=anybody) is Refused.UNKNOWN
    assert [await state.grants.verify(access) for access in (first.access, second.access)] == [None, None]


async def test_a_token_whose_successor_was_used_is_reused_at_once(open_here: StateOpener):
    state = open_here()
    first = await granted(state)
    second = await rotated(state, first.refresh)
    await rotated(state, second.refresh)
    assert await state.grants.refresh(first.refresh, CLIENT, let_in=anybody) is Refused.REUSED


async def test_many_who_refresh_at_once_get_the_same_tokens(open_here: StateOpener):
    state = open_here()
    first = await granted(state)
    answers = await asyncio.gather(*(state.grants.refresh(first.refresh, CLIENT, let_in=anybody) for _ in range(12)))
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
    assert await state.grants.refresh(third.refresh, CLIENT, let_in=anybody) is Refused.UNKNOWN


async def test_a_token_of_another_client_is_unknown_and_stays_good(open_here: StateOpener):
    state = open_here()
    first = await granted(state)
    assert await state.grants.refresh(first.refresh, "another", let_in=anybody) is Refused.UNKNOWN
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
        assert await state.grants.refresh(second.refresh, CLIENT, let_in=anybody) is Refused.UNKNOWN


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
    assert await state.grants.refresh(first.refresh, CLIENT, let_in=anybody) is Refused.UNKNOWN
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


async def test_who_is_not_let_in_any_more_has_no_grant_at_the_next_refresh(open_here: StateOpener):
    """auth.md: taking somebody off the list ends what they granted."""
    state = open_here()
    first = await granted(
        state, replace(AUTHORIZATION, subject="7", email="ada@example.com", issuer="https://id.example")
    )
    asked: list[Grantor] = []

    def nobody(grantor: Grantor) -> bool:
        asked.append(grantor)
        return False

    assert await state.grants.refresh(first.refresh, "another", let_in=nobody) is Refused.UNKNOWN
    assert await state.grants.refresh(first.refresh, CLIENT, let_in=nobody) is Refused.NOT_LET_IN
    assert asked == [Grantor("7", "ada@example.com", "https://id.example")]
    assert await state.grants.verify(first.access) is None
    assert await state.grants.refresh(first.refresh, CLIENT, let_in=anybody) is Refused.UNKNOWN
    assert await state.grants.list() == []


async def test_nor_is_an_answer_that_may_have_got_lost_given_to_them_again(open_here: StateOpener):
    state = open_here()
    first = await granted(state)
    await rotated(state, first.refresh)
    assert await state.grants.refresh(first.refresh, CLIENT, let_in=lambda _: False) is Refused.NOT_LET_IN


async def test_grants_are_listed_the_last_used_first(open_here: StateOpener):
    clock = Clock()
    state = open_here(now=clock)
    begun = clock.seconds
    first = await granted(state)
    clock.seconds += 60
    second = await granted(state, replace(AUTHORIZATION, client="ctc_1", label="Other", email="ada@example.com"))
    ends = ceil(clock.seconds + LIMITS.oauth_refresh_s)
    other = GrantRow(id_of(second), "ctc_1", "Other", "owner", "ada@example.com", begun + 60, begun + 60, ends)
    clock.seconds += 60
    await rotated(state, first.refresh)
    ends = ceil(clock.seconds + LIMITS.oauth_refresh_s)
    desk = GrantRow(id_of(first), "desk", "The Desk", "owner", "", begun, begun + 120, ends)

    assert await state.grants.list() == [desk, other]
    assert [row.person for row in (desk, other)] == ["owner", "ada@example.com"]
    assert await open_here("elsewhere").grants.list() == []


async def test_a_grant_that_is_ended_is_not_listed_and_its_tokens_are_over(open_here: StateOpener):
    state = open_here()
    first, second = await granted(state), await granted(state)

    assert [await state.grants.end(id_of(first)) for _ in range(2)] == [True, False]
    assert await state.grants.end("nothing") is False

    assert [row.id for row in await state.grants.list()] == [id_of(second)]
    assert await state.grants.verify(first.access) is None
    assert await state.grants.refresh(first.refresh, CLIENT, let_in=anybody) is Refused.UNKNOWN
    await rotated(state, second.refresh)


async def test_a_grant_is_listed_for_as_long_as_it_can_be_refreshed(open_here: StateOpener):
    clock = Clock()
    state = open_here(now=clock)
    tokens = await granted(state)
    for _ in range(3):
        clock.seconds += LIMITS.oauth_refresh_s - 10
        assert [row.id for row in await state.grants.list()] == [id_of(tokens)]
        tokens = await rotated(state, tokens.refresh)
    clock.seconds += LIMITS.oauth_refresh_s + 1
    assert await state.grants.list() == []


async def test_no_grant_is_lost_from_the_list_by_many_who_begin_refresh_and_list_at_once(open_here: StateOpener):
    state = open_here()
    tokens = await asyncio.gather(*(granted(state) for _ in range(10)))

    async def lived(each: Tokens) -> Tokens:
        rows, refreshed, _ = await asyncio.gather(
            state.grants.list(), rotated(state, each.refresh), state.grants.list()
        )
        assert id_of(each) in {row.id for row in rows}
        return refreshed

    refreshed = await asyncio.gather(*map(lived, tokens), *(granted(state) for _ in range(5)))

    assert {row.id for row in await state.grants.list()} == set(map(id_of, refreshed))


async def test_a_grant_that_is_just_being_written_keeps_its_place_in_the_index(open_here: StateOpener):
    """Whoever lists between the two writes of a beginning finds an entry that nothing confirms yet."""

    class Listing(Table):
        """Lists the grants before it writes one."""

        async def put(self, record: Record, **options: object) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
            if record.sk == "grant":
                assert await state.grants.list() == []
            return await super().put(record)

    state = open_here()
    state.table.__class__ = Listing
    tokens = await granted(state)
    state.table.__class__ = Table

    assert [row.id for row in await state.grants.list()] == [id_of(tokens)]


async def test_an_entry_no_grant_confirms_is_cleaned_away_after_a_while(open_here: StateOpener):
    """A grant whose end was only half done, or whose beginning."""

    class Broken(Table):
        """Takes no more than the index of a grant."""

        async def put(self, record: Record, **options: object) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
            if record.sk == "grant":
                raise unavailable("The table is down.")
            return await super().put(record)

    class Counting(Table):
        """Counts what is looked for."""

        async def get(self, pk: str, sk: str) -> Record | None:
            looked_for.append(sk)
            return await super().get(pk, sk)

    looked_for: list[str] = []
    clock = Clock()
    state = open_here(now=clock)
    state.table.__class__ = Broken
    with pytest.raises(Failure):
        await granted(state)
    state.table.__class__ = Counting
    for later in (0, LIMITS.grant_settles_s + 1, 0):
        clock.seconds += later
        assert await state.grants.list() == []
    state.table.__class__ = Table

    assert looked_for == ["grant", "grant"]


async def test_an_entry_that_was_renewed_meanwhile_is_not_cleaned_away(open_here: StateOpener):
    clock = Clock()
    state = open_here(now=clock)
    first = await granted(state)
    clock.seconds += LIMITS.grant_settles_s + 1

    class Late(Table):
        """Finds no grant, because its rotation is written only now."""

        async def get(self, pk: str, sk: str) -> Record | None:
            state.table.__class__ = Table
            await rotated(state, first.refresh)
            return None

    state.table.__class__ = Late
    assert await state.grants.list() == []

    assert [row.id for row in await state.grants.list()] == [id_of(first)]


async def test_a_grant_from_before_there_was_an_index_enters_it_with_its_next_rotation(open_here: StateOpener):
    class Old(Table):
        """Writes grants as they were then, and no index."""

        async def put(self, record: Record, **options: object) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
            if record.sk != "grant":
                return True
            values = {name: value for name, value in record.values.items() if name not in ("email", "issuer")}
            return await super().put(replace(record, values=values))

    state = open_here()
    state.table.__class__ = Old
    first = await granted(state)
    state.table.__class__ = Table
    assert await state.grants.list() == []

    await rotated(state, first.refresh)

    assert [row.id for row in await state.grants.list()] == [id_of(first)]


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
    assert len(written) == 4
    assert not [secret for secret in secrets if secret in kept]
    assert not [secret for secret in secrets if secret in repr((first, second))]
