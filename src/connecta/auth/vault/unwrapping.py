"""Data keys a process has unwrapped a moment ago, so that a busy connector asks KMS once in a few minutes."""

import asyncio
import hashlib
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from connecta.auth.vault.blobs import Blob
from connecta.auth.vault.keys import Context, DataKey, DataKeys, unreached
from connecta.limits import Limits
from connecta.text import compact

T = TypeVar("T")


class Unwrapping:
    """Belongs to no event loop, so it outlives the one a request ran in. Of many who want one key at once, one asks."""

    def __init__(self, keys: DataKeys, limits: Limits, now: Callable[[], float] = time.time) -> None:
        self._keys = keys
        self._limits = limits
        self._now = now
        self._threads = ThreadPoolExecutor(limits.vault_threads, thread_name_prefix="vault")
        self._known: OrderedDict[bytes, tuple[float, Future[bytes]]] = OrderedDict()

    async def new(self, context: Context) -> DataKey:
        """A key that nothing was encrypted with before. Raises as ``DataKeys`` does."""
        return await self._waited(self._threads.submit(self._keys.new, context))

    async def key_of(self, blob: Blob, context: Context) -> bytes:
        """The key ``blob`` was encrypted with, at most ``limits.data_key_s`` old. Raises as ``DataKeys`` does."""
        self._forget_the_old()
        place = hashlib.sha256(blob.head + compact(sorted(context.items())).encode()).digest()
        _, asked = self._known.get(place, (0.0, None))
        if asked is None or _failed(asked):
            asked = self._threads.submit(self._keys.unwrapped, blob.key_id, blob.wrapped, context)
            self._remember(place, asked)
        return await self._waited(asked)

    async def close(self) -> None:
        """Wait for what is under way and close the connections."""
        await asyncio.to_thread(self._threads.shutdown, cancel_futures=True)
        self._keys.close()

    async def _waited(self, asked: "Future[T]") -> T:
        try:
            async with asyncio.timeout(self._limits.vault_wait_s):
                # Shielded, because others may wait for the same.
                return await asyncio.shield(asyncio.wrap_future(asked))
        except TimeoutError as error:
            raise unreached() from error

    def _remember(self, place: bytes, asked: "Future[bytes]") -> None:
        self._known.pop(place, None)
        if len(self._known) >= self._limits.data_keys:
            self._known.popitem(last=False)
        self._known[place] = (self._now() + self._limits.data_key_s, asked)

    def _forget_the_old(self) -> None:
        """All live equally long, so the first remembered is the first to end."""
        now = self._now()
        while self._known and next(iter(self._known.values()))[0] <= now:
            self._known.popitem(last=False)


def _failed(asked: "Future[bytes]") -> bool:
    return asked.done() and (asked.cancelled() or asked.exception() is not None)
