"""One table: records by key, expiry on every read, conditions, and typed failures."""

import asyncio
import socket
import subprocess
import sys
import time
from dataclasses import replace

import pytest

from connecta.failures import Failure
from connecta.limits import LIMITS
from connecta.state.client import DynamoClient
from connecta.state.records import Record
from connecta.state.table import Condition, Slice, Table
from tests.fixtures.dynamodb import TABLE, Clock, StateOpener, answering

ONCE = replace(LIMITS, state_attempts=1)
UNREACHABLE = {
    "code": "unavailable",
    "message": "The table this deployment keeps its state in cannot be reached right now. Try again shortly.",
    "retryable": True,
}


async def test_a_record_comes_back_as_it_was_put(open_here: StateOpener) -> None:
    table = open_here().table
    values = {"text": "é\n", "whole": -7, "real": 1_800_000_000.25, "tiny": 1e-7, "data": b"\x00\xff", "empty": ""}
    record = Record("comes-back", "one", 1_900_000_000, values)

    await table.put(record)

    assert await table.get("comes-back", "one") == record


async def test_a_record_without_an_end_is_kept_for_good(open_here: StateOpener) -> None:
    clock = Clock()
    table = open_here(now=clock).table
    record = Record("for-good", "one", None, {"a": 1})
    await table.put(record)

    clock.seconds += 1e9

    assert await table.get("for-good", "one") == record


async def test_an_absent_record_reads_as_none(open_here: StateOpener) -> None:
    assert await open_here().table.get("absent", "one") is None


async def test_a_record_is_gone_from_the_second_it_expires(open_here: StateOpener) -> None:
    """DynamoDB deletes days late; the reader may not."""
    clock = Clock(1_000.0)
    table = open_here(now=clock).table
    record = Record("expires", "one", 1_010)
    await table.put(record)

    clock.seconds = 1_009.9
    assert (await table.get("expires", "one"), await table.query("expires")) == (record, [record])

    clock.seconds = 1_010.0
    assert (await table.get("expires", "one"), await table.query("expires")) == (None, [])


async def test_a_deleted_record_is_absent_and_deleting_twice_is_no_error(open_here: StateOpener) -> None:
    table = open_here().table
    await table.put(Record("deleted", "one", None))

    await table.delete("deleted", "one")
    await table.delete("deleted", "one")

    assert await table.get("deleted", "one") is None


async def test_a_query_follows_every_page_in_order(open_here: StateOpener) -> None:
    """A page of DynamoDB ends at 1 MB."""
    table = open_here().table
    records = [Record("pages", f"n#{number}", None, {"data": bytes(300_000)}) for number in range(5)]
    for record in reversed(records):
        await table.put(record)

    assert await table.query("pages") == records


async def test_a_query_keeps_to_the_prefix_it_is_given(open_here: StateOpener) -> None:
    table = open_here().table
    wanted = [Record("prefix", "a#1", None), Record("prefix", "a#2", None)]
    for record in [*wanted, Record("prefix", "b#1", None), Record("prefix-other", "a#3", None)]:
        await table.put(record)

    assert await table.query("prefix", sk_prefix="a#") == wanted


async def test_a_slice_goes_back_from_a_place_and_says_where_it_ended(open_here: StateOpener) -> None:
    """A page of DynamoDB ends at 1 MB of what was read, not of what was asked for."""
    table = open_here().table
    records = [Record("slice", f"n#{number}", None, {"data": bytes(300_000), "odd": number % 2}) for number in range(8)]
    for record in records:
        await table.put(record)
    odd = Condition("odd = :odd", {":odd": 1})

    whole = await table.slice("slice", from_sk="0", before_sk="~", where=odd, most=100)
    assert whole.ended_at is not None
    assert whole.looked_at < 8
    assert whole.records == [records[n] for n in (7, 5, 3, 1) if records[n].sk >= whole.ended_at]
    rest = await table.slice("slice", from_sk="n#1", before_sk="n#3", where=None, most=2)
    assert rest.records == [records[2], records[1]]
    last = await table.slice("slice", from_sk="n#1", before_sk="n#2", where=None, most=2)
    assert (last.records, last.ended_at) == ([records[1]], None)
    begun = await table.slice("slice", from_sk="0", before_sk="n#3", where=None, most=1)
    assert (begun.records, begun.ended_at) == ([records[2]], "n#2")
    assert await table.slice("slice", from_sk="n#5", before_sk="n#3", where=None, most=1) == Slice([], None, 0)


async def test_expired_records_are_in_no_slice(open_here: StateOpener) -> None:
    table = open_here(now=Clock(1_000.0)).table
    living, expired = Record("slice-expired", "1", 1_001), Record("slice-expired", "2", 1_000)
    await table.put(living)
    await table.put(expired)

    assert (await table.slice("slice-expired", from_sk="0", before_sk="~", where=None, most=9)).records == [living]


async def test_a_batch_is_written_over_what_its_keys_held(open_here: StateOpener) -> None:
    table = open_here().table
    await table.put(Record("batch", "0", None, {"old": 1}))
    records = [Record("batch", str(number), None, {"number": number}) for number in range(9)]

    assert await table.put_batch(records) == []

    assert await table.query("batch") == records


