"""A stale catalog is served at once, while one process of the fleet refreshes it ("Catalogs")."""

import asyncio
from dataclasses import dataclass, field

import pytest

from connecta.catalog.catalog import Catalog
from connecta.catalog.catalogs import Catalogs
from connecta.catalog.refresh import Refresh, refresh_in
from connecta.catalog.shared import SharedCatalogs
from connecta.connectors.model import Connection, Tool
from connecta.failures import Failure, unavailable
from connecta.limits import LIMITS, Limits
from connecta.state.leases import Lease
from connecta.text import compact
from tests.fixtures.shelf import Clock, Downstream, Records, ShelfConnector, Turns, tool

ONE = (tool("one", "The first"),)
TWO = (*ONE, tool("two", "The second"))
LEASE = compact(["catalog", "notes", "v1"])


@dataclass(frozen=True)
class Notes(ShelfConnector):
    """A connector whose own connections, which a refresh opens, reach ``downstream``."""

    id: str = "notes"
    downstream: Downstream = field(default_factory=Downstream)

    def open(self, values: object = None, authorizations: object = None) -> Connection:
        return self.downstream


@dataclass
class Hands:
    """Takes refreshes over and does nothing about them; with a ``failure`` it takes none."""

    taken: list[Refresh] = field(default_factory=list[Refresh])
    failure: Failure | None = None

    async def __call__(self, refresh: Refresh) -> None:
        if self.failure is not None:
            raise self.failure
        self.taken.append(refresh)


@dataclass
class Fleet:
    """Processes that share a store and a clock, and the downstream they have in common. Its catalog is stale."""

    notes: Notes = field(default_factory=Notes)
    records: Records = field(default_factory=Records)
    turns: Turns = field(default_factory=Turns)
    clock: Clock = field(default_factory=Clock)
    hands: Hands = field(default_factory=Hands)
    requests: Downstream = field(default_factory=lambda: Downstream(ONE))
    """What a request's own connection reaches."""

    limits: Limits = LIMITS

    def process(self, *, background: bool = False) -> Catalogs:
        shared = SharedCatalogs(self.records, self.turns, self.limits)
        return Catalogs([self.notes], shared, self.limits, self.clock, hand_over=None if background else self.hands)

    async def load(self, catalogs: Catalogs) -> Catalog:
        return await catalogs.load("notes", lambda: self.requests)

    async def names(self, catalogs: Catalogs) -> list[str]:
        return [tool.name for tool in (await self.load(catalogs)).tools]


async def stale_fleet() -> tuple[Fleet, Catalogs]:
    """A fleet whose one process holds a catalog that has just become stale."""
    fleet = Fleet()
    catalogs = fleet.process()
    assert await fleet.names(catalogs) == ["one"]
    fleet.clock.now += LIMITS.catalog_fresh_s
    fleet.notes.downstream.tools = TWO
    return fleet, catalogs


async def test_a_stale_catalog_is_served_with_its_refresh_handed_over_once() -> None:
    fleet, catalogs = await stale_fleet()
    others = [fleet.process() for _ in range(3)]
    served = [await fleet.names(process) for process in (catalogs, catalogs, *others)]
    assert served == [["one"]] * 5
    assert fleet.hands.taken == [Refresh("notes", "v1", Lease(LEASE, "test", 2))]
    assert (fleet.requests.asked, fleet.notes.downstream.asked) == (1, 0)


async def test_the_refreshed_catalog_reaches_the_process_that_did_it_and_soon_the_others() -> None:
    fleet, catalogs = await stale_fleet()
    await fleet.names(catalogs)
    other = fleet.process()
    await other.refresh(fleet.hands.taken[0])
    assert (await fleet.names(other), await fleet.names(catalogs)) == (["one", "two"], ["one"])
    fleet.clock.now += LIMITS.catalog_look_s
    assert await fleet.names(catalogs) == ["one", "two"]
    assert (fleet.turns.held, fleet.turns.rested_s, fleet.notes.downstream.asked) == (set[str](), [0.0, 0.0], 1)


