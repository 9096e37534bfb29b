"""A refresh that outlives the request which found it due: what is handed over, and to whom."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Protocol

from connecta.state.leases import Lease
from connecta.text import JsonObject

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Refresh:
    """One refresh, under the lease that was acquired for it. A process of another deployment of the function, where
    ``fingerprint`` differs, leaves it alone."""

    connector: str
    fingerprint: str
    lease: Lease

    def event(self) -> JsonObject:
        """As the function sends it to itself; ``refresh_in`` reads it."""
        lease = self.lease
        return {
            "connecta": "refresh",
            "connector": self.connector,
            "fingerprint": self.fingerprint,
            "lease": {"name": lease.name, "holder": lease.holder, "fence": lease.fence},
        }


def refresh_in(event: object) -> Refresh | None:
    """The refresh an event of the function asks for. What a client sends is inside an event of API Gateway, whose
    own members no client names, so only who may invoke the function can ask for one."""
    match event:
        case {
            "connecta": "refresh",
            "connector": str(connector),
            "fingerprint": str(fingerprint),
            "lease": {"name": str(name), "holder": str(holder), "fence": int(fence)},
        }:
            return Refresh(connector, fingerprint, Lease(name, holder, fence))
        case _:
            return None


class HandOver(Protocol):
    """Takes a refresh off a request's hands. When it returns, the refresh no longer needs this request.

    Raises ``Failure`` when it could not be handed over.
    """

    async def __call__(self, refresh: Refresh) -> None: ...


class ToInvocation:
    """Hands over to another invocation of the function: a process that Lambda freezes finishes nothing later."""

    def __init__(self, send: Callable[[JsonObject], Awaitable[None]]) -> None:
        self._send = send

    async def __call__(self, refresh: Refresh) -> None:
        await self._send(refresh.event())


class Background:
    """Hands over to a task of this process: for a process that goes on running when a request has ended."""

    def __init__(self, run: Callable[[Refresh], Awaitable[None]]) -> None:
        self._run = run
        self._tasks: set[asyncio.Future[None]] = set()

    async def __call__(self, refresh: Refresh) -> None:
        task = asyncio.ensure_future(self._run(refresh))
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Future[None]) -> None:
        self._tasks.discard(task)
        # Nobody awaits a task of these for its outcome, and a defect must not go unseen.
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("A refresh broke", exc_info=error)

    async def close(self) -> None:
        """Cancel what is under way and wait until it has ended."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
