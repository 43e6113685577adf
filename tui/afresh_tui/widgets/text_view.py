"""A long text, wrapped where it is seen and nowhere else."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

_ASIDE = 12
"""So far before its end a row may be broken at a blank; further on a word is cut."""


def wrapped(text: str, width: int) -> list[tuple[int, int]]:
    """The rows of one paragraph as its parts [start, end), each at most `width` columns wide.

    A row ends at a blank where one is near; it takes one pass, so that a line of 100,000 characters is quick.
    """
    if len(text) * 2 <= width or (text.isascii() and len(text) <= width):
        return [(0, len(text))]
    rows: list[tuple[int, int]] = []
    start = 0
    narrow = text.isascii()
    while start < len(text):
        end = min(start + width, len(text)) if narrow else _reach(text, start, width)
        if end < len(text):
            blank = text.rfind(" ", max(start + 1, end - max(_ASIDE, width // 2)), end + 1)
            if blank > start:
                rows.append((start, blank))
                start = blank + 1
                continue
        rows.append((start, end))
        start = end
    return rows or [(0, 0)]


def _reach(text: str, start: int, width: int) -> int:
    """How far a row reaches that begins at `start`; one character at least."""
    end = start
    columns = 0
    while end < len(text):
        columns += cell_len(text[end])
        if columns > width and end > start:
            return end
        end += 1
    return end


class TextView(ScrollView, can_focus=True):
    """Paragraphs that scroll. They are wrapped at once, and rendered row by row as they are seen."""

    DEFAULT_CSS = """
    TextView {
        height: 1fr; background: $background; color: $foreground; overflow-x: hidden; text-wrap: nowrap;
        scrollbar-gutter: stable; scrollbar-size-vertical: 1; padding: 0 0 0 1;
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll_rows(-1)", "Up", show=False),
        Binding("down,j", "scroll_rows(1)", "Down", show=False),
        Binding("pageup", "scroll_pages(-1)", "Page up", show=False),
        Binding("pagedown,space", "scroll_pages(1)", "Page down", show=False),
        Binding("home,g", "scroll_edge(-1)", "First", show=False),
        Binding("end,G", "scroll_edge(1)", "Last", show=False),
    ]
    ALLOW_SELECT = False

    def __init__(self, *, name: str | None = None, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._paragraphs: Sequence[Content] = ()
        self._rows: list[tuple[int, int, int]] = []
        """Paragraph, start and end of each row."""
        self._first_rows: list[int] = []
        self._wrapped_at = 0
        self._drawn: LRUCache[int, Strip] = LRUCache(512)

    def show(self, paragraphs: Sequence[Content], *, keep: bool = False) -> None:
        """Show these paragraphs, from their beginning; with `keep` from where one was."""
        self._paragraphs = paragraphs
        self._wrapped_at = 0
        self._wrap()
        if not keep:
            self.scroll_to(y=0, animate=False, immediate=True, force=True)
        self.refresh()

    @property
    def paragraphs(self) -> Sequence[Content]:
        return self._paragraphs

    @property
    def plain(self) -> str:
        """All of it as text."""
        return "\n".join(paragraph.plain for paragraph in self._paragraphs)

    def row_of(self, paragraph: int, offset: int) -> int:
        """The row in which a character of a paragraph stands."""
        if not self._first_rows:
            return 0
        first = self._first_rows[paragraph]
        last = self._first_rows[paragraph + 1] if paragraph + 1 < len(self._first_rows) else len(self._rows)
        starts = [start for _, start, _ in self._rows[first:last]]
        return first + max(bisect_right(starts, offset) - 1, 0)

    def reveal(self, paragraph: int, offset: int) -> None:
        """Scroll so that a character of a paragraph is seen, a third from the top."""
        row = self.row_of(paragraph, offset)
        above = self.scrollable_content_region.height // 3
        self.scroll_to(y=max(row - above, 0), animate=False, immediate=True, force=True)

    def render_line(self, y: int) -> Strip:
        self._wrap()
        width = self.scrollable_content_region.width
        row = y + self.scroll_offset.y
        if row >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        strip = self._drawn.get(row)
        if strip is None:
            number, start, end = self._rows[row]
            part = self._paragraphs[number][start:end]
            drawn = Visual.to_strips(self, part, max(width, 1), 1, self.visual_style)
            strip = (drawn[0] if drawn else Strip.blank(width)).adjust_cell_length(width, self.rich_style)
            self._drawn[row] = strip
        return strip

    def notify_style_update(self) -> None:
        self._drawn.clear()
        super().notify_style_update()

    def on_resize(self, _event: events.Resize) -> None:
        self._wrap()

    def _wrap(self) -> None:
        # The last column stays free, so that no word touches the scrollbar.
        width = self.scrollable_content_region.width - 1
        if width == self._wrapped_at or width <= 0:
            return
        self._wrapped_at = width
        self._rows = []
        self._first_rows = []
        for number, paragraph in enumerate(self._paragraphs):
            self._first_rows.append(len(self._rows))
            self._rows += [(number, start, end) for start, end in wrapped(paragraph.plain, width)]
        self._drawn.clear()
        self.virtual_size = Size(width, len(self._rows))

    def action_scroll_rows(self, rows: int) -> None:
        self.scroll_relative(y=rows, animate=False, immediate=True, force=True)

    def action_scroll_pages(self, pages: int) -> None:
        self.action_scroll_rows(pages * max(1, self.scrollable_content_region.height - 1))

    def action_scroll_edge(self, to: int) -> None:
        self.scroll_to(y=0 if to < 0 else len(self._rows), animate=False, immediate=True, force=True)
