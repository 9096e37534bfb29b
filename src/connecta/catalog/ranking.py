"""Which tools a query means, best first.

Complete matches (every term of the query) come before partial ones (at least two), and only when neither exists
does any single term do. Within a tier the score decides, then the address, so paging never repeats or skips.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import log
from typing import Final

from connecta.catalog.catalog import Catalog
from connecta.catalog.index import compounds
from connecta.catalog.tokens import stem, words
from connecta.catalog.vocabulary import STOP_WORDS, SYNONYMS
from connecta.connectors.model import Tool

_SYNONYM: Final = 0.5
_EXACT_NAME: Final = 1.0
_NAME_WORDS: Final = 12
"""Longest run of query words read as one tool's name."""

COMPLETE: Final = 0
PARTIAL: Final = 1
ANY_TERM: Final = 2


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a query. ``alternatives`` are the stems that stand for it, each with what it counts."""

    word: str
    stem: str
    alternatives: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Query:
    terms: tuple[Term, ...]
    names: frozenset[str]
    """Every run of the query's stems that could be a tool's whole name."""
    spelled: frozenset[str]
    """The same runs as they were written: a connector's name is not stemmed, or any "note" would name "notes"."""


@dataclass(slots=True)
class Hit:
    """One tool a query touches. ``terms`` are the positions of the query's terms it covers."""

    catalog: Catalog
    tool: Tool
    score: float = 0.0
    terms: set[int] = field(default_factory=set[int])
    named: bool = False

    def tier(self, query: Query) -> int:
        if self.named or len(self.terms) == len(query.terms):
            return COMPLETE
        return PARTIAL if len(self.terms) >= 2 else ANY_TERM


def read_query(text: str) -> Query:
    """The terms of ``text``: its words without stop words, each once."""
    said = words(text)
    stems = [stem(word) for word in said]
    kept = [i for i, word in enumerate(said) if word not in STOP_WORDS] or list(range(len(said)))
    joined = compounds(said)
    terms: dict[str, Term] = {}
    for i in kept:
        alternatives = dict.fromkeys(SYNONYMS.get(stems[i], ()), _SYNONYM)
        alternatives.update(dict.fromkeys([stems[i], *joined[max(i - 1, 0) : i + 1]], 1.0))
        terms.setdefault(stems[i], Term(said[i], stems[i], alternatives))
    return Query(tuple(terms.values()), _runs(stems), _runs(said))


def _runs(sequence: Sequence[str]) -> frozenset[str]:
    spans = range(1, _NAME_WORDS + 1)
    return frozenset("".join(sequence[i : i + span]) for i in range(len(sequence)) for span in spans)


def hits(catalogs: Sequence[Catalog], query: Query) -> list[Hit]:
    """Every tool that any term of ``query`` touches, in the order of the tiers."""
    found: dict[tuple[int, int], Hit] = {}
    total = sum(len(catalog.tools) for catalog in catalogs)
    for position, term in enumerate(query.terms):
        for at, gain in _gains(catalogs, term, total).items():
            hit = found.get(at)
            if hit is None:
                catalog = catalogs[at[0]]
                hit = found[at] = Hit(catalog, catalog.tools[at[1]])
            hit.score += gain
            hit.terms.add(position)
    for (owner, at), hit in found.items():
        if catalogs[owner].index.names[at] in query.names:
            hit.named = True
            hit.score *= 1 + _EXACT_NAME
    return sorted(found.values(), key=lambda hit: (hit.tier(query), -hit.score, hit.catalog.address(hit.tool)))


def _gains(catalogs: Sequence[Catalog], term: Term, total: int) -> dict[tuple[int, int], float]:
    """What ``term`` adds to each tool's score: the best of its alternatives, each as rare as it is itself."""
    gains: dict[tuple[int, int], float] = {}
    for token, share in term.alternatives.items():
        postings = [(owner, catalog.index.postings.get(token, ())) for owner, catalog in enumerate(catalogs)]
        frequency = sum(len(found) for _, found in postings)
        rarity = log(1 + (total - frequency + 0.5) / (frequency + 0.5))
        for owner, found in postings:
            for at, weight in found:
                gain = share * rarity * weight
                if gain > gains.get((owner, at), 0.0):
                    gains[owner, at] = gain
    return gains
