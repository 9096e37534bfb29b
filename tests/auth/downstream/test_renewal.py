"""Refreshing when things go wrong: nothing given is lost, nothing is tried in a loop (``auth.md``, "Vault and
downstream OAuth")."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from connecta.auth.downstream.model import NotGranted
from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.auth.downstream.renewal import STORE_PAUSES_S
from connecta.auth.exchange import Answer, Exchange, Question
from connecta.auth.vault.keys import unusable
from connecta.connectors.strangers import exchange
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.state import State
from tests.auth.downstream.deployments import PATIENT, Notes, oauth_over, using
from tests.auth.downstream.downstreams import ORIGIN, SdkDownstream, asked, connect
from tests.fixtures.dynamodb import Clock

HOUR = 3_600


async def refreshes(desk: SdkDownstream) -> int:
    return (await desk.seen())["refreshes"]


async def test_a_token_endpoint_that_is_down_costs_no_grant(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream, clock: Clock
):
    await connect(oauth, notes, desk)
    await desk.told(token_status=503)
    clock.seconds += HOUR
    with pytest.raises(Failure) as failed:
        await oauth.token(notes)
    assert (failed.value.code, failed.value.retryable) == ("unavailable", True)
    await desk.told()
    assert (await using(desk.origin, await oauth.token(notes)))[0] == 200


async def test_a_token_that_is_good_still_is_used_while_it_cannot_be_refreshed(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream, clock: Clock
):
    """Whatever the token endpoint says; and it is not asked again for a while."""
    await connect(oauth, notes, desk)
    granted, before = await oauth.token(notes), await refreshes(desk)
    await desk.told(token_status=503)
    clock.seconds += HOUR - 45
    assert [await oauth.token(notes) for _ in range(3)] == 3 * [granted]
    assert await refreshes(desk) == before + 1
    await desk.told()
    await asked(f"{desk.origin}/forget", what="grants")
    clock.seconds += 31
    assert await oauth.token(notes) == granted
    clock.seconds += HOUR
    with pytest.raises(NotGranted) as refused:
        await oauth.token(notes)
    assert refused.value.reason == "refused"


async def test_an_answer_that_was_lost_is_not_asked_for_in_a_loop(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream, clock: Clock
):
    """The refresh token was used up and its successor never arrived: only a person can mend that."""
    await connect(oauth, notes, desk)
    before = await refreshes(desk)
    await desk.told(token_status=502, loses_answers=True)
    clock.seconds += HOUR
    with pytest.raises(Failure) as failed:
        await oauth.token(notes)
    assert failed.value.code == "unavailable"
    await desk.told()
    for _ in range(4):
        with pytest.raises(NotGranted) as refused:
            await oauth.token(notes)
        assert refused.value.reason == "refused"
    assert await refreshes(desk) == before + 2


@dataclass
class Slow:
    """An authorization server whose answer is ``answered`` and arrives once it is ``let_through``."""

    answered: asyncio.Event = field(default_factory=asyncio.Event)
    let_through: asyncio.Event = field(default_factory=asyncio.Event)

    def __call__(self, *, allow_private: bool) -> Exchange:
        really = exchange(allow_private=allow_private)

        async def ask(asked: Question) -> Answer:
            answer = await really(asked)
            self.answered.set()
            await self.let_through.wait()
            return answer

        return ask

    async def outlasts_a_call_of(self, oauth: DownstreamOAuth, notes: Notes) -> None:
        call = asyncio.create_task(oauth.token(notes))
        await self.answered.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


async def test_a_refresh_outlives_the_call_that_wanted_it(
    oauth: DownstreamOAuth, oauth_state: State, notes: Notes, desk: SdkDownstream, tmp_path: Path, clock: Clock
):
    """A call is given up at its deadline, and the rotated token must not be lost with it."""
    await connect(oauth, notes, desk)
    before, slow = await refreshes(desk), Slow()
    watched = oauth_over(oauth_state, tmp_path, exchanges=slow)
    clock.seconds += HOUR
    await slow.outlasts_a_call_of(watched, notes)
    slow.let_through.set()
    assert (await using(desk.origin, await watched.token(notes)))[0] == 200
    assert await refreshes(desk) == before + 1


async def test_a_process_that_is_to_be_frozen_waits_for_the_refresh_its_call_gave_up(
    oauth: DownstreamOAuth, oauth_state: State, notes: Notes, desk: SdkDownstream, tmp_path: Path, clock: Clock
):
    """Lambda freezes it as soon as it has answered; it waits no longer than it has."""
    await connect(oauth, notes, desk)
    slow = Slow()
    watched = oauth_over(oauth_state, tmp_path, exchanges=slow)
    clock.seconds += HOUR
    await slow.outlasts_a_call_of(watched, notes)
    await watched.settled(0.1)
    unrefreshed = await oauth.standing(notes)
    slow.let_through.set()
    await watched.settled(60.0)
    refreshed = await oauth.standing(notes)
    assert unrefreshed is not None
    assert refreshed is not None
    assert (unrefreshed.refreshed_at, refreshed.refreshed_at) == (None, clock.seconds)


async def test_calls_of_one_process_share_a_refresh(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream, clock: Clock
):
    await connect(oauth, notes, desk)
    before = await refreshes(desk)
    clock.seconds += HOUR
    granted = await asyncio.gather(*(oauth.token(notes) for _ in range(20)))
    assert len({each.token for each in granted}) == 1
    assert await refreshes(desk) == before + 1


async def test_what_a_late_process_was_given_revives_a_grant_another_found_refused(
    oauth_state: State, notes: Notes, desk: SdkDownstream, oauth: DownstreamOAuth
):
    """A process that was frozen with the answer to its refresh in hand, while its lease went to another."""
    await connect(oauth, notes, desk)
    records = oauth_state.downstream_grants
    seen = await records.read(notes.id)
    assert seen is not None
    later = replace(seen, version="later", refreshed_at=1.0)
    assert await records.refuse(notes.id, seen, "refused")
    assert await records.follow(notes.id, seen, later)
    # Its answer got lost, so it is written again; and whoever comes after both changes nothing.
    assert await records.follow(notes.id, seen, later)
    assert not await records.refuse(notes.id, seen, "refused")
    assert not await records.follow(notes.id, seen, replace(seen, version="too late"))
    assert await records.read(notes.id) == later


async def test_who_comes_too_late_with_a_refresh_token_takes_what_another_was_given(
    oauth: DownstreamOAuth, oauth_state: State, notes: Notes, desk: SdkDownstream, tmp_path: Path, clock: Clock
):
    """A process that was frozen until its lease was another's: the grant is as good as ever."""
    await connect(oauth, notes, desk)

    def overtaken(*, allow_private: bool) -> Exchange:
        really = exchange(allow_private=allow_private)

        async def ask(asked: Question) -> Answer:
            clock.seconds += PATIENT.downstream_lease_s + 1
            await oauth.token(notes)
            return await really(asked)

        return ask

    clock.seconds += HOUR
    late = await oauth_over(oauth_state, tmp_path, exchanges=overtaken).token(notes)
    standing = await oauth.standing(notes)
    assert standing is not None
    assert (standing.refused, late) == (None, await oauth.token(notes))


