"""One page of a search (S1): browse, rank, filter, cut to the page."""

from collections.abc import Mapping, Sequence

from connecta import failures
from connecta.catalog.analysis import Findings, analyse
from connecta.catalog.catalog import Catalog
from connecta.catalog.ranking import COMPLETE, PARTIAL, Hit, Query, hits, read_query
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
    matched = _ranked(searched, query) if query.terms else _browsed(searched) if not request.query.strip() else []
    allowed = [hit for hit in matched if _permits(request.safety, hit.tool)]
    end = request.offset + request.limit
    shown = allowed[request.offset : end]
    page: JsonObject = {
        "tools": list[Json](_rows(shown, request, limits)),
        "total": len(allowed),
        "offset": request.offset,
        "limit": request.limit,
        "hasMore": end < len(allowed),
    }
    if end < len(allowed):
        page["nextOffset"] = end
    partial = bool(query.terms and shown) and allowed[0].tier(query) != COMPLETE
    if partial:
        page["matchMode"] = "partial"
    analysis = analyse(Findings(query, request, connectors, unavailable, matched, allowed, shown, partial))
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


def _browsed(catalogs: Sequence[Catalog]) -> list[Hit]:
    return [Hit(catalog, tool) for catalog in catalogs for tool in sorted(catalog.tools, key=lambda tool: tool.name)]


def _ranked(catalogs: Sequence[Catalog], query: Query) -> list[Hit]:
    """Complete and partial matches; single terms only where there is neither."""
    found = hits(catalogs, query)
    good = [hit for hit in found if hit.tier(query) <= PARTIAL]
    return good or found


def _permits(safety: Safety, tool: Tool) -> bool:
    """``readOnly`` is exactly what a program may call, ``approvalRequired`` the rest (S1a)."""
    return safety == "all" or tool.annotations.program_may_call == (safety == "readOnly")


def _rows(shown: Sequence[Hit], request: SearchRequest, limits: Limits) -> list[JsonObject]:
    chars = None if request.full_descriptions else limits.search_description_chars
    style = RowStyle(chars, request.include_schemas, request.include_schema_keys or request.include_schemas is not None)
    return [tool_row(hit.catalog, hit.tool, style) for hit in shown]


def _bounded(page: JsonObject, limits: Limits) -> JsonObject:
    if size(compact(page)) > limits.page_bytes:
        raise failures.result_too_large(
            f"This page is over {limits.page_bytes:,} bytes. Ask for less: a smaller limit, one connector, "
            'fullDescriptions off, includeSchemas "compact" or no schemas.'
        )
    return page
