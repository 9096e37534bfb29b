"""What may go wrong while a person connects a downstream (``auth.md``, "Vault and downstream OAuth"; RFC 8414,
RFC 8707, RFC 9207, RFC 9700, RFC 9728)."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest

from connecta import OAuth
from connecta.auth.downstream.clients import client_document
from connecta.auth.downstream.model import CallbackRefused, NotGranted
from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.state import State
from tests.auth.downstream.deployments import Notes, oauth_over, using
from tests.auth.downstream.downstreams import ORIGIN, SdkDownstream, asked, connect, node_downstream
from tests.fixtures.dynamodb import Clock
from tests.fixtures.node import NodeProject

OVER = "This was not begun here, took too long, or is over already. Start again."


async def back(oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream) -> dict[str, str]:
    return await desk.consent(await oauth.begin(notes, origin=ORIGIN, by="owner"))


async def refusal(oauth: DownstreamOAuth, notes: Notes, parameters: dict[str, str], origin: str = ORIGIN) -> str:
    with pytest.raises(CallbackRefused) as refused:
        await oauth.finish(notes, parameters, origin=origin)
    assert await oauth.standing(notes) is None
    return refused.value.message


async def trouble(oauth: DownstreamOAuth, notes: Notes) -> tuple[str, bool]:
    with pytest.raises(Failure) as failed:
        await oauth.begin(notes, origin=ORIGIN, by="owner")
    return failed.value.code, failed.value.retryable


async def test_the_person_is_sent_with_all_that_binds_the_answer_to_the_question(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    url = await oauth.begin(notes, origin=ORIGIN, by="owner")
    sent = dict(parse_qsl(urlsplit(url).query))
    assert url.startswith(f"{desk.origin}/authorize?")
    fresh = {name: sent.pop(name) for name in ("state", "code_challenge", "client_id")}
    assert sent == {
        "response_type": "code",
        "redirect_uri": f"{ORIGIN}/oauth/callback/notes",
        "code_challenge_method": "S256",
        "resource": f"{desk.origin}/mcp",
        "scope": "notes.read",
    }
    again = dict(parse_qsl(urlsplit(await oauth.begin(notes, origin=ORIGIN, by="owner")).query))
    assert (again["client_id"], len(fresh["state"]) >= 43) == (fresh["client_id"], True)
    assert {again["state"], again["code_challenge"]}.isdisjoint(fresh.values())
    assert (await desk.seen())["registrations"][-1] == {
        "client_name": "Connecta",
        "client_uri": ORIGIN,
        "application_type": "web",
        "redirect_uris": [f"{ORIGIN}/oauth/callback/notes"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "client_secret_post",
    }


async def test_tokens_are_asked_for_this_downstream_alone(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream, clock: Clock
):
    """RFC 8707, at each request of a token."""
    before = len((await desk.seen())["resources"])
    await connect(oauth, notes, desk)
    clock.seconds += 3_600
    await oauth.token(notes)
    assert (await desk.seen())["resources"][before:] == 2 * [f"{desk.origin}/mcp"]


async def test_a_callback_nobody_was_sent_for_connects_nothing(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream, clock: Clock
):
    parameters = await back(oauth, notes, desk)
    assert await refusal(oauth, notes, {**parameters, "state": "another"}) == OVER
    assert await refusal(oauth, notes, {name: parameters[name] for name in parameters if name != "state"}) == OVER
    clock.seconds += LIMITS.downstream_flow_s + 1
    assert await refusal(oauth, notes, parameters) == OVER


async def test_a_callback_is_taken_once(oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream):
    parameters = await back(oauth, notes, desk)
    await oauth.finish(notes, parameters, origin=ORIGIN)
    granted, codes = await oauth.token(notes), (await desk.seen())["codes"]
    with pytest.raises(CallbackRefused) as refused:
        await oauth.finish(notes, parameters, origin=ORIGIN)
    assert refused.value.message == OVER
    assert (await oauth.token(notes), (await desk.seen())["codes"]) == (granted, codes)


async def test_a_callback_of_another_connector_connects_neither(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    parameters, other = await back(oauth, notes, desk), replace(notes, id="other")
    assert await refusal(oauth, other, parameters) == OVER
    assert await oauth.standing(notes) is None
    await oauth.finish(notes, parameters, origin=ORIGIN)
    with pytest.raises(NotGranted):
        await oauth.token(other)


async def test_a_callback_to_what_was_changed_meanwhile_connects_nothing(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    changed = "This deployment was changed since this was begun. Start again."
    moved = replace(notes, url="https://notes.example.com/mcp")
    assert await refusal(oauth, moved, await back(oauth, notes, desk)) == changed
    assert await refusal(oauth, notes, await back(oauth, notes, desk), "https://other.example.com") == changed


@pytest.mark.parametrize(
    ("names_itself", "iss"), [(True, ""), (True, "https://evil.example"), (False, "https://evil.example")]
)
async def test_an_answer_of_another_issuer_connects_nothing(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream, names_itself: bool, iss: str
):
    """RFC 9207 section 2.4. The code is not shown to anybody."""
    await desk.told(metadata={"authorization_response_iss_parameter_supported": names_itself}, iss=iss)
    codes = (await desk.seen())["codes"]
    message = await refusal(oauth, notes, await back(oauth, notes, desk))
    assert message == "The answer did not come from where you were sent. Nothing was connected."
    assert (await desk.seen())["codes"] == codes


async def test_an_answer_that_names_its_issuer_is_taken(oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream):
    await desk.told(metadata={"authorization_response_iss_parameter_supported": True}, iss=desk.origin)
    await connect(oauth, notes, desk)
    assert (await using(desk.origin, await oauth.token(notes)))[0] == 200


async def test_a_code_asked_for_with_another_challenge_is_worth_nothing(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    """RFC 7636: a code that was asked for by somebody else and slipped in here."""
    url = await oauth.begin(notes, origin=ORIGIN, by="owner")
    sent = dict(parse_qsl(urlsplit(url).query))
    parameters = await desk.consent(url.replace(sent["code_challenge"], "x" * 43))
    assert await refusal(oauth, notes, parameters) == "Notes did not take what you came back with. Start again."


async def test_what_an_authorization_server_says_of_an_error_is_not_repeated(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    parameters = await back(oauth, notes, desk)
    answer = {"state": parameters["state"], "error": "server_error", "error_description": "<b>pay here</b>"}
    message = await refusal(oauth, notes, answer)
    assert message == "The authorization server of Notes refused. Nothing was connected: start again."


@pytest.mark.parametrize("status", [500, 307, 200])
async def test_a_token_endpoint_that_gives_none_connects_nothing(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream, status: int
):
    parameters = await back(oauth, notes, desk)
    await desk.told(token_status=status, token_location=f"{desk.origin}/token")
    assert await refusal(oauth, notes, parameters) == "Notes gives no token at the moment. Start again in a minute."


async def test_a_client_the_server_has_forgotten_is_registered_again(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    parameters = await back(oauth, notes, desk)
    await asked(f"{desk.origin}/forget-clients")
    await refusal(oauth, notes, parameters)
    await connect(oauth, notes, desk)
    assert (await using(desk.origin, await oauth.token(notes)))[0] == 200


@pytest.mark.parametrize(
    "metadata",
    [
        {"code_challenge_methods_supported": None},
        {"code_challenge_methods_supported": ["plain"]},
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"token_endpoint": None},
        {"token_endpoint": "file:///etc/passwd"},
    ],
)
async def test_an_authorization_server_that_cannot_be_believed_is_not_gone_to(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream, metadata: dict[str, Any]
):
    await desk.told(metadata=metadata)
    assert await trouble(oauth, notes) == ("connector_call_failed", False)


@pytest.mark.parametrize(
    "told",
    [
        {"resource": "https://other.example.com/mcp"},
        {"issuers": ["ftp://id.example.com"]},
        {"issuers": ["https://id.example.com?tenant=1"]},
    ],
)
async def test_metadata_of_another_resource_or_of_no_issuer_is_not_used(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream, told: dict[str, Any]
):
    """RFC 9728 section 3.3."""
    await desk.told(**told)
    assert await trouble(oauth, notes) == ("connector_call_failed", False)


async def test_a_server_that_registers_nobody_needs_a_client_of_the_deployment(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    await desk.told(metadata={"registration_endpoint": None})
    assert await trouble(oauth, notes) == ("unavailable", False)
    declared = replace(notes, auth=OAuth(client_id="ours", scopes=("notes.write",)))
    sent = dict(parse_qsl(urlsplit(await oauth.begin(declared, origin=ORIGIN, by="owner")).query))
    assert (sent["client_id"], sent["scope"]) == ("ours", "notes.write")


async def test_a_server_with_basic_alone_gets_the_secret_in_a_header(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    await desk.told(metadata={"token_endpoint_auth_methods_supported": ["client_secret_basic"]})
    await oauth.finish(
        notes,
        await desk.consent(await oauth.begin(notes, origin=ORIGIN, by="owner", force=True)),
        origin=ORIGIN,
    )
    assert (await using(desk.origin, await oauth.token(notes)))[0] == 200
    assert (await desk.seen())["registrations"][-1]["token_endpoint_auth_method"] == "client_secret_basic"


async def test_what_a_vault_cannot_open_any_more_is_connected_anew(
    oauth: DownstreamOAuth, oauth_state: State, notes: Notes, desk: SdkDownstream, tmp_path: Path
):
    await connect(oauth, notes, desk)
    parameters = await back(oauth, notes, desk)
    (tmp_path / "other").mkdir()
    elsewhere = oauth_over(oauth_state, tmp_path / "other")
    with pytest.raises(NotGranted) as unreadable:
        await elsewhere.token(notes)
    assert unreadable.value.reason == "unreadable"
    with pytest.raises(CallbackRefused) as refused:
        await elsewhere.finish(notes, parameters, origin=ORIGIN)
    assert refused.value.message == "What was begun cannot be read any more. Start again."
    await connect(elsewhere, notes, desk)
    assert (await using(desk.origin, await elsewhere.token(notes)))[0] == 200


async def test_a_server_that_reads_documents_of_clients_takes_ours(
    oauth: DownstreamOAuth, node_project: NodeProject, tmp_path: Path
):
    """The document at its client id (MCP 2026-07-28), as ``GET /oauth/client.json`` answers it."""
    document = client_document(ORIGIN, "Connecta", ["notes", "other"])
    assert document["client_id"] == f"{ORIGIN}/oauth/client.json"
    with node_downstream(node_project, tmp_path, json.dumps(document)) as running:
        server = Notes(f"{running.origin}/mcp")
        url = await oauth.begin(server, origin=ORIGIN, by="owner")
        assert dict(parse_qsl(urlsplit(url).query))["client_id"] == document["client_id"]
        await oauth.finish(server, await running.consent(url), origin=ORIGIN)
        assert (await using(running.origin, await oauth.token(server)))[0] == 200
