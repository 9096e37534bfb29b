"""Arrays that cover every pair: few combinations in which any two values of two factors still come together once."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

Combination = tuple[str, ...]
"""One value of each factor, in the factors' order."""


def every(factors: Mapping[str, Sequence[str]]) -> list[Combination]:
    """All combinations there are."""
    return list(product(*factors.values()))


def pairwise(factors: Mapping[str, Sequence[str]]) -> list[Combination]:
    """Combinations that cover every pair, each chosen for most pairs not covered yet; the same ones every time."""
    candidates = every(factors)
    missing = {pair for each in candidates for pair in pairs(each)}
    chosen: list[Combination] = []
    while missing:
        best = max(candidates, key=lambda each: len(missing.intersection(pairs(each))))
        missing.difference_update(pairs(best))
        chosen.append(best)
    return chosen


def pairs(combination: Combination) -> Iterator[tuple[tuple[int, str], tuple[int, str]]]:
    """Every two values of ``combination``, each with the place of its factor."""
    return combinations(enumerate(combination), 2)
