"""Tokens of the owner's own provider (auth.md: signature by JWKS (cached), iss, aud, exp, allow-list)."""

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from jwt.algorithms import ECAlgorithm

from connecta import Oidc
from connecta.auth.authenticator import Authenticator, Challenge
from connecta.auth.callers import Caller, NotAllowed
from connecta.auth.jwks import Jwks
from connecta.auth.oidc import OidcCallers
from connecta.auth.recent import Recent
from connecta.failures import Failure
from connecta.limits import LIMITS
from tests.fixtures.addresses import NO_ADDRESS
from tests.fixtures.dynamodb import Clock
from tests.fixtures.oauth import Documents

ISSUER = "https://login.example"
DISCOVERY = f"{ISSUER}/.well-known/openid-configuration"
KEYS = "https://keys.example/jwks"
AUDIENCE = "https://tools.example.com/mcp"
SIGNER = generate_private_key(SECP256R1())
STRANGER = generate_private_key(SECP256R1())

UNSIGNED = "eyJhbGciOiJub25lIiwia2lkIjoib25lIn0.eyJpc3MiOiJodHRwczovL2xvZ2luLmV4YW1wbGUifQ."
"""``{"alg":"none","kid":"one"}``."""


def jwk(key: EllipticCurvePrivateKey, id: str, **more: str) -> dict[str, Any]:
    return {**json.loads(ECAlgorithm.to_jwk(key.public_key())), "kid": id, "use": "sig", **more}


def provider(*keys: Mapping[str, Any]) -> Documents:
    document = {"issuer": ISSUER, "jwks_uri": KEYS}
    return Documents({DISCOVERY: json.dumps(document).encode(), KEYS: json.dumps({"keys": keys}).encode()})


