"""Activity: every call is kept for 30 days and listed newest first, and a table that fails costs a count (V1, V2)."""

import asyncio
import re
import socket
import subprocess
import sys
import time
from base64 import urlsafe_b64decode
from dataclasses import replace

import pytest

from connecta.limits import LIMITS
from connecta.state import open_state
from connecta.state.activity import DAY_S, Activity, Entry, Page, Wanted
from tests.fixtures.dynamodb import TABLE, Clock, StateOpener, answering
from tests.fixtures.overloaded_dynamodb import overloaded_dynamodb

NOW = Clock().seconds
PATIENT_S = 30.0
ENTRY = Entry(
    at=NOW - 10,
    connector="notes",
    tool="search",
    source="execute_code",
    outcome="success",
    duration_ms=12,
    attempts=1,
    request_id="request-1",
    actor="bearer:tester",
    deployment="tests",
)
FAILED = replace(ENTRY, at=NOW - 5, outcome="error", error_code="invalid_args", friction="schema_retry", attempts=0)


def numbered(count: int) -> list[Entry]:
    """That many calls of one request, a millisecond apart."""
    return [replace(ENTRY, at=NOW - 10 + number / 1000, tool=f"tool-{number}") for number in range(count)]


async def test_every_field_comes_back_and_the_newest_call_is_first(open_here: StateOpener) -> None:
    """V2: what there is not, as for a success, is not kept either."""
    activity = open_here().activity

    assert await activity.write([ENTRY, FAILED], PATIENT_S) == 0

    assert await activity.newest(Wanted(), 10) == [FAILED, ENTRY]


async def test_names_a_caller_made_up_are_kept_as_they_were_written(open_here: StateOpener) -> None:
    """V3: an unknown connector is recorded as written, and nothing of it is ever part of a key."""
    activity = open_here().activity
    hostile = replace(ENTRY, connector="", tool="a#b\x00\n\x1b[2J日本" + "x" * 200)

    assert await activity.write([hostile], PATIENT_S) == 0

    assert await activity.newest(Wanted(connector=""), 10) == [hostile]


async def test_a_listing_keeps_to_the_connector_the_outcome_the_time_and_the_limit(open_here: StateOpener) -> None:
    activity = open_here().activity
    other = replace(FAILED, at=NOW - 3, connector="desk")
    old = replace(FAILED, at=NOW - 5 * DAY_S)
    await activity.write([old, ENTRY, FAILED, other], PATIENT_S)

    listed = {
        "notes": await activity.newest(Wanted(connector="notes"), 10),
        "errors": await activity.newest(Wanted(outcome="error"), 10),
        "errors of notes": await activity.newest(Wanted(outcome="error", connector="notes"), 10),
        "the newest error": await activity.newest(Wanted(outcome="error"), 1),
        "recent errors": await activity.newest(Wanted(since=NOW - DAY_S, outcome="error"), 10),
        "since that very call": await activity.newest(Wanted(since=other.at), 10),
        "since later": await activity.newest(Wanted(since=NOW), 10),
        "the last two": await activity.newest(Wanted(), 2),
        "cancelled": await activity.newest(Wanted(outcome="cancelled"), 10),
    }

    assert listed == {
        "notes": [FAILED, ENTRY, old],
        "errors": [other, FAILED, old],
        "errors of notes": [FAILED, old],
        "the newest error": [other],
        "recent errors": [other, FAILED],
        "since that very call": [other],
        "since later": [],
        "the last two": [other, FAILED],
        "cancelled": [],
    }


async def test_a_listing_keeps_to_one_caller(open_here: StateOpener) -> None:
    """auth.md ("Operator pages"): filter by connector, outcome, caller."""
    activity = open_here().activity
    other = replace(FAILED, actor="oauth:tester")
    await activity.write([ENTRY, other], PATIENT_S)

    assert await activity.newest(Wanted(caller="bearer:tester"), 10) == [ENTRY]
    assert await activity.newest(Wanted(caller="oauth:tester", outcome="error"), 10) == [other]
    assert await activity.newest(Wanted(caller="tester"), 10) == []


async def all_pages(activity: Activity, wanted: Wanted, limit: int) -> list[tuple[Entry, ...]]:
    pages = [await activity.page(wanted, limit)]
    while (cursor := pages[-1].next) is not None:
        pages.append(await activity.page(wanted, limit, cursor))
    return [page.entries for page in pages]


