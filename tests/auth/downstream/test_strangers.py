"""Nothing a downstream says leads this deployment to an address it does not connect to, or on by a redirect
(``mcp.md``, "Downstream client")."""

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import pytest

from connecta.auth.downstream.challenge import Challenge
from connecta.auth.downstream.exchange import Answer, Exchange
from connecta.auth.downstream.model import CallbackRefused
from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.auth.vault.local_key import LocalKeys
from connecta.auth.vault.vault import Vault
from connecta.connectors.strangers import exchange
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.state import State
from tests.auth.downstream.deployments import Notes, using
from tests.auth.downstream.downstreams import ORIGIN, SdkDownstream, asked, connect

PUBLIC = "https://notes.example.com"
PUBLIC_NOTES = Notes(f"{PUBLIC}/mcp", allow_private=False)
METADATA = {
    "issuer": PUBLIC,
    "authorization_endpoint": f"{PUBLIC}/authorize",
    "token_endpoint": f"{PUBLIC}/token",
    "registration_endpoint": f"{PUBLIC}/register",
    "code_challenge_methods_supported": ["S256"],
}


@dataclass
class Web:
    """What public addresses hold, by URL; everything else is asked for in earnest. A test has no public address."""

    documents: Mapping[str, Any]
    allowed: set[bool] = field(default_factory=set[bool])
    asked: list[str] = field(default_factory=list[str])

    def __call__(self, *, allow_private: bool) -> Exchange:
        self.allowed.add(allow_private)
        really = exchange(allow_private=allow_private)

        async def ask(
            method: Literal["GET", "POST"],
            url: str,
            *,
            headers: Mapping[str, str],
            body: bytes | None,
            limit: int,
            wait_s: float,
        ) -> Answer:
            self.asked.append(url)
            if url in self.documents:
                return Answer(200, json.dumps(self.documents[url]).encode())
            if url.startswith(PUBLIC):
                return Answer(404, b"")
            return await really(method, url, headers=headers, body=body, limit=limit, wait_s=wait_s)

        return ask


@pytest.fixture
def on(oauth_state: State, tmp_path: Path) -> Callable[[Web], DownstreamOAuth]:
    def made(web: Web) -> DownstreamOAuth:
        grants, flows, leases = oauth_state.downstream_grants, oauth_state.downstream_flows, oauth_state.leases
        return DownstreamOAuth(grants, flows, leases, Vault(LocalKeys(tmp_path / "key"), "tests"), web, LIMITS)

    return made


async def refused(beginning: Awaitable[str]) -> str:
    with pytest.raises(Failure) as failed:
        await beginning
    return failed.value.code


async def test_metadata_that_points_inside_leads_nowhere(on: Callable[[Web], DownstreamOAuth], sdk: SdkDownstream):
    """The resource's, its issuer's, and its endpoints': plain http is refused unseen, https when it resolves."""
    suffixed, inside = f"{PUBLIC}/.well-known/oauth-protected-resource/mcp", sdk.origin
    secret = inside.replace("http:", "https:")
    server = f"{PUBLIC}/.well-known/oauth-authorization-server"
    for documents in (
        {suffixed: {"resource": f"{PUBLIC}/mcp", "authorization_servers": [inside]}},
        {suffixed: {"resource": f"{PUBLIC}/mcp", "authorization_servers": [secret]}},
        {suffixed: {"resource": f"{PUBLIC}/mcp", "authorization_servers": ["https://169.254.169.254"]}},
        {server: METADATA | {"registration_endpoint": f"{secret}/register"}},
        {server: METADATA | {"token_endpoint": f"{inside}/token"}},
        {server: METADATA | {"authorization_endpoint": f"{inside}/authorize"}},
    ):
        web = Web(documents)
        assert await refused(on(web).begin(PUBLIC_NOTES, origin=ORIGIN, by="owner")) == "connector_call_failed"
        assert web.allowed == {False}


async def test_a_challenge_that_points_inside_leads_nowhere(on: Callable[[Web], DownstreamOAuth], sdk: SdkDownstream):
    for url in (
        f"{sdk.origin}/.well-known/oauth-protected-resource/mcp",
        "https://127.0.0.1:1/x",
        "file:///etc/passwd",
    ):
        challenge = Challenge(resource_metadata=url)
        beginning = on(Web({})).begin(PUBLIC_NOTES, origin=ORIGIN, by="owner", challenge=challenge)
        assert await refused(beginning) == "connector_call_failed"


