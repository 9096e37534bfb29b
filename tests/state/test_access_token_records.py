"""The operator's named tokens (auth.md: shown once; SHA-256 kept; rename, revoke, last use)."""

import asyncio

from connecta.limits import LIMITS
from connecta.state.access_tokens import AccessToken
from tests.fixtures.dynamodb import Clock, StateOpener


async def test_a_token_is_known_by_its_text_and_listed_without(open_here: StateOpener):
    clock = Clock()
    tokens = open_here(now=clock).access_tokens
    first, text = await tokens.issue("laptop")
    clock.seconds += 1
    second, _ = await tokens.issue("nightly", life_s=60)
    assert first == AccessToken(first.id, "laptop", clock.seconds - 1)
    assert await tokens.tokens() == [first, second]
    assert await tokens.verify(text) == first
    assert text not in repr(await tokens.tokens())
    clock.seconds += 61
    assert await tokens.tokens() == [first]


async def test_no_other_text_is_a_token(open_here: StateOpener):
    tokens = open_here().access_tokens
    _, text = await tokens.issue("laptop")
    for other in ("", "cta_", text[:-1], text + "x", text[:-1] + ("A" if text[-1] != "A" else "B"), text.upper()):
        assert await tokens.verify(other) is None
    assert await open_here("elsewhere").access_tokens.verify(text) is None


async def test_a_token_can_be_renamed_and_revoked(open_here: StateOpener):
    tokens = open_here().access_tokens
    issued, text = await tokens.issue("laptop")
    renamed = await tokens.rename(issued.id, "old laptop")
    assert renamed == AccessToken(issued.id, "old laptop", issued.created_at)
    assert await tokens.verify(text) == renamed
    assert [await tokens.revoke(issued.id), await tokens.revoke(issued.id)] == [True, False]
    assert (await tokens.verify(text), await tokens.tokens()) == (None, [])
    assert await tokens.rename(issued.id, "x") is None
    await tokens.note_use(issued)
    assert await tokens.tokens() == []


async def test_its_last_use_is_noted_at_most_once_an_hour(open_here: StateOpener):
    clock = Clock()
    tokens = open_here(now=clock).access_tokens
    _, text = await tokens.issue("laptop")
    noted: list[float | None] = []
    for pause in (1, LIMITS.token_used_s - 1, 1):
        clock.seconds += pause
        found = await tokens.verify(text)
        assert found is not None
        await tokens.note_use(found)
        [listed] = await tokens.tokens()
        noted.append(None if listed.used_at is None else clock.seconds - listed.used_at)
    assert noted == [0, LIMITS.token_used_s - 1, 0]


async def test_under_one_id_one_token_is_issued(open_here: StateOpener):
    tokens = open_here().access_tokens
    issued = await asyncio.gather(*(tokens.issue_once("i" * 22, f"laptop {number}") for number in range(5)))
    [(token, text)] = [each for each in issued if each is not None]
    assert (await tokens.tokens(), await tokens.verify(text)) == ([token], token)


async def test_a_name_is_not_lost_to_the_uses_noted_at_the_same_time(open_here: StateOpener):
    """A use that loses is noted by the next one."""
    tokens = open_here().access_tokens
    issued, text = await tokens.issue("laptop")
    await asyncio.gather(tokens.rename(issued.id, "renamed"), *(tokens.note_use(issued) for _ in range(4)))
    await tokens.note_use(issued)
    found = await tokens.verify(text)
    assert found is not None
    assert (found.name, found.used_at is None) == ("renamed", False)
