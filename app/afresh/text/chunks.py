"""Long texts in pieces that an embedding model reads whole.

The bundled model reads 256 tokens and forgets the rest. Counting with its tokenizer would cost as much as
embedding a short text does, so tokens are estimated, rather too many than too few; what is cut off at the end
of a chunk all the same is read again by the overlap.
"""

from __future__ import annotations

import re

MAX_CHUNKS = 64
"""For one text, since embedding costs most of all there is. Of a longer text chunks are taken evenly from its
beginning to its end; words find the rest."""

_PIECE = re.compile(r"[A-Za-z]+|[0-9]+|\s+|.", re.DOTALL)
_BREAK = re.compile(r"\n\s*\n|\n|(?<=[.!?;:])\s|[。！？；]|\s")


def chunks(
    text: str, max_tokens: int = 256, *, overlap: int = 32, max_chunks: int = MAX_CHUNKS
) -> list[tuple[int, int]]:
    """Split a text into ranges of about `max_tokens` tokens or less: (start, end) in code points.

    Neighbours share about `overlap` tokens. A text that fits is one range, and so is an empty one. Ranges end
    at a paragraph, a line, a sentence or a word, in this order of preference. Raises ValueError for sizes
    that leave no room.
    """
    if max_tokens < 8 or not 0 <= overlap < max_tokens // 2 or max_chunks < 1:
        raise ValueError(
            f"max_tokens {max_tokens}, overlap {overlap} and max_chunks {max_chunks}: at least 8 tokens, an "
            "overlap below half of them, and one chunk are needed"
        )
    tokens = _tokens(text)
    # The model adds a token at the beginning and one at the end.
    room = max_tokens - 2
    if len(tokens) <= room:
        return [(0, len(text))]
    ranges: list[tuple[int, int]] = []
    first = 0
    while first + room < len(tokens):
        start = tokens[first][0]
        end = _break(text, tokens[first + room * 2 // 3][1], tokens[first + room - 1][1])
        ranges.append((start, end))
        after = first
        while tokens[after][1] <= end:
            after += 1
        first = max(first + 1, _word_start(text, tokens, after - overlap, first + 1))
    ranges.append((tokens[first][0], tokens[-1][1]))
    if len(ranges) <= max_chunks:
        return ranges
    if max_chunks == 1:
        return ranges[:1]
    return [ranges[round(i * (len(ranges) - 1) / (max_chunks - 1))] for i in range(max_chunks)]


def _tokens(text: str) -> list[tuple[int, int]]:
    """The tokens by estimate: one for each five letters, for each two digits, for any other sign."""
    found: list[tuple[int, int]] = []
    for piece in _PIECE.finditer(text):
        start, end = piece.span()
        if text[start].isspace():
            continue
        size = 2 if text[start].isdigit() else 5
        found.extend((at, min(at + size, end)) for at in range(start, end, size))
    return found


def _word_start(text: str, tokens: list[tuple[int, int]], at: int, lowest: int) -> int:
    """The token at or before this one, but not below `lowest`, with which a word begins; else this one."""
    at = max(at, lowest)
    for candidate in range(at, max(lowest, at - 12) - 1, -1):
        start = tokens[candidate][0]
        if not start or text[start - 1].isspace():
            return candidate
    return at


def _break(text: str, earliest: int, latest: int) -> int:
    """The last of the best places to end a chunk in this range; `latest` where there is none."""
    best, best_rank = latest, 4
    for match in _BREAK.finditer(text, earliest, min(latest + 1, len(text))):
        sign = match.group()
        if sign.isspace():
            ends_sentence = text[match.start() - 1] in ".!?;:"
            rank = 0 if sign.count("\n") > 1 else 1 if "\n" in sign else 2 if ends_sentence else 3
            end = match.start()
        else:
            rank, end = 2, match.end()
        if rank <= best_rank and end <= latest:
            best, best_rank = end, rank
    return best
