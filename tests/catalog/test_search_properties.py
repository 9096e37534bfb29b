"""The pages of a search are those of the plain reading of "Discovery", whatever the catalogs and the query."""

from collections.abc import Mapping, Sequence
from math import log

from hypothesis import given, settings
from hypothesis import strategies as st

from connecta.catalog.catalog import Catalog
from connecta.catalog.index import LEVELS
from connecta.catalog.ranking import Query, read_query
from connecta.catalog.search import SearchRequest, search
from connecta.catalog.slices import added, greatest, members_of, number_at, positions_of
from connecta.connectors.model import Tool
from tests.fixtures.shelf import READ, WRITE, catalog

WORDS = st.sampled_from(
    [
        "create",
        "list",
        "delete",
        "remove",
        "note",
        "notes",
        "time",
        "zone",
        "timezone",
        "the",
        "файл",
        "查找邮件",
        "größe",
    ]
)
TEXTS = st.lists(WORDS, max_size=6).map(" ".join)
TOOLS = st.lists(
    st.builds(
        Tool, st.lists(WORDS, min_size=1, max_size=3).map("_".join), TEXTS, annotations=st.sampled_from([READ, WRITE])
    ),
    max_size=8,
    unique_by=lambda tool: tool.name,
)
SHELVES = st.tuples(TOOLS, TOOLS, TOOLS).map(
    lambda shelves: [catalog(id, *tools) for id, tools in zip(("note-a", "note", "time"), shelves, strict=True)]
)


def plainly_ranked(catalogs: Sequence[Catalog], query: Query) -> list[str]:
    """Addresses in order, each tool scored by itself: the best alternative of every term, a whole name twice."""
    total = sum(len(shelf.tools) for shelf in catalogs)
    ranked: list[tuple[int, int, str]] = []
    for shelf in catalogs:
        for at, name in enumerate(shelf.index.names):
            gains = [_gain(catalogs, shelf, at, term.alternatives, total) for term in query.terms]
            covered = sum(gain > 0 for gain in gains)
            named = name in query.names
            tier = 0 if named or covered == len(gains) else 1 if covered > 1 else 2
            if covered:
                ranked.append((tier, -sum(gains) * (2 if named else 1), shelf.address(shelf.in_order[at])))
    complete = any(tier == 0 for tier, _, _ in ranked)
    return [address for tier, _, address in sorted(ranked) if tier < 2 or not complete]


def _gain(catalogs: Sequence[Catalog], shelf: Catalog, at: int, alternatives: Mapping[str, float], total: int) -> int:
    best = 0
    for token, share in alternatives.items():
        frequency = sum(len(other.index.postings.get(token, ())) for other in catalogs)
        rarity = 1 + log(1 + (total - frequency + 0.5) / (frequency + 0.5))
        level = next((p % LEVELS for p in shelf.index.postings.get(token, ()) if p // LEVELS == at), 0)
        best = max(best, round(4 * share * rarity * level))
    return best


@settings(max_examples=80)
@given(SHELVES, st.lists(WORDS, min_size=1, max_size=6).map(" ".join))
def test_sets_rank_exactly_as_scoring_tool_by_tool_would(shelves: list[Catalog], query: str) -> None:
    """Complete matches, then partial ones, then any term where nothing is complete; ties by address."""
    assert pages(shelves, SearchRequest(query, limit=100)) == plainly_ranked(shelves, read_query(query))


@settings(max_examples=60)
@given(SHELVES, TEXTS, st.sampled_from(["all", "readOnly", "approvalRequired"]), st.integers(1, 5))
def test_pages_of_any_size_repeat_nothing_and_skip_nothing(
    shelves: list[Catalog], query: str, safety: str, limit: int
) -> None:
    """S3; browsing included."""
    assert safety in ("all", "readOnly", "approvalRequired")
    whole = pages(shelves, SearchRequest(query, safety=safety, limit=100))
    assert pages(shelves, SearchRequest(query, safety=safety, limit=limit)) == whole
    assert len(set(whole)) == len(whole)


def pages(shelves: Sequence[Catalog], request: SearchRequest) -> list[str]:
    """The addresses of every page from the first to the last."""
    found: list[str] = []
    offset: object = 0
    while isinstance(offset, int):
        asked = SearchRequest(request.query, safety=request.safety, limit=request.limit, offset=offset)
        page = search(shelves, {}, asked, [shelf.connector for shelf in shelves])
        rows = page["tools"]
        assert isinstance(rows, list)
        found.extend(str(row["address"]) for row in rows if isinstance(row, dict))
        offset = page.get("nextOffset")
        assert len(rows) == request.limit or offset is None
        assert page["total"] == len(found) or page["hasMore"]
    return found


NUMBERS = st.lists(st.integers(0, 40), min_size=1, max_size=30)


@given(NUMBERS, NUMBERS, st.integers(0, 30))
def test_sliced_numbers_add_and_compare_as_numbers_do(left: list[int], right: list[int], count: int) -> None:
    size = min(len(left), len(right))
    total = added(sliced(left[:size]), sliced(right[:size]))
    sums = [one + other for one, other in zip(left, right, strict=False)]
    assert [number_at(total, at) for at in range(size)] == sums
    wanted = sorted(range(size), key=lambda at: (-sums[at], at))[:count]
    assert list(positions_of(greatest(total, (1 << size) - 1, count))) == sorted(wanted)


def sliced(numbers: Sequence[int]) -> list[int]:
    return [members_of((at for at, number in enumerate(numbers) if number >> bit & 1), 30) for bit in range(6)]
