"""Rolling-window budgets, exact over all processes: who may make one more call of so many in so many seconds."""

import asyncio
import random
import secrets
from typing import Final

from connecta.limits import Limits
from connecta.state.records import Record
from connecta.state.table import Condition, Table

PAUSE_S: Final = 0.02
"""Longest pause before another try after somebody else was faster; it is drawn at random from there down."""


class Contended(Exception):
    """Too many others took from the budget at the same time to find out whether there is room."""


class Budgets:
    """One item a budget: a version, and the times of the calls in the window. Each taking is a write that holds only
    over the version it was read from, so no two processes take the same place."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._deployment = deployment
        self._limits = limits

    async def take(self, name: str, calls: int, window_s: float) -> float:
        """Takes one of ``calls`` places in the last ``window_s`` seconds. Returns 0 when it was taken, else the
        seconds until one is free.

        Raises ``Contended`` after ``budget_tries`` tries, and ``unavailable``.
        """
        pk, own = f"budget#{self._deployment}", secrets.token_hex(4)
        for _ in range(self._limits.budget_tries):
            now = self._table.now()
            record = await self._table.get(pk, name)
            version, stamps = _read(record)
            if any(stamp.endswith(own) for stamp in stamps):
                return 0.0  # the write before had arrived, and only its answer was lost
            stamps = [stamp for stamp in stamps if _time(stamp) > now - window_s]
            if len(stamps) >= calls:
                return _time(stamps[len(stamps) - calls]) + window_s - now
            stamps.append(f"{int(now * 1000):013d}{own}")
            kept = Record(
                pk, name, int(now + window_s) + 1, {"version": version + 1, "stamps": " ".join(sorted(stamps))}
            )
            if await self._table.put(kept, only_over=Condition("version = :version", {":version": version})):
                return 0.0
            await asyncio.sleep(random.uniform(0, PAUSE_S))  # noqa: S311 (spreads tries, keeps no secret)
        raise Contended


def _read(record: Record | None) -> tuple[int, list[str]]:
    if record is None:
        return 0, []
    return int(record.values.get("version", 0)), str(record.values.get("stamps", "")).split()


def _time(stamp: str) -> float:
    """Epoch seconds: a stamp is thirteen digits of milliseconds and whose it is."""
    return int(stamp[:13]) / 1000
