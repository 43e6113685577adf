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
    words. A long one is compared line by line, and so is one that has little in common as a whole.
    """
    if not removed or not added:
        return [()] * len(removed), [()] * len(added)
    one, two = _TOKEN.findall("\n".join(removed)), _TOKEN.findall("\n".join(added))
    if len(one) + len(two) <= _MOST_TOGETHER and (together := _compared(one, two)) is not None:
        return together
    before: list[Marks] = [()] * len(removed)
    after: list[Marks] = [()] * len(added)
    for left, right in pairs(removed, added):
        if left is None or right is None:
            continue
        one, two = _TOKEN.findall(removed[left]), _TOKEN.findall(added[right])
        if len(one) + len(two) <= _MOST_OF_A_PAIR and (pair := _compared(one, two)) is not None:
            (before[left],), (after[right],) = pair
    return before, after


def _compared(one: list[str], two: list[str]) -> tuple[list[Marks], list[Marks]] | None:
    """The marks of two texts, line by line; None where they have too little in common."""
    matcher = difflib.SequenceMatcher(None, one, two, autojunk=False)
    kept = ([False] * len(one), [False] * len(two))
    for block in matcher.get_matching_blocks():
        for at in range(block.size):
            kept[0][block.a + at] = kept[1][block.b + at] = True
    said = [sum(not word.isspace() for word in words) for words in (one, two)]
    same = sum(keeps and not word.isspace() for word, keeps in zip(one, kept[0], strict=True))
    if 2 * same < _ALIKE * sum(said):
        return None
    before, after = (_tidied(words, keeps) for words, keeps in zip((one, two), kept, strict=True))
    return _ranges(one, before), _ranges(two, after)


def _tidied(words: Sequence[str], kept: list[bool]) -> list[bool]:
    """Marks as a reader would set them.

    Of two equal words it is the last that is kept, such as the bracket that was closed before and stands
    behind another now. Kept white space and single signs between two changed words count as changed: one
    mark, not three.
    """
    cleaned = list(kept)
    end = len(words)
    for at in range(len(words) - 1, -1, -1):
        if not cleaned[at]:
            continue
        if end > at + 1 and words[end - 1] == words[at] != "\n":
            cleaned[at], cleaned[end - 1] = False, True
            end -= 1
        else:
            end = at
    for at in range(1, len(words) - 1):
        is_small = words[at] != "\n" and not words[at][0].isalnum() and words[at] != "_"
        if cleaned[at] and is_small and not cleaned[at - 1] and not cleaned[at + 1]:
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
