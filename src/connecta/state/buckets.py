"""What a whole fleet has taken from its token buckets: one item a bucket, the time at which it is full again."""

import math
from typing import Final

from connecta.limits import Limits
from connecta.state.records import Record
from connecta.state.table import Condition, Table

_TRIES: Final = 3
"""A bucket is either filling or full, and while one process finds out which, another may have begun it anew."""


class SharedBuckets:
    """Takings of all processes added up. Each is one write and no read, so nobody waits for anybody; a write that
    DynamoDB did twice, because its answer was lost, counts twice: a bucket errs towards empty."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._pk = f"buckets#{deployment}"
        self._limits = limits

    def now(self) -> float:
        """The clock that buckets fill by, in epoch seconds."""
        return self._table.now()

    async def take(self, name: str, fill_s: float) -> float:
        """Takes from the bucket ``name`` what it fills by in ``fill_s`` seconds, whether it holds that or not.
        Returns when it will be full again, in epoch seconds.

        Raises ``unavailable``.
        """
        taken = math.ceil(fill_s * 1000)
        full_at = 0
        for _ in range(_TRIES):
            now = int(self.now() * 1000)
            expires_at = now // 1000 + self._limits.bucket_kept_s
            filling = Condition("full_at > :at", {":at": now})
            added = await self._table.add(self._pk, name, "full_at", taken, where=filling, expires_at=expires_at)
            if added is not None:
                return added / 1000
            full_at = now + taken
            record = Record(self._pk, name, expires_at, {"full_at": full_at})
            if await self._table.put(record, only_over=Condition("full_at <= :at", {":at": now})):
                break
        return full_at / 1000
