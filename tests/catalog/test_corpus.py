"""What a search is answered with is made once and used again, within a bound; whoever reads it cannot tell."""

from collections.abc import Iterator, Mapping, Sequence

from connecta.catalog.corpus import Corpus, corpus_of
from connecta.catalog.index import LEVELS, CatalogIndex
from tests.fixtures.shelf import ShelfConnector, catalog, tool

MIB = 1024 * 1024
TOOLS = 20_000
SET_BYTES = TOOLS // 8
WORDS = [f"w{number}" for number in range(10 * MIB // SET_BYTES)]
"""Sets of 10 MiB together: more than a corpus keeps."""


class Postings(Mapping[str, Sequence[int]]):
    """Every word is said once, of the last tool. Counts what it is read for."""

    def __init__(self) -> None:
        self.reads: list[str] = []

    def __getitem__(self, word: str) -> Sequence[int]:
        self.reads.append(word)
        return [(TOOLS - 1) * LEVELS + 7]

    def __iter__(self) -> Iterator[str]:
        return iter(WORDS)

    def __len__(self) -> int:
        return len(WORDS)


def wide(postings: Postings) -> CatalogIndex:
    same = tool("same")
    return CatalogIndex(ShelfConnector("wide"), (same,) * TOOLS, postings, ("same",) * TOOLS)


def test_the_tools_of_a_word_are_looked_up_once() -> None:
    postings = Postings()
    corpus = Corpus([wide(postings)])
    first = corpus.word("w0")
    assert corpus.word("w0") is first
    assert (first.frequency, first.bands, postings.reads) == (1, ((7, 1 << TOOLS - 1),), ["w0"])


def test_a_corpus_keeps_8_mib_of_words_and_looks_the_others_up_again() -> None:
    postings = Postings()
    corpus = Corpus([wide(postings)])
    answers = [corpus.word(word) for word in WORDS]
    assert postings.reads == WORDS
    kept = 0
    for word in reversed(WORDS):
        corpus.word(word)
        if len(postings.reads) > len(WORDS):
            break
        kept += 1
    assert MIB < kept * SET_BYTES <= 8 * MIB
    assert [corpus.word(word) for word in WORDS] == answers


def test_the_same_indexes_are_one_corpus_and_of_few_of_them_at_a_time() -> None:
    """Those of all catalogs, and of the connectors that searches are scoped to."""
    indexes = [catalog(f"c{number}", tool("look")).index for number in range(9)]
    first = corpus_of((indexes[0],))
    assert corpus_of((indexes[0],)) is first
    assert [corpus_of((index,)).size for index in indexes[1:]] == [1] * 8
    assert corpus_of((indexes[0],)) is not first
