"""The parts of a document that notes are made of, and how a long section is cut."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

LIMIT = 1500
"""Characters that a note has at most, unless it is a single block that must not be cut."""

WHOLE_LIMIT = 50_000
"""Characters beyond which even a block that must not be cut is: it is data, and no memory has so many."""

_BREAK = re.compile(r"\s+|(?<=[。！？])")
_SENTENCE_ENDS = ".!?。！？"


@dataclass(frozen=True, slots=True)
class Block:
    """A run of lines that belong together. Lines count from 0, and `end` is the line after the last."""

    start: int
    end: int
    parts: tuple[Block, ...] = ()
    """Where it may be cut: a list's items. They follow each other without a gap."""
    whole: bool = False
    """It is never cut: code."""
    hidden: bool = False
    """It is not for readers: an HTML comment."""
    bullets: bool = False
    """A list without an order: its parts are items that don't follow from one another."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the blocks under it, up to the next heading."""

    level: int
    """From 1; 0 for what stands before the first heading."""
    title: str
    blocks: tuple[Block, ...]
    """They follow each other without a gap."""
    heading: tuple[int, int] = (0, 0)
    """The lines of the heading itself, the end excluded; nothing before the first."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of one note: the lines from `start` (from 0) to before `end`, without hidden ones."""

    text: str
    start: int
    end: int
    context: str = ""
    """What introduces it and stands in another piece."""


def split(blocks: Sequence[Block], lines: list[str], limit: int) -> Iterator[Piece]:
    """Cut a section's blocks into pieces of at most `limit` characters, as large as they can be.

    A block that is too long is cut between its parts, and else between its lines; a line that is too long,
    between its sentences or words, and then several pieces name the same line. Code stays whole.
    """
    start = end = -1
    parts: list[str] = []
    size = 0
    for atom in _atoms(_joined(blocks, lines), lines, limit):
        text = "\n".join(lines[atom.start : atom.end])
        if parts and size + len(text.rstrip()) + 1 > limit:
            yield from _piece(parts, lines, start, end)
            parts, size = [], 0
        if not text.strip() and not parts:
            continue
        if atom.end - atom.start == 1 and len(text) > limit and not atom.whole:
            for sentence in _cut(text.strip(), limit):
                yield Piece(sentence, atom.start, atom.end)
            continue
        if not parts:
            start = atom.start
        parts.append(text)
        size += len(text) + 1
        end = atom.end
    yield from _piece(parts, lines, start, end)


def introduces(block: Block, lines: list[str]) -> bool:
    """Whether a paragraph only leads to what follows it: it ends in a colon."""
    if block.whole or block.hidden or block.parts:
        return False
    return "\n".join(lines[block.start : block.end]).rstrip().endswith((":", "：", ":**", ":*"))


def _joined(blocks: Sequence[Block], lines: list[str]) -> list[Block]:
    """The blocks, each lead-in as one with the list or the code that it leads to."""
    joined: list[Block] = []
    for block in blocks:
        lead = joined[-1] if joined and (block.whole or block.parts) else None
        if lead is not None and introduces(lead, lines):
            parts = (lead, *(block.parts or (block,)))
            joined[-1] = Block(lead.start, block.end, parts, block.whole)
        else:
            joined.append(block)
    return joined


def _atoms(blocks: Sequence[Block], lines: list[str], limit: int) -> Iterator[Block]:
    waiting = list(reversed(blocks))
    while waiting:
        block = waiting.pop()
        if block.hidden:
            continue
        size = sum(len(line) + 1 for line in lines[block.start : block.end])
        if size <= (WHOLE_LIMIT if block.whole else limit) + 1:
            yield block
        elif block.parts:
            waiting.extend(reversed(block.parts))
        else:
            for number in range(block.start, block.end):
                yield Block(number, number + 1)


def _piece(parts: list[str], lines: list[str], start: int, end: int) -> Iterator[Piece]:
    text = "\n".join(parts)
    while start < end and not lines[start].strip():
        start += 1
    while start < end and not lines[end - 1].strip():
        end -= 1
    if text.strip():
        yield Piece(text.strip("\n").rstrip(), start, end)


def _cut(text: str, limit: int) -> Iterator[str]:
    """Cut one long line, after a sentence where there is one, else after a word, else anywhere."""
    while len(text) > limit:
        breaks = list(_BREAK.finditer(text, limit // 2, limit))
        sentences = [found for found in breaks if text[found.start() - 1] in _SENTENCE_ENDS]
        best = next(reversed(sentences or breaks), None)
        at, after = (limit, limit) if best is None else best.span()
        yield text[:at].rstrip()
        text = text[after:]
    if text.strip():
        yield text.rstrip()
