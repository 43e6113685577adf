"""Draws the rows of a diff: numbers, signs, the mark of what is cited, code in its colours."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import lru_cache
from itertools import pairwise

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from afresh_tui.widgets.diff_fold import cut, cut_left, fold, fold_words
from afresh_tui.widgets.diff_model import FileChange, Hunk, Line
from afresh_tui.widgets.diff_palette import Ground, Palette
from afresh_tui.widgets.diff_rows import Mode, Row, number_width, runs
from afresh_tui.widgets.diff_syntax import Pieces, Syntax, Wanted
from afresh_tui.widgets.diff_words import Marks, RunMarks
from afresh_tui.wording import long_age, word_of

_CITED = "▌"
_BESIDE = "╱"
_BOTH_NUMBERS = 72
"""Columns from which a unified diff shows the old and the new number of each line."""
_KEPT_ROWS = 2048
"""Drawn rows that are kept; about forty screens."""
_TONE_OF = {"gone": "grave", "edited": "grave", "moved": "light"}


class _Side:
    """One side of a hunk: its lines one below the other, for the lexer."""

    def __init__(self, path: str, hunk: Hunk, kinds: str, wanted: Wanted) -> None:
        self._at = [at for at, line in enumerate(hunk.lines) if line.kind in kinds]
        self._place = {at: number for number, at in enumerate(self._at)}
        self._syntax = Syntax(path, [hunk.lines[at].text for at in self._at], wanted)

    def of(self, at: int) -> Pieces:
        return self._syntax.of(self._place[at])


class _Drawn:
    """What is worked out of a hunk when one of its lines is first seen."""

    def __init__(self, change: FileChange, hunk: Hunk, wanted: Wanted) -> None:
        self._hunk = hunk
        self._old = _Side(change.path, hunk, " -", wanted)
        self._new = _Side(change.new_path or change.path, hunk, " +", wanted)
        self._runs = list(runs(hunk.lines))
        self._starts = [run.removed.start for run in self._runs]
        self._marks: dict[int, RunMarks] = {}

    def pieces(self, at: int) -> Pieces:
        return (self._old if self._hunk.lines[at].kind == "-" else self._new).of(at)

    def marks(self, at: int) -> Marks:
        if self._hunk.lines[at].kind == " ":
            return ()
        number = bisect_right(self._starts, at) - 1
        run = self._runs[number]
        if number not in self._marks:
            removed, added = ([self._hunk.lines[index].text for index in side] for side in run)
            self._marks[number] = RunMarks(removed, added)
        if at in run.removed:
            return self._marks[number].of_removed(at - run.removed.start)
        return self._marks[number].of_added(at - run.added.start)


class Strips:
    """Draws rows at one width, in one palette."""

    def __init__(
        self,
        changes: Sequence[FileChange],
        palette: Palette,
        *,
        width: int,
        mode: Mode,
        wrap: bool,
        now: datetime,
    ) -> None:
        self._changes = changes
        self._palette = palette
        self._mode = mode
        self._wrap = wrap
        self._now = now
        self.width = max(20, width)
        self._numbers = number_width(changes)
        self._both = mode == "unified" and self.width >= _BOTH_NUMBERS
        self._hunks: dict[tuple[int, int], _Drawn] = {}
        self.wanted = Wanted()
        """What is drawn plain and waits for its colours."""
        self.text_width = self._text_width()
        """Columns that are left for the code of one line."""
        self._of_row = lru_cache(maxsize=_KEPT_ROWS)(self._strips)

    def _text_width(self) -> int:
        whole = self.width if self._mode == "unified" else self._half
        return max(8, whole - self._gutter_width)

    @property
    def _half(self) -> int:
        return (self.width - 1) // 2

    def height(self, row: Row) -> int:
        """Lines that a row takes."""
        match row.kind:
            case "line" | "pair" if not self._wrap:
                return 1
            case "line":
                return self._folds(self._line(row, row.left).text)
            case "pair":
                texts = [self._line(row, at).text for at in {row.left, row.right} if at >= 0]
                return max(self._folds(text) for text in texts)
            case "about" | "note" | "commit":
                return len(self._prose(row))
            case _:
                return 1

    def longest(self) -> int:
        """Columns of the longest line of code."""
        return max(
            (cell_len(line.text) for change in self._changes for hunk in change.hunks for line in hunk.lines),
            default=0,
        )

    def colour_one(self) -> None:
        """Colour one more block of what waits for it; everything is to be drawn again then."""
        self.wanted.lex_one()
        self._of_row.cache_clear()

    def strip(self, row: Row, sub: int, scroll_x: int = 0, *, is_current: bool = False) -> Strip:
        """One line of a row; code begins at column `scroll_x` of it where lines aren't folded."""
        return self._of_row(row, scroll_x, is_current)[sub]

    # --- rows -----------------------------------------------------------------------------------------

    def _strips(self, row: Row, scroll_x: int, is_current: bool) -> list[Strip]:
        style = self._palette.style
        match row.kind:
            case "line":
                return self._code(row, row.left, self.width, scroll_x)
            case "pair":
                return self._pair(row, scroll_x)
            case "file":
                return [self._heading(row)]
            case "about" | "note" | "commit":
                tone = {"note": "light", "commit": "dim"}.get(row.kind, "plain")
                return [self._sentence(text, tone) for text in self._prose(row)]
            case "gap":
                return [self._gap(row, is_current)]
            case "folded":
                return [self._sentence(f"⋯ {row.text}", "dim")]
            case _:
                return [Strip.blank(self.width, style("plain", "kept"))]

    def _heading(self, row: Row) -> Strip:
        change, style = self._changes[row.file], self._palette.style
        impact = f" {word_of(change.change)} "
        counts = [
            Segment(f"+{change.added:,}", style("added", "heading")),
            Segment(" ", style("dim", "heading")),
            Segment(f"−{change.removed:,} ", style("removed", "heading")),
        ]
        if not change.hunks:
            counts = []
        room = self.width - cell_len(impact) - sum(segment.cell_length for segment in counts) - 2
        part = f"#{change.part}" if change.part else ""
        moved = change.new_path is not None and (change.new_path != change.path or change.part)
        place = f"{change.path}{part} → {change.new_path}" if moved else f"{change.path}{part}"
        path = cut_left(place, room)
        padding = room - cell_len(path) + 1
        return Strip(
            [
                Segment(impact, style(_TONE_OF.get(change.change, "dim"), "heading")),
                Segment(f" {path}", style("path", "heading")),
                Segment(" " * padding, style("dim", "heading")),
                *counts,
            ]
        ).adjust_cell_length(self.width, style("dim", "heading"))

    def _prose(self, row: Row) -> list[str]:
        text = self._commit(row) if row.kind == "commit" else row.text
        return fold_words(text, self.width - 3)

    def _commit(self, row: Row) -> str:
        change = self._changes[row.file]
        if change.commit is None:
            return "changed in the work tree, not committed"
        commit = change.commit
        age = long_age(commit.date, self._now)
        return f"{commit.id[:10]} {commit.author}, {age}: {commit.subject}"

    def _gap(self, row: Row, is_current: bool) -> Strip:
        style = self._palette.style
        hunk = self._changes[row.file].hunks[row.hunk]
        line = next((line.new or line.old for line in hunk.lines if line.kind != " "), 1)
        tone = "cited" if is_current else "dim"
        place = f"line {line:,}" + (f" · {row.text}" if row.text else "")
        shown = cut(f"{'▸' if is_current else '⋯'} {place} ", self.width - 1)
        rule = "┄" * max(0, self.width - cell_len(shown))
        return Strip([Segment(shown, style(tone, "kept")), Segment(rule, style("dim", "kept"))])

    # --- code -----------------------------------------------------------------------------------------

    def _line(self, row: Row, at: int) -> Line:
        return self._changes[row.file].hunks[row.hunk].lines[at]

    def _folds(self, text: str) -> int:
        room = self.text_width
        if len(text) <= room and text.isascii():
            return 1
        return len(fold(text, room))

    def _hunk(self, row: Row) -> _Drawn:
        key = row.file, row.hunk
        if key not in self._hunks:
            change = self._changes[row.file]
            self._hunks[key] = _Drawn(change, change.hunks[row.hunk], self.wanted)
        return self._hunks[key]

    def _pair(self, row: Row, scroll_x: int) -> list[Strip]:
        half = self._half
        sides = [self._code(row, at, half, scroll_x, side) for side, at in enumerate((row.left, row.right))]
        height = max(map(len, sides))
        style = self._palette.style
        separator = Strip([Segment("│", style("dim", "kept"))], 1)
        rest = self.width - 2 * half - 1
        found = []
        for at in range(height):
            left, right = (
                lines[at] if at < len(lines) else self._continued(row, which, half)
                for which, lines in zip((row.left, row.right), sides, strict=True)
            )
            joined = Strip.join([left, separator, right])
            found.append(joined.adjust_cell_length(self.width, style("plain", "kept")) if rest else joined)
        return found

    def _continued(self, row: Row, at: int, width: int) -> Strip:
        """Below a line that is folded less often than the one beside it."""
        if at < 0:
            return self._nothing(width)
        return Strip.blank(width, self._palette.style("plain", _ground(self._line(row, at).kind)))

    def _nothing(self, width: int) -> Strip:
        return Strip([Segment(_BESIDE * width, self._palette.style("dim", "beside"))], width)

    def _code(self, row: Row, at: int, width: int, scroll_x: int, side: int | None = None) -> list[Strip]:
        """The lines of one line of code; `side` is 0 or 1 in a split diff."""
        if at < 0:
            return [self._nothing(width)]
        line = self._line(row, at)
        ground = _ground(line.kind)
        drawn = self._hunk(row)
        room = max(8, width - self._gutter_width)
        parts = fold(line.text, room) if self._wrap else [_window(line.text, scroll_x, room)]
        padding = self._palette.style("plain", ground)
        strips = []
        for number, (start, end) in enumerate(parts):
            gutter = self._gutter(row, line, ground, side, is_first=number == 0)
            code = _styled(line.text, start, end, drawn.pieces(at), drawn.marks(at), ground, self._palette)
            strips.append(Strip([*gutter, *code]).adjust_cell_length(width, padding))
        return strips

    @property
    def _gutter_width(self) -> int:
        return 1 + self._numbers * (2 if self._both else 1) + self._both + 3

    def _gutter(
        self, row: Row, line: Line, ground: Ground, side: int | None, *, is_first: bool
    ) -> Iterator[Segment]:
        style = self._palette.style
        is_cited = self._changes[row.file].is_cited(line)
        yield Segment(_CITED if is_cited else " ", style("cited" if is_cited else "dim", ground))
        if self._both:
            told = f"{_shown(line.old):>{self._numbers}} {_shown(line.new):>{self._numbers}}"
        else:
            number = line.old if line.kind == "-" or side == 0 else line.new
            told = f"{_shown(number):>{self._numbers}}"
        tone = {"-": "removed", "+": "added"}.get(line.kind, "dim")
        yield Segment(f"{told if is_first else '↪'.rjust(len(told))} ", style("dim", ground))
        yield Segment(f"{_SIGNS[line.kind] if is_first else ' '} ", style(tone, ground))

    def _sentence(self, text: str, tone: str) -> Strip:
        style = self._palette.style
        strip = Strip([Segment(f"  {text}", style(tone, "kept"))])
        return strip.adjust_cell_length(self.width, style("plain", "kept"))


