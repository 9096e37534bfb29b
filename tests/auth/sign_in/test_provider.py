"""What an identity provider may not get away with (OpenID Connect Core 1.0 section 3.1.3.7, RFC 9207, RFC 9700)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from jwt.algorithms import ECAlgorithm

from connecta import OidcProvider
from connecta.auth.exchange import Answer, Question
from connecta.auth.sign_in.provider import CALLBACK_PATH, NotSignedIn, ProviderSignIn
from connecta.auth.sign_in.sessions import Person
from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.state import State
from connecta.state.owners import digest
from connecta.state.records import Record
from tests.fixtures.addresses import NO_ADDRESS
from tests.fixtures.dynamodb import Clock
from tests.web.conftest import clock, moto_url, oauth_state

__all__ = ["clock", "moto_url", "oauth_state"]

ISSUER, ORIGIN, HERE = "https://id.example.com", "https://tools.example.com", "203.0.113.9"
OWN, OTHER = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
NOW = 4_000_000_000
DOCUMENT = {
    "issuer": ISSUER,
    "authorization_endpoint": f"{ISSUER}/authorize?tenant=1",
    "token_endpoint": f"{ISSUER}/token",
    "jwks_uri": f"{ISSUER}/keys",
    "authorization_response_iss_parameter_supported": True,
}


@dataclass
class Provider:
    """A provider as far as it is asked for anything, honest unless it is told not to be."""

    document: dict[str, Any] = field(default_factory=lambda: dict(DOCUMENT))
    claims: dict[str, Any] = field(default_factory=dict[str, Any])
    key: Any = OWN
    algorithm: str = "ES256"
    status: int = 200
    nonce: str = ""
    asked: list[tuple[Mapping[str, str], str | None]] = field(
        default_factory=list[tuple[Mapping[str, str], str | None]]
    )

    async def answer(self, asked: Question) -> Answer:
        key = json.loads(ECAlgorithm.to_jwk(OWN.public_key()))
        documents = {
            f"{ISSUER}/.well-known/openid-configuration": self.document,
            f"{ISSUER}/keys": {"keys": [{**key, "kid": "one"}]},
        }
        if asked.method == "GET":
            return Answer(200, json.dumps(documents[asked.url]).encode())
        assert (asked.method, asked.url) == ("POST", f"{ISSUER}/token")
        self.asked.append((dict(parse_qsl((asked.body or b"").decode())), asked.headers.get("authorization")))
        claims = {
            "iss": ISSUER,
            "aud": "connecta",
            "sub": "123",
            "email": "owner@example.com",
            "email_verified": True,
            "nonce": self.nonce,
            "iat": 1_700_000_000,
            "exp": NOW,
            **self.claims,
        }
        given = {name: value for name, value in claims.items() if value is not None}
        token = jwt.encode(given, self.key, self.algorithm, headers={"kid": "one"})
        return Answer(self.status, json.dumps({"id_token": token}).encode())


def signing_in(provider: Provider, state: State, **options: Any) -> ProviderSignIn:
    config = OidcProvider(issuer=ISSUER, client_id="connecta", allow=["owner@example.com", "77"], **options)
    return ProviderSignIn(config, state.sign_ins, state.budgets, provider.answer, LIMITS)


async def going(way: ProviderSignIn, provider: Provider) -> dict[str, str]:
    """What the provider is asked on the way there."""
    there = await way.begin("my browser", "a=1&b=2", origin=ORIGIN, address=HERE)
    assert there.startswith(f"{ISSUER}/authorize?tenant=1&")
    asked = dict(parse_qsl(urlsplit(there).query))
    provider.nonce = asked["nonce"]
    return asked


async def coming_back(
    way: ProviderSignIn, asked: Mapping[str, str], session: str | None = "my browser", **answer: str | None
) -> tuple[Person, str]:
    given = {"code": "a code", "state": asked["state"], "iss": ISSUER, **answer}
    return await way.finish({name: value for name, value in given.items() if value is not None}, session, origin=ORIGIN)


async def test_the_person_is_who_the_provider_says_and_comes_back_to_the_page(oauth_state: State):
    provider = Provider()
    way = signing_in(provider, oauth_state)
    asked = await going(way, provider)
    assert {name: asked[name] for name in ("response_type", "redirect_uri", "scope", "code_challenge_method")} == {
        "response_type": "code",
        "redirect_uri": ORIGIN + CALLBACK_PATH,
        "scope": "openid email",
        "code_challenge_method": "S256",
    }
    assert await coming_back(way, asked) == (Person("123", "owner@example.com", "owner@example.com", ISSUER), "a=1&b=2")
    [(form, authorization)] = provider.asked
    assert (form["code"], form["client_id"], authorization) == ("a code", "connecta", None)


async def test_the_client_s_secret_is_sent_as_the_provider_takes_it(
    oauth_state: State, monkeypatch: pytest.MonkeyPatch
):
    """RFC 6749 2.3.1: form-encoded first, so that a colon in it divides nothing."""
    monkeypatch.setenv("CLIENT_SECRET", "a:b c")
    for methods, wanted in ((None, True), (["client_secret_post"], False)):
        provider = Provider()
        if methods is not None:
            provider.document["token_endpoint_auth_methods_supported"] = methods
        way = signing_in(provider, oauth_state, env="CLIENT_SECRET")
        await coming_back(way, await going(way, provider))
        [(form, authorization)] = provider.asked
        assert authorization == ("Basic Y29ubmVjdGE6YSUzQWIlMjBj" if wanted else None)
        assert form.get("client_secret") == (None if wanted else "a:b c")


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://other.example.com"},
        {"aud": "somebody else"},
        {"aud": ["connecta", "other"], "azp": "other"},
        {"nonce": "another"},
        {"nonce": None},
        {"exp": 1_700_000_001},
        {"exp": None},
        {"sub": None},
        {"iat": None},
        {"email": "somebody@example.com"},
        {"email_verified": False},
        {"email_verified": None},
        {"email": None},
    ],
)
async def test_a_token_that_is_not_for_this_sign_in_signs_nobody_in(oauth_state: State, claims: dict[str, Any]):
    provider = Provider(claims=claims)
    way = signing_in(provider, oauth_state)
    asked = await going(way, provider)
    with pytest.raises(NotSignedIn) as refused:
        await coming_back(way, asked)
    assert refused.value.place == "a=1&b=2"


@pytest.mark.parametrize(
    ("key", "algorithm"), [(OTHER, "ES256"), ("a shared secret of thirty-two bytes", "HS256"), (None, "none")]
)
async def test_a_token_somebody_else_signed_signs_nobody_in(oauth_state: State, key: Any, algorithm: str):
    provider = Provider(key=key, algorithm=algorithm)
    way = signing_in(provider, oauth_state)
    with pytest.raises(NotSignedIn):
        await coming_back(way, await going(way, provider))


@pytest.mark.parametrize("answer", [{"iss": "https://other.example.com"}, {"iss": None}, {"code": None}])
async def test_an_answer_of_somebody_else_is_never_exchanged(oauth_state: State, answer: dict[str, str | None]):
    """RFC 9207: a provider that says who it is in its answers says so in every one."""
    provider = Provider()
    way = signing_in(provider, oauth_state)
    with pytest.raises(NotSignedIn):
        await coming_back(way, await going(way, provider), **answer)
    assert provider.asked == []


async def test_the_way_back_is_one_browser_s_and_works_once(oauth_state: State, clock: Clock):
    provider = Provider()
    way = signing_in(provider, oauth_state)
    for session in ("another browser", None):
        with pytest.raises(NotSignedIn):
            await coming_back(way, await going(way, provider), session)
    asked = await going(way, provider)
    await coming_back(way, asked)
    late = await going(way, provider)
    clock.seconds += LIMITS.sign_in_form_s + 1
    for used in (asked, late, {"state": ""}):
        with pytest.raises(NotSignedIn):
            await coming_back(way, used)
    assert len(provider.asked) == 1


async def test_who_was_sent_away_by_an_earlier_version_starts_again(oauth_state: State, request: pytest.FixtureRequest):
    """It kept the query of the page where the page's place is now."""
    started = {"session": "my browser", "nonce": "n", "verifier": "v", "query": "a=1&b=2"}
    key = f"sign-in#{digest(request.node.name, 'a state')}"
    await oauth_state.table.put(Record(key, "sign-in", 2 * NOW, started))
    with pytest.raises(NotSignedIn):
        await coming_back(signing_in(Provider(), oauth_state), {"state": "a state"})


