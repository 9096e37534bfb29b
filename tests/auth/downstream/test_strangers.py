"""Nothing a downstream says leads this deployment to an address it does not connect to, or on by a redirect
(``mcp.md``, "Downstream client")."""

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from connecta import OAuth
from connecta.auth.downstream.challenge import Challenge
from connecta.auth.downstream.model import CallbackRefused, NotGranted
from connecta.auth.downstream.oauth import DownstreamOAuth
from connecta.auth.exchange import Answer, Exchange, Question
from connecta.auth.vault.local_key import LocalKeys
from connecta.auth.vault.vault import Vault
from connecta.connectors.strangers import exchange
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.state import State
from tests.auth.downstream.deployments import Notes, oauth_over, using
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

        async def ask(asked: Question) -> Answer:
            self.asked.append(asked.url)
            if asked.url in self.documents:
                return Answer(200, json.dumps(self.documents[asked.url]).encode())
            if asked.url.startswith(PUBLIC):
                return Answer(404, b"")
            return await really(asked)

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


async def test_a_downstream_that_never_says_where_to_connect_holds_nobody_up(oauth_state: State, tmp_path: Path):
    """However slowly each of its answers comes: all of them together have less time than a request."""

    async def ask(*_: Any, **__: Any) -> Answer:
        return await asyncio.Future[Answer]()

    def never(*, allow_private: bool) -> Exchange:
        return ask

    limits = replace(LIMITS, downstream_begin_s=0.05)
    oauth = oauth_over(oauth_state, tmp_path, limits, never)
    assert await refused(oauth.begin(PUBLIC_NOTES, origin=ORIGIN, by="owner")) == "timeout"
    assert LIMITS.downstream_begin_s < LIMITS.request_s