async def test_pages_together_are_the_whole_list_each_call_once(open_here: StateOpener) -> None:
    """Over shards, batches of one moment, and days."""
    activity = open_here().activity
    entries = [replace(ENTRY, at=NOW - number // 4 * 7_000, tool=f"tool-{number}") for number in range(60)]
    await asyncio.gather(*(activity.write(entries[start::6], PATIENT_S) for start in range(6)))

    for limit in (1, 7, 59, 60, 61):
        pages = await all_pages(activity, Wanted(), limit)
        listed = [entry for page in pages for entry in page]
        assert [len(page) for page in pages] == [limit] * (60 // limit) + ([60 % limit] if 60 % limit else [])
        assert sorted(listed, key=lambda entry: entry.tool) == sorted(entries, key=lambda entry: entry.tool)
        assert [entry.at for entry in listed] == sorted((entry.at for entry in entries), reverse=True)


async def test_calls_made_meanwhile_move_no_page(open_here: StateOpener) -> None:
    activity = open_here().activity
    entries = numbered(30)
    await activity.write(entries, PATIENT_S)
    first = await activity.page(Wanted(), 10)

    await activity.write([replace(FAILED, at=NOW + number) for number in range(20)], PATIENT_S)

    second = await activity.page(Wanted(), 10, first.next)
    assert [*first.entries, *second.entries] == entries[:9:-1]


async def test_a_page_looks_at_so_many_calls_and_says_where_it_goes_on(open_here: StateOpener) -> None:
    """However rare what is wanted is, and however busy the deployment."""
    limits = replace(LIMITS, activity_slice=5, activity_looked_at=25)
    activity = open_here(limits=limits).activity
    rare = [replace(FAILED, at=NOW - 10 + number / 1_000 + 0.0005, tool=f"tool-{number}") for number in (3, 40, 77)]
    await asyncio.gather(*(activity.write(numbered(80)[start::8], PATIENT_S) for start in range(8)))
    await activity.write(rare, PATIENT_S)

    pages = await all_pages(activity, Wanted(outcome="error"), 2)

    assert [entry for page in pages for entry in page] == rare[::-1]
    assert len(pages) > 3
    assert await activity.newest(Wanted(outcome="error"), 2) == rare[:0:-1]


async def test_a_bounded_look_may_end_at_the_end_of_a_day(open_here: StateOpener) -> None:
    limits = replace(LIMITS, activity_looked_at=1)
    activity = open_here(limits=limits).activity
    entries = [replace(FAILED, at=NOW - days * DAY_S) for days in range(3)]
    await activity.write(entries, PATIENT_S)

    pages = await all_pages(activity, Wanted(outcome="error"), 10)

    assert [page for page in pages if page] == [(entry,) for entry in entries]


@pytest.mark.parametrize("cursor", ["", "x", "????", "bm90IG91cnM", "é", "A" * 5_000])
async def test_a_cursor_that_is_none_of_ours_begins_at_the_newest(open_here: StateOpener, cursor: str) -> None:
    activity = open_here().activity
    await activity.write([ENTRY], PATIENT_S)

    assert await activity.page(Wanted(), 10, cursor) == Page((ENTRY,), None)


async def test_a_cursor_says_nothing_but_a_place(open_here: StateOpener) -> None:
    activity = open_here().activity
    await activity.write([ENTRY, FAILED], PATIENT_S)

    cursor = (await activity.page(Wanted(), 1)).next

    assert cursor is not None
    assert re.fullmatch(r"[A-Za-z0-9_-]+", cursor)
    assert re.fullmatch(r"\d{14}#[0-9a-f]{16}#\d{6}", urlsafe_b64decode(cursor + "==").decode())


async def test_calls_of_every_day_that_is_kept_are_one_list(open_here: StateOpener) -> None:
    """A day is a partition of its own, and a request may begin in one and end in the next."""
    activity = open_here().activity
    entries = [replace(ENTRY, at=NOW - days * DAY_S, tool=f"day-{days}") for days in range(30)]

    assert await activity.write(entries, PATIENT_S) == 0

    assert await activity.newest(Wanted(), 100) == entries


async def test_a_call_is_listed_for_thirty_days(open_here: StateOpener) -> None:
    clock = Clock()
    activity = open_here(now=clock).activity
    await activity.write([ENTRY], PATIENT_S)

    clock.seconds = ENTRY.at + 30 * DAY_S - 1
    assert await activity.newest(Wanted(), 10) == [ENTRY]

    clock.seconds = ENTRY.at + 30 * DAY_S + 1
    assert await activity.newest(Wanted(), 10) == []


async def test_a_deployment_lists_its_own_calls_only(open_here: StateOpener) -> None:
    await open_here("ours").activity.write([ENTRY], PATIENT_S)
    await open_here("theirs").activity.write([FAILED], PATIENT_S)

    assert await open_here("ours").activity.newest(Wanted(), 10) == [ENTRY]


async def test_five_hundred_calls_of_one_request_are_all_kept(open_here: StateOpener) -> None:
    activity = open_here().activity
    entries = numbered(500)

    assert await activity.write(entries, PATIENT_S) == 0

    assert await activity.newest(Wanted(), 1_000) == entries[::-1]


async def test_batches_that_share_their_request_and_their_time_replace_nothing_of_each_other(
    open_here: StateOpener,
) -> None:
    """The messages of one HTTP request share its id."""
    activity = open_here().activity

    lost = await asyncio.gather(*(activity.write([ENTRY, ENTRY], PATIENT_S) for _ in range(10)))

    assert lost == [0] * 10
    assert await activity.newest(Wanted(), 100) == [ENTRY] * 20


def test_two_processes_that_write_at_once_lose_nothing(dynamodb: str) -> None:
    with _writing_process(dynamodb) as one, _writing_process(dynamodb) as other:
        for process in (one, other):
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
        for process in (one, other):
            assert process.stdin is not None
            process.stdin.write(b"go\n")
            process.stdin.flush()
        assert [one.wait(60), other.wait(60)] == [0, 0]

    assert asyncio.run(_listed(dynamodb, "two-processes")) == [e for e in numbered(20)[::-1] for _ in range(20)]


WRITER = """
import asyncio, sys
from connecta.state import open_state
from tests.state.test_activity import NOW, PATIENT_S, TABLE, numbered

async def main():
    state = open_state(TABLE, "two-processes", endpoint_url=sys.argv[1], now=lambda: NOW)
    print("ready", flush=True)
    sys.stdin.readline()
    lost = [await state.activity.write(numbered(20), PATIENT_S) for _ in range(10)]
    await state.close()
    assert lost == [0] * 10, lost

asyncio.run(main())
"""


def _writing_process(endpoint_url: str) -> subprocess.Popen[bytes]:
    """Says when it is ready, and writes when it is told to."""
    command = [sys.executable, "-c", WRITER, endpoint_url]
    environ = {"PYTHONPATH": "src:."}
    return subprocess.Popen(command, env=environ, stdin=subprocess.PIPE, stdout=subprocess.PIPE)


async def _listed(endpoint_url: str, deployment: str) -> list[Entry]:
    state = open_state(TABLE, deployment, endpoint_url=endpoint_url, now=lambda: NOW)
    try:
        return await state.activity.newest(Wanted(), 1_000)
    finally:
        await state.close()


async def test_a_request_is_sent_in_as_few_batches_as_dynamodb_allows() -> None:
    """25 items a batch."""
    with overloaded_dynamodb() as dynamodb:
        state = open_state(TABLE, "tests", endpoint_url=dynamodb.url)
        assert await state.activity.write(numbered(60), PATIENT_S) == 0
        await state.close()

    assert dynamodb.operations == ["BatchWriteItem"] * 3
    assert sorted(len(batch) for batch in dynamodb.batches) == [10, 25, 25]
    assert len({key for batch in dynamodb.batches for key in batch}) == 60


async def test_what_dynamodb_had_no_capacity_for_is_sent_again_under_the_same_key() -> None:
    with overloaded_dynamodb(takes=10) as dynamodb:
        state = open_state(TABLE, "tests", endpoint_url=dynamodb.url)
        assert await state.activity.write(numbered(25), PATIENT_S) == 0
        await state.close()

    first, second, third = dynamodb.batches
    assert (first[10:], second[10:]) == (second, third)


async def test_what_dynamodb_never_has_capacity_for_is_given_up_and_counted() -> None:
    with overloaded_dynamodb(takes=1) as dynamodb:
        state = open_state(TABLE, "tests", endpoint_url=dynamodb.url)
        assert await state.activity.write(numbered(25), PATIENT_S) == 25 - LIMITS.state_attempts
        await state.close()

    assert [len(batch) for batch in dynamodb.batches] == [25, 24, 23]


async def test_a_listing_asks_for_ranges_of_keys_and_scans_nothing() -> None:
    with overloaded_dynamodb() as dynamodb:
        state = open_state(TABLE, "tests", endpoint_url=dynamodb.url, now=Clock())
        assert await state.activity.newest(Wanted(since=NOW - 60, connector="notes", outcome="error"), 10) == []
        await state.close()

    today_and_tomorrow = 2
    assert dynamodb.operations == ["Query"] * today_and_tomorrow * LIMITS.activity_shards


async def test_a_table_nobody_listens_at_loses_every_call_and_raises_nothing() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        once = replace(LIMITS, state_attempts=1)
        state = open_state(TABLE, "tests", endpoint_url=f"http://127.0.0.1:{unused.getsockname()[1]}", limits=once)

        assert await state.activity.write(numbered(500), PATIENT_S) == 500

        await state.close()


async def test_a_table_that_refuses_is_not_asked_for_each_batch(caplog: pytest.LogCaptureFixture) -> None:
    """What one batch is refused for, the others would be refused for too."""
    with answering(400, "AccessDeniedException") as endpoint_url:
        one_at_once = replace(LIMITS, activity_batches_at_once=1)
        state = open_state(TABLE, "tests", endpoint_url=endpoint_url, limits=one_at_once)

        assert await state.activity.write(numbered(500), PATIENT_S) == 500

        await state.close()
    assert [record.getMessage() for record in caplog.records] == ["The state table refused a request"]


async def test_a_table_that_never_answers_costs_no_more_than_the_time_it_is_given() -> None:
    limits = replace(LIMITS, state_read_s=60.0, state_call_s=60.0, state_attempts=1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        state = open_state(TABLE, "tests", endpoint_url=f"http://127.0.0.1:{silent.getsockname()[1]}", limits=limits)
        started = time.monotonic()

        assert await state.activity.write(numbered(500), 0.3) == 500

        assert time.monotonic() - started < 30
    await state.close()


def test_an_address_without_a_dot_is_recorded_without_one() -> None:
    """V3."""
    assert [replace(ENTRY, connector="get_order", tool=tool).address for tool in ("", "x")] == [
        "get_order",
        "get_order.x",
    ]
