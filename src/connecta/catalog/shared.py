"""What the fleet shares of catalogs: the kept ones, and whose turn it is to ask a downstream."""

import asyncio
import logging
from contextlib import suppress
from typing import Final, Protocol

from connecta.catalog.catalog import Catalog
from connecta.catalog.standing import StandingNotes
from connecta.catalog.stored import pack, unpack
from connecta.connectors.model import Connector
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.state.leases import Lease
from connecta.text import compact

_LOG: Final = logging.getLogger(__name__)


class StoredCatalog(Protocol):
    """A kept catalog: what ``stored.pack`` wrote and when the downstream was asked, in seconds since the epoch."""

    @property
    def payload(self) -> bytes: ...
    @property
    def fetched_at(self) -> float: ...


class CatalogRecords(Protocol):
    """Where catalogs outlive a process. Raises ``Failure`` when the store cannot be reached."""

    async def load(self, connector: str, fingerprint: str) -> StoredCatalog | None: ...
    async def save(
        self, connector: str, fingerprint: str, payload: bytes, fetched_at: float, *, fence: int = 0
    ) -> None: ...


class CatalogLeases(Protocol):
    """Who asks a downstream for the whole fleet. Raises ``Failure`` when the store cannot be reached."""

    async def acquire(self, name: str, seconds: float, *, through_rest: bool = False) -> Lease | None: ...
    async def release(self, lease: Lease, *, rest_s: float = 0.0) -> None: ...


class SharedCatalogs:
    """The fleet's catalogs as one process sees them."""

    def __init__(
        self, records: CatalogRecords, leases: CatalogLeases, limits: Limits, notes: StandingNotes | None = None
    ) -> None:
        """``notes`` is where it is noted how listings went; nothing is without it."""
        self._notes = notes
        self._records = records
        self._leases = leases
        self._limits = limits

    async def kept(self, connector: Connector) -> Catalog | None:
        """The fleet's copy, or ``None``; a damaged one is one that is not there. Raises ``Failure``."""
        record = await self._records.load(connector.id, connector.fingerprint)
        tools = None if record is None else unpack(record.payload)
        return None if record is None or tools is None else Catalog(connector, tools, record.fetched_at)

    async def keep(self, catalog: Catalog, lease: Lease | None) -> bool:
        """Keep what was fetched under ``lease`` for every process, unless a later holder has kept another. Whether the
        others have one now."""
        if self._notes is None:
            return await self._save(catalog, lease)
        kept, _ = await asyncio.gather(self._save(catalog, lease), self._notes.listed(catalog))
        return kept

    async def _save(self, catalog: Catalog, lease: Lease | None) -> bool:
        connector = catalog.connector
        payload = pack(catalog.tools, self._limits.catalog_bytes)
        if payload is None:
            return False
        fence = 0 if lease is None else lease.fence
        try:
            await self._records.save(connector.id, connector.fingerprint, payload, catalog.fetched_at, fence=fence)
        except Failure as failure:
            _LOG.warning("catalog of %s not kept: %s", connector.id, failure.code)
            return False
        return True

    async def note_failed(self, connector: Connector, failure: Failure) -> None:
        """Have everybody know that a downstream could not be listed."""
        if self._notes is not None:
            await self._notes.failed(connector, failure)

    async def claim(self, connector: Connector, seconds: float, *, through_rest: bool = False) -> Lease | None:
        """The turn to ask ``connector``'s downstream, ``None`` while it is another's. Raises ``Failure``."""
        name = compact(["catalog", connector.id, connector.fingerprint])
        return await self._leases.acquire(name, seconds, through_rest=through_rest)

    async def give_back(self, lease: Lease | None, *, rest_s: float = 0.0) -> None:
        """End a turn; one that could not be ended runs out by itself."""
        if lease is None:
            return
        with suppress(Failure, TimeoutError):
            async with asyncio.timeout(self._limits.catalog_handover_s):
                await self._leases.release(lease, rest_s=rest_s)
