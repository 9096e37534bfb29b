"""What an identity provider says of the person it sent back (OpenID Connect Core 1.0 section 3.1.3.7)."""

from collections.abc import Mapping
from typing import Any, Final

from connecta.auth.claims import NotVerified, verified_claims, verified_email
from connecta.auth.jwks import Jwks
from connecta.auth.sign_in.config import OidcProvider
from connecta.auth.sign_in.sessions import Person
from connecta.limits import Limits
from connecta.state.tickets import same
from connecta.text import clamp, printable

_NAME_BYTES: Final = 120
_UNPROVEN: Final = "The identity provider did not prove who you are."


class ClaimsError(Exception):
    """``message`` is a sentence for the person, ``reason`` a word for the log."""

    def __init__(self, reason: str, message: str = _UNPROVEN) -> None:
        super().__init__(reason)
        self.reason = reason
        self.message = message


async def claims_in(token: str, provider: OidcProvider, nonce: str, keys: Jwks, limits: Limits) -> Mapping[str, Any]:
    """The claims of an ID token for this deployment and this sign-in. Raises ``ClaimsError`` and ``unavailable``."""
    try:
        claims = await verified_claims(
            token,
            keys,
            issuer=provider.issuer,
            audience=provider.client_id,
            algorithms=provider.algorithms,
            required=("exp", "iat", "iss", "aud", "sub"),
            limits=limits,
        )
    except NotVerified as error:
        raise ClaimsError(error.reason) from error
    if not same(str(claims.get("nonce", "")), nonce):
        raise ClaimsError("nonce")
    if claims.get("azp", provider.client_id) != provider.client_id:
        raise ClaimsError("azp")
    return claims


def person_in(claims: Mapping[str, Any], provider: OidcProvider) -> Person:
    """Who it is, if they may come in: by subject, or by an e-mail address the provider has verified. Raises
    ``ClaimsError``."""
    subject, email = str(claims["sub"]), verified_email(claims)
    name = clamp(printable(email or subject), _NAME_BYTES)
    person = Person(subject, name, email or "", provider.issuer)
    if not provider.lets_in(person):
        raise ClaimsError("not_listed", f"{name} has not been let in by the owner of this server.")
    return person
