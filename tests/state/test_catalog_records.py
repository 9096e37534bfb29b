"""Catalogs shared by every process: the newest whole one, never a mixture."""

import asyncio
import secrets
from dataclasses import replace

import pytest

from connecta.failures import Failure, unavailable
from connecta.limits import LIMITS
from connecta.state.catalogs import CatalogRecords, StoredCatalog
from connecta.state.client import DynamoClient
from connecta.state.records import Record
from connecta.state.table import Condition, Table
from tests.fixtures.dynamodb import TABLE, Clock, StateOpener

SMALL_CHUNKS = replace(LIMITS, state_chunk_bytes=500)


async def test_a_catalog_comes_back_with_the_time_it_was_fetched(open_here: StateOpener) -> None:
    clock = Clock()
    catalogs = open_here(now=clock).catalogs

    await catalogs.save("docs", "f1", b"\x00tools", clock.seconds)

    assert await catalogs.load("docs", "f1") == StoredCatalog(b"\x00tools", clock.seconds)


async def test_a_catalog_is_known_by_deployment_connector_and_fingerprint(open_here: StateOpener) -> None:
    clock = Clock()
    catalogs = open_here("one deployment", now=clock).catalogs
    await catalogs.save("docs", "known-by", b"tools", clock.seconds)

    found = [
        await catalogs.load("doc", "sknown-by"),
        await catalogs.load("docs", "other"),
        await open_here("another deployment", now=clock).catalogs.load("docs", "known-by"),
    ]

    assert found == [None, None, None]


async def test_a_catalog_is_usable_stale_and_then_gone(open_here: StateOpener) -> None:
    """An hour past the fetch, not past the save ("Catalogs")."""
    clock = Clock()
    catalogs = open_here(now=clock).catalogs
    fetched_at = clock.seconds - 60
    await catalogs.save("docs", "f1", b"tools", fetched_at)

    clock.seconds = fetched_at + LIMITS.catalog_stale_s
    assert await catalogs.load("docs", "f1") == StoredCatalog(b"tools", fetched_at)

    clock.seconds += 1
    assert await catalogs.load("docs", "f1") is None


async def test_a_catalog_fetched_earlier_does_not_replace_a_later_one(open_here: StateOpener) -> None:
    clock = Clock()
    catalogs = open_here(now=clock).catalogs

    await catalogs.save("docs", "f1", b"later", clock.seconds)
    await catalogs.save("docs", "f1", b"earlier", clock.seconds - 1)
    assert await catalogs.load("docs", "f1") == StoredCatalog(b"later", clock.seconds)

    await catalogs.save("docs", "f1", b"latest", clock.seconds + 1)
    assert await catalogs.load("docs", "f1") == StoredCatalog(b"latest", clock.seconds + 1)


async def test_a_refresher_that_wakes_up_late_does_not_replace_what_a_later_one_kept(open_here: StateOpener) -> None:
    """Its clock may even be ahead: the fence of its lease says that its turn is over."""
    clock = Clock()
    catalogs = open_here(now=clock).catalogs

    await catalogs.save("docs", "f1", b"second holder", clock.seconds, fence=2)
    await catalogs.save("docs", "f1", b"first holder, late", clock.seconds + 5, fence=1)
    assert await catalogs.load("docs", "f1") == StoredCatalog(b"second holder", clock.seconds)

    await catalogs.save("docs", "f1", b"third holder", clock.seconds - 1, fence=3)
    assert await catalogs.load("docs", "f1") == StoredCatalog(b"third holder", clock.seconds - 1)


async def test_savers_at_once_leave_one_whole_catalog_at_every_moment(open_here: StateOpener) -> None:
    """A reader beside ten savers of many chunks each finds a catalog as somebody saved it, every time."""
    clock = Clock()
    saved = {clock.seconds + number: secrets.token_bytes(6_000) for number in range(11)}
    first, *others = saved.items()
    await open_here(limits=SMALL_CHUNKS, now=clock).catalogs.save("docs", "f1", first[1], first[0])
    savers = [
        asyncio.create_task(open_here(limits=SMALL_CHUNKS, now=clock).catalogs.save("docs", "f1", payload, fetched_at))
        for fetched_at, payload in others
    ]
    reader = open_here(limits=SMALL_CHUNKS, now=clock).catalogs

    seen: list[StoredCatalog | None] = []
    while not all(saver.done() for saver in savers):
        seen.append(await reader.load("docs", "f1"))
    await asyncio.gather(*savers)

    assert [found for found in seen if found is None or saved[found.fetched_at] != found.payload] == []
    assert await reader.load("docs", "f1") == StoredCatalog(saved[max(saved)], max(saved))


class _TableThatBreaks(Table):
    """Takes two chunks and then cannot be reached."""

    written = 0

    async def put(self, record: Record, *, only_over: Condition | None = None) -> bool:
        self.written += 1
        if self.written > 2:
            raise unavailable("It broke.")
        return await super().put(record, only_over=only_over)


async def test_a_save_that_stops_half_way_leaves_the_catalog_before_it(
    open_here: StateOpener, dynamodb_client: DynamoClient
) -> None:
    clock = Clock()
    catalogs = open_here("half way", limits=SMALL_CHUNKS, now=clock).catalogs
    whole = secrets.token_bytes(6_000)
    await catalogs.save("docs", "half way", whole, clock.seconds)
    broken = _TableThatBreaks(TABLE, dynamodb_client, now=clock)

    with pytest.raises(Failure, match=r"It broke\."):
        await CatalogRecords(broken, "half way", SMALL_CHUNKS).save(
            "docs", "half way", secrets.token_bytes(6_000), clock.seconds + 1
        )

    assert await catalogs.load("docs", "half way") == StoredCatalog(whole, clock.seconds)
