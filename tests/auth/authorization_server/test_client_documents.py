"""Clients that are described by a document at their id (draft-ietf-oauth-client-id-metadata-document)."""

import json
from dataclasses import replace
from typing import Any

import pytest

from connecta.auth.authorization_server.client_documents import KNOWN, DocumentClients, is_document_id
from connecta.auth.authorization_server.client_metadata import BadMetadata, ClientMetadata
from connecta.auth.authorization_server.errors import OAuthError
from connecta.auth.authorization_server.throttle import Throttle, source_of
from connecta.limits import LIMITS, Limits
from connecta.state import State
from tests.fixtures.dynamodb import Clock
from tests.fixtures.oauth import Documents

ID = "https://client.example/oauth/client.json"
CALLBACK = "https://client.example/callback"
CLIENT = ClientMetadata("The Client", (CALLBACK,))
SOURCE = "203.0.113.9"
CLAUDE = "https://claude.ai/oauth/mcp-oauth-client-metadata"


def document(**change: Any) -> bytes:
    usual = {"client_id": ID, "client_name": "The Client", "redirect_uris": [CALLBACK], "grant_types": None}
    return json.dumps({**usual, "token_endpoint_auth_method": "none", **change}).encode()


def clients_of(state: State, documents: Documents, limits: Limits = LIMITS) -> DocumentClients:
    return DocumentClients(state.client_documents, documents, Throttle(state.budgets, limits), limits)


@pytest.mark.parametrize(
    ("id", "is_one"),
    [
        (ID, True),
        ("https://client.example:8443/x?y=1", True),
        (CLAUDE, True),
        ("http://client.example/x", False),
        ("https://client.example", False),
        ("https://client.example/", False),
        ("https://client.example/x#y", False),
        ("https://user@client.example/x", False),
        ("https://user:pass@client.example/x", False),
        ("https://client.example/../x", False),
        ("https://client.example/x/%2e%2E/y", False),
        ("https://client.example/./x", False),
        ("https://client.example:99999/x", False),
        ("https://client.example/\n", False),
        ("https://client.example/x y", False),
        ("https://clïent.example/x", False),
        ("https:///x", False),
        ("https://client.example/" + "x" * LIMITS.oauth_parameter_chars, False),
        ("desk", False),
    ],
)
def test_only_an_address_that_reads_one_way_is_an_id(id: str, is_one: bool):
    assert is_document_id(id, LIMITS) is is_one


async def test_a_document_is_fetched_once_a_day_for_all_processes(oauth_state: State, clock: Clock):
    web = Documents({ID: document()})
    for _ in range(2):
        assert await clients_of(oauth_state, web).find(ID, SOURCE) == CLIENT
    assert web.asked == [ID]
    clock.seconds += LIMITS.client_document_fresh_s
    web.bodies[ID] = document(client_name="Renamed")
    assert await clients_of(oauth_state, web).find(ID, SOURCE) == replace(CLIENT, name="Renamed")
    assert web.asked == [ID, ID]


async def test_a_document_that_cannot_be_fetched_again_is_used_for_a_week(oauth_state: State, clock: Clock):
    web = Documents({ID: document()})
    await clients_of(oauth_state, web).find(ID, SOURCE)
    web.bodies.clear()
    clock.seconds += LIMITS.client_document_fresh_s
    assert await clients_of(oauth_state, web).find(ID, SOURCE) == CLIENT
    clock.seconds += LIMITS.client_document_kept_s
    with pytest.raises(BadMetadata, match="could not be fetched"):
        await clients_of(oauth_state, web).find(ID, SOURCE)


async def test_claude_s_documents_are_known_where_they_cannot_be_fetched(oauth_state: State, clock: Clock):
    """mcp.md: fetching Claude's document from a cloud address can be refused."""
    web = Documents()
    for _ in range(2):
        assert await clients_of(oauth_state, web).find(CLAUDE, SOURCE) == KNOWN[CLAUDE]
    assert web.asked == [CLAUDE]
    clock.seconds += LIMITS.client_document_rest_s + 1
    web.bodies[CLAUDE] = document(client_id=CLAUDE, client_name="Claude itself")
    assert (await clients_of(oauth_state, web).find(CLAUDE, SOURCE)).name == "Claude itself"


