"""From a request's headers to a caller or a challenge."""

from collections.abc import Sequence

import pytest

from connecta import Bearer, Open
from connecta.auth.authenticator import LOCAL, Authenticator, Challenge, UnsafeDeployment, bearer_token, check_auth
from connecta.auth.callers import Caller

TOKEN = "correct horse battery staple"
BEARER = Caller("bearer", "token", "Bearer token")
ANYONE = Caller("open", "anyone", "Anyone")
REMOTE = "203.0.113.9"


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONNECTA_TOKEN", TOKEN)


@pytest.mark.parametrize(
    ("auth", "authorization", "expected"),
    [
        pytest.param([Bearer()], f"Bearer {TOKEN}", BEARER, id="the token"),
        pytest.param([Bearer()], f"bearer  {TOKEN} ", BEARER, id="any case, any space"),
        pytest.param([Bearer()], None, Challenge(), id="no header"),
        pytest.param([Bearer()], "Bearer", Challenge(), id="no token"),
        pytest.param([Bearer()], "Basic eDp5", Challenge(), id="another scheme"),
        pytest.param([Bearer()], "Bearer x", Challenge("invalid_token"), id="a wrong token"),
        pytest.param([Bearer(), Open()], f"Bearer {TOKEN}", BEARER, id="kinds are tried in order"),
        pytest.param([Bearer(), Open()], None, ANYONE, id="and the last one may let anybody in"),
    ],
)
async def test_the_first_kind_that_knows_the_token_names_the_caller(
    auth: Sequence[Bearer | Open], authorization: str | None, expected: Caller | Challenge
):
    """RFC 6750 section 3.1: no error code for a request without a token."""
    headers = {} if authorization is None else {"authorization": authorization}
    assert await Authenticator(auth, local=False).identify(headers, REMOTE) == expected


@pytest.mark.parametrize(
    ("client", "expected"),
    [
        ("127.0.0.1", LOCAL),
        ("127.8.8.8", LOCAL),
        ("::1", LOCAL),
        (REMOTE, Challenge()),
        ("", Challenge()),
        ("localhost", Challenge()),
    ],
)
async def test_a_local_server_without_auth_is_open_to_loopback_addresses_only(
    client: str, expected: Caller | Challenge
):
    assert await Authenticator((), local=True).identify({}, client) == expected


async def test_a_local_server_with_auth_asks_for_it():
    assert await Authenticator([Bearer()], local=True).identify({}, "127.0.0.1") == Challenge()


def test_a_deployment_in_lambda_without_auth_does_not_start():
    with pytest.raises(UnsafeDeployment, match=r"auth=\[Open\(\)\]"):
        check_auth((), in_lambda=True)
    with pytest.raises(UnsafeDeployment):
        Authenticator((), local=False)


@pytest.mark.parametrize(("auth", "in_lambda"), [((), False), ([Open()], True), ([Bearer()], True)])
def test_every_other_deployment_starts(auth: Sequence[Bearer | Open], in_lambda: bool):
    check_auth(auth, in_lambda)


@pytest.mark.parametrize(("header", "token"), [("Bearer a b", "a b"), ("Bearer ", None), ("", None), (None, None)])
def test_a_token_is_what_follows_the_scheme(header: str | None, token: str | None):
    assert bearer_token(header) == token
