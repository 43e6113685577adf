"""Which words of a changed run of lines are on one side alone."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple

from afresh_tui.widgets.diff_pairs import pairs

_TOKEN = re.compile(r"\d+\.\d+|\w+|\n|[^\S\n]+|[^\w\s]")
_ALIKE = 0.4
"""What is less alike than this was replaced, not edited: marking a stray word in it would only mislead."""
_MOST_TOGETHER = 600
"""Tokens of a run that are compared as one text; the time grows with the square of it."""
_MOST_OF_A_PAIR = 400


class Mark(NamedTuple):
    """Characters `start` to `end` (exclusive) of a line that the other side doesn't have."""

    start: int
    end: int


Marks = tuple[Mark, ...]


def marked_words(removed: Sequence[str], added: Sequence[str]) -> tuple[list[Marks], list[Marks]]:
    """The marks of each removed line, and of each added one that took the run's place.

    A short run is compared as one text, so that a line which was broken in two is still seen as the same
    words; a long one line by line.
    """
    if not removed or not added:
        return [()] * len(removed), [()] * len(added)
    one, two = _TOKEN.findall("\n".join(removed)), _TOKEN.findall("\n".join(added))
    if len(one) + len(two) <= _MOST_TOGETHER:
        return _compared(one, two)
    before: list[Marks] = [()] * len(removed)
    after: list[Marks] = [()] * len(added)
    for left, right in pairs(removed, added):
        if left is None or right is None:
            continue
        one, two = _TOKEN.findall(removed[left]), _TOKEN.findall(added[right])
        if len(one) + len(two) <= _MOST_OF_A_PAIR:
            (before[left],), (after[right],) = _compared(one, two)
    return before, after


def _compared(one: list[str], two: list[str]) -> tuple[list[Marks], list[Marks]]:
    matcher = difflib.SequenceMatcher(None, one, two, autojunk=False)
    kept = ([False] * len(one), [False] * len(two))
    for block in matcher.get_matching_blocks():
        for at in range(block.size):
            kept[0][block.a + at] = kept[1][block.b + at] = True
    said = [sum(not word.isspace() for word in words) for words in (one, two)]
    same = sum(keeps and not word.isspace() for word, keeps in zip(one, kept[0], strict=True))
    if 2 * same < _ALIKE * sum(said):
        return _unmarked(one), _unmarked(two)
    return _ranges(one, _without_islands(one, kept[0])), _ranges(two, _without_islands(two, kept[1]))


def _unmarked(words: Sequence[str]) -> list[Marks]:
    return [()] * (words.count("\n") + 1)


def _without_islands(words: Sequence[str], kept: list[bool]) -> list[bool]:
    """Kept white space and single signs between two changed words count as changed: one mark, not three."""
    cleaned = list(kept)
    for at in range(1, len(words) - 1):
        is_small = words[at] != "\n" and not words[at][0].isalnum() and words[at] != "_"
        if kept[at] and is_small and not kept[at - 1] and not kept[at + 1]:
            cleaned[at] = False
    return cleaned


def _ranges(words: Sequence[str], kept: Sequence[bool]) -> list[Marks]:
    """Changed words as ranges of each line; what only indents is never marked, it would shout."""
    lines: list[Marks] = []
    marks: list[Mark] = []
    at = 0
    for word, keeps in zip(words, kept, strict=True):
        if word == "\n":
            lines.append(tuple(marks))
            marks, at = [], 0
            continue
        if not keeps and not (at == 0 and word.isspace()):
            if marks and marks[-1].end == at:
                marks[-1] = Mark(marks[-1].start, at + len(word))
            else:
                marks.append(Mark(at, at + len(word)))
        at += len(word)
    lines.append(tuple(marks))
    return lines
