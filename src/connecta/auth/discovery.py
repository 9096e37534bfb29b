"""Where a client without a token is told to get one."""

from collections.abc import Sequence
from dataclasses import dataclass

from connecta.auth.authorization_server.config import AuthorizationServer
from connecta.auth.authorization_server.metadata import SCOPE
from connecta.auth.kinds import AuthKind
from connecta.auth.oidc import Oidc


@dataclass(frozen=True, slots=True)
class Discovery:
    """The issuers whose tokens come in, this server itself first if it is one, and the scopes to ask them for."""

    embedded: bool
    issuers: tuple[str, ...]
    scopes: tuple[str, ...]

    def servers(self, origin: str) -> tuple[str, ...]:
        """The issuers, of a deployment that is at ``origin``."""
        return (origin, *self.issuers) if self.embedded else self.issuers


def discovery_of(kinds: Sequence[AuthKind]) -> Discovery | None:
    """``None`` for a deployment nobody issues tokens for on request: its clients are configured by hand."""
    embedded = any(isinstance(kind, AuthorizationServer) for kind in kinds)
    providers = [kind for kind in kinds if isinstance(kind, Oidc)]
    if not embedded and not providers:
        return None
    scopes = (SCOPE,) if embedded else tuple(dict.fromkeys(scope for kind in providers for scope in kind.scopes))
    return Discovery(embedded, tuple(dict.fromkeys(kind.issuer for kind in providers)), scopes)
