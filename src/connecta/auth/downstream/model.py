"""What downstream OAuth takes and gives: the server it is for, a usable token, and why there may be none."""

from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

from connecta.auth.credentials import Authorized, OAuth

CALLBACK_PATH: Final = "/oauth/callback/"
"""The connector's id follows."""
CLIENT_DOCUMENT_PATH: Final = "/oauth/client.json"


class Downstream(Authorized, Protocol):
    """A connector whose downstream has an authorization server of its own."""

    @property
    def auth(self) -> OAuth: ...


@dataclass(frozen=True, slots=True)
class Granted:
    """``token`` is the access token as text; ``version`` changes with every token this deployment is given."""

    token: str = field(repr=False)
    version: str


Reason = Literal["never", "expired", "refused", "rejected", "scope", "issuer", "client", "moved", "unreadable"]
"""Why there is no token: nobody connected it yet; it expired and cannot be refreshed; the authorization server refused
to refresh it; the downstream rejects what was just refreshed; it lacks a scope; the downstream trusts another issuer
now; the client it was given to is another's now; the connector's URL is another; the vault cannot read it."""


class NotGranted(Exception):
    """No token, and only a person can bring one: ``auth_required`` to whoever wanted it."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason: Reason = reason


class CallbackRefused(Exception):
    """Nothing came of it. ``message`` is a sentence or two for the person whose browser came back."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class GrantStanding:
    """What may be shown of a grant; times are epoch seconds. ``refused`` says why it is of no more use, where it is
    not; ``renewable`` whether the access token is renewed before it ends."""

    issuer: str
    scope: str
    expires_at: float | None
    """When the access token ends; ``None`` where the authorization server did not say."""
    connected_at: float
    by: str
    refreshed_at: float | None = None
    refused: Reason | None = None
    renewable: bool = False


def callback_of(origin: str, connector: str) -> str:
    """Where an authorization server sends the person back to."""
    return f"{origin}{CALLBACK_PATH}{connector}"