async def test_who_is_listed_by_subject_needs_no_address(oauth_state: State):
    provider = Provider(claims={"sub": "77", "email": None})
    way = signing_in(provider, oauth_state)
    assert (await coming_back(way, await going(way, provider)))[0] == Person("77", "77", "", ISSUER)


@pytest.mark.parametrize(
    "change",
    [
        {"issuer": "https://other.example.com"},
        {"authorization_endpoint": "http://id.example.com/authorize"},
        {"token_endpoint": None},
        {"authorization_endpoint": "javascript:alert(1)"},
    ],
)
async def test_a_provider_that_cannot_be_believed_is_not_gone_to(oauth_state: State, change: dict[str, Any]):
    provider = Provider(document=DOCUMENT | change)
    with pytest.raises(Failure) as failed:
        await going(signing_in(provider, oauth_state), provider)
    assert failed.value.code == "unavailable"


async def test_a_provider_that_refuses_the_code_signs_nobody_in(oauth_state: State):
    provider = Provider(status=400)
    way = signing_in(provider, oauth_state)
    with pytest.raises(NotSignedIn):
        await coming_back(way, await going(way, provider))


async def test_one_address_cannot_fill_the_table(oauth_state: State):
    provider = Provider()
    way = signing_in(provider, oauth_state)
    for _ in range(LIMITS.sign_ins_each):
        await going(way, provider)
    with pytest.raises(NotSignedIn):
        await going(way, provider)
    assert await way.begin("my browser", "", origin=ORIGIN, address="198.51.100.7")


@pytest.mark.parametrize(
    "wrong",
    [
        {"issuer": "http://id.example.com"},
        {"issuer": "https://id.example.com?x=1"},
        {"issuer": "http://127.0.0.1:1"},
        *({"issuer": address} for address in NO_ADDRESS),
        {"client_id": ""},
        {"allow": []},
        {"allow": "everyone"},
        {"env": "A", "secret": "B"},
        {"scopes": ["email"]},
        {"algorithms": ["HS256"]},
        {"algorithms": ["none"]},
        {"algorithms": []},
    ],
)
def test_a_provider_that_could_let_in_nobody_or_anybody_is_no_configuration(wrong: dict[str, Any]):
    good: dict[str, Any] = {"issuer": ISSUER, "client_id": "connecta", "allow": ["owner@example.com"]}
    assert OidcProvider(**good).host == "id.example.com"
    with pytest.raises(ValueError, match="OidcProvider"):
        OidcProvider(**{**good, **wrong})
