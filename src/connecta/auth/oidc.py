"""``Oidc(…)``: whoever holds a token of the owner's own identity provider."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, cast

from connecta.addresses import parts_of
from connecta.auth.callers import Caller, NotAllowed
from connecta.auth.claims import NotVerified, verified_claims, verified_email
from connecta.auth.jwks import Jwks
from connecta.auth.recent import Found, Recent
from connecta.limits import Limits
from connecta.text import clamp, printable

ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
"""Signatures only: with a shared secret, whoever can check a token can make one."""
_LABEL_BYTES: Final = 120
_NAMES: Final = ("email", "preferred_username", "name")


class Oidc:
    """JWTs that ``issuer`` signed for ``audience``, for clients that get them there on their own.

    ``allow`` lists who may come in by subject or verified e-mail address, or is ``"everyone"`` the provider knows.
    ``scopes`` are all needed. Keys are found by the issuer's discovery document unless ``jwks_uri`` says where.
    Raises ``ValueError`` for a configuration that could let in nobody or anybody.
    """

    def __init__(
        self,
        *,
        issuer: str,
        audience: str,
        allow: Sequence[str] | Literal["everyone"],
        scopes: Sequence[str] = (),
        algorithms: Sequence[str] = ("RS256", "ES256"),
        jwks_uri: str | None = None,
    ) -> None:
        for name, url in (("issuer", issuer), ("jwks_uri", jwks_uri)):
            if url is not None and not _is_https(url):
                raise ValueError(f"Oidc({name}=…) must be an https URL.")
        if not audience:
            raise ValueError("Oidc(audience=…) is empty, so tokens for any other service would do; name this one's.")
        if isinstance(allow, str) and allow != "everyone":
            raise ValueError('Oidc(allow=…) is a list of subjects and e-mail addresses, or "everyone".')
        if not allow:
            raise ValueError("Oidc(allow=[]) lets nobody in; list subjects or e-mail addresses.")
        if not algorithms or not ALGORITHMS.issuperset(algorithms):
            raise ValueError(f"Oidc(algorithms=…) takes signatures only: {', '.join(sorted(ALGORITHMS))}.")
        self.issuer = issuer
        self.audience = audience
        self.allow = None if isinstance(allow, str) else frozenset(allow)
        self.scopes = tuple(scopes)
        self.algorithms = tuple(algorithms)
        self.jwks_uri = jwks_uri


class OidcCallers:
    """The holders of one provider's tokens."""

    def __init__(self, oidc: Oidc, keys: Jwks, recent: Recent, limits: Limits) -> None:
        self._oidc = oidc
        self._keys = keys
        self._recent = recent
        self._limits = limits

    async def identify(self, token: str | None) -> Caller | None:
        """Raises ``NotAllowed`` for a good token of somebody who may not come in, ``unavailable`` without keys."""
        if token is None or token.count(".") != 2:
            return None
        return await self._recent.caller(token, self._found)

    async def _found(self, token: str) -> Found | None:
        oidc = self._oidc
        try:
            claims = await verified_claims(
                token,
                self._keys,
                issuer=oidc.issuer,
                audience=oidc.audience,
                algorithms=oidc.algorithms,
                required=("exp", "iss", "aud", "sub"),
                limits=self._limits,
            )
        except NotVerified:
            return None
        return Found(self._allowed(claims), float(claims["exp"]))

    def _allowed(self, claims: Mapping[str, Any]) -> Caller:
        missing = set(self._oidc.scopes) - _scopes_of(claims)
        if missing:
            raise NotAllowed("insufficient_scope", self._oidc.scopes)
        subject = str(claims["sub"])
        allow = self._oidc.allow
        if allow is not None and not ({subject, verified_email(claims)} & allow):
            raise NotAllowed("not_listed")
        named = (claims[name] for name in _NAMES if isinstance(claims.get(name), str))
        label = clamp(printable(cast("str", next(named, subject))), _LABEL_BYTES)
        return Caller("oidc", subject, label)


def _scopes_of(claims: Mapping[str, Any]) -> set[str]:
    """``scope`` as RFC 9068 writes it, or ``scp`` as Okta (a list) and Entra (text) do."""
    given: object = claims.get("scope", claims.get("scp", ""))
    if isinstance(given, list):
        return {scope for scope in cast("list[object]", given) if isinstance(scope, str)}
    return set(given.split()) if isinstance(given, str) else set()


def _is_https(url: str) -> bool:
    parts = parts_of(url)
    return parts is not None and parts.scheme == "https"
