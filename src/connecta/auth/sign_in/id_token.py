"""What an identity provider says of the person it sent back (OpenID Connect Core 1.0 section 3.1.3.7)."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

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
    # Imported here because it costs a cold start 200 ms, and most requests sign nobody in.
    import jwt

    try:
        header = jwt.get_unverified_header(token)
        algorithm = str(header.get("alg"))
        if algorithm not in provider.algorithms:
            raise ClaimsError("algorithm")
        key = await keys.key(header.get("kid"), algorithm)
        if key is None:
            raise ClaimsError("key")
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=provider.client_id,
            issuer=provider.issuer,
            leeway=limits.clock_skew_s,
            options={"require": ["exp", "iat", "iss", "aud", "sub"]},
        )
    except (jwt.PyJWTError, ValueError, RecursionError) as error:
        raise ClaimsError(type(error).__name__) from error
    if not same(str(claims.get("nonce", "")), nonce):
        raise ClaimsError("nonce")
    if claims.get("azp", provider.client_id) != provider.client_id:
        raise ClaimsError("azp")
    return claims


def person_in(claims: Mapping[str, Any], allow: Sequence[str]) -> Person:
    """Who it is, if they may come in: by subject, or by an e-mail address the provider has verified. Raises
    ``ClaimsError``."""
    subject, email = str(claims["sub"]), _verified_email(claims)
    name = clamp(printable(email or subject), _NAME_BYTES)
    listed = subject in allow or (email is not None and email.casefold() in {each.casefold() for each in allow})
    if not listed:
        raise ClaimsError("not_listed", f"{name} has not been let in by the owner of this server.")
    return Person(subject, name)


def _verified_email(claims: Mapping[str, Any]) -> str | None:
    """An address anyone may have typed in is nobody's. Cognito writes the claim as text."""
    email = cast("object", claims.get("email"))
    return email if isinstance(email, str) and claims.get("email_verified") in (True, "true") else None
