"""What downstreams granted this deployment: one item per connector, its tokens sealed; and its registrations as a
client.

Every token written gives the item a new version, and a write names the version it follows from, so that of two
processes the later never undoes what the earlier was given. A grant that was refused keeps its version: whoever still
holds the answer to the refresh before may write it, and the grant lives again.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Final

from connecta.limits import Limits
from connecta.state.owners import digest
from connecta.state.records import Record, Value
from connecta.state.table import Condition, Table

_GRANT: Final = "grant"
_WANTED: Final = "wanted"
_CLIENT: Final = "client"
_NO_END: Final = -1.0
"""Stands in the table for a token whose end nobody said."""


@dataclass(frozen=True, slots=True)
class KeptGrant:
    """One grant. Times are epoch seconds; ``refused`` is a word, empty while the grant is good."""

    version: str
    issuer: str
    url: str
    """The address of the downstream it was given for; it is sent nowhere else."""
    scope: str
    expires_at: float | None
    lasts_s: float
    """Life of the access token when it was given; 0 where nobody said."""
    connected_at: float
    by: str
    sealed: bytes = field(repr=False)
    refreshed_at: float = 0.0
    refused: str = ""
    renewable: bool = False
    """Whether a refresh token came with it."""


def new_version(of: str = "") -> str:
    """A version of a new grant, or of the one that had the version ``of``: they begin alike."""
    return f"{_family(of) or secrets.token_hex(8)}.{secrets.token_urlsafe(12)}"


def _family(version: str) -> str:
    return version.partition(".")[0]


class DownstreamGrants:
    """The grants of one deployment. Every method raises ``unavailable`` as ``Table`` does."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._deployment = deployment
        self._limits = limits

    @property
    def now(self) -> Callable[[], float]:
        """The clock its times are measured by."""
        return self._table.now

    async def read(self, connector: str) -> KeptGrant | None:
        record = await self._table.get(self._key(connector), _GRANT)
        return None if record is None else _grant(record)

    async def put(self, connector: str, kept: KeptGrant) -> None:
        """Keep a grant somebody has just given, over whatever there was."""
        # Not over what it was refreshed to since: a write whose answer got lost is sent again.
        own = {":family": _family(kept.version), ":own": kept.version}
        other = Condition("version = :own OR NOT begins_with(version, :family)", own)
        await self._table.put(self._record(connector, kept), only_over=other)

    async def follow(self, connector: str, seen: KeptGrant, kept: KeptGrant) -> bool:
        """Keep ``kept`` where the grant is still what it was ``seen`` as, or has since been refused as that."""
        # The version written is asked for, too: a write whose answer got lost is sent again, and then meets itself.
        unchanged = Condition("version = :seen OR version = :own", {":seen": seen.version, ":own": kept.version})
        return await self._table.replace(self._record(connector, kept), unchanged)

    async def refuse(self, connector: str, seen: KeptGrant, why: str) -> bool:
        """Forget the tokens of the grant that was ``seen``, and note ``why``."""
        return await self.follow(connector, seen, replace(seen, sealed=b"", refused=why))

    async def forget(self, connector: str) -> KeptGrant | None:
        """Remove the grant; the one that was there. What is wanted beyond it whoever connects next is asked for."""
        record = await self._table.take(self._key(connector), _GRANT)
        return None if record is None else _grant(record)

    async def want(self, connector: str, scope: str) -> None:
        """Note what the downstream asked for beyond the grant it was shown: whoever connects it next asks for that."""
        expires_at = ceil(self._table.now() + self._limits.downstream_wanted_s)
        await self._table.put(Record(self._key(connector), _WANTED, expires_at, {"wanted": scope}))

    async def wanted(self, connector: str) -> str:
        """What was noted, empty where nothing was."""
        record = await self._table.get(self._key(connector), _WANTED)
        return "" if record is None else str(record.values["wanted"])

    async def satisfied(self, connector: str, scope: str) -> None:
        """Forget what was wanted where ``scope``, which was asked for, has all of it."""
        wanted = await self.wanted(connector)
        if set(wanted.split()) <= set(scope.split()):
            # Something else may have come to be wanted meanwhile, and nobody was asked for that.
            unchanged = Condition("wanted = :wanted", {":wanted": wanted})
            await self._table.delete(self._key(connector), _WANTED, where=unchanged)

    async def client(self, connector: str, issuer: str, origin: str) -> bytes | None:
        """The sealed registration at ``issuer`` of this deployment as it is reached at ``origin``."""
        record = await self._table.get(self._client_key(connector, issuer, origin), _CLIENT)
        sealed = None if record is None else record.values["sealed"]
        return sealed if isinstance(sealed, bytes) else None

    async def keep_client(
        self, connector: str, issuer: str, origin: str, sealed: bytes, expires_at: int | None
    ) -> None:
        key = self._client_key(connector, issuer, origin)
        await self._table.put(Record(key, _CLIENT, expires_at, {"sealed": sealed}))

    async def forget_client(self, connector: str, issuer: str, origin: str) -> None:
        await self._table.delete(self._client_key(connector, issuer, origin), _CLIENT)

    def _record(self, connector: str, kept: KeptGrant) -> Record:
        values: dict[str, Value] = {
            "connector": connector,
            "version": kept.version,
            "issuer": kept.issuer,
            "url": kept.url,
            "scope": kept.scope,
            "ends_at": _NO_END if kept.expires_at is None else kept.expires_at,
            "lasts_s": kept.lasts_s,
            "connected_at": kept.connected_at,
            "connected_by": kept.by,
            "sealed": kept.sealed,
            "refreshed_at": kept.refreshed_at,
            "refused": kept.refused,
            "renewable": int(kept.renewable),
        }
        return Record(self._key(connector), _GRANT, None, values)

    def _key(self, connector: str) -> str:
        return f"downstream#{digest(self._deployment, connector)}"

    def _client_key(self, connector: str, issuer: str, origin: str) -> str:
        return f"downstream-client#{digest(self._deployment, connector, issuer, origin)}"


def _grant(record: Record) -> KeptGrant:
    values = record.values
    ends_at, sealed = float(values["ends_at"]), values["sealed"]
    return KeptGrant(
        version=str(values["version"]),
        issuer=str(values["issuer"]),
        url=str(values["url"]),
        scope=str(values["scope"]),
        expires_at=None if ends_at == _NO_END else ends_at,
        lasts_s=float(values["lasts_s"]),
        connected_at=float(values["connected_at"]),
        by=str(values["connected_by"]),
        sealed=sealed if isinstance(sealed, bytes) else b"",
        refreshed_at=float(values["refreshed_at"]),
        refused=str(values["refused"]),
        renewable=bool(values.get("renewable")),
    )
