"""Where a catalog comes from, how long it lasts, and what happens when it cannot be had ("Catalogs")."""

import asyncio

import pytest

from connecta.catalog.catalog import Catalog
from connecta.catalog.catalogs import Catalogs
from connecta.catalog.shared import SharedCatalogs
from connecta.catalog.stored import pack, unpack
from connecta.connectors.model import Annotations, Tool
from connecta.failures import Failure, auth_required, unavailable
from connecta.limits import LIMITS, Limits
from tests.fixtures.shelf import READ, WRITE, Clock, Downstream, Kept, Records, ShelfConnector, Turns, tool

NOTES = ShelfConnector("notes")
ONE = (tool("one", "The first"),)
TWO = (*ONE, tool("two", "The second", annotations=WRITE))


def process(
    records: Records | None = None,
    clock: Clock | None = None,
    *,
    connector: ShelfConnector = NOTES,
    turns: Turns | None = None,
    limits: Limits = LIMITS,
) -> Catalogs:
    """The catalogs of one more process of the fleet that shares ``records`` and ``turns``."""
    shared = SharedCatalogs(records or Records(), turns or Turns(), limits)
    return Catalogs([connector], shared, limits, clock or Clock())


async def test_a_catalog_is_asked_for_once_while_it_is_fresh() -> None:
    clock, downstream = Clock(), Downstream(ONE)
    catalogs = process(clock=clock)
    first = await catalogs.load("notes", lambda: downstream)
    clock.now += LIMITS.catalog_fresh_s - 1
    assert await catalogs.load("notes", lambda: downstream) is first
    assert (first, downstream.asked) == (Catalog(NOTES, ONE, 1_000_000.0), 1)


async def test_a_new_process_reads_the_kept_catalog_and_asks_nobody() -> None:
    records, clock, downstream = Records(), Clock(), Downstream(TWO)
    await process(records, clock).load("notes", lambda: downstream)
    clock.now += 100
    catalog = await process(records, clock).load("notes", lambda: downstream)
    assert (catalog, downstream.asked) == (Catalog(NOTES, TWO, 1_000_000.0), 1)


@pytest.mark.parametrize("changed", [ShelfConnector("notes", fingerprint="v2"), ShelfConnector("other")])
async def test_a_catalog_kept_for_another_configuration_is_not_used(changed: ShelfConnector) -> None:
    records, downstream = Records(), Downstream(ONE)
    await process(records).load("notes", lambda: downstream)
    await process(records, connector=changed).load(changed.id, lambda: downstream)
    assert downstream.asked == 2


async def test_tools_known_in_process_never_touch_the_store_or_age() -> None:
    records, clock, turns, downstream = Records(), Clock(), Turns(), Downstream(ONE)
    catalogs = process(records, clock, turns=turns, connector=ShelfConnector("notes", cacheable_catalog=False))
    for _ in range(2):
        await catalogs.load("notes", lambda: downstream)
        clock.now += 10 * LIMITS.catalog_stale_s
    assert (downstream.asked, records.reads, records.held, turns.given) == (1, 0, {}, 0)


async def test_a_catalog_too_stale_is_a_failure() -> None:
    records, clock = Records(), Clock()
    catalogs = process(records, clock)
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
        await process().load("notes", lambda: Downstream(failure=wanted))
    assert raised.value is wanted


async def test_a_downstream_that_does_not_answer_is_given_up() -> None:
    hanging = Downstream(let_go=asyncio.Event())
    with pytest.raises(Failure) as raised:
        await process(limits=Limits(catalog_load_s=0.01)).load("notes", lambda: hanging)
    assert (raised.value.code, raised.value.retryable) == ("catalog_lookup_failed", True)


async def test_a_catalog_of_too_many_tools_is_refused_whole() -> None:
    with pytest.raises(Failure) as raised:
        await process(limits=Limits(catalog_tools=1)).load("notes", lambda: Downstream(TWO))
    assert (raised.value.code, raised.value.retryable) == ("catalog_lookup_failed", False)


@pytest.mark.parametrize(
    ("records", "turns"),
    [
        (Records(failure=unavailable("no table")), Turns(failure=unavailable("no table"))),
        (Records(), Turns(failure=unavailable("no table"))),
    ],
)
async def test_an_unreachable_store_costs_a_load_not_the_request(records: Records, turns: Turns) -> None:
    downstream = Downstream(ONE)
    assert (await process(records, turns=turns).load("notes", lambda: downstream)).tools == ONE


@pytest.mark.parametrize("kept", [b'{"format":1,"tools":[{"name":5}]}', b'{"format":2,"tools":{"one":{}}}'])
async def test_a_damaged_record_is_no_record_and_one_of_another_version_of_the_code_neither(kept: bytes) -> None:
    """Asked for once, and kept for those that run the same code."""
    records, downstream = Records({("notes", "v1"): Kept(kept, 1_000_000.0)}), Downstream(ONE)
    loaded = [(await process(records).load("notes", lambda: downstream)).tools for _ in range(2)]
    assert (loaded, downstream.asked) == ([ONE, ONE], 1)