def token(
    key: EllipticCurvePrivateKey = SIGNER, *, headers: dict[str, Any] | None = None, without: str = "", **claims: Any
) -> str:
    now = int(time.time())
    usual = {"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "iat": now, "exp": now + 600}
    given = {name: value for name, value in {**usual, **claims}.items() if name != without}
    return jwt.encode(given, key, "ES256", {"kid": "one"} if headers is None else headers)


def resigned(token: str, other: str) -> str:
    """``token`` under the signature of ``other``."""
    return f"{token.rpartition('.')[0]}.{other.rpartition('.')[2]}"


def callers(web: Documents, clock: Clock | None = None, **options: Any) -> OidcCallers:
    now = clock or time.time
    usual: dict[str, Any] = {"issuer": ISSUER, "audience": AUDIENCE, "allow": ["ada", "grace@example.com"]}
    oidc = Oidc(**{**usual, **options})
    return OidcCallers(oidc, Jwks(oidc.issuer, oidc.jwks_uri, web, LIMITS, now), Recent(LIMITS, now), LIMITS)


async def test_a_listed_subject_comes_in_under_the_name_the_provider_gives():
    web = provider(jwk(SIGNER, "one"))
    kind = callers(web)
    assert await kind.identify(token(preferred_username="Ada\nL.")) == Caller("oidc", "ada", "Ada\ufffdL.")
    assert await kind.identify(token(aud=["else", AUDIENCE])) == Caller("oidc", "ada", "ada")
    assert web.asked == [DISCOVERY, KEYS]


@pytest.mark.parametrize(
    ("claims", "comes_in"),
    [
        ({"email": "grace@example.com", "email_verified": True}, True),
        ({"email": "grace@example.com", "email_verified": "true"}, True),
        ({"email": "grace@example.com", "email_verified": False}, False),
        ({"email": "grace@example.com"}, False),
        ({"email": "eve@example.com", "email_verified": True}, False),
        ({}, False),
    ],
)
async def test_an_address_counts_when_the_provider_has_verified_it(claims: dict[str, Any], comes_in: bool):
    kind = callers(provider(jwk(SIGNER, "one")))
    if comes_in:
        assert await kind.identify(token(sub="g-1", **claims)) == Caller("oidc", "g-1", "grace@example.com")
    else:
        with pytest.raises(NotAllowed, match="not_listed"):
            await kind.identify(token(sub="g-1", **claims))


BAD: dict[str, Callable[[], str]] = {
    "signed by somebody else": lambda: token(STRANGER),
    "signed with a key nobody has": lambda: token(headers={"kid": "two"}),
    "of another issuer": lambda: token(iss="https://evil.example"),
    "for another audience": lambda: token(aud="https://other.example/mcp"),
    "over": lambda: token(exp=int(time.time()) - LIMITS.clock_skew_s - 5),
    "not valid yet": lambda: token(nbf=int(time.time()) + LIMITS.clock_skew_s + 60),
    "without an end": lambda: token(without="exp"),
    "without an audience": lambda: token(without="aud"),
    "without a subject": lambda: token(without="sub"),
    "with another's signature": lambda: resigned(token(), token(STRANGER)),
    "with a MAC": lambda: jwt.encode({"iss": ISSUER}, "x" * 32, "HS256", {"kid": "one"}),
    "unsigned": lambda: UNSIGNED,
    "three letters": lambda: "a.b.c",
    "two dots": lambda: "..",
    "not ASCII": lambda: "é.é.é",
    "no token of this kind": lambda: "no token of this kind",
}
"""Made when they are needed: what was to come when the tests were collected may have come when they run."""


@pytest.mark.parametrize("bad", BAD)
async def test_any_other_token_is_nobody_s(bad: str):
    presented = BAD[bad]()
    assert await callers(provider(jwk(SIGNER, "one"))).identify(presented) is None
    assert await callers(provider(jwk(SIGNER, "one"))).identify(None) is None


async def test_a_public_key_is_no_shared_secret():
    """RFC 8725 2.1: a token whose MAC was made with the public key."""
    with pytest.raises(ValueError, match="signatures only"):
        callers(provider(), algorithms=["ES256", "HS256"])
    shared = {"kty": "oct", "kid": "one", "k": "c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0"}
    forged = jwt.encode({"iss": ISSUER, "aud": AUDIENCE, "sub": "ada", "exp": 4_000_000_000}, "secret" * 6, "HS256")
    assert await callers(provider(shared, jwk(SIGNER, "one"))).identify(forged) is None


async def test_a_scope_that_is_missing_is_named_with_all_the_others():
    """RFC 6750 section 3.1; mcp.md: 403 names all scopes."""
    kind = callers(provider(jwk(SIGNER, "one")), scopes=["tools", "mcp"])
    identify = Authenticator([kind], local=False).identify
    scopes: list[dict[str, Any]] = [{"scope": "mcp openid tools"}, {"scp": ["tools", "mcp"]}]
    for given in scopes:
        assert await identify({"authorization": f"Bearer {token(**given)}"}, "") == Caller("oidc", "ada", "ada")
    lacking = await identify({"authorization": f"Bearer {token(scope='mcp')}"}, "")
    assert lacking == Challenge("insufficient_scope", ("tools", "mcp"))
    assert isinstance(lacking, Challenge)
    assert lacking.forbids
    assert lacking.header(resource_metadata="https://x") == (
        'Bearer error="insufficient_scope", resource_metadata="https://x", scope="tools mcp"'
    )


async def test_keys_are_kept_for_an_hour_and_an_unknown_one_is_looked_for_once_a_minute():
    clock = Clock(time.time())
    web = provider(jwk(SIGNER, "one"))
    kind = callers(web, clock, jwks_uri=KEYS)
    await kind.identify(token())
    for _ in range(3):
        assert await kind.identify(token(STRANGER, headers={"kid": "two"})) is None
    assert web.asked == [KEYS]
    web.bodies[KEYS] = json.dumps({"keys": [jwk(SIGNER, "one"), jwk(STRANGER, "two")]}).encode()
    clock.seconds += LIMITS.keys_pause_s
    assert await kind.identify(token(STRANGER, headers={"kid": "two"})) == Caller("oidc", "ada", "ada")
    clock.seconds += LIMITS.keys_s
    del web.bodies[KEYS]
    assert await kind.identify(token(exp=int(clock.seconds) + 60)) == Caller("oidc", "ada", "ada")
    assert web.asked == [KEYS, KEYS, KEYS]


async def test_without_keys_nobody_can_tell_and_it_is_tried_again_shortly():
    clock = Clock(time.time())
    web = Documents()
    kind = callers(web, clock)
    for _ in range(2):
        with pytest.raises(Failure, match="keys"):
            await kind.identify(token())
    assert web.asked == [DISCOVERY]
    web.bodies.update(provider(jwk(SIGNER, "one")).bodies)
    clock.seconds += LIMITS.keys_retry_s
    assert await kind.identify(token()) == Caller("oidc", "ada", "ada")


@pytest.mark.parametrize(
    "document",
    [b"", b"[]", b"{}", b'{"issuer": "https://evil.example", "jwks_uri": "https://keys.example/jwks"}', b"[" * 9_999],
)
async def test_a_discovery_document_of_another_issuer_is_not_followed(document: bytes):
    web = provider(jwk(SIGNER, "one"))
    web.bodies[DISCOVERY] = document
    with pytest.raises(Failure, match="keys"):
        await callers(web).identify(token())
    assert web.asked == [DISCOVERY]


async def test_a_token_without_a_key_id_is_checked_with_the_only_key():
    assert await callers(provider(jwk(SIGNER, "one"))).identify(token(headers={})) == Caller("oidc", "ada", "ada")
    both = provider(jwk(SIGNER, "one"), jwk(STRANGER, "two"))
    assert await callers(both).identify(token(headers={})) is None


async def test_a_key_for_something_else_signs_nothing():
    for key in (jwk(SIGNER, "one", use="enc"), jwk(SIGNER, "one", alg="ES384"), {"kid": "one", "kty": "EC"}, {}):
        assert await callers(provider(key, jwk(STRANGER, "two"))).identify(token()) is None


async def test_a_token_verified_lately_is_believed_until_it_ends():
    clock = Clock(time.time())
    kind = callers(provider(jwk(SIGNER, "one")), clock)
    short = token(exp=int(clock.seconds) + 10)
    assert await kind.identify(short) == await kind.identify(short) == Caller("oidc", "ada", "ada")


@pytest.mark.parametrize(
    "options",
    [
        {"issuer": "http://login.example"},
        {"issuer": ""},
        *({"issuer": address} for address in NO_ADDRESS),
        {"jwks_uri": "http://keys.example"},
        *({"jwks_uri": address} for address in NO_ADDRESS),
        {"audience": ""},
        {"allow": []},
        {"allow": "ada"},
        {"algorithms": []},
        {"algorithms": ["none"]},
    ],
)
def test_a_configuration_that_lets_in_nobody_or_anybody_is_refused(options: dict[str, Any]):
    with pytest.raises(ValueError, match=r"Oidc\("):
        callers(provider(), **options)


async def test_everyone_of_a_provider_may_be_let_in():
    kind = callers(provider(jwk(SIGNER, "one")), allow="everyone")
    assert await kind.identify(token(sub="anybody")) == Caller("oidc", "anybody", "anybody")
