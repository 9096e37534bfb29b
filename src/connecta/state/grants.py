"""What a person granted a client: one item per grant, holding hashes of the tokens that live now.

Access and refresh tokens name their grant, so deleting the item ends all of them at once. A refresh token is rotated
by one conditional write. Its successor follows from itself and a salt kept here: whoever presents it again while its
answer may have been lost gets the very same tokens, and the table alone tells nobody a token.

An index of the grants of a deployment names them, so that they can be listed. Its entry is written before the grant,
at every rotation anew, and stands for nothing unless the grant itself is there: a grant is never without an entry.
"""

import asyncio
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from enum import Enum
from math import ceil
from typing import Final, TypeAlias

from connecta.limits import Limits
from connecta.state.codes import Authorization
from connecta.state.owners import digest
from connecta.state.records import Record
from connecta.state.table import Condition, Table
from connecta.state.tickets import Ticket, derived_id, derived_ticket, new_ticket, same, ticket_in

ACCESS: Final = "cto_"
REFRESH: Final = "ctr_"
_GRANT: Final = "grant"
_SALT_BYTES: Final = 32
_TRIES: Final = 4
"""Of a rotation others got in the way of; whoever lost once finds the winner's and needs no other."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the token endpoint hands over; ``expires_in`` is of the access token, in whole seconds."""

    access: str
    refresh: str
    expires_in: int
    scope: str

    def __repr__(self) -> str:
        """Never a token: this may end up in a log."""
        return f"Tokens(expires_in={self.expires_in}, scope={self.scope!r})"


@dataclass(frozen=True, slots=True)
class Grantor:
    """Who agreed, as they were known then; ``email`` and ``issuer`` as in ``Authorization``."""

    subject: str
    email: str
    issuer: str


@dataclass(frozen=True, slots=True)
class GrantRow:
    """A grant as it is listed. Times are epoch seconds; ``used_at`` is when it last got tokens."""

    id: str
    client: str
    label: str
    subject: str
    email: str
    granted_at: float
    used_at: float
    expires_at: int

    @property
    def person(self) -> str:
        """Who granted it, as a page shows them."""
        return self.email or self.subject


@dataclass(frozen=True, slots=True)
class Grant:
    """Who granted what to which client, and until when the access token this was read with is good."""

    client: str
    label: str
    subject: str
    scope: str
    resource: str
    expires_at: float


