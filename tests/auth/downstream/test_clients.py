"""Who this deployment is to an authorization server, and how it proves that (RFC 6749 section 2.3.1, RFC 7591)."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from connecta import OAuth
from connecta.auth.downstream.clients import (
    Client,
    Registered,
    client_document,
    declared,
    documented,
    framed,
    register,
    still_declared,
)
from connecta.auth.downstream.discovery import Issuer
from connecta.auth.exchange import Answer, Question
from connecta.failures import Failure
from connecta.limits import LIMITS
from tests.auth.downstream.deployments import Notes

ORIGIN = "https://tools.example.com"
NOTES = Notes("https://notes.example.com/mcp", allow_private=False)
DECLARED = replace(NOTES, auth=OAuth(client_id="a:b c", env="NOTES_SECRET"))
ISSUER = Issuer(
    issuer="https://id.example.com",
    authorization="https://id.example.com/authorize",
    token="https://id.example.com/token",
    registration="https://id.example.com/register",
    revocation="",
    names_itself=False,
    takes_documents=False,
    methods=("client_secret_basic", "client_secret_post"),
    scopes=(),
)
FORM = {"grant_type": "refresh_token"}


def test_the_document_names_every_callback_and_no_secret():
    assert client_document(ORIGIN, "Connecta", ["notes", "mail"]) == {
        "client_id": f"{ORIGIN}/oauth/client.json",
        "client_name": "Connecta",
        "client_uri": ORIGIN,
        "application_type": "web",
        "redirect_uris": [f"{ORIGIN}/oauth/callback/notes", f"{ORIGIN}/oauth/callback/mail"],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }


def test_a_document_is_offered_only_where_it_can_be_fetched_and_is_read():
    reads = replace(ISSUER, takes_documents=True)
    assert documented(ORIGIN, reads) == Client("document", f"{ORIGIN}/oauth/client.json", "none")
    assert documented("http://127.0.0.1:8000", reads) is None
    assert documented(ORIGIN, ISSUER) is None


def test_a_declared_client_s_secret_is_read_when_it_is_sent(monkeypatch: pytest.MonkeyPatch):
    """It is in no table, so a new one holds with the next deployment. Both halves are encoded: a colon divides
    nothing."""
    basic = Client("declared", "a:b c", "client_secret_basic")
    assert declared(DECLARED, ISSUER) == basic
    monkeypatch.setenv("NOTES_SECRET", "s&c:r t\n")
    header = {"authorization": "Basic YSUzQWIlMjBjOnMlMjZjJTNBciUyMHQ="}
    assert framed(basic, DECLARED, FORM) == ({**FORM, "client_id": "a:b c"}, header)
    posting = declared(DECLARED, replace(ISSUER, methods=("client_secret_post",)))
    assert posting is not None
    assert framed(posting, DECLARED, FORM) == ({**FORM, "client_id": "a:b c", "client_secret": "s&c:r t"}, {})
    assert declared(NOTES, ISSUER) is None


def test_a_client_is_no_more_when_the_deployment_declares_another():
    ours, other = Client("declared", "a:b c", "none"), Client("registered", "a:b c", "none")
    assert [still_declared(client, DECLARED) for client in (ours, other)] == [True, False]
    assert [still_declared(client, NOTES) for client in (ours, other)] == [False, True]
    assert not still_declared(replace(ours, id="another"), DECLARED)


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ({"client_id": "x"}, Registered(Client("registered", "x", "none"), None)),
        (
            {"client_id": "x", "client_secret": "y", "client_secret_expires_at": 0},
            Registered(Client("registered", "x", "client_secret_post", "y"), None),
        ),
        (
            {"client_id": "x", "client_secret": "y", "client_secret_expires_at": 1_900_000_000},
            Registered(Client("registered", "x", "client_secret_post", "y"), 1_900_000_000),
        ),
        (
            {"client_id": "x", "client_secret": "y", "token_endpoint_auth_method": "client_secret_basic"},
            Registered(Client("registered", "x", "client_secret_basic", "y"), None),
        ),
    ],
)
async def test_what_the_server_says_of_a_registration_is_what_holds(answer: Mapping[str, Any], wanted: Registered):
    """RFC 7591 section 3.2.1: it may answer otherwise than it was asked."""
    assert await register(NOTES, ISSUER, ORIGIN, Answering(201, answer), LIMITS) == wanted


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        (400, {"error": "invalid_redirect_uri"}),
        (201, {}),
        (201, {"client_id": ""}),
        (201, {"client_id": "a\nb"}),
        (201, {"client_id": "x", "client_secret": 5}),
        (201, {"client_id": "x", "token_endpoint_auth_method": "private_key_jwt"}),
        (200, []),
    ],
)
async def test_a_registration_that_cannot_be_used_is_none(status: int, answer: Any):
    with pytest.raises(Failure) as failed:
        await register(NOTES, ISSUER, ORIGIN, Answering(status, answer), LIMITS)
    assert (failed.value.code, failed.value.retryable) == ("connector_call_failed", False)


async def test_a_registration_that_may_work_later_says_so():
    with pytest.raises(Failure) as failed:
        await register(NOTES, ISSUER, ORIGIN, Answering(503, {}), LIMITS)
    assert (failed.value.code, failed.value.retryable) == ("unavailable", True)


class Answering:
    """A registration endpoint that answers this."""

    def __init__(self, status: int, answer: object) -> None:
        self._answer = Answer(status, json.dumps(answer).encode())

    async def __call__(self, asked: Question) -> Answer:
        assert (asked.method, asked.url) == ("POST", ISSUER.registration)
        return self._answer
