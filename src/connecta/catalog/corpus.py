"""The catalogs of one search as one body of tools: their indexes side by side, and the sets a query is answered with.

A tool's position is its place in the order of addresses, so that the lowest position wins a tie. Sets are made when a
word is first asked for and kept, within a bound, for the queries that follow.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Final

from connecta.catalog.index import LEVELS, CatalogIndex
from connecta.catalog.slices import Members, members_of
from connecta.connectors.model import Connector, Tool

_KEPT_BYTES: Final = 8 * 1024 * 1024
"""Of sets a corpus keeps; the words people search for are a few hundred."""


@dataclass(frozen=True, slots=True)
class Word:
    """One stem's tools: how many, and the set of them at each level of weight."""

    frequency: int
    bands: tuple[tuple[int, Members], ...]


class Corpus:
    """Safe to share between requests. Of the indexes' tools nothing is copied."""

    def __init__(self, indexes: Iterable[CatalogIndex]) -> None:
        self._indexes = sorted(indexes, key=lambda index: f"{index.connector.id}.")
        *self._starts, self.size = accumulate((len(index.tools) for index in self._indexes), initial=0)
        self._words: dict[str, Word] = {}
        self._kept = 0
        self._names: dict[str, list[int]] = {}
        for start, index in self._owned():
            for at, name in enumerate(index.names, start):
                self._names.setdefault(name, []).append(at)
        self.safe: Members = members_of(
            (
                at
                for start, index in self._owned()
                for at, tool in enumerate(index.tools, start)
                if tool.annotations.program_may_call
            ),
            self.size,
        )
        """Tools a program may call."""

    def tool(self, position: int) -> tuple[Connector, Tool]:
        start, index = next(owned for owned in reversed(self._owned()) if owned[0] <= position)
        return index.connector, index.tools[position - start]

    def named(self, names: frozenset[str]) -> Members:
        """Tools whose whole name is one of ``names``, each a run of stems."""
        return members_of((at for name in names & self._names.keys() for at in self._names[name]), self.size)

    def word(self, stem: str) -> Word:
        word = self._words.get(stem)
        if word is None:
            word = self._read(stem)
            self._keep(stem, word)
        return word

    def _owned(self) -> Sequence[tuple[int, CatalogIndex]]:
        """Every index that has tools, with the position of its first."""
        return [owned for owned in zip(self._starts, self._indexes, strict=True) if owned[1].tools]

    def _read(self, stem: str) -> Word:
        levels: dict[int, list[int]] = {}
        for start, posting in self._postings(stem):
            levels.setdefault(posting % LEVELS, []).append(start + posting // LEVELS)
        bands = tuple((level, members_of(found, self.size)) for level, found in levels.items())
        return Word(sum(map(len, levels.values())), bands)

    def _postings(self, stem: str) -> Iterator[tuple[int, int]]:
        for start, index in self._owned():
            for posting in index.postings.get(stem, ()):
                yield start, posting

    def _keep(self, stem: str, word: Word) -> None:
        """Everything kept makes way at once: which of it matters is then told by the queries that follow."""
        self._kept += 100 + sum(members.bit_length() // 8 for _, members in word.bands)
        if self._kept > _KEPT_BYTES:
            self._words.clear()
            self._kept = 0
        self._words[stem] = word


@lru_cache(maxsize=8)
def corpus_of(indexes: tuple[CatalogIndex, ...]) -> Corpus:
    """One for the same indexes: those of all catalogs, and of the few that searches are scoped to."""
    return Corpus(indexes)
