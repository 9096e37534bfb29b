"""Names that look like a name somebody got wrong."""

from collections.abc import Iterable
from typing import Final

from connecta.catalog.aliases import sanitise
from connecta.catalog.catalog import Catalog
from connecta.catalog.tokens import stem, words
from connecta.limits import LIMITS

_COMPARED_CHARS: Final = 100
_COMPARED_NAMES: Final = 5_000
_ALIKE: Final = 0.5


def nearest_addresses(catalog: Catalog, name: str, limit: int = LIMITS.suggestions) -> list[str]:
    """At most ``limit`` canonical addresses of ``catalog`` whose tools are named much like ``name``, best first."""
    return [f"{catalog.connector.id}.{near}" for near in nearest((tool.name for tool in catalog.tools), name, limit)]


def nearest(names: Iterable[str], wanted: str, limit: int = LIMITS.suggestions) -> list[str]:
    """At most ``limit`` of ``names`` that are much like ``wanted``, best first; ties in alphabetical order."""
    key = _Key(wanted)
    scored: list[tuple[float, str]] = []
    for name, _ in zip(names, range(_COMPARED_NAMES), strict=False):
        likeness = key.likeness(_Key(name))
        if likeness >= _ALIKE:
            scored.append((-likeness, name))
    return [name for _, name in sorted(scored)[:limit]]


class _Key:
    """A name as it is compared: its letters without case and punctuation, and its words."""

    def __init__(self, name: str) -> None:
        self.letters = sanitise(name[:_COMPARED_CHARS]).replace("_", "").casefold()
        self.words = frozenset(map(stem, words(name[:_COMPARED_CHARS])))

    def likeness(self, other: "_Key") -> float:
        """1 for the same letters, else the better of shared words and of letters left in place."""
        if self.letters == other.letters and self.letters:
            return 1.0
        shared = len(self.words & other.words)
        by_words = 2 * shared / (len(self.words) + len(other.words)) if shared else 0.0
        return min(0.99, max(by_words, _by_letters(self.letters, other.letters)))


def _by_letters(left: str, right: str) -> float:
    longest = max(len(left), len(right))
    if not left or not right or abs(len(left) - len(right)) > longest * (1 - _ALIKE):
        return 0.0
    allowed = max(1, longest // 3)
    edits = _edits(left, right, allowed)
    return 1 - edits / longest if edits <= allowed else 0.0


def _edits(left: str, right: str, allowed: int) -> int:
    """Insertions, deletions, replacements and swaps of neighbours between two words; anything above ``allowed`` is
    given as ``allowed + 1``."""
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        following = [i]
        for j, b in enumerate(right, 1):
            cost = min(row[j] + 1, following[j - 1] + 1, row[j - 1] + (a != b))
            if before and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, before[j - 2] + 1)
            following.append(cost)
        if min(following) > allowed:
            return allowed + 1
        before, row = row, following
    return row[-1]
