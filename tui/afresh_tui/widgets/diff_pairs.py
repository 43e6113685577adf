"""Which removed line stands beside which added one, where a run of lines took the place of another."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest

Pair = tuple[int | None, int | None]
"""Indices of a removed and of an added line; None where the other has nobody beside it."""

_WORD = re.compile(r"\w+|[^\w\s]")
_ALIKE = 0.35
"""Lines less alike than this are not each other's successors."""
_MOST_COMPARISONS = 2500
"""Of each line with each; a longer run is paired by position."""


def pairs(removed: Sequence[str], added: Sequence[str]) -> list[Pair]:
    """Pair the lines of a run in their order, the likest with each other.

    Lines between two pairs that have no partner share rows all the same, from the top: the space beside them
    would be empty otherwise.
    """
    if not removed or not added or len(removed) * len(added) > _MOST_COMPARISONS:
        return _filled(range(len(removed)), range(len(added)))
    anchors = _anchors([_words(line) for line in removed], [_words(line) for line in added])
    found: list[Pair] = []
    left = right = 0
    for one, two in [*anchors, (len(removed), len(added))]:
        found += _filled(range(left, one), range(right, two))
        if one < len(removed):
            found.append((one, two))
        left, right = one + 1, two + 1
    return found


def _filled(left: range, right: range) -> list[Pair]:
    return list(zip_longest(left, right))


def _words(line: str) -> Counter[str]:
    return Counter(_WORD.findall(line))


def _anchors(removed: Sequence[Counter[str]], added: Sequence[Counter[str]]) -> list[tuple[int, int]]:
    """The pairs, in order and without crossings, whose likenesses add up to the most."""
    alike = [[_likeness(one, two) for two in added] for one in removed]
    rows, columns = len(removed), len(added)
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for row in range(rows - 1, -1, -1):
        for column in range(columns - 1, -1, -1):
            skipped = max(best[row + 1][column], best[row][column + 1])
            likeness = alike[row][column]
            paired = likeness + best[row + 1][column + 1] if likeness >= _ALIKE else 0.0
            best[row][column] = max(skipped, paired)
    found: list[tuple[int, int]] = []
    row = column = 0
    while row < rows and column < columns:
        likeness = alike[row][column]
        if likeness >= _ALIKE and best[row][column] == likeness + best[row + 1][column + 1]:
            found.append((row, column))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row + 1][column]:
            row += 1
        else:
            column += 1
    return found


def _likeness(one: Counter[str], two: Counter[str]) -> float:
    """0..1: Dice's coefficient over words and signs; lines without any are like each other."""
    total = one.total() + two.total()
    return 2 * (one & two).total() / total if total else 1.0
