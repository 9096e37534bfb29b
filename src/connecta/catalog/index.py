"""What search knows of one catalog: which words name or describe which tool, and how strongly."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Final

from connecta.catalog.tokens import stem, tokens, words
from connecta.connectors.model import Connector, Tool
from connecta.text import Json

_NAME: Final = 3.0
_TITLE: Final = 1.5
_DESCRIPTION: Final = 1.0
_PARAMETER: Final = 0.5
_CONNECTOR: Final = 0.5
_SATURATION: Final = 1.2
"""A word said often counts for more than one said once, with falling returns (BM25's k1)."""
_LENGTH_SHARE: Final = 0.6
_USUAL_WORDS: Final = 25
"""A long description says each of its words with less weight (BM25's b, against a usual length)."""
_INDEXED_CHARS: Final = 8_000
_INDEXED_PARAMETERS: Final = 100


@dataclass(frozen=True, slots=True)
class CatalogIndex:
    """``postings``: stem to the positions of tools it stands for, with a weight between 0 and 1.
    ``names``: each tool's name, at its position, as one run of stems."""

    postings: Mapping[str, Sequence[tuple[int, float]]]
    names: tuple[str, ...]


def index_catalog(connector: Connector, tools: Sequence[Tool]) -> CatalogIndex:
    shared = [*tokens(connector.id), *tokens(connector.title or "")]
    postings: dict[str, list[tuple[int, float]]] = {}
    for position, tool in enumerate(tools):
        for token, mass in _masses(tool, shared).items():
            postings.setdefault(token, []).append((position, mass / (mass + _SATURATION)))
    return CatalogIndex(postings, tuple("".join(tokens(tool.name)) for tool in tools))


def _masses(tool: Tool, shared: Sequence[str]) -> dict[str, float]:
    named = words(tool.name)
    described = tokens(tool.description[:_INDEXED_CHARS])
    length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * len(described) / _USUAL_WORDS
    masses: dict[str, float] = {}
    for weight, found in (
        (_NAME, dict.fromkeys([*map(stem, named), *compounds(named)])),
        (_TITLE, dict.fromkeys(tokens(tool.title or ""))),
        (_DESCRIPTION / length, described),
        (_PARAMETER, dict.fromkeys(_parameters(tool.input_schema))),
        (_CONNECTOR, dict.fromkeys(shared)),
    ):
        for token in found:
            masses[token] = masses.get(token, 0.0) + weight
    return masses


def compounds(named: Sequence[str]) -> list[str]:
    """Neighbouring words written as one, so that "timezone" finds ``time_zone`` and the other way round."""
    return [stem(left + right) for left, right in pairwise(named)]


def _parameters(schema: Json) -> list[str]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return []
    return [token for name in islice(properties, _INDEXED_PARAMETERS) for token in tokens(name[:100])]