async def test_a_conditional_put_replaces_only_a_record_its_condition_holds_for(open_here: StateOpener) -> None:
    table = open_here().table
    older = Condition("version < :version", {":version": 5})
    five = Record("conditional", "one", 1_900_000_000, {"version": 5})

    assert await table.put(five, only_over=older)
    assert not await table.put(replace(five, values={"version": 4}), only_over=older)
    assert await table.get("conditional", "one") == five

    six = replace(five, values={"version": 6})
    assert await table.put(six, only_over=Condition("version < :version", {":version": 6}))
    assert await table.get("conditional", "one") == six


async def test_a_conditional_put_takes_an_expired_record_for_absent(open_here: StateOpener) -> None:
    clock = Clock(1_000.0)
    table = open_here(now=clock).table
    never = Condition("version < :version", {":version": 0})
    await table.put(Record("conditional-expired", "one", 1_010, {"version": 9}))
    new = Record("conditional-expired", "one", 2_000, {"version": 1})

    clock.seconds = 1_009.9
    assert not await table.put(new, only_over=never)

    clock.seconds = 1_010.0
    assert await table.put(new, only_over=never)
    assert await table.get("conditional-expired", "one") == new


async def test_a_dynamodb_nobody_listens_at_is_unavailable() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        table = Table(TABLE, DynamoClient(f"http://127.0.0.1:{unused.getsockname()[1]}", LIMITS))
        started = time.monotonic()

        with pytest.raises(Failure) as refused:
            await table.get("any", "one")

        assert refused.value.envelope() == UNREACHABLE
        assert time.monotonic() - started < 30
        await table.close()


async def test_a_dynamodb_that_never_answers_is_unavailable_within_the_bound_of_one_call() -> None:
    """The bound holds over all attempts together, and the loop is free meanwhile."""
    limits = replace(LIMITS, state_read_s=60.0, state_call_s=0.5, state_attempts=1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        table = Table(TABLE, DynamoClient(f"http://127.0.0.1:{silent.getsockname()[1]}", limits))
        started = time.monotonic()

        with pytest.raises(Failure) as refused:
            await table.get("any", "one")

        assert refused.value.envelope() == UNREACHABLE
        assert time.monotonic() - started < 30
    await table.close()


@pytest.mark.parametrize(
    ("status", "error"),
    [(400, "ThrottlingException"), (400, "ProvisionedThroughputExceededException"), (500, "InternalServerError")],
)
async def test_a_dynamodb_that_throttles_or_breaks_is_unavailable(status: int, error: str) -> None:
    with answering(status, error) as endpoint_url:
        table = Table(TABLE, DynamoClient(endpoint_url, ONCE))

        with pytest.raises(Failure) as refused:
            await table.put(Record("any", "one", None))

        await table.close()
    assert refused.value.envelope() == UNREACHABLE


@pytest.mark.parametrize("error", ["AccessDeniedException", "ResourceNotFoundException", "ValidationException"])
async def test_a_dynamodb_that_refuses_is_a_matter_for_the_operator(error: str) -> None:
    with answering(400, error) as endpoint_url:
        table = Table(TABLE, DynamoClient(endpoint_url, ONCE))

        with pytest.raises(Failure) as refused:
            await table.get("any", "one")

        await table.close()
    assert refused.value.envelope() == {
        "code": "unavailable",
        "message": "The table this deployment keeps its state in refused a request. Its name, region or permissions "
        "need the operator.",
        "retryable": False,
    }


def test_opening_state_imports_nothing_of_the_sdk() -> None:
    """A cold start pays for the SDK only when a request keeps or reads something."""
    program = (
        "import sys; from connecta.state import open_state; open_state('t', 'd')\n"
        "print(sorted({'boto3', 'botocore.session', 'botocore.client'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", program], env={"PYTHONPATH": "src"}, capture_output=True, text=True)

    assert (done.stdout, done.stderr) == ("[]\n", "")


async def test_a_record_is_replaced_only_where_there_is_a_living_one(open_here: StateOpener):
    """What somebody deleted is not brought back by who had read it before."""
    clock = Clock()
    table = open_here(now=clock).table
    key, anything = f"replaced#{id(table)}", Condition("attribute_exists(pk)")
    record = Record(key, "x", None, {"version": 1})
    assert await table.replace(record, anything) is False
    await table.put(replace(record, expires_at=int(clock.seconds) + 60))
    assert await table.replace(record, Condition("version = :other", {":other": 2})) is False
    assert await table.replace(replace(record, expires_at=int(clock.seconds) + 60, values={"version": 2}), anything)
    clock.seconds += 61
    assert await table.replace(record, anything) is False
    assert await table.get(key, "x") is None


async def test_of_all_who_take_a_record_one_gets_it(open_here: StateOpener):
    clock = Clock()
    table = open_here(now=clock).table
    record = Record(f"taken#{id(table)}", "x", int(clock.seconds) + 60, {"kept": "well"})
    await table.put(record)
    taken = await asyncio.gather(*(table.take(record.pk, "x") for _ in range(6)))
    assert [found for found in taken if found is not None] == [record]
    await table.put(record)
    clock.seconds += 61
    assert await table.take(record.pk, "x") is None
