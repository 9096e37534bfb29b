"""Catalogs by connector: from this process, from the fleet's store, or from the downstream itself.

A catalog is complete or it is a failure; nothing partial is kept or served. Fresh ones are served as they are;
stale ones are served at once while one process of the fleet refreshes them; without one, one process asks the
downstream and the others wait for what it keeps.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from typing import Final

from connecta.auth.authorizations import Authorizations
from connecta.catalog.catalog import Catalog
from connecta.catalog.listing import late, listed
from connecta.catalog.refresh import Background, HandOver, Refresh
from connecta.catalog.shared import SharedCatalogs
from connecta.connectors.model import Connection, Connector
from connecta.failures import Failure
from connecta.limits import LIMITS, Limits
from connecta.state.leases import Lease

_LOG: Final = logging.getLogger(__name__)

OpenConnection = Callable[[], Connection]


class Catalogs:
    """The catalogs of one process. Safe for concurrent requests of one event loop, and for loops that follow
    one another."""

    def __init__(
        self,
        connectors: Iterable[Connector],
        shared: SharedCatalogs,
        limits: Limits = LIMITS,
        clock: Callable[[], float] = time.time,
        *,
        hand_over: HandOver | None = None,
        authorizations: Authorizations | None = None,
    ) -> None:
        """``hand_over`` takes refreshes off a request's hands; by default they are tasks of this process.
        ``authorizations`` are for the connections these make of their own."""
        self._connectors = {connector.id: connector for connector in connectors}
        self._shared = shared
        self._limits = limits
        self._clock = clock
        self._authorizations = authorizations
        self._background = Background(self.refresh)
        self._hand_over: HandOver = hand_over or self._background
        self._held: dict[str, Catalog] = {}
        self._rests_until: dict[str, float] = {}
        self._flights: dict[str, asyncio.Future[Catalog | Failure | None]] = {}

    async def load(self, connector_id: str, open_connection: OpenConnection) -> Catalog:
        """The catalog of a connector of this deployment: fresh, or stale within bounds with its refresh seen to.

        ``open_connection`` is called only when the downstream must be asked; the caller closes what it opened.
        Requests that want the same catalog at once share one load; each still ends on its own cancellation.
        Raises ``auth_required`` as the connection raised it, else ``catalog_lookup_failed``.
        """
        while True:
            held = self._servable(connector_id)
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

    async def refresh(self, refresh: Refresh) -> None:
        """Do what was handed over. Doing it twice is harmless, and so is doing it late."""
        connector = self._connectors.get(refresh.connector)
        if connector is None or connector.fingerprint != refresh.fingerprint:
            return
        if not await self._renewed_elsewhere(connector):
            await self._renew(connector, refresh.lease)
        else:
            await self._shared.give_back(refresh.lease)

    async def close(self) -> None:
        """Cancel the refreshes this process still has under way, and wait until they have ended."""
        await self._background.close()

    async def _lead(self, connector_id: str, open_connection: OpenConnection) -> Catalog:
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
            await self._shared.note_failed(self._connectors[connector_id], failure)
            raise
        finally:
            flight.set_result(outcome)
            if self._flights.get(connector_id) is flight:
                del self._flights[connector_id]

    def _servable(self, connector_id: str) -> Catalog | None:
        """What this process holds, while it is fresh, or stale with its refresh lately seen to."""
        held = self._held.get(connector_id)
        if held is None or self._fresh(held):
            return held
        resting = self._clock() < self._rests_until.get(connector_id, 0.0)
        return held if resting and self._usable(held) else None

    async def _find(self, connector: Connector, open_connection: OpenConnection) -> Catalog:
        if not connector.cacheable_catalog:
            return self._hold(await self._ask(connector, open_connection))
        serving = self._newest(connector, None)
        try:
            # Whoever has a catalog to serve does not wait long for a newer one.
            async with asyncio.timeout(None if serving is None else self._limits.catalog_handover_s):
                found = self._newest(connector, await self._shared.kept(connector))
        except (Failure, TimeoutError) as error:
            _LOG.warning("kept catalog of %s not read: %s", connector.id, _named(error))
            self._rest(connector, self._limits.catalog_retry_s)
            return serving or self._hold(await self._ask(connector, open_connection))
        if found is None:
            return await self._first(connector, open_connection)
        found = self._hold(found)
        if not self._fresh(found):
            await self._see_to_refresh(connector)
        return found

    async def _see_to_refresh(self, connector: Connector) -> None:
        """Hand the refresh over, unless another process has it. Neither the store nor whoever takes it over can
        fail the request: there is a catalog to serve, and other requests are served it meanwhile."""
        self._rest(connector, self._limits.catalog_look_s)
        lease: Lease | None = None
        try:
            async with asyncio.timeout(self._limits.catalog_handover_s):
                seconds = self._limits.catalog_lease_s + self._limits.catalog_start_s
                lease = await self._shared.claim(connector, seconds)
                if lease is not None:
                    await self._hand_over(Refresh(connector.id, connector.fingerprint, lease))
        except (Failure, TimeoutError) as error:
            _LOG.warning("refresh of %s not handed over: %s", connector.id, _named(error))
            self._rest(connector, self._limits.catalog_retry_s)
            await self._shared.give_back(lease, rest_s=self._limits.catalog_retry_s)

    async def _renewed_elsewhere(self, connector: Connector) -> bool:
        """Whether the fleet has a fresh catalog by now, which is then held here, too."""
        try:
            kept = await self._shared.kept(connector)
        except Failure as failure:
            _LOG.warning("kept catalog of %s not read: %s", connector.id, failure.code)
            return False
        return kept is not None and self._fresh(self._hold(kept))

    async def _renew(self, connector: Connector, lease: Lease) -> None:
        """Ask with a connection of the refresh's own. After a failure the whole fleet rests before the next, and longer
        after a catalog that cannot be kept: each process would ask for it as soon as it looks."""
        connection = connector.open(authorizations=self._authorizations)
        rest_s = 0.0
        try:
            catalog = self._hold(await self._ask(connector, lambda: connection))
            self._rests_until.pop(connector.id, None)
            if not await self._shared.keep(catalog, lease):
                rest_s = self._limits.lease_s_max
        except Failure as failure:
            _LOG.warning("catalog of %s not refreshed: %s", connector.id, failure.code)
            rest_s = self._limits.catalog_retry_s
            self._rest(connector, rest_s)
            await self._shared.note_failed(connector, failure)
        finally:
            await self._shared.give_back(lease, rest_s=rest_s)
            await connection.close()

    async def _first(self, connector: Connector, open_connection: OpenConnection) -> Catalog:
        """A catalog nobody has: from the downstream when it is this process's turn, else as another keeps it. Both
        together within the deadline of one load."""
        turn: Catalog | Lease | None = None
        try:
            async with asyncio.timeout(self._limits.catalog_load_s):
                turn = await self._turn(connector)
                if isinstance(turn, Catalog):
                    return self._hold(turn)
                catalog = self._hold(await self._ask(connector, open_connection))
            await self._shared.keep(catalog, turn)
            return catalog
        except TimeoutError:
            raise late(connector.id, self._limits) from None
        finally:
            if isinstance(turn, Lease):
                await self._shared.give_back(turn)

    async def _turn(self, connector: Connector) -> Catalog | Lease | None:
        """The lease to ask under, or what another process kept meanwhile; ``None`` is to ask without a lease,
        because the store cannot be reached."""
        while True:
            lease: Lease | None = None
            try:
                lease = await self._shared.claim(connector, self._limits.catalog_lease_s, through_rest=True)
                # Read after the lease is had: whoever held it before has kept what it fetched by now.
                kept = await self._shared.kept(connector)
            except Failure as failure:
                _LOG.warning("no turn for the catalog of %s: %s", connector.id, failure.code)
                return lease
            except asyncio.CancelledError:
                await self._shared.give_back(lease)
                raise
            if kept is not None and self._usable(kept):
                await self._shared.give_back(lease)
                return kept
            if lease is not None:
                return lease
            await asyncio.sleep(self._limits.catalog_poll_s)

    async def _ask(self, connector: Connector, open_connection: OpenConnection) -> Catalog:
        catalog = await listed(connector, open_connection, self._limits, fetched_at=self._clock())
        if (drift := catalog.drift) is not None:
            fields: dict[str, object] = {"connector": connector.id, "drift": drift.counts}
            _LOG.log(logging.WARNING if drift.any else logging.INFO, "Catalog listed", extra=fields)
        return catalog

    def _newest(self, connector: Connector, kept: Catalog | None) -> Catalog | None:
        known = filter(None, (self._held.get(connector.id), kept))
        return max(filter(self._usable, known), key=lambda catalog: catalog.fetched_at, default=None)

    def _hold(self, catalog: Catalog) -> Catalog:
        """``catalog``, with what was made of the one before where its tools are the same, as they mostly are."""
        before = self._held.get(catalog.connector.id)
        if before is not None and before is not catalog and before.tools == catalog.tools:
            catalog = before.asked_again(catalog.fetched_at)
        self._held[catalog.connector.id] = catalog
        return catalog

    def _rest(self, connector: Connector, seconds: float) -> None:
        self._rests_until[connector.id] = self._clock() + seconds

    def _age(self, catalog: Catalog) -> float:
        return self._clock() - catalog.fetched_at

    def _usable(self, catalog: Catalog) -> bool:
        """Kept by a clock that is ahead by longer than a catalog is fresh, it would not age before that clock's time
        has come: it is one too old."""
        return -self._limits.catalog_fresh_s < self._age(catalog) <= self._limits.catalog_stale_s

    def _fresh(self, catalog: Catalog) -> bool:
        """Tools known in process never change under it; any other catalog is fresh for a while."""
        return not catalog.connector.cacheable_catalog or abs(self._age(catalog)) < self._limits.catalog_fresh_s


def _named(error: Exception) -> str:
    return error.code if isinstance(error, Failure) else "timeout"
