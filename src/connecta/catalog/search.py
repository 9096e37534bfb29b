"""One page of a search (S1): browse, rank, filter, cut to the page."""

from collections.abc import Mapping, Sequence

from connecta import failures
from connecta.catalog.analysis import Findings, Outcome, analyse
from connecta.catalog.catalog import Catalog
from connecta.catalog.corpus import corpus_of
from connecta.catalog.ranking import Query, rank, read_query
from connecta.catalog.request import Safety, SearchRequest
from connecta.catalog.rows import RowStyle, tool_row
from connecta.connectors.model import Connector, Tool
from connecta.failures import Failure
from connecta.limits import LIMITS, Limits
from connecta.text import Json, JsonObject, compact, size

__all__ = ["SearchRequest", "search"]


def search(
    catalogs: Sequence[Catalog],
    unavailable: Mapping[str, Failure],
    request: SearchRequest,
    connectors: Sequence[Connector],
    limits: Limits = LIMITS,
) -> JsonObject:
    """``{ tools, total, offset, limit, hasMore, nextOffset?, matchMode?, queryAnalysis? }``.

    ``catalogs`` are those that loaded, ``unavailable`` the failures of those that did not, by connector id;
    ``connectors`` are all of the deployment, in registry order. Raises ``invalid_args`` for a limit or an offset out
    of bounds, ``result_too_large`` for a page over ``limits.page_bytes``.
    """
    _check(request, limits)
    query = read_query(request.query)
    searched = [
        catalog for catalog in _ordered(catalogs, connectors) if request.connector in (None, catalog.connector.id)
    ]
    found = _ranked(searched, query, request) if request.query.strip() else _browsed(searched, request)
    end = request.offset + request.limit
    page: JsonObject = {
        "tools": list[Json](_rows(found.rows, request, limits)),
        "total": found.allowed,
        "offset": request.offset,
        "limit": request.limit,
        "hasMore": end < found.allowed,
    }
    if end < found.allowed:
        page["nextOffset"] = end
    if found.partial:
        page["matchMode"] = "partial"
    analysis = analyse(Findings(query, request, connectors, unavailable, found))
    if analysis is not None:
        page["queryAnalysis"] = analysis
    return _bounded(page, limits)


def _check(request: SearchRequest, limits: Limits) -> None:
    if not 1 <= request.limit <= limits.search_max:
        raise failures.invalid_args(f"limit is a whole number from 1 to {limits.search_max}.")
    if request.offset < 0:
        raise failures.invalid_args("offset is a whole number of 0 or more.")


def _ordered(catalogs: Sequence[Catalog], connectors: Sequence[Connector]) -> list[Catalog]:
    """In registry order, however they finished loading."""
    place = {connector.id: position for position, connector in enumerate(connectors)}
    return sorted(catalogs, key=lambda catalog: place.get(catalog.connector.id, len(place)))


def _browsed(catalogs: Sequence[Catalog], request: SearchRequest) -> Outcome:
    every = [(catalog, tool) for catalog in catalogs for tool in catalog.in_order]
    allowed = [row for row in every if _permits(request.safety, row[1])]
    return Outcome(allowed[request.offset : request.offset + request.limit], len(every), len(allowed))


def _ranked(catalogs: Sequence[Catalog], query: Query, request: SearchRequest) -> Outcome:
    owners = {catalog.connector.id: catalog for catalog in catalogs}
    corpus = corpus_of(tuple(catalog.index for catalog in catalogs))
    ranking = rank(corpus, query)
    matched = ranking.matched
    allowed = matched & {"readOnly": corpus.safe, "approvalRequired": ~corpus.safe, "all": matched}[request.safety]
    shown = ranking.page(allowed, request.offset, request.limit)
    return Outcome(
        [(owners[connector.id], tool) for connector, tool in map(corpus.tool, shown)],
        matched.bit_count(),
        allowed.bit_count(),
        ranking.terms_of(matched),
        ranking.terms_of(sum(1 << at for at in shown)),
        partial=bool(shown) and not ranking.tiers[0] & allowed,
    )


def _permits(safety: Safety, tool: Tool) -> bool:
    """``readOnly`` is exactly what a program may call, ``approvalRequired`` the rest (S1a)."""
    return safety == "all" or tool.annotations.program_may_call == (safety == "readOnly")


def _rows(shown: Sequence[tuple[Catalog, Tool]], request: SearchRequest, limits: Limits) -> list[JsonObject]:
    chars = None if request.full_descriptions else limits.search_description_chars
    style = RowStyle(chars, request.include_schemas, request.include_schema_keys or request.include_schemas is not None)
    return [tool_row(catalog, tool, style) for catalog, tool in shown]


def _bounded(page: JsonObject, limits: Limits) -> JsonObject:
    if size(compact(page)) > limits.page_bytes:
        raise failures.result_too_large(
            f"This page is over {limits.page_bytes:,} bytes. Ask for less: a smaller limit, one connector, "
            'fullDescriptions off, includeSchemas "compact" or no schemas.'
        )
    return page
