"""Which words of a text a query found, to light them. Pure.

Stems are the engine's own kind, so that what is lit is what its words could have matched.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_+")
_SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "been",
        "but",
        "by",
        "can",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "no",
        "not",
        "of",
        "on",
        "or",
        "our",
        "should",
        "so",
        "than",
        "that",
        "the",
        "their",
        "then",
        "there",
        "these",
        "they",
        "this",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "who",
        "why",
        "will",
        "with",
        "you",
        "your",
    ]
)
"""Words that find nothing by themselves."""
_MOST = 2000
"""So many lit places are enough for one text."""


@cache
def _stemmer() -> object:
    from py_rust_stemmers import SnowballStemmer

    return SnowballStemmer("english")


@cache
def _stem(word: str) -> str:
    stemmed: str = _stemmer().stem_word(word)  # type: ignore[attr-defined]  # it has no types
    return stemmed


def wanted_stems(query: str) -> frozenset[str]:
    """The stems of a query's words, and of the parts of its identifiers."""
    words = [word for match in _WORD.findall(query) for word in (match, *_parts(match))]
    lower = {word.lower() for word in words} - _SMALL
    return frozenset(_stem(word) for word in lower if len(word) > 1 or not word.isascii())


def lit(text: str, query: str) -> list[tuple[int, int]]:
    """Where words of the query stand in a text, as [start, end) in code points, ascending and apart."""
    stems = wanted_stems(query)
    if not stems:
        return []
    found: list[tuple[int, int]] = []
    for match in _WORD.finditer(text):
        word = match.group()
        if _stem(word.lower()) in stems:
            found.append(match.span())
        else:
            parts = _part_spans(word)
            among = [span for span in parts if _stem(word[slice(*span)].lower()) in stems]
            if among and len(among) == len(parts):
                found.append(match.span())
            else:
                found += [(match.start() + start, match.start() + end) for start, end in among]
        if len(found) >= _MOST:
            break
    return found


def _parts(word: str) -> list[str]:
    return [word[start:end] for start, end in _part_spans(word)]


def _part_spans(word: str) -> list[tuple[int, int]]:
    """The parts of an identifier; nothing for a plain word."""
    if word.islower() and "_" not in word:
        return []
    cuts = [cut for match in _HUMPS.finditer(word) for cut in match.span()]
    if not cuts:
        return []
    return [(start, end) for start, end in pairwise([0, *cuts, len(word)]) if word[start:end].strip("_")]
