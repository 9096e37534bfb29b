"""How well search finds tools: graded recall and mean reciprocal rank over a frozen retrieval set."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from connecta.catalog.catalog import Catalog
from connecta.catalog.search import SearchRequest, search
from connecta.connectors.api import api
from connecta.connectors.model import Tool

DATA = Path(__file__).parent / "data" / "tool-search-golden.json"


class GoldenTool(TypedDict):
    connector: str
    name: str
    description: str


class GoldenQuery(TypedDict):
    query: str
    relevant: list[str]


class Golden(TypedDict):
    tools: list[GoldenTool]
    queries: list[GoldenQuery]


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over all queries, each between 0 and 1."""

    recall_1: float
    recall_5: float
    recall_10: float
    reciprocal_rank: float


def measure_quality(golden: Golden) -> Quality:
    catalogs = _catalogs(golden["tools"])
    answers = [(_found(catalogs, row["query"]), frozenset(row["relevant"])) for row in golden["queries"]]
    first = _mean(next((1 / n for n, name in enumerate(found, 1) if name in wanted), 0.0) for found, wanted in answers)
    return Quality(_recall(answers, 1), _recall(answers, 5), _recall(answers, 10), first)


def _recall(answers: Sequence[tuple[list[str], frozenset[str]]], at: int) -> float:
    """The mean share of a query's relevant tools among the first ``at`` found."""
    return _mean(len(wanted.intersection(found[:at])) / len(wanted) for found, wanted in answers)


def _catalogs(tools: Sequence[GoldenTool]) -> list[Catalog]:
    by_connector: dict[str, list[Tool]] = {}
    for tool in tools:
        by_connector.setdefault(tool["connector"], []).append(Tool(tool["name"], tool["description"]))
    return [
        Catalog(api(id, title=id, description=id, base_url="https://tools.example"), tuple(listed), 0.0)
        for id, listed in by_connector.items()
    ]


def _found(catalogs: Sequence[Catalog], query: str) -> list[str]:
    page = search(catalogs, {}, SearchRequest(query, limit=100), [catalog.connector for catalog in catalogs])
    rows = page["tools"]
    return [str(row["address"]) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)
