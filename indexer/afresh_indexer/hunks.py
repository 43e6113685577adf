"""Compares two texts line by line: which lines were kept, where they stand now, and the hunks between them.

The comparison is libgit2's patience diff with git's heuristic for indentation, so that hunks look like those
that people know from git. difflib is the alternative without a dependency; it takes seconds for a large file
and lines up braces and blank lines that have nothing to do with each other. pygit2 ships libgit2 in its
wheels, and nothing of git but this one function is used: bytes go in, ranges come out.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from afresh_indexer.fingerprint import eol_free

LineKind = Literal[" ", "-", "+"]
"""Kept, removed, added; the sign that a unified diff writes."""


@dataclass(frozen=True, slots=True)
class HunkLine:
    """One line of a hunk, without its end."""

    kind: LineKind
    text: str
    """Bytes that are not UTF-8 are shown as replacement characters."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of lines that was replaced by another; either may be empty."""

    old_start: int
    """The first line that was removed, from 1; where none was, the line before which others were added."""
    old_lines: int
    new_start: int
    """The first line that was added; where none was, the line before which others were removed."""
    new_lines: int

    @property
    def old_end(self) -> int:
        """The last line that was removed; `old_start - 1` where none was."""
        return self.old_start + self.old_lines - 1

    @property
    def new_end(self) -> int:
        """The last line that was added; `new_start - 1` where none was."""
        return self.new_start + self.new_lines - 1


@dataclass(frozen=True, slots=True)
class ShownHunk:
    """A hunk with the kept lines around it, as a unified diff shows it."""

    range: Hunk
    lines: tuple[HunkLine, ...]


