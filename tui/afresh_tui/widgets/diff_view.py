"""A diff to scroll through: lines are drawn when they are seen, however many there are."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from textual import work
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from afresh_tui.widgets.diff_model import FileChange
from afresh_tui.widgets.diff_palette import Palette
from afresh_tui.widgets.diff_rows import Layout, Mode, Row, rows
from afresh_tui.widgets.diff_strips import Strips

Wanted = Literal["auto", "unified", "split"]
SPLIT_FROM = 100
"""Columns from which a diff is split unless said otherwise: less than fifty a side folds most lines."""
_ABOVE = 1
"""Lines that stay in sight above a hunk that was gone to."""


class DiffView(ScrollView, can_focus=True):
    """The changes of some files, unified or split, with one hunk that is the current one.

    Keys that move by lines and pages are its own; what is done by name, such as `next_hunk`, has its key in
    the screen's list of acts.
    """

    DEFAULT_CSS = """
    DiffView { background: $background; scrollbar-size-vertical: 1; overflow-y: scroll; }
    """

    wanted: reactive[Wanted] = reactive("auto")
    """How to lay it out; `auto` looks at the width."""
    cited_only: reactive[bool] = reactive(True)
    """Whether hunks that touch nothing cited are left out."""
    wrap: reactive[bool] = reactive(True)
    """Whether long lines are folded, or run out of sight to the right."""

    @dataclass
    class HunkChanged(Message):
        """Another hunk is the current one, or there are others."""

        diff: DiffView
        number: int
        """From 1; 0 where there is none."""
        total: int

        @property
        def control(self) -> DiffView:
            return self.diff

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self._changes: tuple[FileChange, ...] = ()
        self._now = datetime.now(UTC)
        self._palette: Palette | None = None
        self._strips: Strips | None = None
        self._layout: Layout | None = None
        self._current = -1
        self._is_colouring = False
        self._is_going = False
        """Whether it scrolls to a hunk: the reader's own scrolling makes another one the current one."""

    # --- what is shown --------------------------------------------------------------------------------

    def show(self, changes: Sequence[FileChange], now: datetime) -> None:
        """Show these changes from the top; `now` is for the age of commits."""
        self._changes, self._now = tuple(changes), now
        self._current = -1
        self._lay_out()
        self.scroll_to(0, 0, animate=False, immediate=True)
        self._go(0, scroll=False)

    @property
    def changes(self) -> tuple[FileChange, ...]:
        return self._changes

    @property
    def mode(self) -> Mode:
        """How it is laid out at this width."""
        if self.wanted == "auto":
            return "split" if self._columns >= SPLIT_FROM else "unified"
        return self.wanted

    @property
    def current(self) -> tuple[int, int]:
        """The number of the current hunk, from 1, and how many are shown; 0 where there is none."""
        return self._current + 1, 0 if self._layout is None else len(self._layout.hunks)

    @property
    def place(self) -> tuple[str, int] | None:
        """The path and line of the current hunk's first change, as they are now; None where there is none.

        Of a file that is gone, or one without hunks, there is no line to go to: the first file that is there.
        """
        row = self._current_row
        if row is not None and (path := self._changes[row.file].new_path) is not None:
            lines = self._changes[row.file].hunks[row.hunk].lines
            first = next((at for at, line in enumerate(lines) if line.kind != " "), 0)
            new = next((line.new for line in lines[first:] if line.new is not None), None)
            last = next((line.new for line in reversed(lines[:first]) if line.new is not None), 1)
            return path, new or last
        there = next((change.new_path for change in self._changes if change.new_path is not None), None)
        return None if there is None else (there, 1)

    @property
    def hunk_text(self) -> str:
        """The current hunk as a unified diff has it; empty where there is none."""
        row = self._current_row
        if row is None:
            return ""
        lines = self._changes[row.file].hunks[row.hunk].lines
        return "".join(f"{line.kind}{line.text}\n" for line in lines)

    # --- going around ---------------------------------------------------------------------------------

    def next_hunk(self) -> bool:
        """Go to the next hunk; False at the last."""
        return self._go(self._current + 1)

    def previous_hunk(self) -> bool:
        """Go to the hunk before; False at the first."""
        return self._go(self._current - 1)

    def _go(self, number: int, *, scroll: bool = True) -> bool:
        layout = self._layout
        if layout is None or not 0 <= number < len(layout.hunks):
            self._tell()
            return False
        self._current = number
        if scroll:
            line = layout.line_of(layout.hunks[number])
            file = self._first_row_of_file(layout, layout.hunks[number])
            # The heading of a file is worth seeing with its first hunk.
            start = layout.line_of(file)
            top = start if line - start < self.size.height // 2 else line - _ABOVE
            self._is_going = True
            self.scroll_to(y=top, animate=False, immediate=True, force=True)
            self._is_going = False
        self.refresh()
        self._tell()
        return True

    @staticmethod
    def _first_row_of_file(layout: Layout, hunk_row: int) -> int:
        at = hunk_row
        while layout.rows[at].kind != "file":
            at -= 1
            if layout.rows[at].kind in ("line", "pair"):
                return hunk_row
        return at

    @property
    def _current_row(self) -> Row | None:
        if self._layout is None or not 0 <= self._current < len(self._layout.hunks):
            return None
        return self._layout.rows[self._layout.hunks[self._current]]

    def _tell(self) -> None:
        self.post_message(self.HunkChanged(self, *self.current))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        line = round(new_value)
        if self._is_going or self._layout is None or not self._layout.hunks or round(old_value) == line:
            return
        layout, height = self._layout, self.size.height
        if 0 <= self._current < len(layout.hunks):
            start = layout.line_of(layout.hunks[self._current])
            if line <= start < line + height:
                return
        # The line that is looked at: the first at the top, the last at the end, between them in proportion.
        looked_at = line + height * line // max(1, round(self.max_scroll_y))
        number = max(0, layout.hunk_at(min(looked_at, layout.height - 1)))
        if number != self._current:
            self._current = number
            self.refresh()
            self._tell()

    # --- laying out and drawing -----------------------------------------------------------------------

    def watch_wanted(self) -> None:
        self._lay_out(keep=True)

    def watch_cited_only(self) -> None:
        self._lay_out(keep=True)

    def watch_wrap(self) -> None:
        self._lay_out(keep=True)

    def notify_style_update(self) -> None:
        super().notify_style_update()
        # Another theme: nothing that was drawn is right any more.
        self._palette = None
        self._lay_out(keep=True)

    def on_resize(self) -> None:
        if self._strips is None or self._strips.width != self._columns:
            self._lay_out(keep=True)

    @property
    def _columns(self) -> int:
        return self.scrollable_content_region.width

    def _lay_out(self, *, keep: bool = False) -> None:
        """Make the rows anew; with `keep` the current hunk stays in sight."""
        if not self.is_attached or self._columns <= 0:
            return
        before = self._current_row
        if self._palette is None:
            self._palette = Palette(self.app.theme_variables, self.background_colors[1])
        mode = self.mode
        self._strips = Strips(
            self._changes, self._palette, width=self._columns, mode=mode, wrap=self.wrap, now=self._now
        )
        laid = rows(self._changes, mode, cited_only=self.cited_only)
        self._layout = Layout(laid, self._strips.height)
        width = self._columns
        if not self.wrap:
            width += max(0, self._strips.longest() - self._strips.text_width)
        self.virtual_size = Size(width, self._layout.height)
        self.refresh()
        if not keep:
            return
        hunks = [self._layout.rows[at] for at in self._layout.hunks]
        here = next(
            (
                at
                for at, row in enumerate(hunks)
                if before is not None and (row.file, row.hunk) >= (before.file, before.hunk)
            ),
            len(hunks) - 1,
        )
        self._current = -1
        self._go(here, scroll=here > 0)

    def render_lines(self, crop: Region) -> list[Strip]:
        drawn = super().render_lines(crop)
        if self._strips is not None and self._strips.wanted and not self._is_colouring:
            self._is_colouring = True
            self.call_next(self._colour)
        return drawn

    @work(group="colours", exclusive=True)
    async def _colour(self) -> None:
        """Colour what is in sight, a block between two frames, so that scrolling never waits for it."""
        try:
            while self._strips is not None and self._strips.wanted:
                self._strips.colour_one()
                await asyncio.sleep(0)
        finally:
            self._is_colouring = False
        self.refresh()

    def render_line(self, y: int) -> Strip:
        scroll_x, scroll_y = self.scroll_offset
        width = self.size.width
        if self._layout is None or self._strips is None or scroll_y + y >= self._layout.height:
            return Strip.blank(width, self.rich_style)
        at, sub = self._layout.row_at(scroll_y + y)
        row = self._layout.rows[at]
        is_current = row.kind == "gap" and row == self._current_row
        strip = self._strips.strip(row, sub, 0 if self.wrap else scroll_x, is_current=is_current)
        return strip if strip.cell_length == width else strip.adjust_cell_length(width, self.rich_style)
