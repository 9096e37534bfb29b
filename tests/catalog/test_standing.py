"""How connectors stand, told without asking any downstream ("Operator pages")."""

import asyncio
import logging
import socket
from collections.abc import Sequence
from dataclasses import replace

import pytest

from connecta import api, failures
from connecta.catalog.catalogs import Catalogs
from connecta.catalog.drift import Drift
from connecta.catalog.refresh import Refresh
from connecta.catalog.shared import SharedCatalogs
from connecta.catalog.standing import Standing, StandingNotes, Standings
from connecta.connectors.model import Connection, Connector
from connecta.failures import Failure, auth_required
from connecta.limits import LIMITS
from connecta.state import State, open_state
from connecta.state.owners import digest
from tests.fixtures.dynamodb import TABLE, Clock, StateOpener
from tests.fixtures.overloaded_dynamodb import overloaded_dynamodb
from tests.fixtures.shelf import Downstream, ShelfConnector, Turns, tool

NOTES = ShelfConnector("notes")
TOOLS = (tool("one"), tool("two"))
LOCKED = auth_required("notes", "tools/list", "oauth", "Nobody has connected it.")


class Untouched(ShelfConnector):
    """A connector nobody may ask."""

    def open(self, values: object = None, authorizations: object = None) -> Connection:
        raise AssertionError("a downstream was asked")


def process(state: State, clock: Clock, connector: ShelfConnector = NOTES) -> Catalogs:
    """The catalogs of one more process."""
    notes = StandingNotes(state.standings, LIMITS, clock)
    shared = SharedCatalogs(state.catalogs, Turns(), LIMITS, notes)
    return Catalogs([connector], shared, LIMITS, clock)


async def standing(state: State, clock: Clock, connectors: Sequence[Connector] = (NOTES,)) -> dict[str, Standing]:
    """As a process that has done nothing yet tells it."""
    untouched = [
        Untouched(connector.id, cacheable_catalog=connector.cacheable_catalog, reviewed=connector.reviewed)
        if isinstance(connector, ShelfConnector)
        else connector
        for connector in connectors
    ]
    return dict(await Standings(untouched, state.standings, clock).all())


async def failed_load(catalogs: Catalogs, failure: Failure) -> None:
    with pytest.raises(Failure):
        await catalogs.load("notes", lambda: Downstream(failure=failure))


async def test_a_connector_nobody_asked_for_is_unlisted(open_here: StateOpener) -> None:
    assert await standing(open_here(), Clock()) == {"notes": Standing("unlisted")}


async def test_every_process_knows_how_many_tools_there_are_and_since_when(open_here: StateOpener) -> None:
    clock = Clock()
    state = open_here(now=clock)
    await process(state, clock).load("notes", lambda: Downstream(TOOLS))
    listed_at = clock.seconds
    clock.seconds += 90

    assert await standing(state, clock) == {"notes": Standing("ready", 2, listed_at, 90.0)}


async def test_drift_is_told_in_counts_while_the_list_it_was_counted_against_is_the_deployments(
    open_here: StateOpener,
) -> None:
    clock = Clock()
    state = open_here(now=clock)
    reviewed = ShelfConnector("notes", reviewed={"one": tool("one"), "gone": tool("gone")})
    await process(state, clock, reviewed).load("notes", lambda: Downstream(TOOLS))
    changed = ShelfConnector("notes", reviewed={"one": tool("one")})

    told = [await standing(state, clock, [connector]) for connector in (reviewed, changed, NOTES)]

    assert [each["notes"].drift for each in told] == [Drift(added=1, removed=1), None, None]


async def test_the_last_failure_is_told_by_its_code_and_never_by_its_message(
    open_here: StateOpener, request: pytest.FixtureRequest
) -> None:
    """What lies behind a listing that failed is named, not that it failed."""
    clock = Clock()
    state = open_here(now=clock)
    catalogs = process(state, clock)
    await catalogs.load("notes", lambda: Downstream(TOOLS))
    listed_at = clock.seconds
    clock.seconds += LIMITS.catalog_stale_s + 1

    await failed_load(catalogs, failures.unavailable("hunter2 was refused"))

    told = await standing(state, clock)
    age_s = LIMITS.catalog_stale_s + 1.0
    assert told == {"notes": Standing("failing", 2, listed_at, age_s, None, "unavailable", clock.seconds)}
    assert "hunter2" not in repr(await state.table.query(f"standing#{digest(request.node.name)}"))


