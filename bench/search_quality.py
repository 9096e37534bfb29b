"""How well search finds tools: graded recall and mean reciprocal rank over frozen retrieval sets."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NotRequired, TypeAlias, TypedDict

from bench.search_bm25 import PlainIndex
from connecta.catalog.catalog import Catalog
from connecta.catalog.search import SearchRequest, search
from connecta.connectors.api import api
from connecta.connectors.model import Tool
from connecta.text import JsonObject

_FOLDER: Final = Path(__file__).parent / "data"
DATA: Final = _FOLDER / "tool-search-golden.json"
SETS: Final = {
    "golden": DATA,
    "seen": _FOLDER / "tool-search-seen.json",
    "held out": _FOLDER / "tool-search-held-out.json",
}
"""The set of others that targets are for; one looked at while the vocabulary was written; one that never was."""


class GoldenTool(TypedDict):
    connector: str
    name: str
    description: str
    parameters: NotRequired[list[str]]


class GoldenQuery(TypedDict):
    query: str
    relevant: list[str]


class Golden(TypedDict):
    titles: NotRequired[dict[str, str]]
    tools: list[GoldenTool]
    queries: list[GoldenQuery]


Ranker: TypeAlias = Callable[[str], list[str]]
"""The addresses of the tools found for a query, best first."""


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over all queries, each between 0 and 1."""

    recall_1: float
    recall_5: float
    recall_10: float
    reciprocal_rank: float


@dataclass(frozen=True, slots=True)
class Compared:
    """The ranking beside plain BM25 (name twice, description once, no stemming), over the same queries."""

    queries: int
    ours: Quality
    plain: Quality


def compare_quality() -> Mapping[str, Compared]:
    """Every set by its name."""
    return {name: _compared(json.loads(path.read_text())) for name, path in SETS.items()}


def _compared(golden: Golden) -> Compared:
    plain = PlainIndex({f"{tool['connector']}.{tool['name']}": _text(tool) for tool in golden["tools"]})
    return Compared(len(golden["queries"]), measure_quality(golden), _measured(golden, plain.ranked))


def _text(tool: GoldenTool) -> str:
    return f"{tool['name']} {tool['name']} {tool['description']}"


def measure_quality(golden: Golden) -> Quality:
    catalogs = _catalogs(golden)
    return _measured(golden, lambda query: _found(catalogs, query))


def _measured(golden: Golden, ranked: Ranker) -> Quality:
    answers = [(ranked(row["query"]), frozenset(row["relevant"])) for row in golden["queries"]]
    first = _mean(next((1 / n for n, name in enumerate(found, 1) if name in wanted), 0.0) for found, wanted in answers)
    return Quality(_recall(answers, 1), _recall(answers, 5), _recall(answers, 10), first)


def _recall(answers: Sequence[tuple[list[str], frozenset[str]]], at: int) -> float:
    """The mean share of a query's relevant tools among the first ``at`` found."""
    return _mean(len(wanted.intersection(found[:at])) / len(wanted) for found, wanted in answers)


def _catalogs(golden: Golden) -> list[Catalog]:
    by_connector: dict[str, list[Tool]] = {}
    for tool in golden["tools"]:
        by_connector.setdefault(tool["connector"], []).append(_tool(tool))
    titles = golden.get("titles", {})
    return [
        Catalog(api(id, title=titles.get(id, id), description=id, base_url="https://tools.example"), tuple(listed), 0.0)
        for id, listed in by_connector.items()
    ]


def _tool(tool: GoldenTool) -> Tool:
    properties: JsonObject = {name: {"type": "string"} for name in tool.get("parameters", ())}
    return Tool(tool["name"], tool["description"], input_schema={"type": "object", "properties": properties})


def _found(catalogs: Sequence[Catalog], query: str) -> list[str]:
    page = search(catalogs, {}, SearchRequest(query, limit=100), [catalog.connector for catalog in catalogs])
    rows = page["tools"]
    return [str(row["address"]) for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed)
