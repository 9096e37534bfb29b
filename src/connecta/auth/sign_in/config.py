"""How the person behind an embedded authorization server proves who they are: a passphrase, or their own provider."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias
from urllib.parse import urlsplit

from connecta.addresses import plain_parts_of

CLIENT_SECRET_VARIABLE: Final = "CONNECTA_OIDC_SECRET"  # noqa: S105 (a name, not a secret)
"""Where the template says which secret holds the client's secret at the provider."""
_LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


class Known(Protocol):
    """Somebody as they were known when they signed in. ``email`` is an address their provider had verified and
    ``issuer`` is that provider; both are empty where there was none."""

    @property
    def subject(self) -> str: ...
    @property
    def email(self) -> str: ...
    @property
    def issuer(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Passphrase:
    """Whoever knows the passphrase that ``python -m connecta passphrase`` set."""

    def lets_in(self, person: Known) -> bool:
        """Whether somebody who signed in once still may come in: not who a provider of before vouched for."""
        return not person.issuer


@dataclass(frozen=True, slots=True)
class OidcProvider:
    """Whoever an OpenID Connect provider says is in ``allow``: subjects, or e-mail addresses it has verified.

    Its redirect URI there is ``<origin>/oauth/sign-in/callback``. The client's secret is in the environment variable
    ``env``, or is the Secrets Manager secret ``secret`` (a name or an ARN); with neither it is the secret that
    ``$CONNECTA_OIDC_SECRET`` names, and without that the client is public. ``name`` is what the page calls the
    provider. ``allow_private`` is for one on a private network. Raises ``ValueError``.
    """

    issuer: str
    client_id: str
    allow: Sequence[str]
    name: str | None = None
    env: str | None = None
    secret: str | None = None
    scopes: Sequence[str] = ("openid", "email")
    algorithms: Sequence[str] = ("RS256", "ES256")
    allow_private: bool = False

    def __post_init__(self) -> None:
        if not _is_issuer(self.issuer, allow_private=self.allow_private):
            raise ValueError("OidcProvider(issuer=…) must be an https URL without a query.")
        if not self.client_id:
            raise ValueError("OidcProvider(client_id=…) is empty; it is what the provider calls this deployment.")
        if isinstance(self.allow, str) or not self.allow:
            raise ValueError("OidcProvider(allow=[…]) lists who may come in, by subject or e-mail address.")
        if self.env is not None and self.secret is not None:
            raise ValueError("OidcProvider(env=…, secret=…) names two places for one secret; keep one.")
        if "openid" not in self.scopes:
            raise ValueError('OidcProvider(scopes=…) must hold "openid", or the provider does not say who it was.')
        # Signatures only: with a shared secret, whoever can check a token can make one.
        if not self.algorithms or any(name[:2] not in {"RS", "PS", "ES", "Ed"} for name in self.algorithms):
            raise ValueError("OidcProvider(algorithms=…) takes signatures only, like RS256 or ES256.")

    def lets_in(self, person: Known) -> bool:
        """Whether somebody who signed in once still may come in: of this provider, and still in ``allow``."""
        listed = {each.casefold() for each in self.allow}
        return person.issuer == self.issuer and (
            person.subject in self.allow or (person.email != "" and person.email.casefold() in listed)
        )

    @property
    def host(self) -> str:
        return urlsplit(self.issuer).hostname or self.issuer


SignIn: TypeAlias = Passphrase | OidcProvider


def _is_issuer(url: str, *, allow_private: bool) -> bool:
    parts = plain_parts_of(url)
    return parts is not None and (parts.scheme == "https" or (allow_private and parts.hostname in _LOOPBACK))
