"""Finds comments and strings by a quick scan, without a syntax tree.

A scan costs about a tenth of what parsing costs. It can tell that a change is more than form, or no more than
comments, for most changes; the questions that it leaves open are for the syntax tree. Languages whose strings
and comments can't be told by a scan have none here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from afresh_indexer.forms import FORMS

WORD = re.compile(rb"[\w\x80-\xff]+")
_SIGN = re.compile(rb"[\w\x80-\xff]+|[^\w\s\x80-\xff,;()\\'\"`]")
"""Words and operators; not what `forms` has as form in some place or other."""

_DOUBLE = rb'"(?:[^"\\\n]|\\[\s\S])*"'
_SINGLE = rb"'(?:[^'\\\n]|\\[\s\S])*'"
_LOOK_AHEAD = 4
"""Bytes behind a comment or string that can tell what it is, at most."""
_CHARACTER = rb"'(?:[^'\\\n]{1,4}|\\[^\n]{1,10}?)'"
_TRIPLE = rb'"""[\s\S]*?"""'
_C_COMMENTS = rb"//[^\n]*|/\*[\s\S]*?\*/"


@dataclass(frozen=True, slots=True)
class Lexis:
    """How one language writes comments and strings."""

    skipped: re.Pattern[bytes]
    """A comment or a string."""
    comment_line: re.Pattern[bytes]
    """A line that has nothing but a comment, which ends with the line."""
    prose: re.Pattern[bytes]
    """A line that looks as if it stood in a comment of several lines."""
    prefixes: frozenset[bytes] = frozenset()
    """What may stand before a string's quote marks, in lower case, and belongs to it."""
    misleading: re.Pattern[bytes] | None = None
    """Source in which the scan could lose its way."""


def _c_like(*strings: bytes, misleading: re.Pattern[bytes] | None = None) -> Lexis:
    return Lexis(
        re.compile(b"|".join((_C_COMMENTS, *strings))),
        re.compile(rb"[ \t]*//(?![^\n]*\\\s*$)"),
        re.compile(rb"\s*(?://|/\*|\*|#)"),
        misleading=misleading,
    )


_PYTHON = Lexis(
    re.compile(
        rb'#[^\n]*|"""(?:[^"\\]|\\[\s\S]|"(?!""))*"""'
        rb"|'''(?:[^'\\]|\\[\s\S]|'(?!''))*'''|" + _DOUBLE + rb"|" + _SINGLE
    ),
    re.compile(rb"[ \t]*#"),
    re.compile(rb"\s*#"),
    prefixes=frozenset(b"r u b f t br rb fr rf tr rt".split()),
)
_JAVASCRIPT = _c_like(
    _DOUBLE,
    _SINGLE,
    rb"`(?:[^`\\]|\\[\s\S])*`",
    # A quote mark in a regular expression looks like a string's, and text between tags like anything.
    misleading=re.compile(rb"[=(,:!&|?;{}\n]\s*/(?![/*])[^/\n]*[`\"'][^\n]*/|`[^`]*\$\{[^`}]*`|</|/>"),
)
_JAVA = _c_like(_TRIPLE, _DOUBLE, _CHARACTER)
_GO = _c_like(rb"`[^`]*`", _DOUBLE, _CHARACTER)
_RUST = _c_like(
    rb'\br(#*)"[\s\S]*?"\1',
    rb'"(?:[^"\\]|\\[\s\S])*"',
    rb"'(?:[^'\\\n]|\\[^\n]{1,10}?)'",
    misleading=re.compile(rb"/\*(?:(?!\*/)[\s\S])*/\*"),
)
_C = _c_like(_DOUBLE, _CHARACTER)
_CPP = _c_like(rb'R"([^\s()\\]{0,16})\([\s\S]*?\)\1"', _DOUBLE, _CHARACTER)
_CSHARP = _c_like(_TRIPLE, rb'(?:@\$?|\$@)"(?:[^"]|"")*"', _DOUBLE, _CHARACTER)