class LineMap:
    """Where each line of one text stands in another, and the other way round. Lines count from 1."""

    __slots__ = ("_news", "_olds", "hunks", "new_count", "old_count")

    def __init__(self, hunks: Sequence[Hunk], old_count: int, new_count: int) -> None:
        self.hunks = tuple(hunks)
        self.old_count = old_count
        self.new_count = new_count
        self._olds = [hunk.old_start for hunk in self.hunks]
        self._news = [hunk.new_start for hunk in self.hunks]

    def to_new(self, line: int) -> int | None:
        """The line's number in the new text; None where it was removed, or never was."""
        if not 1 <= line <= self.old_count:
            return None
        index = bisect_right(self._olds, line) - 1
        if index < 0:
            return line
        hunk = self.hunks[index]
        return None if line <= hunk.old_end else line - hunk.old_end + hunk.new_end

    def to_old(self, line: int) -> int | None:
        """The line's number in the old text; None where it was added, or isn't there."""
        if not 1 <= line <= self.new_count:
            return None
        index = bisect_right(self._news, line) - 1
        if index < 0:
            return line
        hunk = self.hunks[index]
        return None if line <= hunk.new_end else line - hunk.new_end + hunk.old_end

    def touching(self, start: int, end: int) -> tuple[Hunk, ...]:
        """The hunks that changed something in the old lines `start` to `end`, or right beside them."""
        first = bisect_right(self._olds, start) - 1
        while first >= 0 and self.hunks[first].old_end >= start - 1:
            first -= 1
        found: list[Hunk] = []
        for hunk in self.hunks[first + 1 :]:
            if hunk.old_start > end + 1:
                break
            if hunk.old_end >= start - 1:
                found.append(hunk)
        return tuple(found)

    def kept(self, start: int, end: int) -> int | None:
        """The new number of `start` if the old lines `start` to `end` all stand together still; else None."""
        first, last = self.to_new(start), self.to_new(end)
        return first if first is not None and last is not None and self._unbroken(start, end) else None

    def project(self, start: int, end: int) -> tuple[int, int]:
        """The new lines in the place of the old lines `start` to `end`; the end is before the start for none.

        Lines that were added right before or behind are left out, unless the lines beside them were removed.
        """
        first = self._place(start, leading=True)
        last = self._place(end, leading=False)
        return first, max(last, first - 1)

    def kept_lines(self, start: int, end: int) -> int:
        """How many of the old lines `start` to `end` were kept."""
        removed = sum(
            max(0, min(end, hunk.old_end) - max(start, hunk.old_start) + 1)
            for hunk in self.touching(start, end)
        )
        return end - start + 1 - removed

    def _unbroken(self, start: int, end: int) -> bool:
        index = bisect_right(self._olds, start)
        return index == len(self._olds) or self._olds[index] > end

    def _place(self, line: int, *, leading: bool) -> int:
        """The new number of a line; of one that was removed, the start or the end of what replaced it."""
        index = bisect_right(self._olds, line) - 1
        if index < 0:
            return line
        hunk = self.hunks[index]
        if line > hunk.old_end:
            return line - hunk.old_end + hunk.new_end
        return hunk.new_start if leading else hunk.new_end


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a text without their ends; a last line counts whether or not it ends."""
    lines = eol_free(data).split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return lines


def diff(old: bytes, new: bytes, *, ignore_space: bool = False) -> LineMap:
    """Compare two texts by lines without their ends, so that CRLF for LF is no difference.

    With `ignore_space`, lines that differ only in white space count as kept. Takes time in proportion to the
    texts' length, whatever is in them, and gives ranges only.
    """
    before, after = _closed(eol_free(old)), _closed(eol_free(new))
    counts = before.count(b"\n"), after.count(b"\n")
    if before == after:
        return LineMap((), *counts)
    return LineMap(tuple(_hunks(before, after, ignore_space)), *counts)


def shown_hunks(
    old: bytes, new: bytes, line_map: LineMap, context: int = 3, moved_by: tuple[int, int] = (0, 0)
) -> Iterator[ShownHunk]:
    """The hunks of `diff(old, new)` with so many kept lines around them; those that would touch are one.

    `moved_by` are the lines that stand before the two texts in the files that they are parts of.
    """
    before, after = lines_of(old), lines_of(new)
    group: list[Hunk] = []
    for hunk in line_map.hunks:
        if group and hunk.old_start - group[-1].old_end - 1 > 2 * context:
            yield _shown(before, after, group, context, moved_by)
            group = []
        group.append(hunk)
    if group:
        yield _shown(before, after, group, context, moved_by)


def unified(
    old: bytes,
    new: bytes,
    line_map: LineMap,
    path: str,
    context: int = 3,
    old_path: str | None = None,
    moved_by: tuple[int, int] = (0, 0),
) -> str:
    """The unified diff of two texts whose comparison is `line_map`; empty where only line ends differ.

    `old_path` is that of the old one where it is another; `moved_by` as for `shown_hunks`.
    """
    if not line_map.hunks:
        return ""
    parts = [f"--- a/{old_path or path}\n+++ b/{path}\n"]
    ends = _open_end(old, line_map.old_count), _open_end(new, line_map.new_count)
    for shown in shown_hunks(old, new, line_map, context, moved_by):
        place = shown.range
        before, after = _header(place.old_start, place.old_lines), _header(place.new_start, place.new_lines)
        parts.append(f"@@ -{before} +{after} @@\n")
        old_line, new_line = place.old_start - 1, place.new_start - 1
        for line in shown.lines:
            old_line += line.kind != "+"
            new_line += line.kind != "-"
            parts.append(f"{line.kind}{line.text}\n")
            last_of_old, last_of_new = old_line == ends[0], new_line == ends[1]
            is_open = {"-": last_of_old, "+": last_of_new, " ": last_of_old and last_of_new}
            if is_open[line.kind]:
                parts.append("\\ No newline at end of file\n")
    return "".join(parts)


def _hunks(before: bytes, after: bytes, ignore_space: bool) -> Iterator[Hunk]:
    # Loading libgit2 takes about 60 ms, which a process that never sees a changed file need not spend.
    from pygit2 import Patch
    from pygit2.enums import DiffOption

    flags = DiffOption.PATIENCE | DiffOption.INDENT_HEURISTIC | DiffOption.FORCE_TEXT
    if ignore_space:
        flags |= DiffOption.IGNORE_WHITESPACE
    patch = Patch.create_from(before, after, flag=flags, context_lines=0, interhunk_lines=0)
    for hunk in patch.hunks:
        yield Hunk(
            # An empty side is given by the line behind which it stands.
            hunk.old_start + (hunk.old_lines == 0),
            hunk.old_lines,
            hunk.new_start + (hunk.new_lines == 0),
            hunk.new_lines,
        )


def _closed(data: bytes) -> bytes:
    return data if not data or data.endswith(b"\n") else data + b"\n"


def _open_end(data: bytes, count: int) -> int:
    """The number of a last line that has no end; 0 where it has one."""
    return count if data and not data.endswith((b"\n", b"\r")) else 0


def _header(start: int, count: int) -> str:
    if count == 1:
        return str(start)
    return f"{start if count else start - 1},{count}"


def _shown(
    before: list[bytes], after: list[bytes], group: list[Hunk], context: int, moved_by: tuple[int, int]
) -> ShownHunk:
    lead = min(context, group[0].old_start - 1)
    tail = min(context, len(before) - group[-1].old_end)
    lines: list[HunkLine] = []

    def add(kind: LineKind, source: list[bytes], start: int, end: int) -> None:
        lines.extend(HunkLine(kind, text.decode("utf-8", "replace")) for text in source[start - 1 : end])

    at = group[0].old_start - lead
    for hunk in group:
        add(" ", before, at, hunk.old_start - 1)
        add("-", before, hunk.old_start, hunk.old_end)
        add("+", after, hunk.new_start, hunk.new_end)
        at = hunk.old_end + 1
    add(" ", before, at, at + tail - 1)
    old_start, new_start = group[0].old_start - lead, group[0].new_start - lead
    old_lines = group[-1].old_end + tail - old_start + 1
    new_lines = group[-1].new_end + tail - new_start + 1
    place = Hunk(old_start + moved_by[0], old_lines, new_start + moved_by[1], new_lines)
    return ShownHunk(place, tuple(lines))
