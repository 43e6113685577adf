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


class RunMarks:
    """The marks of a run of removed lines, and of the added ones that took its place.

    A short run is compared as one text, so that a line which was broken in two is still seen as the same
    words. A long one is compared line by line, when a line is first asked for, and so is one that has little
    in common as a whole.
    """

    def __init__(self, removed: Sequence[str], added: Sequence[str]) -> None:
        self._removed, self._added = removed, added
        self._old: dict[int, Marks] = {}
        self._new: dict[int, Marks] = {}
        self._partners: tuple[dict[int, int], dict[int, int]] | None = None
        if not removed or not added:
            self._partners = {}, {}
        elif (together := self._together()) is not None:
            self._old, self._new = (dict(enumerate(marks)) for marks in together)

    def of_removed(self, at: int) -> Marks:
        """The marks of a removed line, from 0."""
        if at not in self._old:
            self._compare(at, self._paired()[0].get(at))
        return self._old[at]

    def of_added(self, at: int) -> Marks:
        """The marks of an added line, from 0."""
        if at not in self._new:
            self._compare(self._paired()[1].get(at), at)
        return self._new[at]

    def _together(self) -> tuple[list[Marks], list[Marks]] | None:
        if len(self._removed) + len(self._added) > _MOST_TOGETHER:
            return None
        one, two = _TOKEN.findall("\n".join(self._removed)), _TOKEN.findall("\n".join(self._added))
        return _compared(one, two) if len(one) + len(two) <= _MOST_TOGETHER else None

    def _paired(self) -> tuple[dict[int, int], dict[int, int]]:
        if self._partners is None:
            found = [(a, b) for a, b in pairs(self._removed, self._added) if a is not None and b is not None]
            self._partners = dict(found), {b: a for a, b in found}
        return self._partners

    def _compare(self, left: int | None, right: int | None) -> None:
        """Mark two lines that stand beside each other; one that stands alone has no marks."""
        before: Marks = ()
        after: Marks = ()
        if left is not None and right is not None:
            one, two = _TOKEN.findall(self._removed[left]), _TOKEN.findall(self._added[right])
            if len(one) + len(two) <= _MOST_OF_A_PAIR and (marks := _compared(one, two)) is not None:
                (before,), (after,) = marks
        if left is not None:
            self._old[left] = before
        if right is not None:
            self._new[right] = after


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
