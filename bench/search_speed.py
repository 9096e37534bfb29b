"""What a search costs over catalogs of growing size: the index, each query for the first time and again, memory."""

import gc
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bench.search_catalogs import combined_catalogs
from bench.search_quality import Golden
from connecta.catalog.catalog import Catalog
from connecta.catalog.request import Format
from connecta.catalog.search import SearchRequest, search

SIZES = (50, 2_000, 10_000)
BUILDS = 5
ROUNDS = 5
KEYWORDS = ("list invoices", "create ticket", "refund", "delete shipment", "git_log", "read customer file by id")
"""What models ask for beside whole sentences."""


@dataclass(frozen=True, slots=True)
class SearchSpeed:
    """Milliseconds over ``tools`` tools: ``index_ms`` of each building of all indexes; ``first_ms`` of each query
    asked of new indexes, ``warm_ms`` of each one asked again, ``schemas_ms`` again with compact schemas. ``held_bytes``
    is what the indexes and the sets kept for those queries take."""

    tools: int
    index_ms: Sequence[float]
    first_ms: Sequence[float]
    warm_ms: Sequence[float]
    schemas_ms: Sequence[float]
    held_bytes: int


def measure_search_speed(golden: Golden) -> list[SearchSpeed]:
    queries = [*(row["query"] for row in golden["queries"]), *KEYWORDS]
    return [_speed(golden, tools, queries) for tools in SIZES]


def _speed(golden: Golden, tools: int, queries: Sequence[str]) -> SearchSpeed:
    built = [_built(golden, tools) for _ in range(BUILDS)]
    catalogs = built[-1][0]
    first = _asked(catalogs, queries)
    warm = [taken for _ in range(ROUNDS) for taken in _asked(catalogs, queries)]
    schemas = _asked(catalogs, queries, "compact")
    index = [taken for _, taken in built]
    return SearchSpeed(tools, index, first, warm, schemas, _held(golden, tools, queries))


def _built(golden: Golden, tools: int) -> tuple[list[Catalog], float]:
    catalogs = combined_catalogs(golden, tools)
    gc.collect()
    return catalogs, _timed(lambda: [catalog.index for catalog in catalogs])


def _asked(catalogs: Sequence[Catalog], queries: Sequence[str], schemas: Format | None = None) -> list[float]:
    connectors = [catalog.connector for catalog in catalogs]

    def ask(query: str) -> float:
        request = SearchRequest(query, include_schemas=schemas)
        return _timed(lambda: search(catalogs, {}, request, connectors))

    return [ask(query) for query in queries]


def _held(golden: Golden, tools: int, queries: Sequence[str]) -> int:
    catalogs = combined_catalogs(golden, tools)
    gc.collect()
    tracemalloc.start()
    try:
        _asked(catalogs, queries)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()


def _timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1e3
