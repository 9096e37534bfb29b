"""The two lifetimes: ``Services`` live as long as the process, a ``Scope`` exactly one request.

A scope carries everything that belongs to a caller (identity, deadline, loaded catalogs, open downstream
connections) and closes whatever it opened.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from connecta import failures
from connecta.auth.authorizations import Authorizations
from connecta.auth.callers import Caller
from connecta.calls.activity import CallEvent, Origin, Recorder
from connecta.calls.admission import Gates
from connecta.calls.journal import Journal
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
    gates: Gates
    journal: Journal
    authorizations: Authorizations = field(default_factory=Authorizations)


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
    _events: list[CallEvent] = field(default_factory=list[CallEvent])
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
        return self._events.append

    @property
    def load_catalog(self) -> LoadCatalog:
        return self.catalog

    @property
    def owner(self) -> Owner:
        """Who the records this request keeps are bound to."""
        return Owner(self.services.deployment.name, self.caller.kind, self.caller.subject)

    def admitted(self, connector: Connector, left_s: float) -> AbstractAsyncContextManager[None]:
        """A place for one attempt, where ``connector`` says how many calls it takes."""
        return nullcontext() if connector.admission is None else self.services.gates.admitted(connector, left_s)

    def remaining_s(self) -> float:
        """Seconds left for work, the reserve for answering already taken off; never negative."""
        return max(0.0, self.deadline - time.monotonic() - self.limits.answer_reserve_s)

    def keeping_s(self) -> float:
        """Seconds a finished answer may still wait for something of it to be kept; never negative."""
        return max(0.0, self.deadline - time.monotonic() - 0.7 * self.limits.answer_reserve_s)

    def recording_s(self) -> float:
        """Seconds a finished answer may wait for its calls to be recorded; never negative. A run or a view that took
        all of its own time leaves some of it for this, and this leaves some for writing the answer out."""
        left = self.deadline - time.monotonic() - self.limits.answer_reserve_s / 4
        return max(0.0, min(self.limits.activity_write_s, left))

    def connection(self, connector: Connector) -> Connection:
        """The request's one connection to ``connector``."""
        if connector.id not in self._connections:
            # What is called will be recorded, and a process's first record takes long to be made ready: that is done
            # while the downstream is at work.
            self.services.state.table.prepare()
            self._connections[connector.id] = connector.open(self.services.state.values, self.services.authorizations)
        return self._connections[connector.id]

    async def catalog(self, connector_id: str) -> Catalog:
        """The connector's catalog, loaded at most once per request (P4). Raises the ``Failure`` of its load."""
        load = self._loads.get(connector_id)
        if load is None:
            load = self._loads[connector_id] = asyncio.create_task(self._load(connector_id))
        return load.result() if load.done() else await asyncio.shield(load)

    async def _load(self, connector_id: str) -> Catalog:
        connector = self.connectors[connector_id]
        async with self._load_slots:
            with self.timings.catalog():
                return await self.services.catalogs.load(connector_id, lambda: self.connection(connector))

    async def available(self, ids: Iterable[str]) -> tuple[list[Catalog], dict[str, Failure]]:
        """The catalogs of ``ids`` in that order, and the failures of those that did not load in time.

        What is still loading then goes on loading until the request ends, so slow connectors cost only themselves.
        """
        loads = {connector_id: asyncio.ensure_future(self.catalog(connector_id)) for connector_id in ids}
        try:
            if loads:
                await asyncio.wait(loads.values(), timeout=self._discovery_s())
            return self._sorted(loads)
        finally:
            for load in loads.values():
                load.cancel()
            await asyncio.gather(*loads.values(), return_exceptions=True)

    def _discovery_s(self) -> float:
        """Less than a host call may take, so that a program gets what there is."""
        return min(self.limits.host_call_s - 1, self.remaining_s())

    def _sorted(self, loads: Mapping[str, asyncio.Future[Catalog]]) -> tuple[list[Catalog], dict[str, Failure]]:
        catalogs: list[Catalog] = []
        failed: dict[str, Failure] = {}
        for connector_id, load in loads.items():
            try:
                if load.done():
                    catalogs.append(load.result())
                else:
                    late = f'"{connector_id}" did not list its tools in time.'
                    failed[connector_id] = failures.catalog_failed(late, retryable=True)
            except Failure as failure:
                failed[connector_id] = failure
        return catalogs, failed

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for load in self._loads.values():
            load.cancel()
        # Beside the journal, since neither needs the other and the answer waits for both.
        closing = asyncio.create_task(self._close())
        try:
            await self._write_journal()
        finally:
            await closing

    async def _write_journal(self) -> None:
        if self._events:
            caller, deployment = self.caller, self.services.deployment.name
            origin = Origin(self.request_id, f"{caller.kind}:{caller.subject}", deployment)
            await self.services.journal(self._events, origin, self.recording_s())

    async def _close(self) -> None:
        await asyncio.gather(*self._loads.values(), return_exceptions=True)
        await asyncio.gather(*(c.close() for c in self._connections.values()), return_exceptions=True)
