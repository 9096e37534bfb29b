"""Catalogs over a real table, where a part of it is gone or whoever was at work is ("Catalogs")."""

import random
import time

from connecta.catalog.catalog import Catalog
from connecta.catalog.catalogs import Catalogs
from connecta.catalog.shared import SharedCatalogs
from connecta.limits import Limits
from connecta.state.owners import digest
from tests.fixtures.dynamodb import StateOpener, delete_one_chunk
from tests.fixtures.shelf import Downstream, ShelfConnector, tool

NOTES = ShelfConnector("notes")
LARGE = (tool("one", random.Random(1).randbytes(2_000).hex()),)
LIMITS = Limits(state_chunk_bytes=300, catalog_poll_s=0.01)


def shared(open_here: StateOpener, deployment: str) -> SharedCatalogs:
    state = open_here(deployment, limits=LIMITS, now=time.time)
    return SharedCatalogs(state.catalogs, state.leases, LIMITS)


def process(open_here: StateOpener, deployment: str) -> Catalogs:
    return Catalogs([NOTES], shared(open_here, deployment), LIMITS)


async def test_a_catalog_that_lost_a_chunk_is_asked_for_once_more_and_kept_whole(
    open_here: StateOpener, dynamodb: str
) -> None:
    downstream, deployment = Downstream(LARGE), "lost a chunk"
    await process(open_here, deployment).load("notes", lambda: downstream)
    assert (await process(open_here, deployment).load("notes", lambda: downstream)).tools == LARGE
    assert downstream.asked == 1
    delete_one_chunk(dynamodb, digest(deployment, "notes", "v1"))
    loaded = [(await process(open_here, deployment).load("notes", lambda: downstream)).tools for _ in range(2)]
    assert (loaded, downstream.asked) == ([LARGE, LARGE], 2)


async def test_the_turn_of_a_process_that_died_passes_to_one_that_waits(open_here: StateOpener) -> None:
    """What the dead one still kept, should it wake up, does not replace what the living one kept."""
    deployment, downstream = "died", Downstream(LARGE)
    fleet = shared(open_here, deployment)
    dead = await fleet.claim(NOTES, 0.3)
    catalog = await process(open_here, deployment).load("notes", lambda: downstream)
    assert (catalog.tools, downstream.asked) == (LARGE, 1)
    assert dead is not None
    await fleet.keep(Catalog(NOTES, (tool("other"),), time.time() + 9), dead)
    assert await fleet.kept(NOTES) == catalog
