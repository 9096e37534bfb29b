"""What one visit to a deployment has found out so far, for the checks that come after."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol
from urllib.parse import urlsplit

from connecta.local.doctor.findings import NotTried
from connecta.local.doctor.wire import Wire
from connecta.text import JsonObject

ENDPOINT: Final = "/mcp"


class Secrets(Protocol):
    """The person at the terminal, asked at most once for each, and only when it is needed."""

    def passphrase(self) -> str | None: ...


@dataclass(slots=True)
class Challenge:
    """How a request without a token was answered. ``metadata_url`` is from the header, if it came through."""

    open: bool
    metadata_url: str | None = None


@dataclass(slots=True)
class Client:
    """A client as the authorization server knows it."""

    id: str
    redirect_uri: str


@dataclass(slots=True)
class Grant:
    """The doctor's own tokens, which it revokes before it leaves."""

    client: Client
    access: str
    refresh: str | None


@dataclass(slots=True)
class Visit:
    """``url`` is what a person would paste; ``token`` a bearer token they gave the doctor, if they did."""

    url: str
    wire: Wire
    token: str | None
    passphrase: Callable[[], str | None]
    challenge: Challenge | None = None
    server: JsonObject | None = None
    registered: Client | None = None
    grant: Grant | None = None
    code: str | None = None
    verifier: str = ""
    tools: list[JsonObject] = field(default_factory=list["JsonObject"])

    @property
    def origin(self) -> str:
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.netloc}".lower()

    @property
    def is_open(self) -> bool:
        return self.challenge is not None and self.challenge.open

    def credential(self) -> str | None:
        """The token that calls are made with; ``None`` where none is asked for. Raises ``NotTried``."""
        if self.token is not None:
            return self.token
        if self.is_open:
            return None
        if self.grant is None:
            raise NotTried("there is no token: neither did signing in bring one, nor was --token given.")
        return self.grant.access

    def needs_sign_in(self) -> None:
        """Raises ``NotTried`` where clients come in without OAuth."""
        if self.is_open:
            raise NotTried("this deployment is open: nobody signs in.")
        if self.token is not None:
            raise NotTried("a token was given, so nobody has to sign in.")