class Refused(Enum):
    """Why a refresh token got no tokens."""

    UNKNOWN = "unknown"
    REUSED = "reused"
    """It had been used before; the grant is over."""
    NOT_LET_IN = "not_let_in"
    """Who granted it is not let in any more; the grant is over."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """One item. ``retired_*`` are what the last rotation replaced; empty before the first."""

    client: str
    label: str
    subject: str
    scope: str
    resource: str
    granted_at: float
    rotation: int
    refresh: str
    access: str
    access_until: float
    retired_refresh: str = ""
    retired_access: str = ""
    retired_access_until: float = 0.0
    rotated_at: float = 0.0
    salt: str = ""
    email: str = ""
    issuer: str = ""

    @property
    def grantor(self) -> Grantor:
        return Grantor(self.subject, self.email, self.issuer)


LetIn: TypeAlias = Callable[[Grantor], bool]
"""Whether somebody may still come in."""


class Grants:
    """The grants of one deployment. Every method raises ``unavailable`` as ``Table`` does."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._deployment = deployment
        self._limits = limits

    async def begin(self, code: Ticket, authorization: Authorization) -> Tokens:
        """The first tokens of a grant. It is named after the code, so that whoever finds the code used again can end
        it."""
        now = self._table.now()
        id = _grant_of(code)
        refresh, access = new_ticket(REFRESH, id), new_ticket(ACCESS, id)
        kept = _Kept(
            client=authorization.client,
            label=authorization.label,
            subject=authorization.subject,
            scope=authorization.scope,
            resource=authorization.resource,
            granted_at=now,
            rotation=1,
            refresh=refresh.digest,
            access=access.digest,
            access_until=now + self._limits.oauth_access_s,
            email=authorization.email,
            issuer=authorization.issuer,
        )
        await self._enter(id, now)
        await self._table.put(self._record(id, kept, now))
        return Tokens(access.text, refresh.text, self._limits.oauth_access_s, kept.scope)

    async def refresh(self, text: str, client: str, *, let_in: LetIn) -> Tokens | Refused:
        """The successors of the refresh token ``text`` of ``client``, if who granted it is still ``let_in``.

        A token that was rotated less than ``limits.oauth_grace_s`` ago gets the tokens it got then; any other
        one that is not the grant's newest ends the grant (RFC 9700 4.14.2).
        """
        ticket = ticket_in(REFRESH, text)
        if ticket is None:
            return Refused.UNKNOWN
        for _ in range(_TRIES):
            kept = await self._kept(ticket.id)
            if kept is None or kept.client != client:
                return Refused.UNKNOWN
            if not let_in(kept.grantor):
                await self.end(ticket.id)
                return Refused.NOT_LET_IN
            if not same(kept.refresh, ticket.digest):
                return await self._repeated(ticket, kept)
            now = self._table.now()
            access, refresh, rotated = self._rotated(ticket, kept, now)
            await self._enter(ticket.id, now)
            newest = Condition("rotation = :rotation", {":rotation": kept.rotation})
            if await self._table.replace(self._record(ticket.id, rotated, now), newest):
                return Tokens(access.text, refresh.text, self._limits.oauth_access_s, kept.scope)
        return Refused.UNKNOWN

    async def verify(self, text: str) -> Grant | None:
        """The grant whose living access token ``text`` is."""
        ticket = ticket_in(ACCESS, text)
        kept = None if ticket is None else await self._kept(ticket.id)
        if ticket is None or kept is None:
            return None
        until = max(
            kept.access_until if same(kept.access, ticket.digest) else 0.0,
            kept.retired_access_until if same(kept.retired_access, ticket.digest) else 0.0,
        )
        if until <= self._table.now():
            return None
        return Grant(kept.client, kept.label, kept.subject, kept.scope, kept.resource, until)

    async def revoke(self, text: str, client: str) -> None:
        """End the grant one of whose tokens ``text`` is, if it is of ``client`` (RFC 7009)."""
        ticket = ticket_in(ACCESS, text) or ticket_in(REFRESH, text)
        kept = None if ticket is None else await self._kept(ticket.id)
        if ticket is None or kept is None or kept.client != client:
            return
        living = (kept.refresh, kept.access, kept.retired_refresh, kept.retired_access)
        if any(same(digest, ticket.digest) for digest in living):
            await self.end(ticket.id)

    async def end(self, id: str) -> bool:
        """End a grant by its id; all its tokens are worth nothing from now on. Whether there was such a grant."""
        ended = await self._table.take(self._key(id), _GRANT) is not None
        await self._table.delete(self._index, id)
        return ended

    async def list(self) -> list[GrantRow]:
        """Every living grant, the one that got tokens last first."""
        entries, places = await self._table.query(self._index), asyncio.Semaphore(self._limits.grants_read_at_once)

        async def confirmed(entry: Record) -> GrantRow | None:
            async with places:
                record = await self._table.get(self._key(entry.sk), _GRANT)
                if record is None:
                    await self._forget(entry)
                return None if record is None else _row(entry.sk, record)

        rows = [row for row in await asyncio.gather(*map(confirmed, entries)) if row is not None]
        return sorted(rows, key=lambda row: (-row.used_at, row.id))

    async def end_by_code(self, code: Ticket) -> None:
        """End the grant that ``code`` began, if it began one (RFC 6749 4.1.2)."""
        await self.end(_grant_of(code))

    async def _repeated(self, ticket: Ticket, kept: _Kept) -> Tokens | Refused:
        now = self._table.now()
        if not (same(kept.retired_refresh, ticket.digest) and now < kept.rotated_at + self._limits.oauth_grace_s):
            await self.end(ticket.id)
            return Refused.REUSED
        access, refresh = _successors(ticket, kept.salt)
        return Tokens(access.text, refresh.text, max(int(kept.access_until - now), 0), kept.scope)

    def _rotated(self, ticket: Ticket, kept: _Kept, now: float) -> tuple[Ticket, Ticket, _Kept]:
        salt = secrets.token_urlsafe(_SALT_BYTES)
        access, refresh = _successors(ticket, salt)
        rotated = replace(
            kept,
            rotation=kept.rotation + 1,
            refresh=refresh.digest,
            access=access.digest,
            access_until=now + self._limits.oauth_access_s,
            retired_refresh=kept.refresh,
            retired_access=kept.access,
            retired_access_until=kept.access_until,
            rotated_at=now,
            salt=salt,
        )
        return access, refresh, rotated

    async def _enter(self, id: str, now: float) -> None:
        """Have the index name a grant for longer than it can last from now on."""
        expires_at = ceil(now + self._limits.oauth_refresh_s + self._limits.grant_settles_s)
        await self._table.put(Record(self._index, id, expires_at, {"entered_at": now}))

    async def _forget(self, entry: Record) -> None:
        """Drop an entry no grant confirms, unless one may just be being written, or a rotation has renewed it since it
        was read: an entry that has ended is one that is not there."""
        now, entered_at = self._table.now(), float(entry.values["entered_at"])
        if entered_at < now - self._limits.grant_settles_s:
            ended = Record(self._index, entry.sk, int(now), {"entered_at": entered_at})
            await self._table.replace(ended, Condition("entered_at = :entered_at", {":entered_at": entered_at}))

    async def _kept(self, id: str) -> _Kept | None:
        record = await self._table.get(self._key(id), _GRANT)
        return None if record is None else _read(record)

    def _record(self, id: str, kept: _Kept, now: float) -> Record:
        return Record(self._key(id), _GRANT, ceil(now + self._limits.oauth_refresh_s), asdict(kept))

    @property
    def _index(self) -> str:
        return f"grants#{digest(self._deployment)}"

    def _key(self, id: str) -> str:
        return f"grant#{digest(self._deployment, id)}"


def _read(record: Record) -> _Kept:
    values = {field.name: record.values[field.name] for field in fields(_Kept) if field.name in record.values}
    return _Kept(**values)  # pyright: ignore[reportArgumentType]


def _row(id: str, record: Record) -> GrantRow:
    kept = _read(record)
    return GrantRow(
        id=id,
        client=kept.client,
        label=kept.label,
        subject=kept.subject,
        email=kept.email,
        granted_at=kept.granted_at,
        used_at=kept.rotated_at or kept.granted_at,
        expires_at=record.expires_at or 0,
    )


def _successors(ticket: Ticket, salt: str) -> tuple[Ticket, Ticket]:
    """The access and the refresh token that follow the refresh token ``ticket``."""
    return derived_ticket(ACCESS, ticket, salt), derived_ticket(REFRESH, ticket, salt)


def _grant_of(code: Ticket) -> str:
    return derived_id(code, _GRANT)
