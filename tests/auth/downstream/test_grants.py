"""The life of a grant at two authorization servers that are processes of their own (``auth.md``, "Vault and downstream
OAuth"; MCP 2026-07-28, "Authorization")."""

from typing import Any

import pytest

from connecta.auth.downstream.model import CallbackRefused, GrantStanding, NotGranted
from connecta.auth.downstream.oauth import DownstreamOAuth
from tests.auth.downstream.deployments import Notes, using
from tests.auth.downstream.downstreams import ORIGIN, NodeDownstream, SdkDownstream, asked, connect
from tests.fixtures.dynamodb import Clock

HOUR = 3_600


@pytest.fixture(params=["sdk", "node"])
def running(request: pytest.FixtureRequest) -> SdkDownstream | NodeDownstream:
    return request.getfixturevalue("desk" if request.param == "sdk" else "node")


@pytest.fixture
async def server(running: SdkDownstream | NodeDownstream) -> Notes:
    if isinstance(running, NodeDownstream):
        await asked(f"{running.origin}/want", scope="notes.read")
    return Notes(f"{running.origin}/mcp")


async def counts(running: SdkDownstream | NodeDownstream, before: dict[str, Any] | None = None) -> dict[str, int]:
    """How often each thing was asked for, since ``before``."""
    seen = await asked(f"{running.origin}/seen")
    registrations = seen["registrations"]
    seen["registrations"] = registrations if isinstance(registrations, int) else len(registrations)
    names = ("registrations", "codes", "refreshes", "revocations")
    return {name: seen[name] - (before[name] if before else 0) for name in names}


async def test_what_a_person_grants_is_used_and_nothing_secret_of_it_is_shown(
    oauth: DownstreamOAuth, server: Notes, running: SdkDownstream | NodeDownstream, clock: Clock
):
    before = await counts(running)
    with pytest.raises(NotGranted) as never:
        await oauth.token(server)
    assert (never.value.reason, await oauth.standing(server)) == ("never", None)
    await connect(oauth, server, running)
    granted = await oauth.token(server)
    assert (await using(running.origin, granted))[0] == 200
    assert granted.token not in repr(granted)
    standing = await oauth.standing(server)
    assert standing is not None
    assert standing == GrantStanding(running.origin, standing.scope, clock() + HOUR, clock(), "owner", renewable=True)
    assert "notes.read" in standing.scope.split()
    assert await counts(running, before) == {"registrations": 1, "codes": 1, "refreshes": 0, "revocations": 0}


async def test_a_token_that_ends_soon_is_refreshed_and_the_rotated_one_is_what_refreshes_next(
    oauth: DownstreamOAuth, server: Notes, running: SdkDownstream | NodeDownstream, clock: Clock
):
    await connect(oauth, server, running)
    before, tokens = await counts(running), {(await oauth.token(server)).token}
    for _ in range(3):
        clock.seconds += HOUR - 30
        granted = await oauth.token(server)
        assert await oauth.token(server) == granted
        assert (await using(running.origin, granted))[0] == 200
        tokens.add(granted.token)
    assert len(tokens) == 4
    assert await counts(running, before) == {"registrations": 0, "codes": 0, "refreshes": 3, "revocations": 0}
    standing = await oauth.standing(server)
    assert standing is not None
    assert (standing.refreshed_at, standing.expires_at) == (clock(), clock() + HOUR)


async def test_a_token_the_downstream_takes_no_more_is_refreshed_once(
    oauth: DownstreamOAuth, server: Notes, running: SdkDownstream | NodeDownstream
):
    await connect(oauth, server, running)
    used = await oauth.token(server)
    await asked(f"{running.origin}/forget", what="access")
    before = await counts(running)
    status, challenge = await using(running.origin, used)
    assert status == 401
    renewed = await oauth.renewed(server, used, challenge)
    assert (await using(running.origin, renewed))[0] == 200
    # Whoever was refused with the old one takes what the other was given.
    assert await oauth.renewed(server, used, challenge) == renewed == await oauth.token(server)
    assert (await counts(running, before))["refreshes"] == 1


async def test_a_token_rejected_right_after_its_refresh_is_not_refreshed_again(
    oauth: DownstreamOAuth, server: Notes, running: SdkDownstream | NodeDownstream, clock: Clock
):
    await connect(oauth, server, running)
    used = await oauth.token(server)
    renewed = await oauth.renewed(server, used, None)
    before = await counts(running)
    for _ in range(3):
        with pytest.raises(NotGranted) as rejected:
            await oauth.renewed(server, renewed, None)
        assert rejected.value.reason == "rejected"
    assert (await counts(running, before))["refreshes"] == 0
    clock.seconds += 31
    assert (await oauth.renewed(server, renewed, None)).token != renewed.token


