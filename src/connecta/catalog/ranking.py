"""Which tools a query means, best first.

Complete matches (every term of the query) come before partial ones (at least two), and only where nothing is complete
does any single term do, after those. Within a tier the score decides, then the address, so paging never repeats or
skips.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from connecta.catalog.corpus import Corpus
from connecta.catalog.index import compounds
from connecta.catalog.slices import Members, Slices, added, greatest, number_at, positions_of
from connecta.catalog.tokens import stem, words
from connecta.catalog.vocabulary import STOP_WORDS, SYNONYMS

_SYNONYM: Final = 0.6
_COVERED: Final = 1.0
"""What a term is worth before its rarity: a tool that covers more of a query is the likelier one."""
_NAME_WORDS: Final = 12
"""Longest run of query words read as one tool's name."""
_PRECISION: Final = 4
"""Scores are whole numbers of this much of a level, so that a sum has no order."""


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


def read_query(text: str) -> Query:
    """The terms of ``text``: its words without stop words, each once, and two stop words that together are one word
    that tools use ("to do"); all of its words where that leaves none."""
    said = words(text)
    stems = [stem(word) for word in said]
    joined = compounds(said)
    stops = [word in STOP_WORDS for word in said]
    terms: dict[str, Term] = {}
    for i, pair in enumerate(joined):
        if stops[i] and stops[i + 1] and pair in SYNONYMS:
            terms.setdefault(pair, Term(pair, pair, _alternatives([pair])))
    nothing_else = all(stops) and not terms
    for i, word in enumerate(said):
        if nothing_else or not stops[i]:
            terms.setdefault(stems[i], Term(word, stems[i], _alternatives([stems[i], *joined[max(i - 1, 0) : i + 1]])))
    return Query(tuple(terms.values()), _runs(stems), _runs(said))


def _alternatives(own: Sequence[str]) -> Mapping[str, float]:
    found = {other: _SYNONYM for token in own for other in SYNONYMS.get(token, ())}
    return {**found, **dict.fromkeys(own, 1.0)}


def _runs(sequence: Sequence[str]) -> frozenset[str]:
    spans = range(1, _NAME_WORDS + 1)
    return frozenset("".join(sequence[i : i + span]) for i in range(len(sequence)) for span in spans)


@dataclass(frozen=True, slots=True)
class Ranking:
    """What a query touches of ``corpus``. ``tiers`` are disjoint, best first: complete, partial, single terms;
    ``scores`` order the tools within one, ``covered`` are the tools that each term of the query stands for."""

    corpus: Corpus
    tiers: tuple[Members, Members, Members]
    scores: Slices
    covered: Sequence[Members]

    @property
    def matched(self) -> Members:
        """Complete and partial matches; where nothing is complete also what matches any term."""
        complete, partial, single = self.tiers
        return complete | partial | (0 if complete else single)

    def page(self, allowed: Members, offset: int, limit: int) -> list[int]:
        """The positions at these ranks of ``allowed``, best first."""
        shown: list[int] = []
        for tier in self.tiers:
            group = tier & allowed
            shown.extend(self._ranks(group, offset, limit - len(shown)))
            offset = max(0, offset - group.bit_count())
        return shown

    def _ranks(self, group: Members, offset: int, limit: int) -> list[int]:
        count = group.bit_count()
        if offset >= count or not limit:
            return []
        chosen = greatest(self.scores, group, min(offset + limit, count))
        if offset:
            chosen ^= greatest(self.scores, group, offset)
        return sorted(positions_of(chosen), key=lambda at: (-number_at(self.scores, at), at))

    def terms_of(self, members: Members) -> set[int]:
        """The positions of the query's terms that any of ``members`` covers."""
        return {position for position, covered in enumerate(self.covered) if covered & members}


def rank(corpus: Corpus, query: Query) -> Ranking:
    """Every tool that any term of ``query`` touches."""
    scores: Slices = ()
    covered: list[Members] = []
    touched = twice = 0
    every = -1
    for term in query.terms:
        members, gains = _gains(corpus, term)
        scores = added(scores, gains)
        covered.append(members)
        twice |= touched & members
        touched |= members
        every &= members
    named = corpus.named(query.names) & touched
    if named:
        scores = added(scores, [members & named for members in scores])
    complete = named | every & touched
    return Ranking(corpus, (complete, twice & ~complete, touched & ~twice & ~complete), scores, covered)


def _gains(corpus: Corpus, term: Term) -> tuple[Members, Slices]:
    """The tools ``term`` touches, and what it adds to each one's score: the best of its alternatives, each as rare as
    it is itself."""
    bands: list[tuple[int, Members]] = []
    for token, share in term.alternatives.items():
        word = corpus.word(token)
        rarity = _COVERED + log(1 + (corpus.size - word.frequency + 0.5) / (word.frequency + 0.5))
        bands.extend((round(_PRECISION * share * rarity * level), members) for level, members in word.bands)
    touched = 0
    slices: list[Members] = []
    for gain, members in sorted(bands, reverse=True):
        new = members & ~touched
        if new:
            touched |= new
            slices.extend([0] * (gain.bit_length() - len(slices)))
            for place in range(gain.bit_length()):
                if gain >> place & 1:
                    slices[place] |= new
    return touched, slices
