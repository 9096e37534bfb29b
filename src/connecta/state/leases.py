"""Work that one process of the whole fleet does at a time: a lease with an end, and a fence for who comes late."""

import secrets
from dataclasses import dataclass
from math import ceil
from typing import Final

from connecta.limits import Limits
from connecta.state.owners import digest
from connecta.state.records import Record
from connecta.state.table import Condition, Table

_LEASE: Final = "lease"


@dataclass(frozen=True, slots=True)
class Lease:
    """``fence`` is higher than that of every earlier holder: what is written under it must not replace what was
    written under a higher one, however late its writer wakes up."""

    name: str
    holder: str
    fence: int


class Leases:
    """Leases of one deployment by name. Every method raises ``unavailable`` as ``Table`` does."""

    def __init__(self, table: Table, deployment: str, limits: Limits) -> None:
        self._table = table
        self._deployment = deployment
        self._memory_s = limits.lease_memory_s
        self._longest_s = limits.lease_s_max

    async def acquire(self, name: str, seconds: float, *, through_rest: bool = False) -> Lease | None:
        """The lease for ``seconds``, at most ``limits.lease_s_max``, or ``None`` while another holder has it or it
        rests.

        ``through_rest`` is for work that cannot wait until a rest is over.
        """
        record = await self._table.get(self._key(name), _LEASE)
        # Not before: whoever acquired it while this was reading would seem to have a clock that is ahead.
        now = self._table.now()
        held_until, rests_until, seen = _standing(record)
        held, rests = (now < end <= now + self._longest_s for end in (held_until, rests_until))
        if held or (rests and not through_rest):
            return None
        lease = Lease(name, secrets.token_urlsafe(12), seen + 1)
        # Whoever acquired it since has raised the fence. The holder is asked for, too, because a write whose
        # answer got lost is sent again, and then meets itself.
        unchanged = Condition("fence = :seen OR held_by = :holder", {":seen": seen, ":holder": lease.holder})
        held_until = now + min(seconds, self._longest_s)
        written = await self._table.put(self._record(lease, held_until=held_until), only_over=unchanged)
        return lease if written else None

    async def release(self, lease: Lease, *, rest_s: float = 0.0) -> None:
        """Let others have it, after ``rest_s`` seconds, at most ``limits.lease_s_max``. Nothing happens when it has
        gone to another holder."""
        now = self._table.now()
        await self._table.put(
            self._record(lease, held_until=now, rests_until=now + min(rest_s, self._longest_s)),
            only_over=Condition("held_by = :holder", {":holder": lease.holder}),
        )

    def _record(self, lease: Lease, *, held_until: float, rests_until: float = 0.0) -> Record:
        # The record outlives the lease, so that fences go on rising.
        return Record(
            self._key(lease.name),
            _LEASE,
            ceil(held_until + self._memory_s),
            {
                "held_by": lease.holder,
                "fence": lease.fence,
                "held_until": held_until,
                "rests_until": rests_until,
            },
        )

    def _key(self, name: str) -> str:
        return f"lease#{digest(self._deployment, name)}"


def _standing(record: Record | None) -> tuple[float, float, int]:
    """Until when it is held and rests, and the last fence; zeros for a lease nobody ever had."""
    match None if record is None else record.values:
        case {"held_until": int() | float() as held, "rests_until": int() | float() as rests, "fence": int(fence)}:
            return held, rests, fence
        case _:
            return 0.0, 0.0, 0