async def test_a_grant_revoked_there_is_over_here_until_somebody_connects_again(
    oauth: DownstreamOAuth, server: Notes, running: SdkDownstream | NodeDownstream, clock: Clock
):
    await connect(oauth, server, running)
    used = await oauth.token(server)
    await asked(f"{running.origin}/forget", what="grants")
    before = await counts(running)
    _, challenge = await using(running.origin, used)
    for attempt in (oauth.renewed(server, used, challenge), oauth.token(server), oauth.renewed(server, used, None)):
        with pytest.raises(NotGranted) as refused:
            await attempt
        assert refused.value.reason == "refused"
    standing = await oauth.standing(server)
    assert standing is not None
    assert standing.refused == "refused"
    await connect(oauth, server, running)
    assert (await using(running.origin, await oauth.token(server)))[0] == 200
    assert (await counts(running, before))["registrations"] == 0
    standing = await oauth.standing(server)
    assert standing is not None
    assert standing.refused is None


async def test_disconnecting_ends_the_grant_there_too(
    oauth: DownstreamOAuth, server: Notes, running: SdkDownstream | NodeDownstream
):
    await connect(oauth, server, running)
    used = await oauth.token(server)
    before = await counts(running)
    await oauth.disconnect(server)
    assert (await using(running.origin, used))[0] == 401
    assert (await counts(running, before))["revocations"] == 2
    assert await oauth.standing(server) is None
    with pytest.raises(NotGranted) as never:
        await oauth.token(server)
    assert never.value.reason == "never"
    await oauth.disconnect(server)


async def test_more_scope_is_asked_for_when_the_downstream_wants_more(
    oauth: DownstreamOAuth, server: Notes, running: SdkDownstream | NodeDownstream
):
    """Step-up: what was granted and what is wanted, together, so that nothing granted is lost."""
    await connect(oauth, server, running)
    used = await oauth.token(server)
    if isinstance(running, NodeDownstream):
        await asked(f"{running.origin}/want", scope="notes.write")
    else:
        await running.told(wants="notes.write")
    status, challenge = await using(running.origin, used)
    assert status == 403
    before = await counts(running)
    with pytest.raises(NotGranted) as scope:
        await oauth.renewed(server, used, challenge)
    assert scope.value.reason == "scope"
    assert (await oauth.token(server)) == used
    await connect(oauth, server, running)
    granted = await oauth.renewed(server, used, challenge)
    assert (await using(running.origin, granted))[0] == 200
    standing = await oauth.standing(server)
    assert standing is not None
    assert {"notes.read", "notes.write"} <= set(standing.scope.split())
    assert (await counts(running, before))["refreshes"] == 0


async def test_more_scope_is_asked_for_where_the_grant_is_discarded_first_too(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    """Whoever connects another account would else meet the same refusal again."""
    await connect(oauth, notes, desk)
    used = await oauth.token(notes)
    begun_before = await oauth.begin(notes, origin=ORIGIN, by="owner")
    await desk.told(wants="notes.write")
    _, challenge = await using(desk.origin, used)
    with pytest.raises(NotGranted):
        await oauth.renewed(notes, used, challenge)
    await oauth.finish(notes, await desk.consent(begun_before), origin=ORIGIN)
    anew = await oauth.begin(notes, origin=ORIGIN, by="owner", force=True)
    await oauth.finish(notes, await desk.consent(anew), origin=ORIGIN)
    assert (await using(desk.origin, await oauth.token(notes)))[0] == 200


async def test_a_person_who_does_not_agree_connects_nothing(
    oauth: DownstreamOAuth, server: Notes, running: SdkDownstream | NodeDownstream
):
    if isinstance(running, SdkDownstream):
        await running.told(denies=True)
    back = await running.consent(await oauth.begin(server, origin=ORIGIN, by="owner"), agrees=False)
    assert back["error"] == "access_denied"
    with pytest.raises(CallbackRefused) as refused:
        await oauth.finish(server, back, origin=ORIGIN)
    assert refused.value.message == "Access to Notes was not granted. Nothing was connected."
    assert await oauth.standing(server) is None


async def test_starting_over_forgets_grant_and_registration(
    oauth: DownstreamOAuth, server: Notes, running: SdkDownstream | NodeDownstream
):
    await connect(oauth, server, running)
    used = await oauth.token(server)
    before = await counts(running)
    url = await oauth.begin(server, origin=ORIGIN, by="agent", force=True)
    assert await oauth.standing(server) is None
    assert (await using(running.origin, used))[0] == 401
    await oauth.finish(server, await running.consent(url), origin=ORIGIN)
    assert (await using(running.origin, await oauth.token(server)))[0] == 200
    assert (await counts(running, before))["registrations"] == 1