async def test_a_refresh_delivered_twice_asks_once() -> None:
    """Lambda delivers an asynchronous event at least once."""
    fleet, catalogs = await stale_fleet()
    await fleet.names(catalogs)
    for process in (fleet.process(), fleet.process()):
        await process.refresh(fleet.hands.taken[0])
    assert fleet.notes.downstream.asked == 1


@pytest.mark.parametrize("wrong", [("other", "v1"), ("notes", "v0")])
async def test_a_refresh_of_what_this_deployment_does_not_have_is_left_alone(wrong: tuple[str, str]) -> None:
    fleet, catalogs = await stale_fleet()
    await catalogs.refresh(Refresh(*wrong, Lease(LEASE, "test", 9)))
    assert fleet.notes.downstream.asked == 0


async def test_after_a_failed_refresh_the_fleet_rests_and_is_served_the_stale_catalog() -> None:
    fleet, catalogs = await stale_fleet()
    fleet.notes.downstream.failure = unavailable("The service is down.")
    await fleet.names(catalogs)
    await catalogs.refresh(fleet.hands.taken[0])
    fleet.clock.now += LIMITS.catalog_retry_s - 1
    assert await fleet.names(catalogs) == ["one"]
    assert (len(fleet.hands.taken), fleet.turns.rested_s) == (1, [0.0, LIMITS.catalog_retry_s])
    fleet.clock.now += 1
    assert await fleet.names(catalogs) == ["one"]
    assert len(fleet.hands.taken) == 2


async def test_after_a_catalog_too_large_to_keep_the_fleet_rests_and_whoever_asked_has_it() -> None:
    """It is still stale for every other process, which would have it asked for at each of their looks."""
    fleet, catalogs = await stale_fleet()
    fleet.limits = Limits(catalog_bytes=20)
    await fleet.names(catalogs)
    other = fleet.process()
    await other.refresh(fleet.hands.taken[0])
    assert await fleet.names(other) == ["one", "two"]
    assert fleet.turns.rested_s == [0.0, LIMITS.lease_s_max]


async def test_a_refresh_nobody_takes_over_costs_a_pause_and_gives_the_lease_back() -> None:
    fleet, catalogs = await stale_fleet()
    fleet.hands.failure = unavailable("No hands.")
    assert await fleet.names(catalogs) == ["one"]
    fleet.hands.failure = None
    assert await fleet.names(catalogs) == ["one"]
    assert (fleet.turns.held, fleet.turns.rested_s) == (set[str](), [0.0, LIMITS.catalog_retry_s])
    assert fleet.hands.taken == []


async def test_an_unreachable_store_leaves_the_stale_catalog_in_service() -> None:
    fleet, catalogs = await stale_fleet()
    fleet.records.failure = unavailable("no table")
    assert [await fleet.names(catalogs) for _ in range(2)] == [["one"]] * 2
    assert fleet.requests.asked == 1


async def test_a_hand_over_that_hangs_does_not_hold_up_the_request() -> None:
    fleet, _ = await stale_fleet()

    async def hang(refresh: Refresh) -> None:
        await asyncio.Event().wait()

    limits = Limits(catalog_handover_s=0.01)
    shared = SharedCatalogs(fleet.records, fleet.turns, limits)
    catalogs = Catalogs([fleet.notes], shared, limits, fleet.clock, hand_over=hang)
    assert await fleet.names(catalogs) == ["one"]
    assert fleet.turns.held == set[str]()


async def test_while_one_request_hands_over_the_others_are_served() -> None:
    fleet, _ = await stale_fleet()
    begun, go_on = asyncio.Event(), asyncio.Event()

    async def slow(refresh: Refresh) -> None:
        begun.set()
        await go_on.wait()

    shared = SharedCatalogs(fleet.records, fleet.turns, LIMITS)
    catalogs = Catalogs([fleet.notes], shared, LIMITS, fleet.clock, hand_over=slow)
    first = asyncio.create_task(fleet.names(catalogs))
    await begun.wait()
    assert await fleet.names(catalogs) == ["one"]
    assert not first.done()
    go_on.set()
    assert await first == ["one"]


