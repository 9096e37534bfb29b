"""How many programs run at once in this process (L7)."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from connecta import failures
from connecta.limits import Limits


class RunAdmission:
    """At most ``concurrent_runs`` inside, ``queued_runs`` waiting, none of them longer than ``queue_wait_s``."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._slots = asyncio.Semaphore(limits.concurrent_runs)
        self._waiting = 0

    @asynccontextmanager
    async def slot(self) -> AsyncGenerator[None]:
        """Hold one place. Raises ``executor_overloaded`` before any catalog or child exists."""
        if self._slots.locked() and self._waiting >= self._limits.queued_runs:
            raise failures.overloaded(self._limits.queued_runs, self._limits.queue_wait_s)
        self._waiting += 1
        try:
            async with asyncio.timeout(self._limits.queue_wait_s):
                await self._slots.acquire()
        except TimeoutError:
            raise failures.overloaded(self._limits.queued_runs, self._limits.queue_wait_s) from None
        finally:
            self._waiting -= 1
        try:
            yield
        finally:
            self._slots.release()
