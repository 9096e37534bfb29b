"""Secrets we hand out once and recognize later: an id to find the record by, and a secret only its hash is kept of."""

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass
from typing import Final

_ID_BYTES: Final = 16
_SECRET_BYTES: Final = 32
ID_CHARS: Final = 22
"""128 bits in URL-safe base64."""
_ID: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{21}")
_FORM: Final = re.compile(r"[A-Za-z0-9_-]{65}")
"""The id, and 43 characters for the secret's 256 bits."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """``text`` is the whole secret as its holder presents it; ``id`` is the part that names the record."""

    id: str
    text: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 (hex) of the whole text. It has 256 random bits, so there is nothing to slow down."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def __repr__(self) -> str:
        """Never the secret: this may end up in a log."""
        return f"Ticket(id={self.id!r})"


def new_id() -> str:
    """A fresh id nobody can guess. It does not begin like an option of a command that it is given to."""
    while (id := secrets.token_urlsafe(_ID_BYTES)).startswith("-"):
        pass
    return id


def is_id(text: str) -> bool:
    """Whether ``text`` may be what ``new_id`` made."""
    return _ID.fullmatch(text) is not None


def new_ticket(prefix: str, id: str | None = None) -> Ticket:
    """A fresh secret that begins with ``prefix``, for the record ``id`` or a new one."""
    id = id or new_id()
    return Ticket(id, f"{prefix}{id}{secrets.token_urlsafe(_SECRET_BYTES)}")


def ticket_in(prefix: str, text: str) -> Ticket | None:
    """The ticket ``text`` may be; ``None`` for what cannot be one with this prefix."""
    if not text.startswith(prefix) or _FORM.fullmatch(text, len(prefix)) is None:
        return None
    return Ticket(text[len(prefix) : len(prefix) + ID_CHARS], text)


def derived_ticket(prefix: str, from_: Ticket, salt: str) -> Ticket:
    """The one ticket that follows from ``from_`` and ``salt``: nobody without both can tell it."""
    secret = hmac.digest(from_.text.encode(), f"{prefix}{salt}".encode(), "sha256")
    return Ticket(from_.id, f"{prefix}{from_.id}{urlsafe_b64encode(secret).rstrip(b'=').decode()}")


def derived_id(from_: Ticket, purpose: str) -> str:
    """The id that follows from ``from_``: only who had that can tell it."""
    return urlsafe_b64encode(hmac.digest(from_.text.encode(), purpose.encode(), "sha256"))[:ID_CHARS].decode()


def same(one: str, other: str) -> bool:
    """Whether two digests are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())
