"""Words of a name, a description or a query, as the search index compares them.

Split at punctuation, digit/letter and camel-case boundaries, folded for case, Latin accents and compatibility
forms, lightly stemmed (plural, -ing, -ed; Cyrillic case endings). Any script is indexed; runs of a script written
without spaces, or with particles joined to words, become character pairs, so that a sentence holding a name holds the
name's pairs.
"""

import re
import unicodedata
from functools import lru_cache
from itertools import chain
from typing import Final

_ASCII_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+s?(?![a-z])|[0-9]+")
_ASCII_WRITTEN: Final = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*|[0-9]+")
_ACCENTS: Final = re.compile("[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u0652\u0670]+")
"""Latin, Greek and Cyrillic accents, Hebrew points, Arabic vowel marks and the stroke that only stretches a word."""
_PLAIN: Final = str.maketrans(
    {"đ": "d", "Đ": "D", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "ı": "i", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE"}
)
"""Letters that people write plainly and Unicode does not take apart."""
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003134f]+"
)
_CYRILLIC_ENDING: Final = re.compile(
    "(?<=[а-яёіїєґ]{3})(?:[аеиоуы]ть|[ая]м?и|[ое]в|[аоея]м|[ая]х|ь|[аеёиоуыэюяіїє]{1,2})$"
)
"""The endings of a noun's cases and of an adjective, with й as и, which is what folding leaves of it."""
_KEPT_PIECES: Final = 20_000
_KEPT_CHARS: Final = 100
_VOWEL: Final = re.compile("[aeiouy]")


def words(text: str) -> list[str]:
    """The words of ``text`` in order, folded but not stemmed."""
    if text.isascii():
        return [word.lower() for word in _ASCII_WORD.findall(text)]
    folded = unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFKD", text))).translate(_PLAIN)
    if folded.isascii():
        return [word.lower() for word in _ASCII_WORD.findall(folded)]
    found: list[str] = []
    for run in _runs(folded):
        found.extend(_pairs(run) if _UNSPACED.fullmatch(run) else [run.casefold()])
    return found


def tokens(text: str) -> list[str]:
    """The stems of ``text``'s words in order, what the index holds; after two ASCII words written as one, as in
    "GitHub" or "e-mail", also the one."""
    return list(chain.from_iterable(map(stems_of, text.split())))


def _runs(text: str) -> list[str]:
    """Maximal runs of one kind of letter, or of digits; a combining mark stays with what it marks."""
    runs: list[str] = []
    before = ""
    for position, character in enumerate(text):
        kind = _kind(character, before)
        following = text[position + 1 : position + 2]
        if kind and before and not _boundary(before, kind, following):
            runs[-1] += character
        elif kind:
            runs.append(character)
        before = kind
    return runs


def _kind(character: str, before: str) -> str:
    category = unicodedata.category(character)
    if category[0] == "M":
        return before
    if category[0] == "N":
        return "digit"
    if category[0] != "L":
        return ""
    if _UNSPACED.match(character):
        return "unspaced"
    return "upper" if category == "Lu" else "letter"


def _boundary(before: str, kind: str, following: str) -> bool:
    if before == kind == "upper":
        return following.islower()
    return before != kind and (before, kind) != ("upper", "letter")


def _pairs(run: str) -> list[str]:
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]


def _parts(written: str) -> list[str]:
    """The words of what is written as one, and it as one word where it is of two: "GitHub", "e-mail"."""
    parts = [part.lower() for part in _ASCII_WORD.findall(written)]
    return [*parts, "".join(parts)] if len(parts) == 2 else parts


class _Pieces(dict[str, tuple[str, ...]]):
    """The stems of text without a space, kept: an index is made of few such pieces, said again and again."""

    def __missing__(self, piece: str) -> tuple[str, ...]:
        if piece.isascii():
            stems = tuple(stem(word) for written in _ASCII_WRITTEN.findall(piece) for word in _parts(written))
        else:
            stems = tuple(map(stem, words(piece)))
        if len(piece) <= _KEPT_CHARS:
            if len(self) >= _KEPT_PIECES:
                self.clear()
            self[piece] = stems
        return stems


stems_of: Final = _Pieces().__getitem__
"""The stems of a short text such as a name, kept as a whole; ``tokens`` keeps those of a long text's words."""


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """``word`` without a plural, -ing, -ed, -ion or Cyrillic case ending; short words stay as they are."""
    if len(word) < 3:
        return word
    if not word.isascii():
        return _CYRILLIC_ENDING.sub("", word)
    singular = _singular(word)
    return singular if len(word) == 3 else _without_e(_without_ending(singular))


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return f"{word[:-3]}y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) or not word.endswith("s") else word[:-1]


def _without_ending(word: str) -> str:
    if word.endswith("ied") and len(word) > 4:
        return f"{word[:-3]}y"
    for ending in ("ing", "ed"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and _VOWEL.search(root):
            doubled = len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz"
            return root[:-1] if doubled else root
    return word[:-3] if word.endswith(("tion", "sion")) and len(word) > 7 else word


def _without_e(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("e") else word
