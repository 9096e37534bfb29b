"""Catalogs by connector: from this process, from the fleet's store, or from the downstream itself.

A catalog is complete or it is a failure; nothing partial is kept or served.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from typing import Final, Protocol

from connecta import failures
from connecta.catalog.catalog import Catalog, distinct
from connecta.catalog.stored import pack, unpack
from connecta.connectors.model import Connection, Connector
from connecta.failures import Failure
from connecta.limits import LIMITS, Limits

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
    async def save(self, connector: str, fingerprint: str, payload: bytes, fetched_at: float) -> None: ...


class Catalogs:
    """The catalogs of one process. Safe for concurrent requests of one event loop, and for loops that follow
    one another."""

    def __init__(
        self,
        connectors: Iterable[Connector],
        records: CatalogRecords | None,
        limits: Limits = LIMITS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._connectors = {connector.id: connector for connector in connectors}
        self._records = records
        self._limits = limits
        self._clock = clock
        self._held: dict[str, Catalog] = {}
        self._failed_at: dict[str, float] = {}
        self._flights: dict[str, asyncio.Future[Catalog | Failure | None]] = {}

    async def load(self, connector_id: str, open_connection: Callable[[], Connection]) -> Catalog:
        """The catalog of a connector of this deployment, fresh where it can be, else stale within bounds.

        ``open_connection`` is called only when the downstream must be asked; the caller closes what it opened.
        Requests that want the same catalog at once share one load; each still ends on its own cancellation.
        Raises ``auth_required`` as the connection raised it, else ``catalog_lookup_failed``.
        """
        while True:
            held = self._usable(connector_id)
            if held is not None:
                return held
            flight = self._flights.get(connector_id)
            if flight is None or flight.get_loop() is not asyncio.get_running_loop():
                return await self._lead(connector_id, open_connection)
            outcome = await asyncio.shield(flight)
            if isinstance(outcome, Failure):
                raise outcome
            if outcome is not None:
                return outcome

    async def _lead(self, connector_id: str, open_connection: Callable[[], Connection]) -> Catalog:
        """Loads with this request's own connection. Should the request be cancelled, whoever waits for it is told
        ``None`` and leads in turn: a load never outlives the request whose connection it uses."""
        flight: asyncio.Future[Catalog | Failure | None] = asyncio.get_running_loop().create_future()
        self._flights[connector_id] = flight
        outcome: Catalog | Failure | None = None
        try:
            outcome = await self._find(self._connectors[connector_id], open_connection)
            return outcome
        except Failure as failure:
            outcome = failure
            raise
        finally:
            flight.set_result(outcome)
            if self._flights.get(connector_id) is flight:
                del self._flights[connector_id]

    def _usable(self, connector_id: str) -> Catalog | None:
        """What this process holds, while it is fresh, or stale with a refresh that failed only just now."""
        held = self._held.get(connector_id)
        if held is None or self._fresh(held):
            return held
        failed_at = self._failed_at.get(connector_id)
        resting = failed_at is not None and self._clock() - failed_at < self._limits.catalog_retry_s
        return held if resting and self._age(held) <= self._limits.catalog_stale_s else None

    async def _find(self, connector: Connector, open_connection: Callable[[], Connection]) -> Catalog:
        kept = await self._kept(connector) if connector.cacheable_catalog else None
        fallback = max(filter(None, (self._held.get(connector.id), kept)), key=lambda c: c.fetched_at, default=None)
        if fallback is not None and self._fresh(fallback):
            return self._hold(fallback)
        try:
            catalog = await self._ask(connector, open_connection)
        except Failure as failure:
            if fallback is None or self._age(fallback) > self._limits.catalog_stale_s:
                raise
            _LOG.warning("catalog of %s served stale: %s", connector.id, failure.code)
            self._failed_at[connector.id] = self._clock()
            return self._hold(fallback)
        self._failed_at.pop(connector.id, None)
        self._hold(catalog)
        if connector.cacheable_catalog:
            await self._keep(catalog)
        return catalog

    async def _ask(self, connector: Connector, open_connection: Callable[[], Connection]) -> Catalog:
        """The downstream's own answer, within its deadline."""
        fetched_at = self._clock()
        try:
            async with asyncio.timeout(self._limits.catalog_load_s):
                tools = await open_connection().list_tools()
        except TimeoutError:
            seconds = f"{self._limits.catalog_load_s:g} s"
            raise failures.catalog_failed(
                f'"{connector.id}" did not list its tools within {seconds}.', retryable=True
            ) from None
        except Failure as failure:
            if failure.code in ("auth_required", "catalog_lookup_failed"):
                raise
            raise failures.catalog_failed(
                f'The tools of "{connector.id}" could not be listed: {failure.message}', retryable=failure.retryable
            ) from failure
        if len(tools) > self._limits.catalog_tools:
            raise failures.catalog_failed(
                f'"{connector.id}" lists more than {self._limits.catalog_tools} tools.', retryable=False
            )
        return Catalog(connector, distinct(tools), fetched_at)

    async def _kept(self, connector: Connector) -> Catalog | None:
        """The fleet's copy. A store that cannot be reached costs one load, not the request."""
        if self._records is None:
            return None
        try:
            record = await self._records.load(connector.id, connector.fingerprint)
        except Failure as failure:
            _LOG.warning("kept catalog of %s not read: %s", connector.id, failure.code)
            return None
        tools = None if record is None else unpack(record.payload)
        return None if record is None or tools is None else Catalog(connector, tools, record.fetched_at)

    async def _keep(self, catalog: Catalog) -> None:
        connector = catalog.connector
        payload = pack(catalog.tools, self._limits.catalog_bytes)
        if self._records is None or payload is None:
            return
        try:
            await self._records.save(connector.id, connector.fingerprint, payload, catalog.fetched_at)
        except Failure as failure:
            _LOG.warning("catalog of %s not kept: %s", connector.id, failure.code)

    def _hold(self, catalog: Catalog) -> Catalog:
        self._held[catalog.connector.id] = catalog
        return catalog

    def _age(self, catalog: Catalog) -> float:
        return self._clock() - catalog.fetched_at

    def _fresh(self, catalog: Catalog) -> bool:
        """Tools known in process never change under it; any other catalog is fresh for a while."""
        return not catalog.connector.cacheable_catalog or self._age(catalog) < self._limits.catalog_fresh_s
