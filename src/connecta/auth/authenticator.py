"""From a request's headers to its caller, or to the challenge it is answered with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from connecta.auth.callers import Caller, CallerKind

LOCAL: Final = Caller("local", "local", "This machine")
"""Whoever calls a local server without auth: it answers loopback only."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """Nobody was identified; ``authenticate`` is the value of ``WWW-Authenticate`` (RFC 6750 section 3)."""

    authenticate: str


class UnsafeDeployment(Exception):
    """The deployment would let everybody in without having said so."""


def check_auth(auth: Sequence[CallerKind], in_lambda: bool) -> None:
    """Refuse a deployment in Lambda that names no kind of caller. Raises ``UnsafeDeployment``."""
    if in_lambda and not auth:
        raise UnsafeDeployment(
            "This deployment has no auth, so anyone on the internet could call its tools. Give Connecta(…) "
            "auth=[Bearer()], or auth=[Open()] if that is really what you want."
        )


class Authenticator:
    """Tries the deployment's kinds in order; without any, only loopback is let in, and only by a local server."""

    def __init__(self, auth: Sequence[CallerKind], *, local: bool) -> None:
        check_auth(auth, in_lambda=not local)
        self._kinds = tuple(auth)

    async def identify(self, headers: Mapping[str, str], client: str) -> Caller | Challenge:
        """The caller of a request with these headers (lower-case names) from the address ``client``.

        Raises ``unavailable`` when a kind that could have known the caller cannot be asked.
        """
        token = bearer_token(headers.get("authorization"))
        if not self._kinds and _is_loopback(client):
            return LOCAL
        for kind in self._kinds:
            caller = await kind.identify(token)
            if caller is not None:
                return caller
        # RFC 6750 3.1: no error code where no token came; the client has done nothing wrong yet.
        return Challenge("Bearer" if token is None else 'Bearer error="invalid_token"')


def bearer_token(authorization: str | None) -> str | None:
    """The token of an ``Authorization: Bearer …`` header, ``None`` for no header, another scheme or no token."""
    scheme, _, token = (authorization or "").strip().partition(" ")
    return (token.strip() or None) if scheme.lower() == "bearer" else None


def _is_loopback(client: str) -> bool:
    try:
        return ip_address(client).is_loopback
    except ValueError:
        return False
