"""Kinds of caller beside each other, and what a busy one costs."""

import subprocess
import sys

import pytest

from connecta import AccessTokens, AuthorizationServer, Bearer, Oidc, Open
from connecta.auth.authenticator import Authenticator, Challenge
from connecta.auth.callers import Caller
from connecta.auth.discovery import Discovery, discovery_of
from connecta.auth.kinds import AuthKind, callers_of
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.state import State, open_state
from connecta.state.codes import Authorization
from connecta.state.tickets import new_ticket
from tests.fixtures.dynamodb import Clock
from tests.fixtures.oauth import Documents

TOKEN = "correct horse battery staple"
GRANTED = Authorization("desk", "The Desk", "owner", "https://desk.example/", "c" * 43, "mcp", "https://x/mcp")
PROVIDER = Oidc(issuer="https://login.example", audience="https://tools.example.com", allow=["ada"], scopes=["a", "b"])


def authenticator(state: State, *auth: AuthKind) -> Authenticator:
    return Authenticator(callers_of(auth, state, Documents(), LIMITS), local=False)


async def who(authenticator: Authenticator, token: str | None) -> Caller | Challenge:
    headers = {} if token is None else {"authorization": f"Bearer {token}"}
    return await authenticator.identify(headers, "203.0.113.9")


async def test_every_kind_knows_its_own(oauth_state: State, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CONNECTA_TOKEN", TOKEN)
    issued, text = await oauth_state.access_tokens.issue("laptop")
    granted = await oauth_state.grants.begin(new_ticket("ctk_"), GRANTED)
    door = authenticator(oauth_state, Open(), AuthorizationServer(), AccessTokens(), Bearer())
    assert [await who(door, token) for token in (TOKEN, text, granted.access, None, "x", granted.refresh)] == [
        Caller("bearer", "token", "Bearer token"),
        Caller("token", issued.id, "laptop"),
        Caller("oauth", "owner", "The Desk"),
        *3 * [Caller("open", "anyone", "Anyone")],
    ]


async def test_a_revoked_token_is_refused_within_thirty_seconds(oauth_state: State, clock: Clock):
    issued, text = await oauth_state.access_tokens.issue("laptop")
    door = authenticator(oauth_state, AccessTokens())
    assert await who(door, text) == Caller("token", issued.id, "laptop")
    await oauth_state.access_tokens.revoke(issued.id)
    clock.seconds += LIMITS.token_memory_s
    assert await who(door, text) == Challenge("invalid_token")


async def test_a_token_ends_when_it_was_issued_to_end(oauth_state: State, clock: Clock):
    _, text = await oauth_state.access_tokens.issue("nightly", life_s=40)
    door = authenticator(oauth_state, AccessTokens())
    for pause, comes_in in ((0, True), (LIMITS.token_memory_s, True), (10, False)):
        clock.seconds += pause
        assert isinstance(await who(door, text), Caller) is comes_in


async def test_a_busy_token_is_looked_up_twice_a_minute_and_its_use_noted(oauth_state: State, clock: Clock):
    issued, text = await oauth_state.access_tokens.issue("laptop")
    door = authenticator(oauth_state, AccessTokens())
    await who(door, text)
    [noted] = await oauth_state.access_tokens.tokens()
    assert (noted.id, noted.used_at) == (issued.id, clock.seconds)
    await oauth_state.close()
    assert await who(door, text) == Caller("token", issued.id, "laptop")


async def test_a_kind_that_cannot_be_asked_keeps_nobody_else_out(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("CONNECTA_TOKEN", TOKEN)
    state = open_state("connecta", "nowhere", endpoint_url="http://127.0.0.1:9")
    door = authenticator(state, AccessTokens(), AuthorizationServer(), Bearer())
    assert await who(door, TOKEN) == Caller("bearer", "token", "Bearer token")
    assert await who(door, "x") == Challenge("invalid_token")
    for token in (new_ticket("cta_").text, new_ticket("cto_").text):
        with pytest.raises(Failure, match="state"):
            await who(door, token)
    assert await who(authenticator(state, AccessTokens(), Open()), new_ticket("cta_").text) == Caller(
        "open", "anyone", "Anyone"
    )
    await state.close()


async def test_a_token_too_long_to_be_one_is_not_looked_at(oauth_state: State):
    assert await who(authenticator(oauth_state, Open()), "x" * (LIMITS.token_chars + 1)) == Challenge("invalid_token")


@pytest.mark.parametrize(
    ("auth", "found"),
    [
        ([Bearer(), AccessTokens(), Open()], None),
        ([AuthorizationServer()], Discovery(embedded=True, issuers=(), scopes=("mcp",))),
        ([PROVIDER, Bearer()], Discovery(embedded=False, issuers=("https://login.example",), scopes=("a", "b"))),
        ([PROVIDER, AuthorizationServer()], Discovery(embedded=True, issuers=(PROVIDER.issuer,), scopes=("mcp",))),
    ],
)
def test_clients_are_sent_to_whoever_issues_tokens(auth: list[AuthKind], found: Discovery | None):
    """A deployment whose clients are configured by hand sends them nowhere."""
    assert discovery_of(auth) == found


def test_what_a_deployment_does_not_use_is_not_imported():
    """aws.md: jwt costs a cold start 109 ms."""
    program = (
        "import sys; from connecta import AccessTokens, AuthorizationServer, Bearer, Oidc; "
        "import connecta.deployment, connecta.auth.kinds, connecta.auth.authorization_server.server; "
        "Oidc(issuer='https://a', audience='b', allow='everyone'); "
        "print(sorted({'jwt', 'cryptography', 'mcp', 'boto3', 'httpx2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
