"""Cuts the sections of files that are written for agents: each rule of a list is a note of its own.

Such a list holds sentences that each stand for themselves, and one of them is what is asked for, changed or
struck out. A list of mere words stays together, and so do numbered steps, which only make sense in a row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from afresh_indexer.note_blocks import Block, Piece, introduces, split

WORDS_OF_A_RULE = 5
"""An item with fewer words is a name in an enumeration rather than a rule."""

_CONTEXT = 400
"""Characters of a lead-in that is carried to each item; of a longer one, its last sentence."""

_WORD = re.compile(r"\w+")
_SENTENCE = re.compile(r"[.!?][*_)'\"]*\s+")


def split_items(blocks: Sequence[Block], lines: list[str], limit: int) -> Iterator[Piece]:
    """Cut a section into its rules and what stands between them, of at most `limit` characters.

    A sentence that leads to a list is part of its first item's piece, and the context of the others. A last
    item that leads to the code below the list takes it along.
    """
    run: list[Block] = []
    for block in blocks:
        if not _are_rules(block, lines):
            run.append(block)
            continue
        lead = _lead(run, lines)
        yield from split(run, lines, limit)
        run = []
        context = _context(lead, lines) if lead else ""
        last = block.parts[-1]
        for number, item in enumerate(block.parts):
            if item is last and introduces(item, lines):
                run.append(item)
                break
            first = lead is not None and number == 0
            whole = (lead, item) if first and lead is not None else (item,)
            for piece in split(whole, lines, limit):
                yield piece if first or not context else Piece(piece.text, piece.start, piece.end, context)
    yield from split(run, lines, limit)


def _are_rules(block: Block, lines: list[str]) -> bool:
    """Whether most items of a list are sentences."""
    if not block.bullets or len(block.parts) < 2:
        return False
    rules = sum(
        len(_WORD.findall("\n".join(lines[item.start : item.end]))) >= WORDS_OF_A_RULE for item in block.parts
    )
    return 2 * rules > len(block.parts)


def _lead(run: list[Block], lines: list[str]) -> Block | None:
    """Take the lead-in of a list off the blocks before it, with what only separates the two."""
    found = next((at for at in reversed(range(len(run))) if _text(run[at], lines)), None)
    if found is None or not (introduces(run[found], lines) or _adjoins(run[found], lines)):
        return None
    lead = run[found]
    del run[found:]
    return lead


def _adjoins(block: Block, lines: list[str]) -> bool:
    """Whether a paragraph of one line stands right above what follows, with no empty line between."""
    return block.end - block.start == 1 and bool(_text(block, lines)) and not (block.whole or block.parts)


def _text(block: Block, lines: list[str]) -> str:
    return "" if block.hidden else "\n".join(lines[block.start : block.end]).strip()


def _context(lead: Block, lines: list[str]) -> str:
    text = " ".join(_text(lead, lines).split())
    return text if len(text) <= _CONTEXT else _SENTENCE.split(text)[-1][:_CONTEXT]
