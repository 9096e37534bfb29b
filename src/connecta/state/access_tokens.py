"""The named tokens an operator issues: shown once, kept as a hash, used until they are revoked."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from connecta.limits import Limits
from connecta.state.records import Record
from connecta.state.table import Condition, Table
from connecta.state.tickets import new_id, new_ticket, same, ticket_in

PREFIX: Final = "cta_"
_TRIES: Final = 10
"""Of a change somebody else's got in the way of; two operators and one note of use an hour do not need more."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """What is known of one token. Times are epoch seconds; ``used_at`` is right to ``limits.token_used_s``."""

    id: str
    name: str
    created_at: float
    used_at: float | None = None
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class _Kept:
    token: AccessToken
    digest: str
    version: int


class AccessTokens:
    """The tokens of one deployment. Every method raises ``unavailable`` as ``Table`` does."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._pk = f"access-tokens#{deployment}"
        self._used_s = limits.token_used_s

    async def issue(self, name: str, *, life_s: int | None = None) -> tuple[AccessToken, str]:
        """A new token and the text to hand over, which is kept nowhere. ``life_s`` seconds, or until it is revoked."""
        while (issued := await self.issue_once(new_id(), name, life_s=life_s)) is None:
            pass
        return issued

    async def issue_once(self, id: str, name: str, *, life_s: int | None = None) -> tuple[AccessToken, str] | None:
        """The same under an ``id`` of the caller's, as ``new_id`` makes them; ``None`` while there is
        one."""
        now = self._table.now()
        ticket = new_ticket(PREFIX, id)
        token = AccessToken(id, name, now, expires_at=None if life_s is None else int(now + life_s))
        # A write whose answer got lost is sent again, and then meets itself.
        own = Condition("digest = :own", {":own": ticket.digest})
        written = await self._table.put(self._record(_Kept(token, ticket.digest, 1)), only_over=own)
        return (token, ticket.text) if written else None

    async def tokens(self) -> list[AccessToken]:
        """Every token that can still be used, oldest first."""
        kept = [_read(record).token for record in await self._table.query(self._pk)]
        return sorted(kept, key=lambda token: (token.created_at, token.id))

    async def rename(self, id: str, name: str) -> AccessToken | None:
        """The token under its new name; ``None`` where there is no such token (any more)."""
        return await self._change(id, lambda token: replace(token, name=name))

    async def revoke(self, id: str) -> bool:
        """Whether there was such a token; now there is none."""
        return await self._table.take(self._pk, id) is not None

    async def verify(self, text: str) -> AccessToken | None:
        """The living token that ``text`` is."""
        ticket = ticket_in(PREFIX, text)
        kept = None if ticket is None else await self._kept(ticket.id)
        if ticket is None or kept is None or not same(ticket.digest, kept.digest):
            return None
        return kept.token

    async def note_use(self, token: AccessToken) -> None:
        """Remember that ``token`` is in use, unless that was noted lately."""
        now = self._table.now()
        if token.used_at is None or token.used_at <= now - self._used_s:
            await self._change(token.id, lambda found: replace(found, used_at=now), tries=1)

    async def _kept(self, id: str) -> _Kept | None:
        record = await self._table.get(self._pk, id)
        return None if record is None else _read(record)

    async def _change(
        self, id: str, change: Callable[[AccessToken], AccessToken], tries: int = _TRIES
    ) -> AccessToken | None:
        """The token as changed; ``None`` where it is gone, or others changed it each time in between."""
        for _ in range(tries):
            kept = await self._kept(id)
            if kept is None:
                return None
            changed = _Kept(change(kept.token), kept.digest, kept.version + 1)
            unchanged = Condition("version = :version", {":version": kept.version})
            if await self._table.replace(self._record(changed), unchanged):
                return changed.token
        return None

    def _record(self, kept: _Kept) -> Record:
        token = kept.token
        values = {"name": token.name, "created_at": token.created_at, "digest": kept.digest, "version": kept.version}
        used = {} if token.used_at is None else {"used_at": token.used_at}
        return Record(self._pk, token.id, token.expires_at, {**values, **used})


def _read(record: Record) -> _Kept:
    values = record.values
    used = values.get("used_at")
    token = AccessToken(
        record.sk,
        str(values["name"]),
        float(values["created_at"]),
        None if used is None else float(used),
        record.expires_at,
    )
    return _Kept(token, str(values["digest"]), int(values["version"]))
