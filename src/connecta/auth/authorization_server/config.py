"""``AuthorizationServer()``: whoever a person let in through this deployment's own sign-in."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from connecta.auth.authorization_server.redirects import is_redirect
from connecta.auth.sign_in.config import Passphrase, SignIn
from connecta.limits import LIMITS


@dataclass(frozen=True, slots=True)
class DeclaredClient:
    """A client the deployment knows itself: public, with these exact redirect URIs (loopback ports are free).

    Raises ``ValueError`` for one that could not be used.
    """

    id: str
    name: str
    redirect_uris: Sequence[str]

    def __post_init__(self) -> None:
        if not self.id.isascii() or not self.id.isprintable() or not self.id or self.id.startswith(("https:", "ctc_")):
            raise ValueError("DeclaredClient(id=…) is a short name in ASCII; https:… and ctc_… mean other clients.")
        if not self.redirect_uris or not all(is_redirect(uri, LIMITS) for uri in self.redirect_uris):
            raise ValueError(
                f"DeclaredClient({self.id!r}) needs redirect_uris: https URLs, http ones of this machine "
                "(http://127.0.0.1/…), or an application's own scheme, without a fragment."
            )


@dataclass(frozen=True, slots=True)
class AuthorizationServer:
    """The embedded authorization server, for claude.ai, ChatGPT, Claude Desktop and every client that signs in.

    ``clients`` are known beforehand; others describe themselves in a document at their id, or register. ``sign_in``
    is how the people behind them prove who they are: ``Passphrase()`` or ``OidcProvider(…)``.
    """

    clients: Sequence[DeclaredClient] = field(default=())
    sign_in: SignIn = field(default=Passphrase())
