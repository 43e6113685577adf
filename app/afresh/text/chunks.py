"""Cuts a long text into parts that an embedding model reads whole.

The bundled model reads 256 tokens and forgets the rest. A token of English or code has about four
characters, one of other scripts about one, so that a length in characters, weighed by script, is near enough
and needs no tokenizer.
"""

from __future__ import annotations

MAX_CHUNKS = 64
"""Of one text; beyond them it is found by words alone."""
_CHARACTERS_A_TOKEN = 3.5
_OVERLAP = 0.1


def chunks(text: str, max_tokens: int = 256) -> list[tuple[int, int]]:
    """Ranges (start, end) in code points that cover the text, each about `max_tokens` long at most.

    Neighbours overlap by a tenth, and cuts are made at a paragraph, a sentence, a line or a word where one
    is near. At least one range, at most `MAX_CHUNKS`.
    """
    size = _characters(text, max_tokens)
    if len(text) <= size:
        return [(0, len(text))]
    ranges: list[tuple[int, int]] = []
    start = 0
    while start < len(text) and len(ranges) < MAX_CHUNKS:
        end = min(start + size, len(text))
        if end < len(text):
            end = _cut(text, start + size // 2, end)
        ranges.append((start, end))
        if end == len(text):
            break
        start = max(end - int(size * _OVERLAP), start + 1)
    return ranges


def _characters(text: str, max_tokens: int) -> int:
    """How many characters of such a text make `max_tokens`."""
    sample = text[:4096]
    wide = sum(character > "\u024f" for character in sample) / max(len(sample), 1)
    return max(16, int(max_tokens * (_CHARACTERS_A_TOKEN * (1 - wide) + wide)))


def _cut(text: str, low: int, high: int) -> int:
    """The best place to cut between two positions: the last break of the strongest kind there is."""
    window = text[low:high]
    for mark in ("\n\n", "\n", ". ", "。", " "):
        at = window.rfind(mark)
        if at >= 0:
            return low + at + len(mark)
    return high
