"""Whether a connector takes one more call now: so many at once, and so many in a window (tools.md, admission)."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from connecta import failures
from connecta.connectors.admission import Admission
from connecta.connectors.model import Connector
from connecta.state.budgets import Budgets, Contended

CONTENDED_S = 1.0


class Gates:
    """The gates of this process, one a connector that says how many calls it takes."""

    def __init__(self, budgets: Budgets) -> None:
        self._budgets = budgets
        self._places: dict[str, asyncio.Semaphore] = {}

    @asynccontextmanager
    async def admitted(self, connector: Connector, left_s: float) -> AsyncGenerator[None]:
        """Holds a place for one attempt. Raises ``rate_limited`` with when to come again, and ``unavailable`` where a
        budget cannot be asked: a bound that may be passed is none."""
        bounds = connector.admission or Admission()
        places = await self._place(connector, bounds, left_s)
        try:
            await self._taken(connector, bounds)
            yield
        finally:
            if places is not None:
                places.release()

    async def _place(self, connector: Connector, bounds: Admission, left_s: float) -> asyncio.Semaphore | None:
        if bounds.concurrent is None:
            return None
        places = self._places.setdefault(connector.id, asyncio.Semaphore(bounds.concurrent))
        try:
            async with asyncio.timeout(left_s):
                await places.acquire()
        except TimeoutError:
            raise failures.rate_limited(
                f'"{connector.id}" takes {bounds.concurrent} calls at once, and as many are under way. Make fewer in '
                "parallel."
            ) from None
        return places

    async def _taken(self, connector: Connector, bounds: Admission) -> None:
        if bounds.calls is None:
            return
        try:
            wait_s = await self._budgets.take(connector.id, bounds.calls, bounds.per_s)
        except Contended:
            wait_s = CONTENDED_S
        if wait_s > 0:
            raise failures.rate_limited(
                f'"{connector.id}" takes {bounds.calls} calls in {bounds.per_s:g} s, and as many were made. Try again '
                f"in {wait_s:.1f} s.",
                wait_s,
            )