_SIGNS = {" ": " ", "-": "−", "+": "+"}


def _ground(kind: str) -> Ground:
    return "removed" if kind == "-" else "added" if kind == "+" else "kept"


def _shown(number: int | None) -> str:
    return "" if number is None else str(number)


def _window(text: str, first: int, width: int) -> tuple[int, int]:
    """The characters from a column on that fit into a width."""
    if text.isascii():
        return min(first, len(text)), min(first + width, len(text))
    start = fold(text, first)[0][1] if first else 0
    return start, start + fold(text[start:], width)[0][1]


def _styled(
    text: str, start: int, end: int, pieces: Pieces, marks: Marks, ground: Ground, palette: Palette
) -> Iterator[Segment]:
    """The characters `start` to `end` of a line in runs of one style."""
    cuts = {start, end}
    for left, right in (*((piece.start, piece.end) for piece in pieces), *marks):
        cuts.update(at for at in (left, right) if start < at < end)
    edges = sorted(cuts)
    piece_at = mark_at = 0
    for left, right in pairwise(edges):
        while piece_at < len(pieces) and pieces[piece_at].end <= left:
            piece_at += 1
        while mark_at < len(marks) and marks[mark_at].end <= left:
            mark_at += 1
        has_tone = piece_at < len(pieces) and pieces[piece_at].start <= left
        tone = pieces[piece_at].tone if has_tone else "plain"
        is_marked = mark_at < len(marks) and marks[mark_at].start <= left
        behind: Ground = ground
        if is_marked:
            behind = "removed word" if ground == "removed" else "added word"
        yield Segment(text[left:right], palette.style(tone, behind))
