"""Who may come in: the kinds of caller a deployment names and the caller a request turns out to be."""

import asyncio
import hmac
import os
from dataclasses import dataclass
from hashlib import sha256
from typing import Final, Literal, Protocol

from connecta.auth.secrets_manager import secret_value
from connecta.log import logger

TOKEN_VARIABLE: Final = "CONNECTA_TOKEN"  # noqa: S105 (a name, not a token)
"""Holds the token itself, for a server on one's own machine."""
SECRET_VARIABLE: Final = "CONNECTA_TOKEN_SECRET"  # noqa: S105 (a name, not a secret)
"""Where the template says which secret holds the token, so that no deployment names an account's ARN."""
_UNREADABLE: Final = "The server cannot check tokens at the moment. Try again shortly."


@dataclass(frozen=True, slots=True)
class Caller:
    """An identified caller. It identifies, it never scopes tools."""

    kind: str
    subject: str
    label: str


class NotAllowed(Exception):
    """The token is good, and its holder may not come in: for want of one of ``scopes``, or because nobody listed
    them."""

    def __init__(self, reason: Literal["insufficient_scope", "not_listed"], scopes: tuple[str, ...] = ()) -> None:
        super().__init__(reason)
        self.reason: Literal["insufficient_scope", "not_listed"] = reason
        self.scopes = scopes


class CallerKind(Protocol):
    """One way in."""

    async def identify(self, token: str | None) -> Caller | None:
        """The caller whose bearer token this is, ``None`` where it is no token of this kind.

        Raises ``unavailable`` when that cannot be found out, ``NotAllowed`` for one whose holder may not come in.
        """
        ...


class Open:
    """Everybody. A deployment on the public internet has to say so in as many words."""

    async def identify(self, token: str | None) -> Caller | None:
        return Caller("open", "anyone", "Anyone")


class Bearer:
    """One static token, for clients that send a header they were given: Claude Code, Cursor, scripts.

    It is in the environment variable ``env``, or it is the Secrets Manager secret ``secret`` (a name or an ARN);
    with neither it is the secret that ``$CONNECTA_TOKEN_SECRET`` names, else ``$CONNECTA_TOKEN``. A secret is read
    once per process, when the first token is presented. Without a token configured nobody comes in this way.
    """

    def __init__(self, *, env: str | None = None, secret: str | None = None) -> None:
        if env is not None and secret is not None:
            raise ValueError("Bearer(env=…, secret=…) names two places for one token; keep one.")
        if env == "" or secret == "":
            raise ValueError("Bearer(…) was given an empty name; name the variable or the secret with the token.")
        self._env = env
        self._secret = secret
        self._read: str | None = None

    async def identify(self, token: str | None) -> Caller | None:
        if token is None:
            return None
        expected = await self._expected()
        if not expected:
            logger.error("No token is configured for Bearer, so nobody can come in with one.")
            return None
        # Digests are of one length, so the time taken says nothing of the token's.
        if not hmac.compare_digest(_digest(token), _digest(expected)):
            return None
        return Caller("bearer", self._env or self._secret or "token", "Bearer token")

    async def _expected(self) -> str:
        if self._env is not None:
            return os.environ.get(self._env, "").strip()
        secret = self._secret or os.environ.get(SECRET_VARIABLE)
        if not secret:
            return os.environ.get(TOKEN_VARIABLE, "").strip()
        if self._read is None:
            self._read = await asyncio.to_thread(secret_value, secret, _UNREADABLE)
        return self._read


def _digest(token: str) -> bytes:
    return sha256(token.encode("utf-8", "surrogatepass")).digest()
