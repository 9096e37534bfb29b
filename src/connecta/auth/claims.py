"""What a token of an OpenID Connect provider says, once its signature, issuer, audience and times are right."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from connecta.auth.jwks import Jwks
from connecta.limits import Limits


class NotVerified(Exception):
    """``reason`` is a word for the log."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


async def verified_claims(
    token: str,
    keys: Jwks,
    *,
    issuer: str,
    audience: str,
    algorithms: Sequence[str],
    required: Sequence[str],
    limits: Limits,
) -> Mapping[str, Any]:
    """The claims of a JWT, those that are ``required`` among them. Raises ``NotVerified``, and ``unavailable`` without
    keys."""
    # Imported here because it costs a cold start 200 ms, and most requests bring no JWT.
    import jwt

    try:
        header = jwt.get_unverified_header(token)
        algorithm = str(header.get("alg"))
        if algorithm not in algorithms:
            raise NotVerified("algorithm")
        key = await keys.key(header.get("kid"), algorithm)
        if key is None:
            raise NotVerified("key")
        return jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            audience=audience,
            issuer=issuer,
            leeway=limits.clock_skew_s,
            options={"require": list(required)},
        )
    except (jwt.PyJWTError, ValueError, RecursionError) as error:
        raise NotVerified(type(error).__name__) from error


def verified_email(claims: Mapping[str, Any]) -> str | None:
    """An address anyone may have typed in is nobody's. Cognito writes the claim as text."""
    email = cast("object", claims.get("email"))
    return email if isinstance(email, str) and claims.get("email_verified") in (True, "true") else None
