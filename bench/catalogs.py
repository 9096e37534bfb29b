"""What it costs a process that knows no catalog yet to load one that the fleet keeps in DynamoDB."""

import asyncio
import gc
import time
import tracemalloc
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bench.search_catalogs import combined_catalogs
from bench.search_quality import Golden
from bench.search_speed import SIZES
from connecta.catalog.catalog import Catalog
from connecta.catalog.shared import SharedCatalogs
from connecta.catalog.stored import pack
from connecta.connectors.api import api
from connecta.limits import LIMITS
from connecta.state import open_state
from tests.fixtures.dynamodb import TABLE, running_moto

LOADS = 20


@dataclass(frozen=True, slots=True)
class CatalogLoad:
    """One catalog of ``tools`` tools. ``load_ms`` is each whole load, ``cpu_ms`` what this process computed for it:
    the rest is the emulator. ``payload_bytes`` is the catalog as JSON, ``held_bytes`` what it takes when loaded."""

    tools: int
    load_ms: Sequence[float]
    cpu_ms: Sequence[float]
    payload_bytes: int
    held_bytes: int


def measure_catalog_loads(golden: Golden) -> list[CatalogLoad]:
    """With moto as a process of its own for DynamoDB."""
    with running_moto() as endpoint_url:
        return [asyncio.run(_measured(endpoint_url, _catalog(golden, tools))) for tools in SIZES]


def _catalog(golden: Golden, tools: int) -> Catalog:
    """All tools in one connector, since what is loaded and kept is the catalog of one."""
    connector = api(f"all-{tools}", title="All", description="Every tool", base_url="https://tools.example")
    named = (
        replace(tool, name=f"{catalog.connector.id}_{tool.name}")
        for catalog in combined_catalogs(golden, tools)
        for tool in catalog.tools
    )
    return Catalog(connector, tuple(named), time.time())


async def _measured(endpoint_url: str, catalog: Catalog) -> CatalogLoad:
    state = open_state(TABLE, "bench", endpoint_url=endpoint_url)
    shared = SharedCatalogs(state.catalogs, state.leases, LIMITS)
    try:
        await shared.keep(catalog, None)
        _check(await shared.kept(catalog.connector), catalog)
        timed = [await _timed(shared, catalog) for _ in range(LOADS)]
        payload = pack(catalog.tools, LIMITS.catalog_bytes)
        assert payload is not None
        load_ms, cpu_ms = zip(*timed, strict=True)
        return CatalogLoad(len(catalog.tools), load_ms, cpu_ms, len(payload), await _held(shared, catalog))
    finally:
        await state.close()


async def _timed(shared: SharedCatalogs, catalog: Catalog) -> tuple[float, float]:
    gc.collect()
    started, computed = time.perf_counter(), time.process_time()
    kept = await shared.kept(catalog.connector)
    taken = (time.perf_counter() - started) * 1e3, (time.process_time() - computed) * 1e3
    _check(kept, catalog)
    return taken


def _check(kept: Catalog | None, catalog: Catalog) -> None:
    if kept is None or kept.tools != catalog.tools:
        raise SystemExit(f"the catalog of {len(catalog.tools)} tools did not come back as it was kept")


async def _held(shared: SharedCatalogs, catalog: Catalog) -> int:
    gc.collect()
    tracemalloc.start()
    try:
        kept = await shared.kept(catalog.connector)
        gc.collect()
        held = tracemalloc.get_traced_memory()[0]
        _check(kept, catalog)
        return held
    finally:
        tracemalloc.stop()
