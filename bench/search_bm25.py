"""Plain BM25, what the ranking is compared with: words as they are written, no stems, no other words for them."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping
from math import log
from typing import Final

_WORD: Final = re.compile(r"[^\W_]+")
_SATURATION: Final = 1.2
_LENGTH_SHARE: Final = 0.75


class PlainIndex:
    """``texts`` by address."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._counts = {address: Counter(_words(text)) for address, text in texts.items()}
        self._usual = sum(counts.total() for counts in self._counts.values()) / len(self._counts)
        self._frequency = Counter(word for counts in self._counts.values() for word in counts)

    def ranked(self, query: str) -> list[str]:
        """Addresses that have any word of ``query``, best first."""
        scores: defaultdict[str, float] = defaultdict(float)
        for word in set(_words(query)) & self._frequency.keys():
            frequency = self._frequency[word]
            rarity = log(1 + (len(self._counts) - frequency + 0.5) / (frequency + 0.5))
            for address, counts in self._counts.items():
                if word in counts:
                    length = 1 - _LENGTH_SHARE + _LENGTH_SHARE * counts.total() / self._usual
                    scores[address] += rarity * counts[word] * (_SATURATION + 1) / (counts[word] + _SATURATION * length)
        return sorted(scores, key=lambda address: (-scores[address], address))


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)]
