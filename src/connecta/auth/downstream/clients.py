"""Who this deployment is to a downstream's authorization server: a declared client, one known by a metadata document
of its own, or one that registered."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from connecta.auth.downstream.discovery import Issuer
from connecta.auth.downstream.model import CLIENT_DOCUMENT_PATH, Downstream, callback_of
from connecta.auth.exchange import Exchange, Question, basic
from connecta.failures import call_failed, unavailable
from connecta.limits import Limits
from connecta.text import JsonObject, compact

Kind = Literal["declared", "document", "registered"]
NAME: Final = "Connecta"
_NEVER: Final = 1e11
"""Epoch seconds beyond which an end is none."""
_METHODS: Final = ("none", "client_secret_post", "client_secret_basic")
"""How we can authenticate, the simplest first. Servers of MCP's Python SDK that list both of the last revoke nothing
for a client with the header."""


@dataclass(frozen=True, slots=True)
class Client:
    """``secret`` is empty for a public client and for a declared one, whose secret stays in the environment."""

    kind: Kind
    id: str
    method: str
    secret: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Registered:
    """A registration, and when it ends (epoch seconds; ``None`` is never)."""

    client: Client
    expires_at: int | None


def client_document(origin: str, name: str, connectors: Iterable[str]) -> JsonObject:
    """This deployment's client-id metadata document: its address at ``origin`` is its client id. ``connectors`` are
    the ids of those that may come back."""
    return {
        "client_id": origin + CLIENT_DOCUMENT_PATH,
        **_metadata(origin, name, [callback_of(origin, connector) for connector in connectors]),
        "token_endpoint_auth_method": "none",
    }


def declared(server: Downstream, issuer: Issuer) -> Client | None:
    """The client the deployment declares for this connector."""
    if server.auth.client_id is None:
        return None
    return Client("declared", server.auth.client_id, _method(issuer.methods, secret=server.auth.env is not None))


def documented(origin: str, issuer: Issuer) -> Client | None:
    """This deployment by its metadata document, where the authorization server can fetch that."""
    if not issuer.takes_documents or not origin.startswith("https://"):
        return None
    return Client("document", origin + CLIENT_DOCUMENT_PATH, "none")


async def register(server: Downstream, issuer: Issuer, origin: str, ask: Exchange, limits: Limits) -> Registered:
    """Register at ``issuer`` (RFC 7591). Raises ``Failure``."""
    if not issuer.registration:
        raise unavailable(
            f'The authorization server of "{server.id}" takes no client it does not know. The deployment\'s owner '
            "registers one there and names it with OAuth(client_id=…).",
            retryable=False,
        )
    method = next((each for each in _METHODS if each in issuer.methods), "none")
    wanted = {
        **_metadata(origin, NAME, [callback_of(origin, server.id)]),
        "token_endpoint_auth_method": method,
    }
    answer = await ask(
        Question(
            method="POST",
            url=issuer.registration,
            headers={"content-type": "application/json", "accept": "application/json"},
            body=compact(wanted).encode(),
            limit=limits.downstream_token_bytes,
            wait_s=limits.downstream_token_wait_s,
        )
    )
    if answer.status >= 500 or answer.status == 429:
        raise unavailable(f'The authorization server of "{server.id}" registers no client at the moment.')
    given = answer.json() if answer.status in (200, 201) else None
    registered = None if given is None else _registered(given, method, limits)
    if registered is None:
        raise call_failed(f'The authorization server of "{server.id}" did not register this deployment.')
    return registered


def framed(client: Client, server: Downstream, form: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """``form`` and headers as ``client`` sends them to a token or revocation endpoint (RFC 6749 section 2.3.1).

    The id is in the form in any case: some look there alone for whose header it is.
    """
    named = {**form, "client_id": client.id}
    secret = client.secret
    if client.kind == "declared" and server.auth.env is not None:
        secret = os.environ.get(server.auth.env, "").strip()
    if client.method == "client_secret_basic" and secret:
        return named, basic(client.id, secret)
    return {**named, **({"client_secret": secret} if secret else {})}, {}


def still_declared(client: Client, server: Downstream) -> bool:
    """Whether ``client`` is whom the deployment wants this connector to be."""
    if server.auth.client_id is None:
        return client.kind != "declared"
    return client.kind == "declared" and client.id == server.auth.client_id


def _metadata(origin: str, name: str, redirects: list[str]) -> JsonObject:
    return {
        "client_name": name,
        "client_uri": origin,
        "application_type": "web",
        "redirect_uris": [*redirects],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
    }


def _method(methods: Iterable[str], *, secret: bool) -> str:
    if not secret:
        return "none"
    return "client_secret_post" if "client_secret_basic" not in methods else "client_secret_basic"


def _registered(given: JsonObject, asked: str, limits: Limits) -> Registered | None:
    id, secret = given.get("client_id"), given.get("client_secret", "")
    method, ends = given.get("token_endpoint_auth_method", asked), given.get("client_secret_expires_at", 0)
    if not isinstance(id, str) or not isinstance(secret, str) or method not in _METHODS:
        return None
    if not id or not all(len(text) <= limits.downstream_token_chars and text.isprintable() for text in (id, secret)):
        return None
    # A server that gives a secret nobody asked for expects it; one that gives none cannot.
    method = "none" if not secret else ("client_secret_post" if method == "none" else method)
    # JSON has numbers that are none here, or that no table holds.
    expires_at = int(ends) if secret and isinstance(ends, int | float) and 0 < ends < _NEVER else None
    return Registered(Client("registered", id, str(method), secret), expires_at)
