"""From the kinds of caller a deployment names to what recognizes them, cheapest first."""

from collections.abc import Sequence
from typing import TypeAlias

from connecta.auth.access_tokens import AccessTokenCallers, AccessTokens
from connecta.auth.authorization_server.callers import GrantCallers
from connecta.auth.authorization_server.config import AuthorizationServer
from connecta.auth.callers import Bearer, CallerKind, Open
from connecta.auth.exchange import Exchange
from connecta.auth.jwks import Jwks
from connecta.auth.oidc import Oidc, OidcCallers
from connecta.auth.recent import Recent
from connecta.limits import Limits
from connecta.state import State

AuthKind: TypeAlias = Bearer | AccessTokens | AuthorizationServer | Oidc | Open
"""What ``Connecta(auth=[…])`` takes."""

_BY_COST: tuple[type[AuthKind], ...] = (Bearer, AccessTokens, AuthorizationServer, Oidc, Open)
"""A comparison, a look-up in the table, a signature; and who is let in anyway is better known by name."""


def callers_of(kinds: Sequence[AuthKind], state: State, ask: Exchange, limits: Limits) -> tuple[CallerKind, ...]:
    """What recognizes the callers of ``kinds``. Nothing is read or fetched before the first token comes."""
    ordered = sorted(kinds, key=lambda kind: _BY_COST.index(type(kind)))
    return tuple(_caller_kind(kind, state, ask, limits) for kind in ordered)


def _caller_kind(kind: AuthKind, state: State, ask: Exchange, limits: Limits) -> CallerKind:
    recent = Recent(limits, state.table.now)
    match kind:
        case AccessTokens():
            return AccessTokenCallers(state.access_tokens, recent)
        case AuthorizationServer():
            return GrantCallers(state.grants, recent)
        case Oidc():
            keys = Jwks(kind.issuer, kind.jwks_uri, ask, limits)
            return OidcCallers(kind, keys, recent, limits)
        case _:
            return kind