async def test_a_disconnected_grant_stays_so_though_a_refresh_was_under_way(
    oauth_state: State, notes: Notes, desk: SdkDownstream, oauth: DownstreamOAuth
):
    await connect(oauth, notes, desk)
    seen = await oauth_state.downstream_grants.read(notes.id)
    assert seen is not None
    await oauth.disconnect(notes)
    assert not await oauth_state.downstream_grants.follow(notes.id, seen, replace(seen, version="later"))
    assert await oauth.standing(notes) is None


def test_a_lease_outlasts_all_that_is_done_under_it():
    """Read and opened, exchanged, then sealed and stored as often as that is tried."""
    limits = LIMITS
    kept_s = limits.state_call_s + limits.vault_wait_s
    storing_s = (len(STORE_PAUSES_S) + 1) * kept_s + sum(STORE_PAUSES_S)
    assert kept_s + limits.downstream_token_wait_s + storing_s <= limits.downstream_lease_s <= limits.lease_s_max


async def test_a_holder_that_died_is_waited_for_and_then_replaced(
    oauth_state: State, notes: Notes, desk: SdkDownstream, oauth: DownstreamOAuth, tmp_path: Path, clock: Clock
):
    await connect(oauth, notes, desk)
    hasty = oauth_over(oauth_state, tmp_path, replace(PATIENT, downstream_patience_s=0.2))
    clock.seconds += HOUR
    lease = await oauth_state.leases.acquire("downstream grant of notes", PATIENT.downstream_lease_s)
    assert lease is not None
    before = await refreshes(desk)
    with pytest.raises(Failure) as failed:
        await hasty.token(notes)
    assert (failed.value.code, failed.value.retryable, await refreshes(desk)) == ("unavailable", True, before)
    clock.seconds += PATIENT.downstream_lease_s + 1
    assert (await using(desk.origin, await hasty.token(notes)))[0] == 200


