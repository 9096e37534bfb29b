"""Where a catalog comes from, how long it lasts, and what happens when it cannot be had ("Catalogs")."""

import asyncio

import pytest

from connecta.catalog.catalog import Catalog
from connecta.catalog.catalogs import Catalogs
from connecta.catalog.stored import pack, unpack
from connecta.connectors.model import Annotations, Tool
from connecta.failures import Failure, auth_required, unavailable
from connecta.limits import LIMITS, Limits
from tests.fixtures.shelf import READ, WRITE, Clock, Downstream, Kept, Records, ShelfConnector, tool

NOTES = ShelfConnector("notes")
ONE = (tool("one", "The first"),)
TWO = (*ONE, tool("two", "The second", annotations=WRITE))


async def test_a_catalog_is_asked_for_once_while_it_is_fresh() -> None:
    clock, downstream = Clock(), Downstream(ONE)
    catalogs = Catalogs([NOTES], None, LIMITS, clock)
    first = await catalogs.load("notes", lambda: downstream)
    clock.now += LIMITS.catalog_fresh_s - 1
    assert await catalogs.load("notes", lambda: downstream) is first
    assert (first, downstream.asked) == (Catalog(NOTES, ONE, 1_000_000.0), 1)
    clock.now += 1
    downstream.tools = TWO
    assert (await catalogs.load("notes", lambda: downstream)).tools == TWO


async def test_a_new_process_reads_the_kept_catalog_and_asks_nobody() -> None:
    records, clock, downstream = Records(), Clock(), Downstream(TWO)
    await Catalogs([NOTES], records, LIMITS, clock).load("notes", lambda: downstream)
    clock.now += 100
    catalog = await Catalogs([NOTES], records, LIMITS, clock).load("notes", lambda: downstream)
    assert (catalog, downstream.asked) == (Catalog(NOTES, TWO, 1_000_000.0), 1)


@pytest.mark.parametrize("changed", [ShelfConnector("notes", fingerprint="v2"), ShelfConnector("other")])
async def test_a_catalog_kept_for_another_configuration_is_not_used(changed: ShelfConnector) -> None:
    records, downstream = Records(), Downstream(ONE)
    await Catalogs([NOTES], records).load("notes", lambda: downstream)
    await Catalogs([changed], records).load(changed.id, lambda: downstream)
    assert downstream.asked == 2


async def test_tools_known_in_process_never_touch_the_store_or_age() -> None:
    records, clock, downstream = Records(), Clock(), Downstream(ONE)
    catalogs = Catalogs([ShelfConnector("notes", cacheable_catalog=False)], records, LIMITS, clock)
    for _ in range(2):
        await catalogs.load("notes", lambda: downstream)
        clock.now += 10 * LIMITS.catalog_stale_s
    assert (downstream.asked, records.reads, records.held) == (1, 0, {})


async def test_a_failed_refresh_falls_back_to_the_stale_catalog_and_rests_before_the_next() -> None:
    clock, downstream = Clock(), Downstream(ONE)
    catalogs = Catalogs([NOTES], None, LIMITS, clock)
    first = await catalogs.load("notes", lambda: downstream)
    downstream.failure = unavailable("The service is down.")
    clock.now += LIMITS.catalog_fresh_s
    assert [await catalogs.load("notes", lambda: downstream) for _ in range(3)] == [first] * 3
    assert downstream.asked == 2
    clock.now += LIMITS.catalog_retry_s
    await catalogs.load("notes", lambda: downstream)
    assert downstream.asked == 3


async def test_a_kept_stale_catalog_serves_a_new_process_whose_downstream_fails() -> None:
    records, clock = Records(), Clock()
    await Catalogs([NOTES], records, LIMITS, clock).load("notes", lambda: Downstream(ONE))
    clock.now += LIMITS.catalog_stale_s
    failing = Downstream(failure=unavailable("down"))
    catalog = await Catalogs([NOTES], records, LIMITS, clock).load("notes", lambda: failing)
    assert catalog.tools == ONE


async def test_a_catalog_too_stale_is_a_failure() -> None:
    records, clock = Records(), Clock()
    catalogs = Catalogs([NOTES], records, LIMITS, clock)
    await catalogs.load("notes", lambda: Downstream(ONE))
    clock.now += LIMITS.catalog_stale_s + 1
    with pytest.raises(Failure) as raised:
        await catalogs.load("notes", lambda: Downstream(failure=unavailable("The service is down.")))
    assert raised.value.envelope() == {
        "code": "catalog_lookup_failed",
        "message": 'The tools of "notes" could not be listed: The service is down.',
        "retryable": True,
    }


async def test_a_missing_credential_passes_through_as_it_is() -> None:
    """E3."""
    wanted = auth_required("notes", "notes.one", "oauth", "Nobody has connected notes yet.")
    with pytest.raises(Failure) as raised:
        await Catalogs([NOTES], None).load("notes", lambda: Downstream(failure=wanted))
    assert raised.value is wanted


async def test_a_downstream_that_does_not_answer_is_given_up() -> None:
    hanging = Downstream(let_go=asyncio.Event())
    with pytest.raises(Failure) as raised:
        await Catalogs([NOTES], None, Limits(catalog_load_s=0.01)).load("notes", lambda: hanging)
    assert (raised.value.code, raised.value.retryable) == ("catalog_lookup_failed", True)


async def test_a_catalog_of_too_many_tools_is_refused_whole() -> None:
    with pytest.raises(Failure) as raised:
        await Catalogs([NOTES], None, Limits(catalog_tools=1)).load("notes", lambda: Downstream(TWO))
    assert (raised.value.code, raised.value.retryable) == ("catalog_lookup_failed", False)


