"""``AccessTokens()``: whoever holds one of the named tokens the operator issued."""

from connecta.auth.callers import Caller
from connecta.auth.recent import Found, Recent
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.log import logger
from connecta.state.access_tokens import PREFIX, AccessToken
from connecta.state.access_tokens import AccessTokens as Kept
from connecta.text import printable


class AccessTokens:
    """Named tokens (``cta_…``) that the operator issues, renames and revokes: ``python -m connecta tokens``. A
    revoked one is refused everywhere within 30 s. It calls tools; it never acts as the operator."""


def token_name(text: str, limits: Limits) -> str | None:
    """The name ``text`` is for a token: printable and not too long; ``None`` where it is none."""
    name = text.strip()
    return name if 1 <= len(name) <= limits.token_name_chars and printable(name) == name else None


class AccessTokenCallers:
    """The holders of a deployment's access tokens."""

    def __init__(self, kept: Kept, recent: Recent) -> None:
        self._kept = kept
        self._recent = recent

    async def identify(self, token: str | None) -> Caller | None:
        if token is None or not token.startswith(PREFIX):
            return None
        return await self._recent.caller(token, self._found)

    async def _found(self, token: str) -> Found | None:
        found = await self._kept.verify(token)
        if found is None:
            return None
        await self._note_use(found)
        caller = Caller("token", found.id, found.name)
        return Found(caller) if found.expires_at is None else Found(caller, found.expires_at)

    async def _note_use(self, token: AccessToken) -> None:
        try:
            await self._kept.note_use(token)
        except Failure as failure:
            # When it was last used is for the operator to look at; no caller is turned away for want of it.
            logger.warning("The use of an access token could not be noted.", extra={"code": failure.code})
