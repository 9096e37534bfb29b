"""What a page that found little says about its query, so that the next one finds more."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from connecta.catalog.catalog import Catalog
from connecta.catalog.ranking import Query
from connecta.catalog.request import SearchRequest
from connecta.catalog.tokens import words
from connecta.connectors.model import Connector, Tool
from connecta.failures import Failure, quote
from connecta.limits import LIMITS
from connecta.text import Json, JsonObject


@dataclass(frozen=True, slots=True)
class Outcome:
    """The ``rows`` of this page; how many tools ``matched`` the query and how many of them its safety filter
    ``allowed``. Terms are positions in the query; ``partial`` is "nothing covers all of them"."""

    rows: Sequence[tuple[Catalog, Tool]]
    matched: int
    allowed: int
    matched_terms: Collection[int] = ()
    shown_terms: Collection[int] = ()
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Findings:
    """One search and what came of it. ``unavailable`` are the failures of catalogs that did not load, by connector
    id."""

    query: Query
    request: SearchRequest
    connectors: Sequence[Connector]
    unavailable: Mapping[str, Failure]
    outcome: Outcome

    @property
    def missing(self) -> dict[str, Failure]:
        """The failures that concern this search's scope."""
        scope = self.request.connector
        return {id: failure for id, failure in self.unavailable.items() if scope in (None, id)}

    @property
    def unknown_connector(self) -> bool:
        scope = self.request.connector
        return scope is not None and all(connector.id != scope for connector in self.connectors)

    @property
    def named(self) -> list[Connector]:
        """Connectors whose id or title the query spells out, when it is not scoped already."""
        if self.request.connector is not None:
            return []
        return [connector for connector in self.connectors if self.query.spelled.intersection(_names(connector))]


def analyse(found: Findings) -> JsonObject | None:
    """``queryAnalysis`` of a page that is partial or empty, misses catalogs, or whose query is only a connector's
    name; ``None`` for any other. Bounded in every field."""
    little = found.outcome.partial or not found.outcome.rows
    if not little and not found.missing and not any(_is_all_of(found.query, connector) for connector in found.named):
        return None
    analysis = _terms(found) if little else {}
    analysis.update(_scope(found))
    analysis["guidance"] = " ".join(_guidance(found))
    return analysis


def _terms(found: Findings) -> JsonObject:
    """The query's terms by where they were found: on this page, on other tools, nowhere."""
    groups: dict[str, list[Json]] = {"representedTerms": [], "otherTerms": [], "unmatchedTerms": []}
    for position, term in enumerate(found.query.terms):
        group = (
            "representedTerms"
            if position in found.outcome.shown_terms
            else "otherTerms"
            if position in found.outcome.matched_terms
            else "unmatchedTerms"
        )
        if len(groups[group]) < LIMITS.analysis_terms:
            groups[group].append(term.word[: LIMITS.analysis_term_chars])
    return {name: listed for name, listed in groups.items() if listed}


def _scope(found: Findings) -> JsonObject:
    scope: JsonObject = {}
    connector, missing = found.request.connector, found.missing
    if missing:
        scope["unavailableConnectorCount"] = len(missing)
    if connector is None:
        return scope
    if found.unknown_connector:
        return {"unknownConnector": quote(connector)}
    scope["connectorScope"] = connector
    if connector in missing:
        scope["catalogError"] = missing[connector].envelope()
    return scope


def _guidance(found: Findings) -> Iterator[str]:
    if found.unknown_connector:
        known = ", ".join(connector.id for connector in found.connectors[:20]) or "none"
        yield f"No connector has that id. The connectors are: {known}."
        return
    if found.outcome.partial:
        yield "No tool matches every term; use fewer or other words."
    elif not found.outcome.rows and found.outcome.allowed:
        yield f"The offset is past the last of {found.outcome.allowed} tools."
    elif not found.outcome.rows and found.outcome.matched:
        yield f'{found.outcome.matched} tools match, but none with safety "{found.request.safety}": search with "all".'
    elif not found.outcome.rows and not found.missing:
        yield _nothing(found)
    waiting = [id for id, failure in found.missing.items() if failure.code == "auth_required"]
    for connector_id in waiting[:3]:
        yield f'"{connector_id}" has to be authorized first: call authorize_connector.'
    silent = len(found.missing) - len(waiting)
    if silent:
        catalogs = f"{silent} catalog{'s' if silent > 1 else ''} did not answer"
        yield f"{catalogs}; what is missing here may still exist. Search again later."
    for connector in found.named[:3]:
        yield f'"{connector.id}" is a connector: browse it with {{ connector: "{connector.id}" }} and no query.'


def _nothing(found: Findings) -> str:
    where = "in any connector" if found.request.connector is None else "in this connector"
    if found.query.terms:
        return (
            f"No such capability {where} by these words: every catalog answered. Before saying so, try other words, "
            "in English too, or browse without a query."
        )
    return "The query has no words to search for." if found.request.query.strip() else f"There are no tools {where}."


def _names(connector: Connector) -> list[str]:
    """The connector's id and title as ``Query.spelled`` would hold them."""
    return [name for name in ("".join(words(text)) for text in (connector.id, connector.title or "")) if name]


def _is_all_of(query: Query, connector: Connector) -> bool:
    return "".join(term.word for term in query.terms) in _names(connector)