async def test_an_unreachable_store_costs_a_load_not_the_request() -> None:
    records, downstream = Records(failure=unavailable("no table")), Downstream(ONE)
    assert (await Catalogs([NOTES], records).load("notes", lambda: downstream)).tools == ONE


async def test_a_damaged_record_is_no_record() -> None:
    records = Records({("notes", "v1"): Kept(b'{"format":1,"tools":[{"name":5}]}', 1_000_000.0)})
    catalog = await Catalogs([NOTES], records, LIMITS, Clock()).load("notes", lambda: Downstream(ONE))
    assert catalog.tools == ONE


async def test_requests_that_want_the_same_catalog_share_one_load() -> None:
    downstream, idle = Downstream(ONE, let_go=asyncio.Event()), Downstream(TWO)
    catalogs = Catalogs([NOTES], None)
    leader = asyncio.create_task(catalogs.load("notes", lambda: downstream))
    await downstream.arrived.wait()
    followers = [asyncio.create_task(catalogs.load("notes", lambda: idle)) for _ in range(3)]
    await asyncio.sleep(0)
    release(downstream)
    loaded = await asyncio.gather(leader, *followers)
    assert (len({id(catalog) for catalog in loaded}), downstream.asked, idle.asked) == (1, 1, 0)


async def test_a_failed_load_fails_everyone_who_waited_for_it() -> None:
    downstream = Downstream(failure=unavailable("down"), let_go=asyncio.Event())
    catalogs = Catalogs([NOTES], None)
    leader = asyncio.create_task(catalogs.load("notes", lambda: downstream))
    await downstream.arrived.wait()
    follower = asyncio.create_task(catalogs.load("notes", lambda: downstream))
    await asyncio.sleep(0)
    release(downstream)
    outcomes = await asyncio.gather(leader, follower, return_exceptions=True)
    codes = [outcome.code for outcome in outcomes if isinstance(outcome, Failure)]
    assert (codes, downstream.asked) == (["catalog_lookup_failed"] * 2, 1)


async def test_a_cancelled_request_does_not_take_the_load_of_another_with_it() -> None:
    stuck, working = Downstream(let_go=asyncio.Event()), Downstream(TWO)
    catalogs = Catalogs([NOTES], None)
    leader = asyncio.create_task(catalogs.load("notes", lambda: stuck))
    await stuck.arrived.wait()
    follower = asyncio.create_task(catalogs.load("notes", lambda: working))
    await asyncio.sleep(0)
    leader.cancel()
    assert (await follower).tools == TWO
    with pytest.raises(asyncio.CancelledError):
        await leader


async def test_a_cancelled_follower_leaves_the_load_alone() -> None:
    downstream = Downstream(ONE, let_go=asyncio.Event())
    catalogs = Catalogs([NOTES], None)
    leader = asyncio.create_task(catalogs.load("notes", lambda: downstream))
    await downstream.arrived.wait()
    follower = asyncio.create_task(catalogs.load("notes", lambda: downstream))
    await asyncio.sleep(0)
    follower.cancel()
    with pytest.raises(asyncio.CancelledError):
        await follower
    release(downstream)
    assert (await leader).tools == ONE


def test_a_load_left_behind_on_a_closed_event_loop_does_not_hold_up_the_next_loop() -> None:
    """Lambda may freeze and drop a loop in the middle of a load, and run the next invocation on another."""
    stuck, catalogs = Downstream(let_go=asyncio.Event()), Catalogs([NOTES], None)
    loop = asyncio.new_event_loop()
    left_behind = loop.create_task(catalogs.load("notes", lambda: stuck))
    loop.run_until_complete(stuck.arrived.wait())
    assert asyncio.run(catalogs.load("notes", lambda: Downstream(ONE))).tools == ONE
    left_behind.cancel()
    loop.run_until_complete(asyncio.gather(left_behind, return_exceptions=True))
    loop.close()


@pytest.mark.parametrize("order", [(READ, WRITE), (WRITE, READ)])
async def test_a_name_listed_twice_is_one_tool_and_never_the_more_permissive(
    order: tuple[Annotations, Annotations],
) -> None:
    listed = [tool("same", annotations=annotations) for annotations in order]
    catalog = await Catalogs([NOTES], None).load("notes", lambda: Downstream(listed))
    assert [found.annotations for found in catalog.tools] == [WRITE]


def test_what_is_kept_comes_back_whole() -> None:
    whole = Tool(
        "name\ud800",
        "description",
        "Title",
        {"type": "object", "properties": {"é": True}},
        False,
        Annotations(True, None, False, True),
        {"ui": {"resourceUri": "ui://x"}},
    )
    packed = pack([whole, Tool("bare")], 10_000)
    assert packed is not None
    assert unpack(packed) == (whole, Tool("bare"))


def test_a_catalog_too_large_or_beyond_json_is_not_kept() -> None:
    assert pack([tool("a", "x" * 1_000)], 500) is None
    assert pack([tool("a", input_schema={"minimum": float("nan")})], 10_000) is None


@pytest.mark.parametrize(
    "payload", [b"", b"[]", b"{}", b'{"format":2,"tools":[]}', b'{"format":1,"tools":[[]]}', b"\xff"]
)
def test_anything_else_reads_as_nothing(payload: bytes) -> None:
    assert unpack(payload) is None


def release(downstream: Downstream) -> None:
    assert downstream.let_go is not None
    downstream.let_go.set()
