"""From a request's headers to its caller, or to the challenge it is answered with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final, Literal

from connecta.auth.callers import Caller, CallerKind, NotAllowed
from connecta.failures import Failure
from connecta.limits import LIMITS

LOCAL: Final = Caller("local", "local", "This machine")
"""Whoever calls a local server without auth: it answers loopback only."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """Nobody who may come in was identified. ``error`` is RFC 6750's, ``None`` where no token came: the client has
    done nothing wrong yet (section 3.1). ``not_listed`` is ours: no other token of that person's would do. ``scopes``
    are all the ones a token like this one needs."""

    error: Literal["invalid_token", "insufficient_scope", "not_listed"] | None = None
    scopes: tuple[str, ...] = ()

    @property
    def forbids(self) -> bool:
        """Whether the caller is known and turned away: 403, where asking for another token would not help."""
        return self.error in ("insufficient_scope", "not_listed")

    def header(self, *, resource_metadata: str | None = None, scopes: Sequence[str] = ()) -> str:
        """The value of ``WWW-Authenticate``: where to find out how to get a token (RFC 9728 5.1), and the scopes it
        has to have, all of them; ``scopes`` are those of a first token."""
        told = {
            "error": None if self.error == "not_listed" else self.error,
            "resource_metadata": resource_metadata,
            "scope": " ".join(self.scopes or scopes) or None,
        }
        parameters = ", ".join(f'{name}="{value}"' for name, value in told.items() if value is not None)
        return f"Bearer {parameters}".rstrip()


class UnsafeDeployment(Exception):
    """The deployment would let everybody in without having said so."""


def check_auth(auth: Sequence[object], in_lambda: bool) -> None:
    """Refuse a deployment in Lambda that names no kind of caller. Raises ``UnsafeDeployment``."""
    if in_lambda and not auth:
        raise UnsafeDeployment(
            "This deployment has no auth, so anyone on the internet could call its tools. Give Connecta(…) "
            "auth=[Bearer()], or auth=[Open()] if that is really what you want."
        )


class Authenticator:
    """Tries kinds of caller in order; without any, only loopback is let in, and only by a local server."""

    def __init__(self, auth: Sequence[CallerKind], *, local: bool) -> None:
        check_auth(auth, in_lambda=not local)
        self._kinds = tuple(auth)

    async def identify(self, headers: Mapping[str, str], client: str) -> Caller | Challenge:
        """The caller of a request with these headers (lower-case names) from the address ``client``.

        Raises ``unavailable`` when a kind that could have known the caller cannot be asked, and no other knows it.
        """
        token = bearer_token(headers.get("authorization"))
        if not self._kinds and is_this_machine(client):
            return LOCAL
        trouble: Failure | None = None
        refusal = Challenge(None if token is None else "invalid_token")
        for kind in self._kinds if token is None or len(token) <= LIMITS.token_chars else ():
            try:
                caller = await kind.identify(token)
            except Failure as failure:
                trouble = trouble or failure
            except NotAllowed as not_allowed:
                refusal = Challenge(not_allowed.reason, not_allowed.scopes)
            else:
                if caller is not None:
                    return caller
        if trouble is not None:
            raise trouble
        return refusal


def bearer_token(authorization: str | None) -> str | None:
    """The token of an ``Authorization: Bearer …`` header, ``None`` for no header, another scheme or no token."""
    scheme, _, token = (authorization or "").strip().partition(" ")
    return (token.strip() or None) if scheme.lower() == "bearer" else None


def is_this_machine(client: str) -> bool:
    """Whether a request from the address ``client`` came over loopback."""
    try:
        return ip_address(client).is_loopback
    except ValueError:
        return False