async def test_who_has_to_be_connected_is_told_apart_and_ready_when_it_was(open_here: StateOpener) -> None:
    clock = Clock()
    state = open_here(now=clock)
    await failed_load(process(state, clock), LOCKED)
    failed_at = clock.seconds
    assert await standing(state, clock) == {
        "notes": Standing("auth_required", failure="auth_required", failed_at=failed_at)
    }
    clock.seconds += 10

    await process(state, clock).load("notes", lambda: Downstream(TOOLS))

    assert await standing(state, clock) == {
        "notes": Standing("ready", 2, clock.seconds, 0.0, None, "auth_required", failed_at)
    }


async def test_a_refresh_behind_a_request_that_fails_is_told_too(open_here: StateOpener) -> None:
    clock = Clock()
    state = open_here(now=clock)

    class Broken(ShelfConnector):
        def open(self, values: object = None, authorizations: object = None) -> Connection:
            return Downstream(failure=failures.call_failed("It broke."))

    catalogs = process(state, clock, Broken("notes"))
    await catalogs.load("notes", lambda: Downstream(TOOLS))
    clock.seconds += LIMITS.catalog_fresh_s + 1
    lease = await SharedCatalogs(state.catalogs, Turns(), LIMITS).claim(Broken("notes"), 10)
    assert lease is not None
    await catalogs.refresh(Refresh("notes", "v1", lease))

    told = (await standing(state, clock))["notes"]
    assert (told.condition, told.tools, told.failed_at) == ("failing", 2, clock.seconds)


async def test_tools_known_in_process_are_counted_there(open_here: StateOpener) -> None:
    desk = api("desk", base_url="https://desk.example")

    @desk.tool(read_only=True)
    async def look(id: str) -> str:  # pyright: ignore[reportUnusedFunction]
        """Look."""
        return id

    here = ShelfConnector("here", cacheable_catalog=False)

    told = await standing(open_here(), Clock(), [NOTES, desk, here])

    assert list(told.items()) == [
        ("notes", Standing("unlisted")),
        ("desk", Standing("ready", tools=1)),
        ("here", Standing("ready")),
    ]


async def test_all_connectors_are_read_in_one_query() -> None:
    with overloaded_dynamodb() as dynamodb:
        state = open_state(TABLE, "tests", endpoint_url=dynamodb.url)
        await standing(state, Clock(), [ShelfConnector(f"c{number}") for number in range(40)])
        await state.close()

    assert dynamodb.operations == ["Query"]


async def test_the_same_failure_again_and_again_is_written_once_a_minute() -> None:
    """A downstream that is down is asked by every search."""
    clock = Clock()
    with overloaded_dynamodb() as dynamodb:
        state = open_state(TABLE, "tests", endpoint_url=dynamodb.url, now=clock)
        notes = StandingNotes(state.standings, LIMITS, clock)
        for failure in [failures.unavailable("down")] * 5 + [LOCKED] * 5:
            clock.seconds += 1
            await notes.failed(NOTES, failure)
        clock.seconds += LIMITS.standing_pause_s
        await notes.failed(NOTES, LOCKED)
        await state.close()

    assert dynamodb.operations == ["PutItem"] * 3


async def test_a_table_out_of_reach_fails_no_listing_and_no_request(caplog: pytest.LogCaptureFixture) -> None:
    limits = replace(LIMITS, state_attempts=1, state_read_s=30.0, state_call_s=30.0, standing_note_s=0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        state = open_state(TABLE, "tests", endpoint_url=url, limits=limits)
        notes = StandingNotes(state.standings, limits)

        await notes.failed(NOTES, failures.unavailable("down"))

    await state.close()
    logged = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert logged == ["how a listing went was not noted: timeout"]


async def test_processes_that_fail_and_succeed_at_once_leave_what_came_last(open_here: StateOpener) -> None:
    clock = Clock()
    state = open_here(now=clock)
    others = [StandingNotes(state.standings, LIMITS, Clock(clock.seconds + number)) for number in range(6)]

    await asyncio.gather(*(each.failed(NOTES, failures.unavailable("down")) for each in others))

    assert (await standing(state, clock))["notes"].failed_at == clock.seconds + 5
