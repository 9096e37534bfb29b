"""``GET /health``: open, payload-free, bounded, and no way to load the table."""

import asyncio
import json
import socket
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace

import httpx2

from connecta import failures
from connecta.auth.callers import Open
from connecta.catalog.standing import Standing, Standings
from connecta.limits import LIMITS, Limits
from connecta.state import open_state
from connecta.version import VERSION
from connecta.web.health import Health
from tests.fixtures.mcp_client import ORIGIN, app_of, client_of, notes
from tests.fixtures.shelf import Clock
from tests.fixtures.tool_service import Service

READY = {
    "notes": Standing("ready", 4),
    "secret-name": Standing("failing", 2, failure="unavailable"),
    "x": Standing("unlisted"),
}
COUNTS = {"ready": 1, "failing": 1, "auth_required": 0, "unlisted": 1}


@dataclass
class Table:
    """How connectors stand; unreachable while ``broken``. It answers when it is let."""

    standings: Mapping[str, Standing] = field(default_factory=lambda: READY)
    broken: bool = False
    asked: int = 0
    let_go: asyncio.Event | None = None
    arrived: asyncio.Event = field(default_factory=asyncio.Event)

    async def read(self) -> Mapping[str, Standing]:
        self.asked += 1
        self.arrived.set()
        if self.let_go is not None:
            await self.let_go.wait()
        if self.broken:
            raise failures.unavailable("hunter2 does not answer")
        return self.standings


def health_of(table: Table, *, clock: Clock | None = None, limits: Limits = LIMITS) -> Health:
    return Health("1.0", 3, lambda: None, table.read, limits, clock or Clock())


async def test_it_counts_connectors_and_names_nothing_of_anybody() -> None:
    report = await health_of(Table()).report()

    assert report == {
        "status": "ok",
        "version": "1.0",
        "connectors": {"total": 3, **COUNTS},
        "sandbox": "unknown",
        "table": "reachable",
    }
    assert "secret-name" not in json.dumps(report)


async def test_without_its_table_it_is_degraded_and_says_no_more() -> None:
    report = await health_of(Table(broken=True)).report()

    assert report == {
        "status": "degraded",
        "version": "1.0",
        "connectors": {"total": 3},
        "sandbox": "unknown",
        "table": "unreachable",
    }


async def test_a_table_that_does_not_answer_counts_as_out_of_reach_in_bounded_time() -> None:
    health = health_of(Table(let_go=asyncio.Event()), limits=replace(LIMITS, health_wait_s=0.05))

    async with asyncio.timeout(30):
        report = await health.report()

    assert (report["status"], report["table"]) == ("degraded", "unreachable")


async def test_however_often_it_is_asked_the_table_is_asked_once_in_a_while() -> None:
    clock, table = Clock(), Table()
    health = health_of(table, clock=clock)
    for _ in range(100):
        await health.report()
    assert table.asked == 1
    clock.now += LIMITS.health_memory_s
    table.broken = True
    assert [(await health.report())["table"] for _ in range(100)] == ["unreachable"] * 100
    assert table.asked == 2
    clock.now += LIMITS.health_memory_s
    table.broken = False
    assert (await health.report())["table"] == "reachable"


async def test_all_who_ask_at_once_wait_for_the_same_look() -> None:
    table = Table(let_go=asyncio.Event())
    health = health_of(table)
    asking = [asyncio.create_task(health.report()) for _ in range(50)]
    await table.arrived.wait()
    asking[0].cancel()
    assert table.let_go is not None
    table.let_go.set()

    told = await asyncio.gather(*asking, return_exceptions=True)

    assert isinstance(told[0], asyncio.CancelledError)
    assert [each["table"] for each in told[1:] if not isinstance(each, BaseException)] == ["reachable"] * 49
    assert table.asked == 1


def test_a_look_that_its_loop_left_behind_is_no_ones_last() -> None:
    """A platform that ends the loop of each request."""
    table = Table(let_go=asyncio.Event())
    health = health_of(table)

    async def gives_up() -> None:
        asking = asyncio.create_task(health.report())
        await table.arrived.wait()
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    asyncio.run(gives_up())
    table.let_go = None

    assert asyncio.run(health.report())["table"] == "reachable"


async def test_the_table_itself_out_of_reach_is_told() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        once = replace(LIMITS, state_attempts=1)
        state = open_state("t", "tests", endpoint_url=f"http://127.0.0.1:{unused.getsockname()[1]}", limits=once)
        standings = Standings([notes()], state.standings)
        told = await answered(standings.all)
        await state.close()

    assert told.json()["table"] == "unreachable"


async def test_no_token_is_asked_for_and_none_helps() -> None:
    table = Table()
    plain = await answered(table.read)
    with_token = await answered(table.read, authorization="Bearer x")

    assert (plain.status_code, plain.json()) == (with_token.status_code, with_token.json())
    assert (plain.status_code, plain.json()["version"]) == (200, VERSION)
    assert plain.headers["cache-control"] == "no-store"


async def answered(read: Callable[[], Awaitable[Mapping[str, Standing]]], **headers: str) -> httpx2.Response:
    app = app_of(Service(), local=False, auth=[Open()], public_url=ORIGIN, standings=read)
    async with client_of(app) as client:
        return await client.http.get("/health", headers=headers)
