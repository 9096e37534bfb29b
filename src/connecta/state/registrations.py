"""Clients that registered themselves (RFC 7591): remembered while they are used, forgotten when they are not."""

from dataclasses import dataclass, replace
from math import ceil
from typing import Final

from connecta.limits import Limits
from connecta.state.owners import digest
from connecta.state.records import Record
from connecta.state.table import Condition, Table
from connecta.state.tickets import new_id

PREFIX: Final = "ctc_"
_CLIENT: Final = "client"
_SEPARATOR: Final = "\n"
"""Between redirect URIs, which are printable."""


@dataclass(frozen=True, slots=True)
class Registration:
    """A client's id and what it said of itself. Times are epoch seconds."""

    id: str
    name: str
    redirect_uris: tuple[str, ...]
    created_at: int
    used_at: float | None = None


class Registrations:
    """The registered clients of one deployment. Every method raises ``unavailable`` as ``Table`` does."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._deployment = deployment
        self._limits = limits

    async def register(self, name: str, redirect_uris: tuple[str, ...]) -> Registration:
        """A new client; it is forgotten unless it gets a token within ``limits.client_unused_s``."""
        now = self._table.now()
        registration = Registration(PREFIX + new_id(), name, redirect_uris, int(now))
        await self._table.put(self._record(registration, now + self._limits.client_unused_s))
        return registration

    async def find(self, id: str) -> Registration | None:
        """The client of this id; ``None`` for one that never was or has been forgotten."""
        if not id.startswith(PREFIX):
            return None
        record = await self._table.get(self._key(id), _CLIENT)
        return None if record is None else _read(record)

    async def note_use(self, registration: Registration) -> None:
        """Remember the client for ``limits.client_used_s`` from now, unless its use was noted lately."""
        now = self._table.now()
        used = registration.used_at
        if used is not None and used > now - self._limits.client_noted_s:
            return
        noted = replace(registration, used_at=now)
        # Whatever else has noted a use meanwhile, one note is as good as another; but a client that was removed
        # stays removed.
        await self._table.replace(
            self._record(noted, now + self._limits.client_used_s),
            Condition("created_at = :made", {":made": noted.created_at}),
        )

    async def remove(self, id: str) -> None:
        """Forget a client: its tokens cannot be refreshed any more."""
        await self._table.delete(self._key(id), _CLIENT)

    def _record(self, client: Registration, expires_at: float) -> Record:
        values = {
            "id": client.id,
            "name": client.name,
            "redirect_uris": _SEPARATOR.join(client.redirect_uris),
            "created_at": client.created_at,
        }
        used = {} if client.used_at is None else {"used_at": client.used_at}
        return Record(self._key(client.id), _CLIENT, ceil(expires_at), {**values, **used})

    def _key(self, id: str) -> str:
        return f"client#{digest(self._deployment, id)}"


def _read(record: Record) -> Registration:
    values = record.values
    used = values.get("used_at")
    return Registration(
        str(values["id"]),
        str(values["name"]),
        tuple(str(values["redirect_uris"]).split(_SEPARATOR)),
        int(values["created_at"]),
        None if used is None else float(used),
    )