async def test_a_grant_of_another_issuer_than_the_deployment_wants_is_of_no_use(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    await connect(oauth, notes, desk)
    fixed = replace(notes, auth=OAuth(issuer=f"{desk.origin}/"))
    assert (await using(desk.origin, await oauth.token(fixed)))[0] == 200
    strict = replace(notes, auth=OAuth(issuer="https://accounts.example.com"))
    with pytest.raises(NotGranted, match="issuer"):
        await oauth.token(strict)
    standing = await oauth.standing(strict)
    assert standing is not None
    assert standing.refused == "issuer"


async def test_an_issuer_that_is_no_more_trusted_is_not_asked_to_end_a_grant(
    oauth: DownstreamOAuth, notes: Notes, desk: SdkDownstream
):
    """Asking shows it the client's secret."""
    revocations: list[int] = []
    for issuer in ("https://accounts.example.com", None):
        await connect(oauth, notes, desk)
        before = (await desk.seen())["revocations"]
        await oauth.disconnect(replace(notes, auth=OAuth(issuer=issuer)))
        assert await oauth.standing(notes) is None
        revocations.append((await desk.seen())["revocations"] - before)
    assert revocations[0] == 0
    assert revocations[1] > 0


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


async def test_nobody_passes_for_the_issuer_of_others(on: Callable[[Web], DownstreamOAuth]):
    """RFC 8414 section 3.3: a downstream that names no issuer speaks for its own origin alone, or whoever signs in at
    the other's page would bring it the code, with the ``iss`` (RFC 9207) that was waited for."""
    other = "https://accounts.example.com"
    document = METADATA | {"issuer": other, "authorization_endpoint": f"{other}/authorize"}
    web = Web({f"{PUBLIC}/.well-known/oauth-authorization-server": document})
    assert await refused(on(web).begin(PUBLIC_NOTES, origin=ORIGIN, by="owner")) == "connector_call_failed"
    assert f"{PUBLIC}/register" not in web.asked


async def test_a_client_of_one_issuer_is_shown_to_no_other(on: Callable[[Web], DownstreamOAuth]):
    """RFC 9700 section 4.4: what a downstream names is not where the secret of a declared client goes."""
    issuer, other = f"{PUBLIC}/tenant", "https://thief.example.com"
    declared = replace(PUBLIC_NOTES, auth=OAuth(client_id="ours", env="NOTES_SECRET", issuer=issuer))
    suffixed = f"{PUBLIC}/.well-known/oauth-protected-resource/mcp"
    for document in (
        {"resource": f"{PUBLIC}/mcp", "authorization_servers": [other]},
        {"resource": f"{PUBLIC}/mcp", "authorization_servers": [other, issuer]},
        {"resource": f"{PUBLIC}/mcp"},
    ):
        web = Web({suffixed: document, f"{PUBLIC}/.well-known/oauth-authorization-server/tenant": {"issuer": other}})
        assert await refused(on(web).begin(declared, origin=ORIGIN, by="owner")) == "connector_call_failed"
        assert not any(url.startswith(other) for url in web.asked)
    web = Web(
        {
            suffixed: {"resource": f"{PUBLIC}/mcp", "authorization_servers": [other, issuer]},
            f"{PUBLIC}/.well-known/oauth-authorization-server/tenant": METADATA | {"issuer": issuer},
        }
    )
    assert (await on(web).begin(declared, origin=ORIGIN, by="owner")).startswith(f"{PUBLIC}/authorize?")


@pytest.mark.parametrize(
    "url",
    [
        "https://accounts.example.com@notes.example.com",
        f"{PUBLIC}:99999",
        f"{PUBLIC}:port",
        f"{PUBLIC}/a b",
        f"{PUBLIC}/{'x' * LIMITS.downstream_url_chars}",
        f"{PUBLIC}/\ud800",
        "https://[::1",
        "javascript:alert(1)//https://notes.example.com",
    ],
)
async def test_an_address_that_is_not_what_it_looks_like_is_not_used(on: Callable[[Web], DownstreamOAuth], url: str):
    """As the resource, its issuer, or where a person is sent: it stands on a page and in a header."""
    suffixed = f"{PUBLIC}/.well-known/oauth-protected-resource/mcp"
    server = f"{PUBLIC}/.well-known/oauth-authorization-server"
    for documents in (
        {suffixed: {"resource": url}},
        {suffixed: {"resource": PUBLIC, "authorization_servers": [url]}},
        {server: METADATA | {"issuer": url}},
        {server: METADATA | {"authorization_endpoint": url}},
    ):
        web = Web(documents)
        assert await refused(on(web).begin(PUBLIC_NOTES, origin=ORIGIN, by="owner")) == "connector_call_failed"
        assert f"{PUBLIC}/register" not in web.asked


@pytest.mark.parametrize("ends", [math.inf, math.nan, 10**60, -1, True])
async def test_numbers_that_no_table_holds_are_none(on: Callable[[Web], DownstreamOAuth], ends: float):
    """A registration's end and a token's life, as JSON can have them; and a scope that no page could show."""
    documents = {
        f"{PUBLIC}/.well-known/oauth-protected-resource": {"resource": PUBLIC, "scopes_supported": ["read", "\ud800"]},
        f"{PUBLIC}/.well-known/oauth-authorization-server": METADATA,
        f"{PUBLIC}/register": {"client_id": "ours", "client_secret": "s", "client_secret_expires_at": ends},
        f"{PUBLIC}/token": {"access_token": "t", "expires_in": ends / 10**140, "scope": "a\r\n\ud800"},
    }
    oauth = on(Web(documents))
    url = await oauth.begin(PUBLIC_NOTES, origin=ORIGIN, by="owner")
    state = url.partition("state=")[2].partition("&")[0]
    await oauth.finish(PUBLIC_NOTES, {"state": state, "code": "a code"}, origin=ORIGIN)
    standing = await oauth.standing(PUBLIC_NOTES)
    assert standing is not None
    assert (standing.issuer, standing.scope) == (PUBLIC, "read")