async def test_the_local_refresh_outlives_its_request_and_ends_with_the_process() -> None:
    fleet, _ = await stale_fleet()
    fleet.notes.downstream.let_go = asyncio.Event()
    catalogs = fleet.process(background=True)
    assert await fleet.names(catalogs) == ["one"]
    await fleet.notes.downstream.arrived.wait()
    before = asyncio.all_tasks()
    await catalogs.close()
    assert (len(before), len(asyncio.all_tasks()), fleet.turns.held) == (2, 1, set[str]())


async def test_the_local_refresh_is_served_as_soon_as_it_is_there() -> None:
    fleet, _ = await stale_fleet()
    catalogs = fleet.process(background=True)
    assert await fleet.names(catalogs) == ["one"]
    await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}))
    assert await fleet.names(catalogs) == ["one", "two"]
    await catalogs.close()


@pytest.mark.parametrize(
    ("ahead_s", "served"), [(LIMITS.catalog_fresh_s - 1, ["one"]), (LIMITS.catalog_fresh_s, ["one", "two"])]
)
async def test_a_catalog_from_further_in_the_future_than_it_would_be_fresh_is_asked_for_again(
    ahead_s: float, served: list[str]
) -> None:
    """Of a process whose clock is ahead; what a process with another clock asks for replaces it."""
    fleet = Fleet()
    await fleet.names(fleet.process())
    fleet.clock.now -= ahead_s
    fleet.requests.tools = TWO
    assert [await fleet.names(fleet.process()) for _ in range(2)] == [served] * 2
    assert fleet.requests.asked == len(served)


async def test_a_refresh_is_not_spared_by_a_catalog_from_the_future() -> None:
    fleet = Fleet()
    await fleet.names(fleet.process())
    fleet.clock.now -= LIMITS.catalog_fresh_s
    await fleet.process().refresh(Refresh("notes", "v1", Lease(LEASE, "test", 9)))
    assert fleet.notes.downstream.asked == 1


@pytest.mark.parametrize(("listed", "same"), [(ONE, True), ((tool("one", "Reworded"),), False), (TWO, False)])
async def test_an_index_is_used_as_long_as_the_tools_are_what_they_were(listed: tuple[Tool, ...], same: bool) -> None:
    """A refresh mostly brings the same tools; another moment is no reason to index them again."""
    fleet, catalogs = await stale_fleet()
    before = await fleet.load(catalogs)
    index = before.index
    fleet.notes.downstream.tools = listed
    await catalogs.refresh(fleet.hands.taken[0])
    after = await fleet.load(catalogs)
    assert (after.fetched_at - before.fetched_at, after.tools) == (LIMITS.catalog_fresh_s, listed)
    assert (after.index is index, after.index.tools) == (same, listed)


async def test_an_index_outlives_what_other_processes_refresh() -> None:
    fleet, catalogs = await stale_fleet()
    fleet.notes.downstream.tools = ONE
    index = (await fleet.load(catalogs)).index
    await fleet.process().refresh(fleet.hands.taken[0])
    fleet.clock.now += LIMITS.catalog_look_s
    assert (await fleet.load(catalogs)).index is index


def test_a_refresh_travels_as_an_event_and_comes_back_whole() -> None:
    refresh = Refresh("notes", "v1", Lease("name", "holder", 3))
    assert refresh_in(refresh.event()) == refresh


@pytest.mark.parametrize(
    "event",
    [
        {},
        [],
        None,
        "refresh",
        {"connecta": "refresh"},
        {"connecta": "other", "connector": "a", "fingerprint": "b", "lease": {"name": "n", "holder": "h", "fence": 1}},
        {"connecta": "refresh", "connector": "a", "fingerprint": "b", "lease": {"name": "n", "holder": "h"}},
        {"connecta": "refresh", "connector": 5, "fingerprint": "b", "lease": {"name": "n", "holder": "h", "fence": 1}},
        {"version": "2.0", "body": '{"connecta":"refresh"}', "headers": {"connecta": "refresh"}},
    ],
)
def test_no_other_event_is_one(event: object) -> None:
    assert refresh_in(event) is None