async def test_a_changed_issuer_retires_the_grant_unread(oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream):
    """What the old issuer gave is neither opened nor sent anywhere (MCP 2026-07-28, SEP-2352)."""
    await connect(oauth, notes, desk)
    used, before = await oauth.token(notes), await desk.seen()
    await desk.told(issuers=[f"{desk.origin}/other"])
    with pytest.raises(NotGranted) as issuer:
        await oauth.renewed(notes, used, None)
    assert issuer.value.reason == "issuer"
    for _ in range(2):
        with pytest.raises(NotGranted) as issuer:
            await oauth.token(notes)
        assert issuer.value.reason == "issuer"
    after = await desk.seen()
    assert (after["refreshes"], after["revocations"]) == (before["refreshes"], before["revocations"])


async def test_connecting_at_a_changed_issuer_retires_the_grant_and_takes_another_registration(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    await connect(oauth, notes, desk)
    registered = len((await desk.seen())["registrations"])
    await desk.told(issuers=[desk.origin.replace("127.0.0.1", "localhost")], metadata={"issuer": _localhost(desk)})
    url = await oauth.begin(notes, origin=ORIGIN, by="owner")
    standing = await oauth.standing(notes)
    assert standing is not None
    assert standing.refused == "issuer"
    assert len((await desk.seen())["registrations"]) == registered + 1
    await oauth.finish(notes, await desk.consent(url), origin=ORIGIN)
    standing = await oauth.standing(notes)
    assert standing is not None
    assert (standing.issuer, standing.refused) == (_localhost(desk), None)


async def test_an_issuer_that_is_still_among_those_named_keeps_its_grant(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    await connect(oauth, notes, desk)
    used = await oauth.token(notes)
    await desk.told(issuers=[f"{desk.origin}/other", f"{desk.origin}/"])
    assert (await using(desk.origin, await oauth.renewed(notes, used, None)))[0] == 200


async def test_a_token_without_an_end_is_refreshed_only_when_it_is_refused(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream, clock: Clock
):
    await desk.told(lasts_s=None)
    await connect(oauth, notes, desk)
    used = await oauth.token(notes)
    clock.seconds += 365 * 24 * HOUR
    assert await oauth.token(notes) == used
    assert (await oauth.renewed(notes, used, None)).token != used.token


async def test_a_grant_outlasts_a_key_that_cannot_be_used(
    oauth: DownstreamOAuth, oauth_state: State, notes: Notes, desk: SdkDownstream, tmp_path: Path
):
    """Nobody has to connect anything again; and who wants to be rid of it is, though nobody can end it there."""
    await connect(oauth, notes, desk)
    key, other = tmp_path / "credentials.key", oauth_over(oauth_state, tmp_path)
    key.chmod(0o644)
    with pytest.raises(Failure) as failed:
        await other.token(notes)
    assert failed.value.envelope() == unusable().envelope()
    key.chmod(0o600)
    assert (await using(desk.origin, await other.token(notes)))[0] == 200
    key.chmod(0o644)
    await oauth_over(oauth_state, tmp_path).disconnect(notes)
    assert await oauth.standing(notes) is None


def _localhost(desk: SdkDownstream) -> str:
    return desk.origin.replace("127.0.0.1", "localhost")
