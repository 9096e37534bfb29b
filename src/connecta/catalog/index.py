"""What search knows of one catalog: which words name or describe which tool, and how strongly."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, pairwise
from math import log2
from typing import Final

from connecta.catalog.tokens import stem, tokens, words
from connecta.connectors.model import Connector, Tool
from connecta.text import Json

LEVELS: Final = 256
"""How finely the weight of a word for a tool is told apart."""

_NAME: Final = 3.0
_TITLE: Final = 1.5
_DESCRIPTION: Final = 1.0
_PARAMETER: Final = 0.5
_CONNECTOR: Final = 0.5
_SATURATION: Final = 1.2
"""A word said often counts for more than one said once, with falling returns (BM25's k1)."""
_LENGTH_SHARE: Final = 0.6
_USUAL_WORDS: Final = 25
_LENGTH_STEPS: Final = 4
"""Lengths told apart from one to its double. Few weights a word means few sets to search."""
"""A long description says each of its words with less weight (BM25's b, against a usual length)."""
_INDEXED_CHARS: Final = 8_000
_INDEXED_PARAMETERS: Final = 100


@dataclass(frozen=True, eq=False)
class CatalogIndex:
    """The index of ``tools``, which are in the order of their names; a position is a place in that order.

    ``postings``: a stem's tools, each as ``position * LEVELS + level`` where the level says how strongly the stem
    stands for the tool. ``names``: each tool's name as one run of stems. Equal only to itself.
    """

    connector: Connector
    tools: tuple[Tool, ...]
    postings: Mapping[str, Sequence[int]]
    names: tuple[str, ...]


def index_catalog(connector: Connector, tools: Sequence[Tool]) -> CatalogIndex:
    """``tools`` are in the order of their names."""
    shared = dict.fromkeys([*tokens(connector.id), *tokens(connector.title or "")], _CONNECTOR)
    postings: defaultdict[str, list[int]] = defaultdict(list)
    names: list[str] = []
    for position, tool in enumerate(tools):
        named = words(tool.name)
        stems = [stem(word) for word in named]
        names.append("".join(stems))
        at = position * LEVELS
        for token, mass in _masses(tool, [*stems, *compounds(named)], shared).items():
            postings[token].append(at + _level(mass))
    packed = {token: array("L", found) for token, found in postings.items()}
    return CatalogIndex(connector, tuple(tools), packed, tuple(names))


@lru_cache(maxsize=4_096)
def _level(mass: float) -> int:
    """The weight of a word said so much, from 1 to ``LEVELS`` - 1."""
    return int(LEVELS * mass / (mass + _SATURATION)) or 1


def _masses(tool: Tool, named: Sequence[str], shared: Mapping[str, float]) -> dict[str, float]:
    """How much each stem is said of ``tool``. A name, a title and parameters say a word once, a description as often
    as it does."""
    described = tokens(tool.description[:_INDEXED_CHARS])
    said = _said(len(described))
    masses = {token: said * times for token, times in Counter(described).items()}
    for token in set(named):
        masses[token] = masses.get(token, 0.0) + _NAME
    for token in set(tokens(tool.title)) if tool.title else ():
        masses[token] = masses.get(token, 0.0) + _TITLE
    for token in _parameters(tool.input_schema):
        masses[token] = masses.get(token, 0.0) + _PARAMETER
    for token, mass in shared.items():
        masses[token] = masses.get(token, 0.0) + mass
    return masses


@lru_cache(maxsize=4_096)
def _said(length: int) -> float:
    """What a word of a description of so many words weighs; about equal lengths weigh the same."""
    about = 2 ** (round(_LENGTH_STEPS * log2(length)) / _LENGTH_STEPS) if length else 0
    return _DESCRIPTION / (1 - _LENGTH_SHARE + _LENGTH_SHARE * about / _USUAL_WORDS)


def compounds(named: Sequence[str]) -> list[str]:
    """Neighbouring words written as one, so that "timezone" finds ``time_zone`` and the other way round."""
    return [stem(left + right) for left, right in pairwise(named)]


def _parameters(schema: Json) -> set[str]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return set()
    return {token for name in islice(properties, _INDEXED_PARAMETERS) for token in _parameter(name)}


@lru_cache(maxsize=4_096)
def _parameter(name: str) -> tuple[str, ...]:
    """The stems of a parameter's name: a catalog's tools have most of theirs in common."""
    return tuple(tokens(name[:100]))
