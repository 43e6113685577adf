"""Judges a cited span from the lines that changed alone, where these leave no doubt.

Most changes to a file leave most spans untouched, touch their comments, or plainly change their code; then
no syntax tree is needed. Each rule here is one-sided: it gives a verdict, or None for the syntax tree to
decide, never a guess.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from afresh_indexer.hunks import Hunk, LineMap
from afresh_indexer.lexing import with_even_numbers
from afresh_indexer.source import Source

QuickVerdict = Literal["unchanged", "cosmetic", "edited"]

_ATTRIBUTE = re.compile(rb"\s*(?:@|#\[|#!\[|\[|template\b|\)\]?\s*$)")
"""What may belong to the definition below, or may end something that does."""
_REMARK = re.compile(rb"\s*(?:#|//|/\*|\*)")
_QUOTE = re.compile(rb"\"\"\"|\'\'\'|`|/\*|\*/|\b[rR]#*\"|<<")
_CLOSED = (b"}", b";")
_CONTINUES = re.compile(
    rb"\s*(?:else|catch|except|finally|while|as|satisfies|in|is|instanceof|where|and|or|if|then|do|extends"
    rb"|implements)\b|\s*[^\s\w/#@}\"'`*]"
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A verdict with the lines that the span has now."""

    now: QuickVerdict
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True)
class _Head:
    """The line in which a definition has its name, in both versions."""

    old: int
    new: int