async def test_a_token_endpoint_inside_is_never_shown_a_code(on: Callable[[Web], DownstreamOAuth], sdk: SdkDownstream):
    """It was public when the person was sent, and resolves to an address inside when they are back."""
    document = METADATA | {
        "token_endpoint": sdk.origin.replace("http:", "https:") + "/token",
        "client_id_metadata_document_supported": True,
        "token_endpoint_auth_methods_supported": ["none"],
    }
    oauth = on(Web({f"{PUBLIC}/.well-known/oauth-authorization-server": document}))
    url = await oauth.begin(PUBLIC_NOTES, origin=ORIGIN, by="owner")
    state = url.partition("state=")[2].partition("&")[0]
    with pytest.raises(CallbackRefused) as nothing:
        await oauth.finish(PUBLIC_NOTES, {"state": state, "code": "a code"}, origin=ORIGIN)
    assert nothing.value.message == "Notes gives no token at the moment. Start again in a minute."


async def test_where_nothing_is_described_everything_is_where_it_was_by_default(on: Callable[[Web], DownstreamOAuth]):
    """MCP 2025-03-26: ``/authorize``, ``/token`` and ``/register`` at the origin."""
    web = Web({f"{PUBLIC}/register": {"client_id": "ours"}})
    url = await on(web).begin(PUBLIC_NOTES, origin=ORIGIN, by="owner")
    assert url.startswith(f"{PUBLIC}/authorize?response_type=code&client_id=ours&")
    assert web.asked == [
        f"{PUBLIC}/mcp",
        f"{PUBLIC}/.well-known/oauth-protected-resource/mcp",
        f"{PUBLIC}/.well-known/oauth-protected-resource",
        f"{PUBLIC}/.well-known/oauth-authorization-server",
        f"{PUBLIC}/.well-known/openid-configuration",
        f"{PUBLIC}/register",
    ]


async def test_an_issuer_with_a_path_is_looked_for_in_each_of_its_places(on: Callable[[Web], DownstreamOAuth]):
    """RFC 8414 section 3.1 and 5, then OpenID Connect Discovery 1.0."""
    issuer = f"{PUBLIC}/tenant"
    web = Web(
        {
            f"{PUBLIC}/.well-known/oauth-protected-resource": {"resource": PUBLIC, "authorization_servers": [issuer]},
            f"{issuer}/.well-known/openid-configuration": METADATA | {"issuer": issuer},
            f"{PUBLIC}/register": {"client_id": "ours"},
        }
    )
    assert await on(web).begin(PUBLIC_NOTES, origin=ORIGIN, by="owner")
    assert web.asked[2:] == [
        f"{PUBLIC}/.well-known/oauth-protected-resource",
        f"{PUBLIC}/.well-known/oauth-authorization-server/tenant",
        f"{PUBLIC}/.well-known/openid-configuration/tenant",
        f"{issuer}/.well-known/openid-configuration",
        f"{PUBLIC}/register",
    ]


async def test_a_refresh_follows_no_redirect(oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream):
    await connect(oauth, notes, desk)
    used, refreshes = await oauth.token(notes), (await desk.seen())["refreshes"]
    await desk.told(token_status=307, token_location=f"{desk.origin}/token")
    with pytest.raises(Failure) as failed:
        await oauth.renewed(notes, used, None)
    assert (failed.value.code, (await desk.seen())["refreshes"]) == ("unavailable", refreshes + 1)
    await desk.told()
    assert (await using(desk.origin, await oauth.renewed(notes, used, None)))[0] == 200


async def test_a_grant_is_not_shown_to_the_address_the_connector_has_moved_to(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    await connect(oauth, notes, desk)
    moved = replace(notes, url=f"{desk.origin}/elsewhere")
    with pytest.raises(Exception, match="moved"):
        await oauth.token(moved)
    standing = await oauth.standing(moved)
    assert standing is not None
    assert standing.refused == "moved"
    assert await asked(f"{desk.origin}/seen")
