"""Payloads larger than one item: compressed, cut into chunks, and named by a head that is written last.

A head at ``(key, "head")`` either holds the whole compressed payload or names a chunk set under a name never
used before, so whatever a reader finds under one head belongs together: a writer that stops half way leaves
the previous head in force, and two writers at once leave one whole payload. A chunk's number is part of its
partition key because DynamoDB takes 1,000 write units (1 MB) a second from one partition.
"""

import asyncio
import gzip
import secrets
import zlib
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from connecta.failures import result_too_large
from connecta.limits import Limits
from connecta.state.records import Record, Value
from connecta.state.table import Condition, Table

T = TypeVar("T")

HEAD: Final = "head"
CHUNK: Final = "chunk"
_FASTEST: Final = 1
_GZIP: Final = zlib.MAX_WBITS | 16


@dataclass(frozen=True, slots=True)
class Payload:
    """A payload as it was kept, and the head's other attributes."""

    data: bytes
    values: Mapping[str, Value]


class Chunks:
    """Payloads of one table, each under a key of its own."""

    def __init__(self, table: Table, limits: Limits) -> None:
        self._table = table
        self._limits = limits

    async def write(
        self,
        key: str,
        data: bytes,
        *,
        expires_at: int,
        values: Mapping[str, Value] | None = None,
        only_over: Condition | None = None,
    ) -> None:
        """Keep ``data`` under ``key``. ``values`` ride on the head, where ``only_over`` may ask for them.

        Raises ``result_too_large`` above ``limits.state_payload_bytes``, and what ``Table`` raises.
        """
        if len(data) > self._limits.state_payload_bytes:
            raise result_too_large("This is too large to be kept. Ask for less of it.")
        packed = await asyncio.to_thread(gzip.compress, data, _FASTEST, mtime=0)
        head: dict[str, Value] = {**(values or {}), "size": len(data)}
        if len(packed) <= self._limits.state_chunk_bytes:
            head["data"] = packed
        else:
            head |= await self._write_chunks(key, packed, expires_at)
        await self._table.put(Record(key, HEAD, expires_at, head), only_over=only_over)

    async def read(self, key: str) -> Payload | None:
        """The payload under ``key``; ``None`` when absent, expired, or not wholly there."""
        head = await self._table.get(key, HEAD)
        if head is None:
            return None
        size = head.values.get("size")
        packed = await self._packed(key, head)
        if packed is None or not isinstance(size, int) or size > self._limits.state_payload_bytes:
            return None
        data = await asyncio.to_thread(_unpacked, packed, size)
        return None if data is None else Payload(data, head.values)

    async def _write_chunks(self, key: str, packed: bytes, expires_at: int) -> dict[str, Value]:
        length = self._limits.state_chunk_bytes
        name = secrets.token_urlsafe(16)
        parts = [packed[start : start + length] for start in range(0, len(packed), length)]
        records = [
            Record(_chunk_key(key, name, number), CHUNK, expires_at, {"data": part})
            for number, part in enumerate(parts)
        ]
        await self._each(self._table.put(record) for record in records)
        return {"set": name, "chunks": len(parts)}

    async def _packed(self, key: str, head: Record) -> bytes | None:
        match head.values:
            case {"data": bytes(data)}:
                return data
            case {"set": str(name), "chunks": int(count)}:
                keys = [_chunk_key(key, name, number) for number in range(count)]
                records = await self._each(self._table.get(each, CHUNK) for each in keys)
                parts = [record.values.get("data") for record in records if record is not None]
                found = [part for part in parts if isinstance(part, bytes)]
                return b"".join(found) if len(found) == count else None
            case _:
                return None

    async def _each(self, calls: Iterable[Awaitable[T]]) -> list[T]:
        """What ``calls`` return, a few at once; the first failure is raised when none is under way any more."""
        width = asyncio.Semaphore(self._limits.state_chunks_at_once)

        async def one(call: Awaitable[T]) -> T:
            async with width:
                return await call

        outcomes = await asyncio.gather(*(one(call) for call in calls), return_exceptions=True)
        return _values(outcomes)


def _values(outcomes: Sequence[T | BaseException]) -> list[T]:
    for outcome in outcomes:
        if isinstance(outcome, BaseException):
            raise outcome
    return [outcome for outcome in outcomes if not isinstance(outcome, BaseException)]


def _chunk_key(key: str, name: str, number: int) -> str:
    return f"{key}#{name}#{number}"


def _unpacked(packed: bytes, size: int) -> bytes | None:
    """Exactly ``size`` bytes, or ``None``: what inflates to more is never inflated whole."""
    inflater = zlib.decompressobj(_GZIP)
    try:
        data = inflater.decompress(packed, size + 1)
    except zlib.error:
        return None
    return data if inflater.eof and len(data) == size else None