class QuickJudge:
    """Looks at one change of one file. Lines count from 1."""

    def __init__(self, old: Source, new: Source, line_map: LineMap) -> None:
        self.old = old
        self.new = new
        self.map = line_map
        self._harmless: dict[Hunk, bool] = {}
        if line_map.hunks and old.scan is not None and new.scan is not None:
            common, _ = old.span(line_map.hunks[0].old_start, 0)
            if old.data[:common] == new.data[:common]:
                new.scan.follow(old.scan, common)

    def whole_file(self) -> QuickVerdict | None:
        """The file's own verdict: cosmetic if only comments changed, edited if its words did."""
        hunks = self.map.hunks
        if hunks and all(map(self.is_harmless, hunks)):
            return "cosmetic"
        return "edited" if self._words_differ(hunks) else None

    def lines(self, start: int, end: int) -> Judged | None:
        """The verdict on lines that were cited as such, some of which changed, or None."""
        inside = [hunk for hunk in self.map.touching(start, end) if _overlaps(hunk, start, end)]
        if not inside or not all(start <= hunk.old_start and hunk.old_end <= end for hunk in inside):
            return None
        first, last = self.map.project(start, end)
        if last < first:
            return None
        if all(map(self.is_harmless, inside)):
            return Judged("cosmetic", first, last)
        return None

    def symbol(self, start: int, end: int, name: str) -> Judged | None:
        """The verdict on the definition of `name` (qualified) in these old lines, or None."""
        if not 1 <= start <= end <= len(self.old.lines):
            return None
        head = self._head(start, end, name)
        first, last = self._new_start(start, head), self._new_end(end)
        if first is None or not self._is_in_same_place(start, first, name):
            return None
        behind = end
        while behind < len(self.old.lines) and not self.old.lines[behind].strip():
            behind += 1
        harmful: list[Hunk] = []
        is_touched = False
        for hunk in self.map.touching(start, behind):
            overlaps = _overlaps(hunk, start, end)
            if overlaps or not self._is_apart(hunk, start, end):
                if not self.is_harmless(hunk):
                    harmful.append(hunk)
                elif overlaps:
                    is_touched = True
                elif hunk.old_end >= end and self._is_deep(hunk, start):
                    return None
        if last is None or not self._has_old_edges(start, first, last) or self._is_quoted(first):
            return None
        if not harmful and not is_touched:
            return Judged("unchanged", first, last)
        if not all(self._is_within(hunk, start, end, head) for hunk in harmful):
            return None
        if not harmful:
            return Judged("cosmetic", first, last)
        return Judged("edited", first, last) if self._words_differ(harmful) else None

    def is_harmless(self, hunk: Hunk) -> bool:
        """Whether a hunk replaced nothing but comment lines and blank ones by such."""
        known = self._harmless.get(hunk)
        if known is None:
            known = self._harmless[hunk] = self._are_comments(
                self.old, hunk.old_start, hunk.old_end
            ) and self._are_comments(self.new, hunk.new_start, hunk.new_end)
        return known

    def _are_comments(self, source: Source, start: int, end: int) -> bool:
        scan = source.scan
        if scan is None or (1 < start <= end and source.lines[start - 2].endswith(b"\\")):
            return False
        return all(scan.is_comment_line(*source.span(line, line)) for line in range(start, end + 1))

    def _words_differ(self, hunks: Sequence[Hunk]) -> bool:
        """Whether other words stand in the hunks than before, in whatever order."""
        words: Counter[bytes] = Counter()
        for source, sign in ((self.old, 1), (self.new, -1)):
            scan = source.scan
            if scan is None:
                return False
            for hunk in hunks:
                start, end = (hunk.old_start, hunk.old_end) if sign == 1 else (hunk.new_start, hunk.new_end)
                for line in range(start, end + 1):
                    place = source.span(line, line)
                    if scan.is_lost(*place):
                        return False
                    for word in with_even_numbers(scan.words(*place)):
                        words[word] += sign
        return any(words.values())

    def _is_apart(self, hunk: Hunk, start: int, end: int) -> bool:
        """Whether a hunk beside a definition can't have become a part of it."""
        python = self.old.language == "python"
        if hunk.old_end < start:
            added = self.new.lines[hunk.new_start - 1 : hunk.new_end]
            last = added[-1].rstrip() if added else b""
            return not last or python or last.endswith(_CLOSED)
        if python:
            return not self._is_deep(hunk, start)
        if not self.old.lines[end - 1].rstrip().endswith(_CLOSED):
            return False
        for line in self.new.lines[hunk.new_start - 1 :]:
            if line.strip():
                return _indent(line) <= _indent(self.old.lines[start - 1]) and _CONTINUES.match(line) is None
        return True

    def _is_deep(self, hunk: Hunk, start: int) -> bool:
        """Whether a hunk has a line that is indented more than the definition that begins at a line."""
        indent = _indent(self.old.lines[start - 1])
        removed = self.old.lines[hunk.old_start - 1 : hunk.old_end]
        added = self.new.lines[hunk.new_start - 1 : hunk.new_end]
        return any(_indent(line) > indent for line in (*removed, *added) if line.strip())

    @cached_property
    def _quotes_changed(self) -> bool:
        """Whether a hunk has what opens or ends a string or comment of several lines."""
        return any(
            _QUOTE.search(source.data, *source.span(start, end)) is not None
            for hunk in self.map.hunks
            for source, start, end in (
                (self.old, hunk.old_start, hunk.old_end),
                (self.new, hunk.new_start, hunk.new_end),
            )
        )

    def _is_quoted(self, first: int) -> bool:
        """Whether a new line may have come to stand inside a string or comment."""
        scan = self.new.scan
        return self._quotes_changed and (scan is None or scan.inside(self.new.span(first, first)[0]))

    def _has_old_edges(self, start: int, first: int, last: int) -> bool:
        """Whether no attribute came to stand above a definition and, in Python, no more body behind it."""
        above = self._above(self.new, first)
        if _ATTRIBUTE.match(above) is not None and above != self._above(self.old, start):
            return False
        if self.old.language != "python":
            return True
        for line in self.new.lines[last:]:
            text = line.lstrip()
            if text and not text.startswith(b"#"):
                return _indent(line) <= _indent(self.old.lines[start - 1])
        return True

    def _above(self, source: Source, number: int) -> bytes:
        """The nearest line above a line that is neither blank nor looks like a comment."""
        for line in reversed(source.lines[: number - 1]):
            if line.strip() and (_REMARK.match(line) is None or _ATTRIBUTE.match(line) is not None):
                return line
        return b""

    def _is_in_same_place(self, start: int, first: int, name: str) -> bool:
        """Whether the definitions around a name are what they were, going by the lines that open them."""
        around = name.split(".")[:-1]
        if not around or not self.map.hunks or self.map.hunks[0].old_start > start:
            return True
        top, chain = _openers(self.old.lines, start)
        if self.map.kept(top, start) is None and chain != _openers(self.new.lines, first)[1]:
            return False
        text = b"\n".join(chain)
        return all(re.search(rb"\b%b\b" % re.escape(part.encode()), text) for part in around)

    def _head(self, start: int, end: int, name: str) -> _Head | None:
        """The first line of a definition that has its name in it, if it starts as it did where it changed."""
        pattern = re.compile(rb"\b%b\b" % re.escape(name.rpartition(".")[2].encode()))
        for number in range(start, end + 1):
            found = pattern.search(self.old.lines[number - 1])
            if found is not None:
                return self._placed(number, self.old.lines[number - 1][: found.end()])
        return None

    def _placed(self, number: int, opening: bytes) -> _Head | None:
        now = self.map.to_new(number)
        if now is not None:
            return _Head(number, now)
        opens = re.compile(rb"%b(?!\w)" % re.escape(opening))
        for hunk in self.map.touching(number, number):
            if hunk.old_start <= number <= hunk.old_end:
                found = [
                    line
                    for line in range(hunk.new_start, hunk.new_end + 1)
                    if opens.match(self.new.lines[line - 1])
                ]
                return _Head(number, found[0]) if len(found) == 1 else None
        return None

    def _new_start(self, start: int, head: _Head | None) -> int | None:
        """The first new line of a definition: what stood before its name must have been kept."""
        if head is None:
            return None
        return head.new if start == head.old else self.map.to_new(start)

    def _new_end(self, end: int) -> int | None:
        """The last new line of a definition; None where that changed and only its syntax tells."""
        now = self.map.to_new(end)
        if now is not None or self.old.language != "python":
            return now
        for hunk in self.map.touching(end, end):
            if hunk.old_start <= end == hunk.old_end:
                last = hunk.new_end
                while last > 0 and not self.new.lines[last - 1].strip():
                    last -= 1
                return last
        return None

    def _is_within(self, hunk: Hunk, start: int, end: int, head: _Head | None) -> bool:
        """Whether a hunk can only have changed what is inside a definition, not where it begins or ends."""
        if head is None or hunk.old_start < start or hunk.old_end > end:
            return False
        if hunk.old_end < head.old or (hunk.old_start == start and hunk.new_start < head.new):
            return False
        indent = _indent(self.old.lines[start - 1])
        for source, first, last, own in (
            (self.old, hunk.old_start, hunk.old_end, head.old),
            (self.new, hunk.new_start, hunk.new_end, head.new),
        ):
            for number in range(first, last + 1):
                line = source.lines[number - 1]
                is_deep = _indent(line) > indent or line[indent : indent + 1] == b")"
                if number != own and line.strip() and not is_deep:
                    return False
        return True


def _overlaps(hunk: Hunk, start: int, end: int) -> bool:
    """Whether a hunk removed lines of a range or added some between two of them."""
    if hunk.old_lines == 0:
        return start < hunk.old_start <= end
    return hunk.old_start <= end and hunk.old_end >= start


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip())


def _openers(lines: Sequence[bytes], at: int) -> tuple[int, list[bytes]]:
    """The lines above a line that are indented less than all between, and the topmost one's number.

    They open the blocks around the line.
    """
    indent = _indent(lines[at - 1])
    top = at
    found: list[bytes] = []
    for number in range(at - 1, 0, -1):
        if indent == 0:
            break
        line = lines[number - 1]
        if (own := _indent(line)) < indent and own < len(line):
            found.append(line)
            indent, top = own, number
    return top, found
