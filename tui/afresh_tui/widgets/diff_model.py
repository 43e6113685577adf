"""What changed under a conclusion, in the shape that the diff is drawn from.

Here the engine's answer becomes lines with their numbers, once, and every text is made inert, so that nothing
behind this module shows what a file or an author's name holds unseen.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

from afresh_tui.inert import inert, one_line

if TYPE_CHECKING:
    from afresh import contracts, verbs

LineKind = Literal[" ", "-", "+"]
LONGEST_LINE = 2000
"""Characters of a line that are shown; minified code has lines of a hundred thousand."""


class Line(NamedTuple):
    """One line of a hunk with its numbers, counted from 1; a removed one has no new, an added one no old."""

    kind: LineKind
    text: str
    old: int | None
    new: int | None


@dataclass(frozen=True, slots=True)
class Place:
    """Where code went."""

    path: str
    symbol: str | None
    start_line: int
    end_line: int
    content: str
    """identical, cosmetic or changed."""


@dataclass(frozen=True, slots=True)
class Span:
    """A cited part, its lines as they were cited, and what became of it."""

    start_line: int
    end_line: int
    symbol: str | None
    now: str
    moved_to: Place | None
    now_start_line: int | None
    now_end_line: int | None
    is_derived: bool
    """It was not cited but found in the conclusion's own words."""

    @property
    def name(self) -> str:
        if self.symbol:
            return self.symbol
        if self.start_line == self.end_line:
            return f"line {self.start_line}"
        return f"lines {self.start_line} to {self.end_line}"


@dataclass(frozen=True, slots=True)
class Commit:
    """Who changed the cited lines last."""

    id: str
    author: str
    date: datetime
    subject: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """A run of changed lines with some around them."""

    lines: tuple[Line, ...]
    is_cited: bool
    """Whether it touches what is cited; the others only share the file."""
    skipped: int
    """Kept lines, not shown, between this hunk and the one before it, or the file's beginning."""
    last: int
    """The largest line number in it."""


@dataclass(frozen=True, slots=True)
class FileChange:
    """What changed in one cited file, or in a part of it that went elsewhere."""

    path: str
    part: str | None
    """The symbol or lines that are compared with their new place; None for the whole file."""
    new_path: str | None
    """Where it is now; None where it is gone."""
    change: str
    """The impact, such as edited."""
    hunks: tuple[Hunk, ...] = ()
    note: str | None = None
    """Why there is nothing to show, or what it can't show."""
    spans: tuple[Span, ...] = ()
    moved_to: Place | None = None
    commit: Commit | None = None
    is_uncommitted: bool = False
    added: int = 0
    removed: int = 0
    old_cited: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    """First and last lines that were cited, as they were."""
    new_cited: tuple[tuple[int, int], ...] = field(default=(), repr=False)
    """Where they stand now, those that do."""

    def is_cited(self, line: Line) -> bool:
        """Whether a line is among those that were cited, or stands where they stand now."""
        if self.part is not None:
            return True
        if line.old is not None and any(start <= line.old <= end for start, end in self.old_cited):
            return True
        return line.new is not None and any(start <= line.new <= end for start, end in self.new_cited)

    @property
    def is_whole(self) -> bool:
        """Whether the file was cited as a whole, so that its one part says nothing of its own."""
        return (
            len(self.spans) == 1
            and self.spans[0].symbol is None
            and self.spans[0].start_line == 1
            and self.spans[0].now == self.change
        )


def file_changes(
    details: Iterable[contracts.FileDetail], diffs: Sequence[verbs.FileDiff]
) -> tuple[FileChange, ...]:
    """The changes of every cited file, of what an answer says of them and of their diffs.

    A file whose cited parts all went elsewhere is shown as those parts, each beside the place that it went
    to; its own diff would only repeat that they were removed.
    """
    by_path = {detail.path: detail for detail in details}
    parted = {diff.path for diff in diffs if diff.part}
    told: set[str] = set()
    found: list[FileChange] = []
    for diff in diffs:
        is_told_by_parts = diff.path in parted and not diff.part and not diff.note
        if is_told_by_parts and not any(hunk.cited for hunk in diff.hunks):
            continue
        found.append(_change(diff, by_path.get(diff.path), is_first=diff.path not in told))
        told.add(diff.path)
    return tuple(found)


def _change(diff: verbs.FileDiff, detail: contracts.FileDetail | None, *, is_first: bool) -> FileChange:
    """One file; who did it and what became of its parts is said once, in the first that is shown of it."""
    hunks: list[Hunk] = []
    at = 1
    for hunk in diff.hunks:
        hunks.append(_hunk(hunk, at if diff.part is None else None))
        at = hunk.old_start + hunk.old_lines
    spans = () if detail is None else tuple(_span(span) for span in detail.spans)
    kinds = [line.kind for hunk in hunks for line in hunk.lines]
    return FileChange(
        path=inert(diff.path),
        part=_inert(diff.part),
        new_path=_inert(diff.new_path),
        change=diff.change,
        hunks=tuple(hunks),
        note=_inert(diff.note),
        spans=spans if is_first else (),
        moved_to=None if detail is None else _place(detail.moved_to),
        commit=_commit(detail.commit) if is_first and detail is not None else None,
        is_uncommitted=is_first and detail is not None and detail.uncommitted,
        added=kinds.count("+"),
        removed=kinds.count("-"),
        old_cited=tuple((span.start_line, span.end_line) for span in spans),
        new_cited=tuple(
            (span.now_start_line, span.now_end_line)
            for span in spans
            if span.now_start_line is not None
            and span.now_end_line is not None
            and (span.moved_to is None or span.moved_to.path in (diff.path, diff.new_path))
        ),
    )


def _hunk(hunk: verbs.DiffHunk, after: int | None) -> Hunk:
    """`after` is the old line behind the hunk before it; None where what lies between isn't of this file."""
    old, new = hunk.old_start, hunk.new_start
    lines: list[Line] = []
    for line in hunk.lines:
        text = shortened(inert(line.text))
        lines.append(
            Line(line.kind, text, old if line.kind != "+" else None, new if line.kind != "-" else None)
        )
        old += line.kind != "+"
        new += line.kind != "-"
    skipped = 0 if after is None else max(0, hunk.old_start - after)
    return Hunk(tuple(lines), hunk.cited, skipped, max(1, old - 1, new - 1))


def shortened(text: str) -> str:
    """A line, or its beginning and how much is left out."""
    if len(text) <= LONGEST_LINE:
        return text
    return f"{text[:LONGEST_LINE]} … {len(text) - LONGEST_LINE:,} more characters"


def _span(span: contracts.SpanDetail) -> Span:
    return Span(
        start_line=span.start_line,
        end_line=span.end_line,
        symbol=_inert(span.symbol),
        now=span.now,
        moved_to=_place(span.moved_to),
        now_start_line=span.now_start_line,
        now_end_line=span.now_end_line,
        is_derived=span.derived,
    )


def _place(to: contracts.MovedTo | None) -> Place | None:
    if to is None:
        return None
    return Place(inert(to.path), _inert(to.symbol), to.start_line, to.end_line, to.content)


def _commit(commit: contracts.Commit | None) -> Commit | None:
    if commit is None:
        return None
    return Commit(inert(commit.id), one_line(commit.author), commit.date, one_line(commit.subject))


def _inert(text: str | None) -> str | None:
    return None if text is None else inert(text)
