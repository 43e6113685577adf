"""Reads the sections of a reStructuredText document: a heading is a line with punctuation below it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from afresh_indexer.note_blocks import Block, Section

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1{1,}[ \t]*\Z")
_ITEM = re.compile(r"[ \t]*(?:[*+-]|(?:\d+|#)[.)])[ \t]")


def rst_sections(lines: list[str], first: int) -> Iterator[Section]:
    """The sections from line `first` (from 0) on, in order.

    The levels are those of the document: each style of line has the level at which it is first met.
    """
    styles: list[tuple[str, bool]] = []
    level, title, place = 0, "", (first, first)
    number = first
    while number < len(lines):
        found = _heading(lines, number, first)
        if found is None:
            number += 1
            continue
        style, text, end = found
        yield Section(level, title, _paragraphs(lines, place[1], number), place)
        if style not in styles:
            styles.append(style)
        level, title, place = styles.index(style) + 1, text, (number, end)
        number = end
    yield Section(level, title, _paragraphs(lines, place[1], len(lines)), place)


def _heading(lines: list[str], number: int, first: int) -> tuple[tuple[str, bool], str, int] | None:
    """The style, the text and the end of a heading that begins at this line; None if none does."""
    if number > first and lines[number - 1].strip():
        return None
    line = lines[number]
    over = _ADORNMENT.match(line)
    if over is not None and number + 2 < len(lines):
        text, under = lines[number + 1], lines[number + 2]
        if text.strip() and under.rstrip() == line.rstrip() and len(text.strip()) <= len(line.rstrip()):
            return (over[1], True), text.strip(), number + 3
        return None
    if number + 1 >= len(lines) or not line.strip() or line[0].isspace():
        return None
    under_line = _ADORNMENT.match(lines[number + 1])
    if under_line is None or len(lines[number + 1].rstrip()) < len(line.rstrip()):
        return None
    return (under_line[1], False), line.strip(), number + 2


def _paragraphs(lines: list[str], start: int, end: int) -> tuple[Block, ...]:
    """The lines as blocks, each beginning after an empty line with text that is not indented."""
    starts = [start]
    for number in range(start + 1, end):
        if lines[number].strip() and not lines[number - 1].strip() and not lines[number][0].isspace():
            starts.append(number)
    spans = zip(starts, [*starts[1:], end], strict=True)
    return tuple(Block(begin, stop, _items(lines, begin, stop)) for begin, stop in spans if begin < stop)


def _items(lines: list[str], start: int, end: int) -> tuple[Block, ...]:
    """The items of a list, or nothing."""
    starts = [start, *(number for number in range(start + 1, end) if _ITEM.match(lines[number]))]
    if len(starts) == 1:
        return ()
    return tuple(Block(begin, stop) for begin, stop in zip(starts, [*starts[1:], end], strict=True))
