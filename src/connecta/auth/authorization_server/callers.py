"""The clients that were let in, as callers."""

from connecta.auth.callers import Caller
from connecta.auth.recent import Found, Recent
from connecta.state.grants import ACCESS, Grants


class GrantCallers:
    """The holders of living access tokens. A caller is the person who signed in, through the client they allowed:
    whichever client that is, it is the same person's results and limits."""

    def __init__(self, grants: Grants, recent: Recent) -> None:
        self._grants = grants
        self._recent = recent

    async def identify(self, token: str | None) -> Caller | None:
        if token is None or not token.startswith(ACCESS):
            return None
        return await self._recent.caller(token, self._found)

    async def _found(self, token: str) -> Found | None:
        grant = await self._grants.verify(token)
        return None if grant is None else Found(Caller("oauth", grant.subject, grant.label), grant.expires_at)
