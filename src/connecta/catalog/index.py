"""What search knows of one catalog: which words name or describe which tool, and how strongly."""

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice
from math import log2
from operator import add
from typing import Final

from connecta.catalog.tokens import stem, stems_of, tokens, words
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
_PARAMETER_CHARS: Final = 100


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
        stems = list(map(stem, named))
        names.append("".join(stems))
        _post(postings, position * LEVELS, _masses(tool, [*stems, *compounds(named)], shared), tool.description)
    packed = {token: array("L", found) for token, found in postings.items()}
    return CatalogIndex(connector, tuple(tools), packed, tuple(names))


def _post(postings: Mapping[str, list[int]], at: int, masses: dict[str, float], description: str) -> None:
    """Adds a tool's words. ``masses`` is how much each stem is said of it beside its description, which says a word as
    often as it does; most words are said there alone and once, all with one weight."""
    described = tokens(description[:_INDEXED_CHARS])
    times = Counter(described)
    said = _said(len(described))
    once = at + _level(said)
    for token, count in times.items():
        if token in masses:
            masses[token] += said * count
        elif count == 1:
            postings[token].append(once)
        else:
            postings[token].append(at + _level(said * count))
    for token, mass in masses.items():
        postings[token].append(at + _level(mass))


@lru_cache(maxsize=4_096)
def _level(mass: float) -> int:
    """The weight of a word said so much, from 1 to ``LEVELS`` - 1."""
    return int(LEVELS * mass / (mass + _SATURATION)) or 1


def _masses(tool: Tool, named: Sequence[str], shared: Mapping[str, float]) -> dict[str, float]:
    """How much each stem is said of ``tool`` by its connector, parameters, title and name, each of which says a word
    once."""
    masses = dict(shared)
    for said, mass in (
        (_parameters(tool.input_schema), _PARAMETER),
        (set(tokens(tool.title)) if tool.title else (), _TITLE),
        (set(named), _NAME),
    ):
        for token in said:
            masses[token] = masses.get(token, 0.0) + mass
    return masses


@lru_cache(maxsize=4_096)
def _said(length: int) -> float:
    """What a word of a description of so many words weighs; about equal lengths weigh the same."""
    about = 2 ** (round(_LENGTH_STEPS * log2(length)) / _LENGTH_STEPS) if length else 0
    return _DESCRIPTION / (1 - _LENGTH_SHARE + _LENGTH_SHARE * about / _USUAL_WORDS)


def compounds(named: Sequence[str]) -> list[str]:
    """Neighbouring words written as one, so that "timezone" finds ``time_zone`` and the other way round."""
    return list(map(stem, map(add, named, named[1:])))


def _parameters(schema: Json) -> set[str]:
    properties = schema.get("properties") if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        return set()
    named = [name[:_PARAMETER_CHARS] for name in islice(properties, _INDEXED_PARAMETERS)]
    return set(chain.from_iterable(map(stems_of, named)))