async def test_whatever_a_first_load_ends_in_the_next_process_may_ask() -> None:
    turns = Turns()
    outcomes = [Downstream(failure=unavailable("down")), Downstream(ONE, let_go=asyncio.Event())]
    with pytest.raises(Failure):
        await process(turns=turns).load("notes", lambda: outcomes[0])
    abandoned = asyncio.create_task(process(turns=turns).load("notes", lambda: outcomes[1]))
    await outcomes[1].arrived.wait()
    abandoned.cancel()
    with pytest.raises(asyncio.CancelledError):
        await abandoned
    assert (await process(turns=turns).load("notes", lambda: Downstream(ONE))).tools == ONE
    assert (turns.given, turns.held, turns.rested_s) == (3, set[str](), [0.0] * 3)


async def test_a_process_without_a_catalog_waits_for_the_one_that_asks() -> None:
    """One process of the fleet asks a downstream ("Catalogs")."""
    records, turns = Records(), Turns()
    downstream, idle = Downstream(ONE, let_go=asyncio.Event()), Downstream(TWO)
    limits = Limits(catalog_poll_s=0.001)
    first = asyncio.create_task(process(records, turns=turns).load("notes", lambda: downstream))
    await downstream.arrived.wait()
    second = asyncio.create_task(process(records, turns=turns, limits=limits).load("notes", lambda: idle))
    await turns.refused.wait()
    release(downstream)
    assert [(await task).tools for task in (first, second)] == [ONE, ONE]
    assert (downstream.asked, idle.asked) == (1, 0)


async def test_a_process_does_not_wait_longer_for_another_than_for_the_downstream() -> None:
    turns, idle = Turns(), Downstream(ONE)
    downstream = Downstream(ONE, let_go=asyncio.Event())
    first = asyncio.create_task(process(turns=turns).load("notes", lambda: downstream))
    await downstream.arrived.wait()
    with pytest.raises(Failure) as raised:
        await process(turns=turns, limits=Limits(catalog_load_s=0.01)).load("notes", lambda: idle)
    release(downstream)
    await first
    assert (raised.value.code, raised.value.retryable, idle.asked) == ("catalog_lookup_failed", True, 0)


async def test_requests_that_want_the_same_catalog_share_one_load() -> None:
    downstream, idle = Downstream(ONE, let_go=asyncio.Event()), Downstream(TWO)
    catalogs = process()
    leader = asyncio.create_task(catalogs.load("notes", lambda: downstream))
    await downstream.arrived.wait()
    followers = [asyncio.create_task(catalogs.load("notes", lambda: idle)) for _ in range(3)]
    await asyncio.sleep(0)
    release(downstream)
    loaded = await asyncio.gather(leader, *followers)
    assert (len({id(catalog) for catalog in loaded}), downstream.asked, idle.asked) == (1, 1, 0)


async def test_a_failed_load_fails_everyone_who_waited_for_it() -> None:
    downstream = Downstream(failure=unavailable("down"), let_go=asyncio.Event())
    catalogs = process()
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
    catalogs = process()
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
    catalogs = process()
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
    """Lambda may freeze and drop a loop in the middle of a load, and run the next invocation on another, when the
    lease of the first has ended."""
    stuck, turns = Downstream(let_go=asyncio.Event()), Turns()
    catalogs = process(turns=turns)
    loop = asyncio.new_event_loop()
    left_behind = loop.create_task(catalogs.load("notes", lambda: stuck))
    loop.run_until_complete(stuck.arrived.wait())
    turns.held.clear()
    assert asyncio.run(catalogs.load("notes", lambda: Downstream(ONE))).tools == ONE
    left_behind.cancel()
    loop.run_until_complete(asyncio.gather(left_behind, return_exceptions=True))
    loop.close()


@pytest.mark.parametrize("order", [(READ, WRITE), (WRITE, READ)])
async def test_a_name_listed_twice_is_one_tool_and_never_the_more_permissive(
    order: tuple[Annotations, Annotations],
) -> None:
    listed = [tool("same", annotations=annotations) for annotations in order]
    catalog = await process().load("notes", lambda: Downstream(listed))
    assert [found.annotations for found in catalog.tools] == [WRITE]


@pytest.mark.parametrize("annotations", [READ, WRITE, Annotations()])
async def test_of_a_name_listed_twice_the_first_counts(annotations: Annotations) -> None:
    listed = [tool("same", said, annotations=annotations) for said in ("First", "Second")]
    catalog = await process().load("notes", lambda: Downstream([*listed, tool("other")]))
    assert [(found.name, found.description) for found in catalog.tools] == [("same", "First"), ("other", "")]


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
