"""Proves quotes: finds the span of a text that a quote is, exactly or after what readers do to quotes.

A reader that is asked for a quote changes its case, its white space, its quote marks and dashes, composes or
decomposes its letters, leaves a comma out. The span that was meant is found all the same, and what is given
on is always the text's own: `content[start:end]`, in code points. What can't be found isn't a quote.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal

_QUOTES = frozenset("\"'`´‘’‚‛“”„‟′″‹›«»「」『』＂＇")
_DASHES = frozenset("-‐‑‒–—―−﹘﹣－")
_TRIMMED = " '.,;:!?-()[]{}*_#>…"
_WORDS = re.compile(r"[a-z0-9]+")
_LEAST_WORDS = 3
"""A quote of fewer words is found by its letters or not at all."""
_NEAR_WORDS = 400
"""Longer quotes are not looked for by likeness."""
_ALIKE = 0.8
"""Share of the words that a span and a quote must have in common, in order."""
_TELLING_WORDS = """
    no not never none nor neither without nothing nobody nowhere cannot cant dont wont isnt arent wasnt werent
    doesnt didnt hasnt havent hadnt shouldnt couldnt wouldnt t only all always unless except
"""
_TELLING = frozenset(_TELLING_WORDS.split())
"""Words that may not differ between a quote and its nearest span."""

How = Literal["exact", "form", "words", "near"]


@dataclass(frozen=True, slots=True)
class Span:
    """Where a quote stands."""

    start: int
    end: int
    """Exclusive; both in code points."""
    how: How
    """exact; form: case, white space, marks or Unicode forms differed; words: signs between the words did;
    near: a few words did, none of them a number or a negation."""


class Quotable:
    """A text in which quotes are looked for, read once for all of them."""

    def __init__(self, content: str) -> None:
        self.content = content

    def find(self, quote: str) -> Span | None:
        """The span that a quote is, the most exact way first; None where it stands nowhere."""
        if not quote.strip():
            return None
        at = self.content.find(quote)
        if at >= 0:
            return Span(at, at + len(quote), "exact")
        sought = _Normal(quote)
        whole = sought.text.strip(" ")
        for pattern in dict.fromkeys((whole, whole.strip(" '"), whole.strip(_TRIMMED))):
            if any(map(str.isalnum, pattern)) and (span := self._normal.find(pattern)):
                return Span(*span, "form")
        words = [word for word, _, _ in sought.words]
        if len(words) < _LEAST_WORDS:
            return None
        found = self._by_words(words)
        return found or self._nearest(words)

    @cached_property
    def _normal(self) -> _Normal:
        return _Normal(self.content)

    @cached_property
    def _joined(self) -> tuple[str, list[int]]:
        """The words between zero signs, and where each begins in that."""
        places, length = [], 0
        for word, _, _ in self._normal.words:
            places.append(length)
            length += len(word) + 1
        return "\0".join(["", *(word for word, _, _ in self._normal.words), ""]), places

    def _by_words(self, words: list[str]) -> Span | None:
        joined, places = self._joined
        at = joined.find("\0".join(["", *words, ""]))
        if at < 0:
            return None
        first = bisect_left(places, at)
        return self._span(first, first + len(words), "words")

    def _nearest(self, words: list[str]) -> Span | None:
        """The span with the most of the words in their order, around the longest run that is equal."""
        own = [word for word, _, _ in self._normal.words]
        count = len(words)
        if count <= _LEAST_WORDS or count > _NEAR_WORDS or not own:
            return None
        run = SequenceMatcher(None, own, words, autojunk=False).find_longest_match()
        if run.size < 2:
            return None
        begins = run.a - run.b
        slack = 1 + count // 8
        best: tuple[float, int, int] | None = None
        for first in range(max(begins - slack, 0), begins + slack + 1):
            for size in range(max(count - slack, 1), count + slack + 1):
                part = own[first : first + size]
                matcher = SequenceMatcher(None, part, words, autojunk=False)
                if len(part) < size or matcher.quick_ratio() < _ALIKE:
                    continue
                ratio = matcher.ratio()
                if ratio >= _ALIKE and (best is None or ratio > best[0]):
                    best = ratio, first, first + size
        if best is None or _telling(own[best[1] : best[2]]) != _telling(words):
            return None
        return self._span(best[1], best[2], "near")

    def _span(self, first: int, last: int, how: How) -> Span:
        words = self._normal.words
        return Span(*self._normal.origin(words[first][1], words[last - 1][2]), how)


class _Normal:
    """A text in one form, each sign with the range that it came from."""

    def __init__(self, text: str) -> None:
        signs: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        for at, original in enumerate(text):
            for sign in _folded(original):
                if sign == " " and signs and signs[-1] == " ":
                    ends[-1] = at + 1
                    continue
                place = len(signs)
                rank = unicodedata.combining(sign)
                # Marks over one letter may stand in any order.
                while rank and place and unicodedata.combining(signs[place - 1]) > rank:
                    place -= 1
                signs.insert(place, sign)
                starts.insert(place, at)
                ends.insert(place, at + 1)
        self.text = "".join(signs)
        self._starts, self._ends = starts, ends

    @cached_property
    def words(self) -> list[tuple[str, int, int]]:
        """Each run of letters and digits with the marks over them, and its range in `text`."""
        if self.text.isascii():
            return [(match.group(), *match.span()) for match in _WORDS.finditer(self.text)]
        found: list[tuple[str, int, int]] = []
        start: int | None = None
        for at, sign in enumerate(f"{self.text} "):
            if sign.isalnum() or (start is not None and _is_mark(sign)):
                start = at if start is None else start
            elif start is not None:
                found.append((self.text[start:at], start, at))
                start = None
        return found

    def find(self, pattern: str) -> tuple[int, int] | None:
        """The range of the original text that a normal pattern stands for, never a part of a letter."""
        at = self.text.find(pattern)
        while at >= 0:
            end = at + len(pattern)
            if self._whole(at) and self._whole(end):
                return self.origin(at, end)
            at = self.text.find(pattern, at + 1)
        return None

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """The range of the original text behind a range of `text`."""
        return min(self._starts[start:end]), max(self._ends[start:end])

    def _whole(self, at: int) -> bool:
        """Whether a letter with its marks, and the code point that it came from, ends at this place."""
        if not 0 < at < len(self.text):
            return True
        return not _is_mark(self.text[at]) and self._starts[at] >= self._ends[at - 1]


def _folded(sign: str) -> str:
    """A code point in the form that is compared; empty for one that is not seen."""
    if sign.isascii():
        if sign.isspace():
            return " "
        return "'" if sign in _QUOTES else sign.lower()
    if sign in _QUOTES:
        return "'"
    if sign in _DASHES:
        return "-"
    kind = unicodedata.category(sign)
    if kind == "Cf" or "\ufe00" <= sign <= "\ufe0f":
        return ""
    if sign.isspace() or kind == "Zs":
        return " "
    folded = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", sign).casefold())
    return "".join("'" if part in _QUOTES else "-" if part in _DASHES else part for part in folded)


def _is_mark(sign: str) -> bool:
    return not sign.isascii() and unicodedata.category(sign)[0] == "M"


def _telling(words: list[str]) -> Counter[str]:
    """The words in which a quote and its nearest span may not differ: numbers and negations."""
    return Counter(word for word in words if word in _TELLING or any(map(str.isdigit, word)))
