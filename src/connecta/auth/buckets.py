"""Token buckets: how many requests at once, and how many a second in the long run, whoever answers them."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from connecta.failures import Failure
from connecta.limits import Limits
from connecta.log import logger
from connecta.state.buckets import SharedBuckets

_SLACK_S: Final = 0.002
"""Clocks of epoch seconds round, and the table counts whole milliseconds: a wait this short is none."""


@dataclass(frozen=True, slots=True)
class Size:
    """A bucket holds ``burst`` requests and fills by ``per_s`` a second."""

    burst: int
    per_s: float

    @property
    def fill_s(self) -> float:
        """How long an empty one takes to fill."""
        return self.burst / self.per_s


@dataclass(slots=True)
class _Bucket:
    """This process's own. It is full at ``full_at``, empty whenever that is as far off as filling takes; ``unsettled``
    requests are not in the table yet, and before ``closed_until`` the fleet's is empty. All in epoch seconds."""

    full_at: float = 0.0
    unsettled: int = 0
    closed_until: float = 0.0


class Buckets:
    """Buckets by name. A request takes from this process's own; only every so many does the process settle with the
    table, and closes the bucket for as long as the fleet's is empty.

    In any ``t`` seconds a fleet of ``n`` processes that each serve one request at a time gives out at most ``burst +
    per_s * t + n * (share - 1)`` requests, where a share is ``burst / limits.bucket_shares`` and at least one. What a
    process serves at the same time while it settles comes on top. Without a table, or while it cannot be reached, each
    process goes by its own bucket.
    """

    def __init__(self, shared: SharedBuckets | None, limits: Limits, now: Callable[[], float] = time.time) -> None:
        self._shared = shared
        self._limits = limits
        self._now = now if shared is None else shared.now
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()
        self._pausing_until = 0.0

    def wait_s(self, name: str, size: Size) -> float:
        """Seconds until the bucket has a request left, as far as this process knows; takes nothing."""
        return self._wait_s(self._bucket(name), size)

    async def take(self, name: str, size: Size) -> float:
        """Takes one request from a bucket. Returns 0 when there was one, else the seconds until there is."""
        bucket = self._bucket(name)
        wait_s = self._wait_s(bucket, size)
        if wait_s > 0:
            return wait_s
        bucket.full_at = max(bucket.full_at, self._now()) + 1 / size.per_s
        bucket.unsettled += 1
        if bucket.unsettled >= max(1, size.burst // self._limits.bucket_shares):
            await self._settle(name, bucket, size)
        return self._until(bucket.closed_until)

    def _wait_s(self, bucket: _Bucket, size: Size) -> float:
        return self._until(max(_one_left_at(bucket.full_at, size), bucket.closed_until))

    def _until(self, at: float) -> float:
        wait_s = at - self._now()
        return wait_s if wait_s > _SLACK_S else 0

    def _bucket(self, name: str) -> _Bucket:
        bucket = self._buckets.setdefault(name, _Bucket())
        self._buckets.move_to_end(name)
        while len(self._buckets) > self._limits.buckets_remembered:
            self._buckets.popitem(last=False)
        return bucket

    async def _settle(self, name: str, bucket: _Bucket, size: Size) -> None:
        if self._shared is None or self._now() < self._pausing_until:
            return
        taken, bucket.unsettled = bucket.unsettled, 0
        try:
            async with asyncio.timeout(self._limits.bucket_wait_s):
                full_at = await self._shared.take(name, taken / size.per_s)
        except (Failure, TimeoutError) as error:
            bucket.unsettled += taken
            self._pausing_until = self._now() + self._limits.bucket_retry_s
            reason = error.code if isinstance(error, Failure) else "timeout"
            logger.warning("What callers took cannot be shared; this process counts alone.", extra={"code": reason})
            return
        if full_at > self._now() + size.fill_s + _SLACK_S:
            bucket.closed_until = _one_left_at(full_at, size)


def _one_left_at(full_at: float, size: Size) -> float:
    return full_at - size.fill_s + 1 / size.per_s