NO_DOCUMENT = [b"<!doctype html><title>Just a moment</title>", b"", b"[]", b"[" * 60_000]


@pytest.mark.parametrize("body", NO_DOCUMENT)
async def test_a_page_in_the_place_of_claude_s_document_is_as_good_as_none(
    oauth_state: State, clock: Clock, body: bytes
):
    """An address of a cloud may be answered 200, with a page that asks whether a person is there."""
    web = Documents({CLAUDE: body})
    for _ in range(2):
        assert await clients_of(oauth_state, web).find(CLAUDE, SOURCE) == KNOWN[CLAUDE]
    assert (web.asked, await oauth_state.client_documents.read(CLAUDE)) == ([CLAUDE], None)
    clock.seconds += LIMITS.client_document_rest_s + 1
    web.bodies[CLAUDE] = document(client_id=CLAUDE, client_name="Claude itself")
    assert (await clients_of(oauth_state, web).find(CLAUDE, SOURCE)).name == "Claude itself"


@pytest.mark.parametrize("body", NO_DOCUMENT)
async def test_a_page_in_the_place_of_a_document_leaves_the_kept_one(oauth_state: State, clock: Clock, body: bytes):
    web = Documents({ID: document()})
    await clients_of(oauth_state, web).find(ID, SOURCE)
    web.bodies[ID] = body
    clock.seconds += LIMITS.client_document_fresh_s
    for _ in range(2):
        assert await clients_of(oauth_state, web).find(ID, SOURCE) == CLIENT
    assert web.asked == [ID, ID]


async def test_an_address_without_a_document_is_not_asked_again_at_once(oauth_state: State):
    web = Documents()
    for _ in range(3):
        with pytest.raises(BadMetadata, match="could not be fetched"):
            await clients_of(oauth_state, web).find(ID, SOURCE)
    assert web.asked == [ID]


@pytest.mark.parametrize(
    "body",
    [
        document(client_id="https://client.example/oauth/other.json"),
        document(client_id=ID + "/"),
        document(client_id=None),
        document(client_id=[ID]),
        document(redirect_uris=[]),
        document(redirect_uris=["javascript:alert(1)"]),
        document(redirect_uris=["http://client.example/callback"]),
        document(redirect_uris=[7]),
        document(client_secret="hunter2"),
        document(token_endpoint_auth_method="client_secret_post"),
        document(grant_types=["client_credentials"]),
        b"",
        b"[]",
        b"<html>",
        b"[" * 60_000,
    ],
)
async def test_a_document_that_is_no_client_s_is_refused_and_not_kept(oauth_state: State, body: bytes):
    with pytest.raises(BadMetadata):
        await clients_of(oauth_state, Documents({ID: body})).find(ID, SOURCE)
    assert await oauth_state.client_documents.read(ID) is None


@pytest.mark.parametrize("method", [None, "private_key_jwt"])
async def test_a_client_that_could_do_more_than_be_public_is_public(oauth_state: State, method: str | None):
    """ChatGPT's document prefers a key; the server's metadata offers none, and it goes without."""
    web = Documents({ID: document(token_endpoint_auth_method=method)})
    assert await clients_of(oauth_state, web).find(ID, SOURCE) == CLIENT


async def test_nobody_has_more_than_a_few_addresses_asked(oauth_state: State):
    web, few = Documents(), replace(LIMITS, documents_each=2)
    clients = clients_of(oauth_state, web, few)
    for at in range(2):
        with pytest.raises(BadMetadata):
            await clients.find(f"{ID}{at}", SOURCE)
    with pytest.raises(OAuthError) as refused:
        await clients.find(f"{ID}2", SOURCE)
    assert (refused.value.status, len(web.asked)) == (429, 2)
    # Who needs no document, or comes from elsewhere, is not held up.
    assert await clients.find(CLAUDE, SOURCE) == KNOWN[CLAUDE]
    with pytest.raises(BadMetadata):
        await clients.find(f"{ID}3", "203.0.113.10")


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", "unknown"),
        ("somewhere", "unknown"),
    ],
)
def test_a_source_is_an_address_or_a_network(address: str, source: str):
    assert source_of(address) == source
