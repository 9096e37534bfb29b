"""Payloads in chunks: what is not wholly as it was written is not there."""

import gzip

import pytest

from connecta.limits import LIMITS
from connecta.state.chunks import HEAD, Chunks
from connecta.state.records import Record, Value
from tests.fixtures.dynamodb import StateOpener

WHOLE = gzip.compress(b"whole")
BOMB = gzip.compress(bytes(LIMITS.state_payload_bytes * 4))


@pytest.mark.parametrize(
    "head",
    [
        {"size": 5, "data": b"not gzip"},
        {"size": 5, "data": WHOLE[:-1]},
        {"size": 5, "data": WHOLE[:-6] + bytes(6)},
        {"size": 4, "data": WHOLE},
        {"size": 6, "data": WHOLE},
        {"data": WHOLE},
        {"size": 5},
        {"size": 5, "data": BOMB},
        {"size": LIMITS.state_payload_bytes * 4, "data": BOMB},
        {"size": 5, "set": "never-written", "chunks": 1},
        {"size": 5, "set": "never-written", "chunks": 0},
    ],
    ids=[
        "garbage",
        "cut",
        "damaged",
        "longer than said",
        "shorter than said",
        "no size",
        "no data",
        "inflates to more than said",
        "inflates above the bound",
        "chunk missing",
        "no chunks",
    ],
)
async def test_a_damaged_payload_reads_as_none(open_here: StateOpener, head: dict[str, Value]) -> None:
    table = open_here().table
    await table.put(Record("damaged", HEAD, None, head))

    assert await Chunks(table, LIMITS).read("damaged") is None


async def test_a_payload_of_another_kind_of_record_is_told_apart_by_its_key(open_here: StateOpener) -> None:
    chunks = Chunks(open_here().table, LIMITS)
    await chunks.write("one", b"first", expires_at=1_900_000_000)
    await chunks.write("one#more", b"second", expires_at=1_900_000_000)

    first, second = await chunks.read("one"), await chunks.read("one#more")

    assert [found and found.data for found in (first, second)] == [b"first", b"second"]