LEXES: Mapping[str, Lexis] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "c": _C,
    "cpp": _CPP,
    "csharp": _CSHARP,
}
"""By language name."""


def with_even_numbers(words: Iterable[bytes]) -> list[bytes]:
    """Words as `Scan.words` gives them, with the letters in numbers in lower case."""
    return [word.lower() if word[:1].isdigit() else word for word in words]


class Scan:
    """The comments and strings of one source. Offsets count bytes, and ends are excluded."""

    def __init__(self, data: bytes, language: str) -> None:
        self.data = data
        self.lexis = LEXES[language]
        self._form = FORMS[language]
        self._found = self.lexis.skipped.finditer(data)
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._scanned = 0
        self._leader: tuple[Scan, int] | None = None

    @cached_property
    def comments_are_form(self) -> bool:
        """Whether the scan can be trusted and comments have no meaning, but for those that tools obey."""
        patterns = (self.lexis.misleading, self._form.keeps_comments)
        return all(pattern is None or pattern.search(self.data) is None for pattern in patterns)

    def follow(self, other: Scan, common: int) -> None:
        """Take over what another scan finds in the first so many bytes, which both sources have in common."""
        if self._scanned == 0:
            self._leader = (other, common)

    def _skipped(self, end: int) -> tuple[list[int], list[int]]:
        """The starts and ends of comments and strings: of all that begin before an offset, maybe of more."""
        if self._leader is not None:
            self._take_over(*self._leader)
            self._leader = None
        while self._scanned < end:
            found = next(self._found, None)
            if found is None:
                self._scanned = len(self.data)
                break
            self._scanned = found.end()
            self._starts.append(found.start())
            self._ends.append(found.end())
        return self._starts, self._ends

    def _take_over(self, other: Scan, common: int) -> None:
        starts, ends = other._skipped(common)
        # What ends just before the common part does may be told from what follows.
        count = bisect_right(ends, common - _LOOK_AHEAD)
        if count:
            self._starts, self._ends = starts[:count], ends[:count]
            self._scanned = ends[count - 1]
            self._found = self.lexis.skipped.finditer(self.data, self._scanned)

    def inside(self, offset: int) -> bool:
        """Whether an offset is inside a comment or string that begins before it."""
        starts, ends = self._skipped(offset)
        index = bisect_right(starts, offset - 1) - 1
        return index >= 0 and ends[index] > offset

    def words(self, start: int, end: int) -> list[bytes]:
        """The words and operators between two offsets, but for those in comments and strings.

        No normalisation of form adds, removes or moves any of these; of numbers it may change the case.
        """
        starts, ends = self._skipped(end)
        index = max(0, bisect_right(starts, start) - 1)
        words: list[bytes] = []
        at = start
        while at < end:
            stop = min(end, starts[index]) if index < len(starts) else end
            if stop > at:
                words.extend(_SIGN.findall(self.data, at, stop))
                if stop < end and words and self._is_prefix(words[-1], stop):
                    words.pop()
            if index == len(starts):
                break
            at = max(at, ends[index])
            index += 1
        return words

    def _is_prefix(self, word: bytes, stop: int) -> bool:
        """Whether a word right before an offset belongs to the string that begins there."""
        return (
            word.lower() in self.lexis.prefixes
            and self.data[stop : stop + 1] in (b'"', b"'")
            and self.data[stop - 1 : stop] == word[-1:]
        )

    def is_lost(self, start: int, end: int) -> bool:
        """Whether the line at these offsets looks like prose in a comment, but the scan sees code."""
        return self.lexis.prose.match(self.data, start, end) is not None and bool(self.words(start, end))

    def is_comment_line(self, start: int, end: int) -> bool:
        """Whether the line at these offsets is blank, or a comment that no tool obeys."""
        text = self.data[start:end].strip()
        if text and self.lexis.comment_line.match(self.data, start, end) is None:
            return False
        if self.inside(start) or not self.comments_are_form:
            return False
        directives = self._form.directives
        return not text.startswith(b"#!") and (directives is None or directives.match(text) is None)
