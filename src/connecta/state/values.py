"""What connectors keep for later: JSON by key with an end, in this process and for all the others."""

import hashlib
import json
from collections import OrderedDict
from math import ceil
from typing import Final

from connecta.failures import Failure
from connecta.limits import Limits
from connecta.log import logger
from connecta.state.chunks import Chunks
from connecta.state.table import Table
from connecta.text import Json, compact

HERE_ENTRIES: Final = 256
"""Values held in one process; the least recently used goes first."""
HERE_CHARS: Final = 100_000
"""Longer values are read from the table every time."""


class Values:
    """Values of one deployment. A table that cannot be reached means a miss, and a value that is not kept: whoever
    caches can do without."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._chunks = Chunks(table, limits)
        self._deployment = deployment
        self._limits = limits
        self._here: OrderedDict[str, tuple[float, str]] = OrderedDict()

    async def read(self, connector: str, key: str) -> tuple[Json] | None:
        """The value in a tuple, for it may itself be null; ``None`` when nothing is kept."""
        place = self._place(connector, key)
        until, text = self._here.get(place, (0.0, ""))
        if until <= self._table.now():
            self._here.pop(place, None)
            try:
                payload = await self._chunks.read(place)
            except Failure as failure:
                logger.warning(
                    "A cached value could not be read.", extra={"connector": connector, "code": failure.code}
                )
                return None
            if payload is None:
                return None
            text, until = payload.data.decode("utf-8", "surrogatepass"), float(payload.values.get("until", 0))
            if until <= self._table.now():
                return None
            self._hold(place, until, text)
        else:
            self._here.move_to_end(place)
        return (json.loads(text),)

    async def write(self, connector: str, key: str, value: Json, ttl_s: float) -> None:
        """Keeps ``value`` for ``ttl_s`` seconds. Raises ``TypeError`` or ``ValueError`` for what is no JSON."""
        place, text, until = self._place(connector, key), compact(value), self._table.now() + ttl_s
        self._hold(place, until, text)
        try:
            await self._chunks.write(place, text.encode(), expires_at=ceil(until), values={"until": until})
        except Failure as failure:
            _say("A value could not be cached.", connector, failure)

    def _hold(self, place: str, until: float, text: str) -> None:
        if len(text) <= HERE_CHARS:
            self._here[place] = (min(until, self._table.now() + self._limits.value_here_s), text)
            self._here.move_to_end(place)
        while len(self._here) > HERE_ENTRIES:
            self._here.popitem(last=False)

    def _place(self, connector: str, key: str) -> str:
        """Keys are any text of any length, and a partition key is not."""
        digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
        return f"value#{self._deployment}#{connector}#{digest}"


def _say(what: str, connector: str, failure: Failure) -> None:
    logger.warning(what, extra={"connector": connector, "code": failure.code})
