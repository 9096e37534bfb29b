"""Registered clients and the documents of the others (auth.md: expiring when unused; mcp.md: cache it)."""

from connecta.limits import LIMITS
from connecta.state.client_documents import KeptDocument
from connecta.state.registrations import Registration
from tests.fixtures.dynamodb import Clock, StateOpener

URIS = ("https://claude.ai/api/mcp/auth_callback", "http://127.0.0.1/callback")
URL = "https://claude.ai/oauth/mcp-oauth-client-metadata"


async def test_a_registered_client_is_found_until_it_is_removed(open_here: StateOpener):
    state = open_here()
    made = await state.registrations.register("Claude", URIS)
    assert made == Registration(made.id, "Claude", URIS, 1_800_000_000)
    assert await state.registrations.find(made.id) == made
    assert await open_here("elsewhere").registrations.find(made.id) is None
    await state.registrations.remove(made.id)
    await state.registrations.note_use(made)
    assert [await state.registrations.find(id) for id in (made.id, "", "ctc_")] == [None, None, None]


async def test_one_that_is_never_used_is_forgotten_after_a_week(open_here: StateOpener):
    clock = Clock()
    registrations = open_here(now=clock).registrations
    made = await registrations.register("Claude", URIS)
    clock.seconds += LIMITS.client_unused_s + 1
    assert await registrations.find(made.id) is None


async def test_one_that_is_used_is_remembered_longer_than_its_tokens_last(open_here: StateOpener):
    clock = Clock()
    registrations = open_here(now=clock).registrations
    made = await registrations.register("Claude", URIS)
    uses: list[float | None] = []
    for pause in (10, LIMITS.client_noted_s - 1, 2, LIMITS.oauth_refresh_s):
        clock.seconds += pause
        found = await registrations.find(made.id)
        assert found is not None
        await registrations.note_use(found)
        noted = await registrations.find(made.id)
        assert noted is not None
        uses.append(None if noted.used_at is None else clock.seconds - noted.used_at)
    assert uses == [0, LIMITS.client_noted_s - 1, 0, 0]
    clock.seconds += LIMITS.client_used_s + 1
    assert await registrations.find(made.id) is None


async def test_a_document_is_fresh_for_a_day_and_kept_for_a_week(open_here: StateOpener):
    clock = Clock()
    documents = open_here(now=clock).client_documents
    assert await documents.read(URL) is None
    await documents.keep(URL, b"{}")
    found = [await documents.read(URL)]
    for pause in (LIMITS.client_document_fresh_s, LIMITS.client_document_kept_s):
        clock.seconds += pause
        found.append(await documents.read(URL))
    assert found == [KeptDocument(b"{}", fresh=True), KeptDocument(b"{}", fresh=False), None]


async def test_one_that_could_not_be_had_rests_for_a_minute(open_here: StateOpener):
    clock = Clock()
    documents = open_here(now=clock).client_documents
    await documents.keep(URL, b"{}")
    await documents.rest(URL)
    resting = [await documents.resting(URL), await documents.resting(URL + "x")]
    clock.seconds += LIMITS.client_document_rest_s + 1
    assert [*resting, await documents.resting(URL)] == [True, False, False]
    assert await documents.read(URL) == KeptDocument(b"{}", fresh=True)
