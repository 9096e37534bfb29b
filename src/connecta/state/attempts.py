"""How often a source has tried something it failed at, and how long it has to wait before it may again."""

from math import ceil
from typing import Final

from connecta.limits import Limits
from connecta.state.records import Record
from connecta.state.table import Condition, Table

_TRIES: Final = 5
"""Writes tried while others of the same source write."""
_CONTENDED_S: Final = 1.0
"""What so many at once have to wait in any case."""


class Attempts:
    """One item a source: a version, how many attempts were begun, and when the last one was. An attempt is counted
    before anything is made of it, by a write that holds only over the version it was read from: of a thousand at once
    from one source, as many get through as one after the other would.

    Every method raises ``unavailable`` as ``Table`` does.
    """

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._deployment = deployment
        self._limits = limits

    async def wait_s(self, source: str, free: int) -> float:
        """Seconds until ``source`` may try again; 0 for now. The first ``free`` attempts need no wait."""
        return self._wait_s(await self._table.get(self._key(), source), free)

    async def begin(self, source: str, free: int) -> float:
        """Counts an attempt and returns 0, or returns the seconds until one may be made."""
        for _ in range(_TRIES):
            record = await self._table.get(self._key(), source)
            wait_s = self._wait_s(record, free)
            if wait_s > 0:
                return wait_s
            version, count, _ = _read(record)
            now = self._table.now()
            values = {"version": version + 1, "tries": count + 1, "at": int(now * 1000)}
            begun = Record(self._key(), source, ceil(now + self._limits.passphrases_window_s), values)
            if await self._table.put(begun, only_over=Condition("version = :version", {":version": version})):
                return 0.0
        return _CONTENDED_S

    async def forget(self, source: str) -> None:
        """Its attempts succeeded in the end."""
        await self._table.delete(self._key(), source)

    def _wait_s(self, record: Record | None, free: int) -> float:
        _, count, at = _read(record)
        if count < free:
            return 0.0
        doubled = min(count - free, 30)
        pause_s = min(self._limits.passphrase_wait_s * 2**doubled, self._limits.passphrase_wait_max_s)
        return max(at + pause_s - self._table.now(), 0.0)

    def _key(self) -> str:
        return f"attempts#{self._deployment}"


def _read(record: Record | None) -> tuple[int, int, float]:
    """Version, attempts, and when the last one was (epoch seconds)."""
    if record is None:
        return 0, 0, 0.0
    values = record.values
    return int(values["version"]), int(values["tries"]), int(values["at"]) / 1000
