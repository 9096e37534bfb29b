"""Grants of downstreams: what a process writes follows from what it has seen (``auth.md``, "Vault and downstream
OAuth")."""

import asyncio
from dataclasses import replace

import pytest

from connecta.limits import LIMITS
from connecta.state.downstream_grants import KeptGrant, new_version
from tests.fixtures.dynamodb import Clock, StateOpener

GRANT = KeptGrant(
    version="one",
    issuer="https://id.example.com",
    url="https://notes.example.com/mcp",
    scope="read write",
    expires_at=1_800_003_600.25,
    lasts_s=3_600.0,
    connected_at=1_800_000_000.25,
    by="owner",
    sealed=b"\x00sealed",
)


async def test_a_grant_is_read_as_it_was_kept(open_here: StateOpener):
    grants = open_here().downstream_grants
    assert await grants.read("notes") is None
    bare = replace(GRANT, expires_at=None, refreshed_at=1.5, refused="refused", sealed=b"", connected_at=1.0)
    for kept in (GRANT, bare, replace(GRANT, renewable=True)):
        await grants.put("notes", kept)
        assert await grants.read("notes") == kept
    assert await grants.read("other") is None
    assert await open_here("another deployment").downstream_grants.read("notes") is None


async def test_a_grant_that_is_written_twice_does_not_undo_what_it_was_refreshed_to(open_here: StateOpener):
    """A write whose answer got lost is sent again; somebody else's connection takes the place of any."""
    grants = open_here().downstream_grants
    refreshed = replace(GRANT, version=new_version(GRANT.version), refreshed_at=1_800_000_010.0)
    await grants.put("notes", GRANT)
    await grants.follow("notes", GRANT, refreshed)
    await grants.put("notes", GRANT)
    assert await grants.read("notes") == refreshed
    anew = replace(GRANT, version=new_version())
    await grants.put("notes", anew)
    assert await grants.read("notes") == anew


async def test_of_all_who_follow_one_grant_one_does(open_here: StateOpener):
    grants = open_here().downstream_grants
    await grants.put("notes", GRANT)
    followers = [replace(GRANT, version=new_version()) for _ in range(10)]
    written = await asyncio.gather(*(grants.follow("notes", GRANT, each) for each in followers))
    assert written.count(True) == 1
    assert await grants.read("notes") == followers[written.index(True)]


async def test_a_write_that_is_sent_twice_is_written(open_here: StateOpener):
    grants = open_here().downstream_grants
    await grants.put("notes", GRANT)
    later = replace(GRANT, version="two")
    assert [await grants.follow("notes", GRANT, later) for _ in range(2)] == [True, True]


async def test_a_refused_grant_has_no_tokens_and_lives_again_with_what_followed_it(open_here: StateOpener):
    grants = open_here().downstream_grants
    await grants.put("notes", GRANT)
    assert await grants.refuse("notes", GRANT, "refused")
    assert await grants.read("notes") == replace(GRANT, sealed=b"", refused="refused")
    later = replace(GRANT, version="two")
    assert await grants.follow("notes", GRANT, later)
    assert not await grants.refuse("notes", GRANT, "refused")
    assert await grants.read("notes") == later


async def test_what_was_forgotten_stays_so(open_here: StateOpener):
    grants = open_here().downstream_grants
    await grants.put("notes", GRANT)
    assert await grants.forget("notes") == GRANT
    assert await grants.forget("notes") is None
    assert not await grants.follow("notes", GRANT, replace(GRANT, version="two"))
    assert not await grants.refuse("notes", GRANT, "refused")
    assert await grants.read("notes") is None


async def test_what_is_wanted_beyond_a_grant_outlives_it(open_here: StateOpener):
    """Whoever discards a grant to connect anew is asked for all that is wanted."""
    grants = open_here().downstream_grants
    await grants.put("notes", GRANT)
    await grants.want("notes", "delete")
    await grants.forget("notes")
    assert await grants.wanted("notes") == "delete"


async def test_what_came_to_be_wanted_meanwhile_is_not_satisfied_by_what_was_asked_before(
    open_here: StateOpener, monkeypatch: pytest.MonkeyPatch
):
    grants = open_here().downstream_grants
    await grants.want("notes", "write")
    read = grants.wanted

    async def read_late(connector: str) -> str:
        found = await read(connector)
        await grants.want(connector, "write delete")
        return found

    monkeypatch.setattr(grants, "wanted", read_late)
    await grants.satisfied("notes", "read write")
    assert await read("notes") == "write delete"


async def test_what_was_wanted_is_remembered_for_a_day_or_until_it_is_asked_for(open_here: StateOpener):
    clock = Clock()
    grants = open_here(now=clock).downstream_grants
    assert await grants.wanted("notes") == ""
    await grants.want("notes", "write")
    assert await grants.wanted("notes") == "write"
    for asked in ("", "read", "rewrite"):
        await grants.satisfied("notes", asked)
        assert await grants.wanted("notes") == "write"
    await grants.satisfied("notes", "read write")
    assert await grants.wanted("notes") == ""
    await grants.satisfied("notes", "read")
    await grants.want("notes", "write")
    clock.seconds += LIMITS.downstream_wanted_s + 1
    assert await grants.wanted("notes") == ""


async def test_a_registration_is_of_one_connector_issuer_and_origin(open_here: StateOpener):
    clock = Clock()
    grants = open_here(now=clock).downstream_grants
    place = ("notes", "https://id.example.com", "https://tools.example.com")
    await grants.keep_client(*place, b"sealed", int(clock()) + 60)
    assert await grants.client(*place) == b"sealed"
    for other in range(3):
        assert await grants.client(*(f"{name}x" if at == other else name for at, name in enumerate(place))) is None
    clock.seconds += 61
    assert await grants.client(*place) is None
    await grants.keep_client(*place, b"sealed", None)
    await grants.forget_client(*place)
    assert await grants.client(*place) is None


async def test_a_started_flow_is_taken_once_in_time_and_by_its_connector(open_here: StateOpener):
    clock = Clock()
    flows = open_here(now=clock).downstream_flows
    await flows.keep("notes", "state", b"sealed")
    assert await flows.take("other", "state") is None
    assert await flows.take("notes", "another") is None
    taken = await asyncio.gather(*(flows.take("notes", "state") for _ in range(6)))
    assert sorted(taken, key=bool) == [*(5 * [None]), b"sealed"]
    await flows.keep("notes", "state", b"sealed")
    clock.seconds += LIMITS.downstream_flow_s + 1
    assert await flows.take("notes", "state") is None
