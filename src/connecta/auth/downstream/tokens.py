"""What a token endpoint is asked and answers (RFC 6749 sections 4.1.3, 5 and 6), and a revocation endpoint
(RFC 7009)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeGuard

from connecta.auth.downstream.clients import Client, framed
from connecta.auth.downstream.model import Downstream
from connecta.auth.exchange import Exchange, form
from connecta.failures import Failure, unavailable
from connecta.limits import Limits
from connecta.log import logger
from connecta.text import JsonObject

_FINAL: Final = frozenset(
    {"invalid_grant", "invalid_client", "unauthorized_client", "invalid_request", "invalid_scope"}
    | {"unsupported_grant_type", "invalid_target", "access_denied"}
)
"""Errors that the same request will get again (RFC 6749 section 5.2, RFC 8707 section 2)."""


class TokenRefused(Exception):
    """The token endpoint said no, and would say it again; ``error`` is one of OAuth's own words."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error


@dataclass(frozen=True, slots=True)
class Given:
    """Tokens as they were given; ``lasts_s`` and ``scope`` are ``None`` where the answer does not say."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    lasts_s: float | None
    scope: str | None


async def tokens_for(
    asked: Mapping[str, str], client: Client, endpoint: str, server: Downstream, ask: Exchange, limits: Limits
) -> Given:
    """Raises ``TokenRefused``, and ``unavailable`` for whatever another attempt may bring."""
    limit, wait_s = limits.downstream_token_bytes, limits.downstream_token_wait_s
    try:
        answer = await ask(form(endpoint, *framed(client, server, asked), limit=limit, wait_s=wait_s))
    except Failure as failure:
        logger.warning("A token endpoint does not answer.", extra={"connector": server.id, "code": failure.code})
        raise _down(server) from failure
    said = answer.json()
    given = _given(said, limits) if answer.status == 200 and said is not None else None
    if given is not None:
        return given
    error = None if said is None else said.get("error")
    known = error if isinstance(error, str) and error in _FINAL else None
    logger.warning(
        "A token endpoint gave no token.", extra={"connector": server.id, "status": answer.status, "error": known}
    )
    if known is not None and 400 <= answer.status < 500:
        raise TokenRefused(known)
    raise _down(server)


async def revoke(
    token: str, hint: str, client: Client, endpoint: str, server: Downstream, ask: Exchange, limits: Limits
) -> None:
    """Have a token end at its authorization server. That it cannot be told changes nothing here."""
    framing = framed(client, server, {"token": token, "token_type_hint": hint})
    limit, wait_s = limits.downstream_token_bytes, limits.downstream_document_wait_s
    try:
        await ask(form(endpoint, *framing, limit=limit, wait_s=wait_s))
    except Failure as failure:
        logger.warning("A token could not be revoked.", extra={"connector": server.id, "code": failure.code})


def _given(said: JsonObject, limits: Limits) -> Given | None:
    access, refresh, kind = said.get("access_token"), said.get("refresh_token"), said.get("token_type", "Bearer")
    if not isinstance(kind, str) or kind.lower() != "bearer" or not _sendable(access, limits):
        return None
    lasts, scope = said.get("expires_in"), said.get("scope")
    return Given(
        access=str(access),
        refresh=str(refresh) if _sendable(refresh, limits) else "",
        lasts_s=_seconds(lasts),
        scope=scope if _showable(scope, limits) else None,
    )


def _sendable(token: object, limits: Limits) -> bool:
    """A line break in a token would start another header."""
    if not isinstance(token, str) or not 0 < len(token) <= limits.downstream_token_chars:
        return False
    return token.isascii() and token.isprintable() and " " not in token


def _showable(scope: object, limits: Limits) -> TypeGuard[str]:
    return isinstance(scope, str) and len(scope) <= limits.downstream_scope_chars and scope.isprintable()


def _seconds(value: object) -> float | None:
    """To the millisecond: a table holds no number as small as JSON does. Some servers write the number as text."""
    try:
        seconds = float(value) if isinstance(value, int | float | str) else -1.0
    except (ValueError, OverflowError):
        return None
    return round(seconds, 3) if 0 <= seconds < 1e9 else None


def _down(server: Downstream) -> Failure:
    return unavailable(f'The authorization server of "{server.id}" gives no token at the moment. Try again shortly.')
