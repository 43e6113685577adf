"""The rows of a diff: what stands above what, unified or split, before anything of it is drawn.

Rows are made for the whole diff at once and cheaply; the words, the colours and the folding of a row are
worked out when it is first seen.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

from afresh_tui.widgets.diff_model import FileChange, Hunk, Line, Place, Span
from afresh_tui.widgets.diff_pairs import pairs
from afresh_tui.wording import counted, word_of

Mode = Literal["unified", "split"]
RowKind = Literal["blank", "file", "about", "commit", "note", "gap", "line", "pair", "folded"]


class Row(NamedTuple):
    """One row; `left` and `right` are indices of the hunk's lines, -1 for none."""

    kind: RowKind
    file: int
    hunk: int = -1
    left: int = -1
    right: int = -1
    text: str = ""


class Run(NamedTuple):
    """Indices of a hunk's lines where removed ones were replaced by added ones."""

    removed: range
    added: range


def rows(changes: Sequence[FileChange], mode: Mode, *, cited_only: bool) -> list[Row]:
    """Every row of a diff, in order; with `cited_only` the hunks that touch nothing cited are one row."""
    found: list[Row] = []
    for number, change in enumerate(changes):
        if number:
            found.append(Row("blank", number))
        found += _heading(number, change)
        shown = [at for at, hunk in enumerate(change.hunks) if hunk.is_cited or not cited_only]
        before = -1
        for at in shown:
            # What was folded away between two hunks is not unchanged.
            text = _skipped(change.hunks[at]) if at == before + 1 else ""
            found.append(Row("gap", number, at, text=text))
            found += _lines(number, at, change.hunks[at], mode)
            before = at
        if folded := len(change.hunks) - len(shown):
            found.append(Row("folded", number, text=_folded(folded, len(shown))))
    return found


def runs(lines: Sequence[Line]) -> Iterator[Run]:
    """The changed runs of a hunk: removed lines and the added ones that took their place."""
    at = 0
    while at < len(lines):
        if lines[at].kind == " ":
            at += 1
            continue
        first = at
        while at < len(lines) and lines[at].kind == "-":
            at += 1
        middle = at
        while at < len(lines) and lines[at].kind == "+":
            at += 1
        yield Run(range(first, middle), range(middle, at))


def _heading(number: int, change: FileChange) -> Iterator[Row]:
    yield Row("file", number)
    if not change.is_whole:
        told = ", ".join(_told(span) for span in change.spans if span.moved_to is None)
        if told:
            yield Row("about", number, text=told)
        for span in change.spans:
            if span.moved_to is not None:
                yield Row("about", number, text=_told(span))
    elif change.moved_to is not None:
        yield Row("about", number, text=f"moved{_went(change.moved_to, None, 0)}")
    if change.commit is not None or change.is_uncommitted:
        yield Row("commit", number)
    if change.note:
        yield Row("note", number, text=change.note if change.hunks else f"No lines to show: {change.note}")


def _told(span: Span) -> str:
    """What became of a cited part."""
    derived = " (named in the text)" if span.is_derived else ""
    went = _went(span.moved_to, span.now_start_line, span.start_line)
    return f"{span.name}{derived} {word_of(span.now)}{went}"


def _went(to: Place | None, now_line: int | None, line: int) -> str:
    if to is not None:
        name = f"#{to.symbol}" if to.symbol else ""
        is_one = to.start_line >= to.end_line
        lines = f"line {to.start_line}" if is_one else f"lines {to.start_line} to {to.end_line}"
        return f" → {to.path}{name}, {lines}, {to.content}"
    return f" (now at line {now_line})" if now_line is not None and now_line != line else ""


def _skipped(hunk: Hunk) -> str:
    if not hunk.skipped:
        return ""
    return f"after {counted(hunk.skipped, 'unchanged line')}"


def _folded(count: int, shown: int) -> str:
    return f"{counted(count, 'more change' if shown else 'change')} in this file, not where it is cited"


def _lines(file: int, number: int, hunk: Hunk, mode: Mode) -> Iterator[Row]:
    if mode == "unified":
        for at in range(len(hunk.lines)):
            yield Row("line", file, number, at, at)
        return
    at = 0
    for run in (*runs(hunk.lines), Run(range(len(hunk.lines), len(hunk.lines)), range(0))):
        for kept in range(at, run.removed.start):
            yield Row("pair", file, number, kept, kept)
        removed = [hunk.lines[index].text for index in run.removed]
        added = [hunk.lines[index].text for index in run.added]
        for left, right in pairs(removed, added):
            yield Row(
                "pair",
                file,
                number,
                -1 if left is None else run.removed[left],
                -1 if right is None else run.added[right],
            )
        at = run.added.stop if len(run.added) else run.removed.stop


class Layout:
    """Where each row stands, once the width is known: rows that fold take more than one line."""

    def __init__(self, laid: Sequence[Row], height_of: Callable[[Row], int]) -> None:
        self.rows = laid
        self._starts = [0, *accumulate(height_of(row) for row in laid)]
        self.hunks = [at for at, row in enumerate(laid) if row.kind == "gap"]
        """Indices of the rows that begin a hunk."""

    @property
    def height(self) -> int:
        """Lines in all."""
        return self._starts[-1]

    def row_at(self, line: int) -> tuple[int, int]:
        """The index of the row that covers a line, and which of its lines that is, from 0."""
        at = min(bisect_right(self._starts, line) - 1, len(self.rows) - 1)
        return at, line - self._starts[at]

    def line_of(self, row: int) -> int:
        """The first line of a row."""
        return self._starts[row]

    def hunk_at(self, line: int) -> int:
        """Which hunk a line is in, from 0; -1 above the first."""
        row, _ = self.row_at(line)
        return bisect_right(self.hunks, row) - 1


def number_width(changes: Iterable[FileChange]) -> int:
    """Columns that the largest line number takes."""
    largest = max((hunk.last for change in changes for hunk in change.hunks), default=1)
    return len(str(largest))
