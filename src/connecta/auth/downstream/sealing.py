"""What is kept of a grant and of a started flow, as the vault takes it: JSON, sealed for its connector."""

import json
from dataclasses import asdict, dataclass, field
from typing import Any, Final, Protocol, cast

from connecta.auth.downstream.clients import Client
from connecta.text import compact

GRANT_FIELD: Final = "oauth grant"
FLOW_FIELD: Final = "oauth flow"
CLIENT_FIELD: Final = "oauth client"


class Seals(Protocol):
    """The vault, as far as it is needed here."""

    async def sealed(self, connector: str, field: str, plain: bytes) -> bytes: ...

    async def opened(self, connector: str, field: str, sealed: bytes) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Server:
    """The authorization server a grant or a flow is of, as it was when that began, and who we are to it."""

    issuer: str
    token: str
    revocation: str
    resource: str
    client: Client


@dataclass(frozen=True, slots=True)
class Secrets:
    """The secret half of a grant; ``refresh`` is empty where there is none."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    server: Server


@dataclass(frozen=True, slots=True)
class Flow:
    """A person who was sent away. ``names_itself``: the authorization server says in its answer who it is."""

    verifier: str = field(repr=False)
    server: Server
    names_itself: bool
    url: str
    scope: str
    origin: str
    by: str


def sealable(kept: Secrets | Flow | Client) -> bytes:
    return compact(asdict(kept)).encode()


def secrets_in(text: bytes) -> Secrets:
    kept = _object(text)
    kept["server"] = _server(kept["server"])
    return Secrets(**kept)


def flow_in(text: bytes) -> Flow:
    kept = _object(text)
    kept["server"] = _server(kept["server"])
    return Flow(**kept)


def client_in(text: bytes) -> Client:
    return Client(**_object(text))


def _server(kept: dict[str, Any]) -> Server:
    kept["client"] = Client(**kept["client"])
    return Server(**kept)


def _object(text: bytes) -> dict[str, Any]:
    """The vault has authenticated it, so it is what was written here."""
    return cast("dict[str, Any]", json.loads(text))
