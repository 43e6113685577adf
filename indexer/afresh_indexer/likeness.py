"""Measures how alike two sources are, from 0 (nothing in common) to 1 (the same but for form)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

from afresh_indexer.lexing import LEXES

T = TypeVar("T", bytes, tuple[bytes, bytes])

_SIGN = re.compile(rb"[\w\x80-\xff]+|[^\w\s]")
_OWN_NAME = b"\0"


@dataclass(frozen=True)
class Shape:
    """What a source is compared by: its words and signs, without its comments."""

    signs: tuple[bytes, ...]

    @cached_property
    def pairs(self) -> Counter[tuple[bytes, bytes]]:
        """What follows upon what."""
        return Counter(pairwise(self.signs))

    @cached_property
    def words(self) -> Counter[bytes]:
        """Words in lower case. What little a getter or an empty body says is told by few different ones."""
        return Counter(
            sign.lower() for sign in self.signs if sign[0] > 127 or sign[:1].isalnum() or sign[:1] == b"_"
        )


def shape_of(source: bytes, language: str | None, own_names: Collection[str] = ()) -> Shape:
    """The shape of a source; `own_names` are the names that it defines, which a renaming changes."""
    lexis = LEXES.get(language) if language is not None else None
    if lexis is not None:
        source = lexis.skipped.sub(_without_comment, source)
    signs = _SIGN.findall(source)
    if own_names:
        names = {name.encode() for name in own_names}
        signs = [_OWN_NAME if sign in names else sign for sign in signs]
    return Shape(tuple(signs))


def likeness(one: Shape, other: Shape) -> float:
    """Dice's coefficient of the pairs, counted as often as they stand there: 2 |A and B| / (|A| + |B|)."""
    return _dice(one.pairs, other.pairs)


def word_likeness(one: Shape, other: Shape) -> float:
    """The same of the words, in whatever order and case: for a few lines, or prose."""
    return _dice(one.words, other.words)


def line_likeness(one: bytes, other: bytes) -> float:
    """The part of two texts that is in lines which both have, by the bytes of these lines."""
    before = Counter(line.strip() for line in one.splitlines())
    after = Counter(line.strip() for line in other.splitlines())
    shared = sum(min(count, after[line]) * len(line) for line, count in before.items())
    total = sum(len(line) * count for counts in (before, after) for line, count in counts.items())
    return 2 * shared / total if total else 0.0


def _dice(one: Counter[T], other: Counter[T]) -> float:
    total = one.total() + other.total()
    smaller, larger = sorted((one, other), key=len)
    return 2 * sum(min(count, larger[item]) for item, count in smaller.items()) / total if total else 0.0


def _without_comment(found: re.Match[bytes]) -> bytes:
    """A comment as a blank, and a string as it is."""
    return b" " if found[0][:1] == b"#" or found[0][:2] in (b"//", b"/*") else found[0]
