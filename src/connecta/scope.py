"""The two lifetimes: ``Services`` live as long as the process, a ``Scope`` exactly one request.

A scope carries everything that belongs to a caller (identity, deadline, loaded catalogs, open downstream
connections) and closes whatever it opened.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from connecta.auth.callers import Caller
from connecta.calls.activity import Recorder
from connecta.calls.targets import LoadCatalog
from connecta.calls.timings import Timings
from connecta.catalog.catalogs import Catalog, Catalogs
from connecta.connectors.model import Connection, Connector
from connecta.deployment import Connecta
from connecta.failures import Failure
from connecta.limits import Limits
from connecta.state import State
from connecta.state.owners import Owner


@dataclass(frozen=True, slots=True)
class Services:
    """What outlives a request and carries no caller."""

    deployment: Connecta
    catalogs: Catalogs
    state: State
    record: Recorder


@dataclass(slots=True)
class Scope:
    """One request. Use it as an async context manager; nothing request-bound survives its end."""

    services: Services
    caller: Caller
    request_id: str
    deadline: float
    """On ``time.monotonic()``'s clock: when the platform gives the request up."""
    origin: str = ""
    timings: Timings = field(default_factory=Timings)
    _connections: dict[str, Connection] = field(default_factory=dict[str, Connection])
    _loads: dict[str, asyncio.Task[Catalog]] = field(default_factory=dict[str, "asyncio.Task[Catalog]"])
    _load_slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._load_slots = asyncio.Semaphore(self.limits.catalog_loads)

    @property
    def limits(self) -> Limits:
        return self.services.deployment.limits

    @property
    def connectors(self) -> Mapping[str, Connector]:
        return self.services.deployment.by_id

    @property
    def record(self) -> Recorder:
        return self.services.record

    @property
    def load_catalog(self) -> LoadCatalog:
        return self.catalog

    @property
    def owner(self) -> Owner:
        """Who the records this request keeps are bound to."""
        return Owner(self.services.deployment.name, self.caller.kind, self.caller.subject)

    def remaining_s(self) -> float:
        """Seconds left for work, the reserve for answering already taken off; never negative."""
        return max(0.0, self.deadline - time.monotonic() - self.limits.answer_reserve_s)

    def connection(self, connector: Connector) -> Connection:
        """The request's one connection to ``connector``."""
        if connector.id not in self._connections:
            self._connections[connector.id] = connector.open()
        return self._connections[connector.id]

    async def catalog(self, connector_id: str) -> Catalog:
        """The connector's catalog, loaded at most once per request (P4). Raises the ``Failure`` of its load."""
        load = self._loads.get(connector_id)
        if load is None:
            load = self._loads[connector_id] = asyncio.create_task(self._load(connector_id))
        return await asyncio.shield(load)

    async def _load(self, connector_id: str) -> Catalog:
        connector = self.connectors[connector_id]
        async with self._load_slots:
            with self.timings.catalog():
                return await self.services.catalogs.load(connector_id, lambda: self.connection(connector))

    async def available(self, ids: Iterable[str]) -> tuple[list[Catalog], dict[str, Failure]]:
        """The catalogs of ``ids`` in that order, and the failures of those that did not load."""
        wanted = list(ids)
        loaded = await asyncio.gather(*(self.catalog(i) for i in wanted), return_exceptions=True)
        catalogs: list[Catalog] = []
        failed: dict[str, Failure] = {}
        for connector_id, outcome in zip(wanted, loaded, strict=True):
            if isinstance(outcome, Failure):
                failed[connector_id] = outcome
            elif isinstance(outcome, BaseException):
                raise outcome
            else:
                catalogs.append(outcome)
        return catalogs, failed

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for load in self._loads.values():
            load.cancel()
        await asyncio.gather(*self._loads.values(), return_exceptions=True)
        await asyncio.gather(*(c.close() for c in self._connections.values()), return_exceptions=True)
