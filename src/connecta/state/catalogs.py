"""A connector's catalog as it was last fetched, shared by every process of a deployment."""

from dataclasses import dataclass
from math import ceil

from connecta.limits import Limits
from connecta.state.chunks import Chunks
from connecta.state.owners import digest
from connecta.state.table import Condition, Table


@dataclass(frozen=True, slots=True)
class StoredCatalog:
    """The bytes that were saved, and when they were fetched (epoch seconds)."""

    payload: bytes
    fetched_at: float


class CatalogRecords:
    """One record per connector and fingerprint, usable for ``limits.catalog_stale_s`` after the fetch."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._chunks = Chunks(table, limits)
        self._deployment = deployment
        self._life_s = limits.catalog_stale_s

    async def load(self, connector: str, fingerprint: str) -> StoredCatalog | None:
        """The whole catalog, or ``None``. Raises ``unavailable``."""
        found = await self._chunks.read(self._key(connector, fingerprint))
        if found is None:
            return None
        fetched_at = found.values.get("fetched_at")
        return StoredCatalog(found.data, float(fetched_at)) if isinstance(fetched_at, int | float) else None

    async def save(
        self, connector: str, fingerprint: str, payload: bytes, fetched_at: float, *, fence: int = 0
    ) -> None:
        """Keep ``payload``, unless one written under a higher ``fence``, or fetched later under the same, is there.

        A fence is that of the lease the fetch was made under; 0 is a fetch made under none. Raises ``unavailable``.
        """
        await self._chunks.write(
            self._key(connector, fingerprint),
            payload,
            expires_at=ceil(fetched_at + self._life_s),
            values={"fetched_at": fetched_at, "fence": fence},
            only_over=Condition(
                "fence < :fence OR (fence = :fence AND fetched_at < :fetched_at)",
                {":fence": fence, ":fetched_at": fetched_at},
            ),
        )

    def _key(self, connector: str, fingerprint: str) -> str:
        return f"catalog#{digest(self._deployment, connector, fingerprint)}"
