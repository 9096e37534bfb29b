"""People sent to a downstream's authorization server who have not come back yet."""

from math import ceil
from typing import Final

from connecta.limits import Limits
from connecta.state.owners import digest
from connecta.state.records import Record
from connecta.state.table import Table

_FLOW: Final = "flow"


class DownstreamFlows:
    """Each is taken once, under its ``state`` and for its connector. What is kept is sealed. Every method raises
    ``unavailable`` as ``Table`` does."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._deployment = deployment
        self._life_s = limits.downstream_flow_s

    async def keep(self, connector: str, state: str, sealed: bytes) -> None:
        expires_at = ceil(self._table.now() + self._life_s)
        await self._table.put(Record(self._key(connector, state), _FLOW, expires_at, {"sealed": sealed}))

    async def take(self, connector: str, state: str) -> bytes | None:
        """What was kept for ``connector`` under ``state``, and nobody gets it again; ``None`` for any other
        connector."""
        record = await self._table.take(self._key(connector, state), _FLOW)
        sealed = None if record is None else record.values["sealed"]
        return sealed if isinstance(sealed, bytes) else None

    def _key(self, connector: str, state: str) -> str:
        # Only a digest: whoever reads the table cannot come back in somebody's place.
        return f"downstream-flow#{digest(self._deployment, connector, state)}"
