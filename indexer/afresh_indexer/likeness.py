"""Measures how alike two sources are, from 0 (nothing in common) to 1 (the same but for form)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TypeVar

from afresh_indexer.lexing import LEXES

T = TypeVar("T", bytes, tuple[bytes, bytes])

TELLING_WORDS = 8
"""A body with fewer different words than this is like too many others to be known by."""

_SIGN = re.compile(rb"[\w\x80-\xff]+|[^\w\s;'\"]")
_LAST_COMMA = re.compile(rb",(?=\s*[)\]}])")
_OWN_NAME = b"\0"


@dataclass(frozen=True)
class Shape:
    """What a source is compared by: its words and signs, without its comments and mere form."""

    signs: tuple[bytes, ...]
    code_signs: tuple[bytes, ...] | None = None
    """Those outside of its docstrings; None where it has none."""

    @cached_property
    def pairs(self) -> Counter[tuple[bytes, bytes]]:
        """What follows upon what."""
        return Counter(pairwise(self.signs))

    @cached_property
    def words(self) -> Counter[bytes]:
        """Words in lower case. What little a getter or an empty body says is told by few different ones."""
        return _words(self.signs)

    @cached_property
    def code_pairs(self) -> Counter[tuple[bytes, bytes]] | None:
        """What follows upon what in the code alone; None where that says too little to be known by."""
        if self.code_signs is None:
            return self.pairs
        return Counter(pairwise(self.code_signs)) if len(_words(self.code_signs)) >= TELLING_WORDS else None


def shape_of(source: bytes, language: str | None, own_names: Collection[str] = ()) -> Shape:
    """The shape of a source; `own_names` are the names that it defines, which a renaming changes."""
    lexis = LEXES.get(language) if language is not None else None
    if lexis is not None:
        source = lexis.skipped.sub(_without_comment, source)
    names = {name.encode() for name in own_names}
    signs = _signs(source, names)
    if lexis is None or language != "python":
        return Shape(signs)
    code = lexis.skipped.sub(_without_docstring, source)
    return Shape(signs, None if code == source else _signs(code, names))


def likeness(one: Shape, other: Shape) -> float:
    """Dice's coefficient of the pairs, counted as often as they stand there: 2 |A and B| / (|A| + |B|).

    Documentation that was rewritten makes no code another, where that is enough to be known by.
    """
    alike = _dice(one.pairs, other.pairs)
    if one.code_signs is None and other.code_signs is None:
        return alike
    if one.code_pairs is None or other.code_pairs is None:
        return alike
    return max(alike, _dice(one.code_pairs, other.code_pairs))


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


def line_share(one: bytes, other: bytes) -> float:
    """The part of one text that is in lines which another has too, by the bytes of these lines."""
    before = Counter(line.strip() for line in one.splitlines())
    after = Counter(line.strip() for line in other.splitlines())
    total = sum(len(line) * count for line, count in before.items())
    shared = sum(min(count, after[line]) * len(line) for line, count in before.items())
    return shared / total if total else 0.0


def _dice(one: Counter[T], other: Counter[T]) -> float:
    total = one.total() + other.total()
    smaller, larger = sorted((one, other), key=len)
    return 2 * sum(min(count, larger[item]) for item, count in smaller.items()) / total if total else 0.0


def _signs(source: bytes, names: Collection[bytes]) -> tuple[bytes, ...]:
    signs = _SIGN.findall(_LAST_COMMA.sub(b"", source))
    return tuple(_OWN_NAME if sign in names else sign for sign in signs) if names else tuple(signs)


def _words(signs: Iterable[bytes]) -> Counter[bytes]:
    return Counter(sign.lower() for sign in signs if sign[0] > 127 or sign[:1].isalnum() or sign[:1] == b"_")


def _without_docstring(found: re.Match[bytes]) -> bytes:
    """A string behind the colon of a head as nothing, others as they are."""
    before = found.string[: found.start()].rstrip(b"rRuU \t")
    is_docstring = before.endswith(b"\n") and before.rstrip().endswith(b":")
    return b"" if is_docstring else found[0]


def _without_comment(found: re.Match[bytes]) -> bytes:
    """A comment as a blank, and a string as it is."""
    return b" " if found[0][:1] == b"#" or found[0][:2] in (b"//", b"/*") else found[0]
