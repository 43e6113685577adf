"""A list that renders the rows which are seen and no others, however many there are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import events
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

RowRenderer = Callable[[int, int], Sequence[Content]]
"""A row's lines, by its index and the columns that there are for it."""
_GUTTER = 2


class VirtualList(ScrollView, can_focus=True):
    """Rows of one height over any number of things; the owner renders a row when it is asked for it.

    The cursor's row has a bar before it, so that it shows without colour.
    """

    DEFAULT_CSS = """
    VirtualList {
        height: 1fr; background: $background; color: $foreground; overflow-x: hidden;
        text-wrap: nowrap; text-overflow: ellipsis; scrollbar-gutter: stable; scrollbar-size-vertical: 1;
        & > .virtual-list--cursor {
            background: $block-cursor-blurred-background; color: $block-cursor-blurred-foreground;
        }
        &:focus > .virtual-list--cursor {
            background: $block-cursor-background; color: $block-cursor-foreground;
        }
        & > .virtual-list--hover { background: $block-hover-background; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"virtual-list--cursor", "virtual-list--hover"}
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", "Up", show=False),
        Binding("down,j", "move(1)", "Down", show=False),
        Binding("pageup", "page(-1)", "Page up", show=False),
        Binding("pagedown,space", "page(1)", "Page down", show=False),
        Binding("home,g", "edge(-1)", "First", show=False),
        Binding("end,G", "edge(1)", "Last", show=False),
        Binding("enter", "choose", "Open", show=False),
    ]
    ALLOW_SELECT = False

    cursor: reactive[int | None] = reactive(None)
    """The row at hand; None where there is none."""

    @dataclass
    class Moved(Message):
        """The cursor stands on another row, or the row under it is another."""

        list: VirtualList
        index: int | None

        @property
        def control(self) -> VirtualList:
            return self.list

    @dataclass
    class Chosen(Message):
        """Enter, or a double click."""

        list: VirtualList
        index: int

        @property
        def control(self) -> VirtualList:
            return self.list

    def __init__(
        self,
        row: RowRenderer,
        *,
        row_height: int = 1,
        name: str | None = None,
        id: str | None = None,
        classes: str | None = None,
    ) -> None:
        """`row` gives at most `row_height` lines; the list cuts and pads them."""
        super().__init__(name=name, id=id, classes=classes)
        self._row = row
        self._row_height = row_height
        self._count = 0
        self._hovered: int | None = None
        self._strips: LRUCache[tuple[int, int, str], list[Strip]] = LRUCache(512)

    @property
    def count(self) -> int:
        """How many rows there are."""
        return self._count

    @property
    def row_height(self) -> int:
        return self._row_height

    def set_count(self, count: int, *, cursor: int | None = 0) -> None:
        """Show so many rows, anew; the cursor goes where it is told, as far as there are rows."""
        self._count = count
        self.redraw()
        self._resize_rows()
        wanted = None if cursor is None or not count else min(max(cursor, 0), count - 1)
        if wanted == self.cursor:
            self.post_message(self.Moved(self, wanted))
        else:
            self.cursor = wanted
        self._show_cursor()

    def set_row_height(self, row_height: int) -> None:
        """Show rows of another height."""
        if row_height != self._row_height:
            self._row_height = row_height
            self.redraw()
            self._resize_rows()
            self._show_cursor()

    def redraw(self, index: int | None = None) -> None:
        """Render a row again, or all of them: what they show is other than it was."""
        if index is None:
            self._strips.clear()
        else:
            for key in [key for key in self._strips.keys() if key[0] == index]:  # noqa: SIM118
                self._strips.discard(key)
        self.refresh()

    def seen(self) -> range:
        """The rows that are on the screen."""
        first = self.scroll_offset.y // self._row_height
        last = -(-(self.scroll_offset.y + self.scrollable_content_region.height) // self._row_height)
        return range(first, min(last, self._count))

    # --- drawing --------------------------------------------------------------------------------------

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        index, part = divmod(y + self.scroll_offset.y, self._row_height)
        if index >= self._count:
            return Strip.blank(width, self.rich_style)
        look = "cursor" if index == self.cursor else "hover" if index == self._hovered else ""
        strips = self._strips.get((index, width, look))
        if strips is None:
            strips = self._render_row(index, width, look)
            self._strips[(index, width, look)] = strips
        return strips[part]

    def _render_row(self, index: int, width: int, look: str) -> list[Strip]:
        style = self.get_visual_style(f"virtual-list--{look}") if look else self.visual_style
        lines = list(self._row(index, max(1, width - _GUTTER)))[: self._row_height]
        lines += [Content("")] * (self._row_height - len(lines))
        gutter = Content.assemble(("▌ ", "$primary")) if look == "cursor" else Content("  ")
        strips: list[Strip] = []
        for line in lines:
            drawn = Visual.to_strips(self, gutter + line, width, 1, style)
            strip = drawn[0] if drawn else Strip.blank(width, style.rich_style)
            strips.append(strip.adjust_cell_length(width, style.rich_style))
        return strips

    def notify_style_update(self) -> None:
        self._strips.clear()
        super().notify_style_update()

    def on_resize(self, _event: events.Resize) -> None:
        self._strips.clear()
        self._resize_rows()
        self._show_cursor()

    def _resize_rows(self) -> None:
        self.virtual_size = Size(self.scrollable_content_region.width, self._count * self._row_height)

    # --- moving ---------------------------------------------------------------------------------------

    def validate_cursor(self, cursor: int | None) -> int | None:
        if cursor is None or not self._count:
            return None
        return min(max(cursor, 0), self._count - 1)

    def watch_cursor(self, cursor: int | None) -> None:
        self.refresh()
        self._show_cursor()
        self.post_message(self.Moved(self, cursor))

    def _show_cursor(self) -> None:
        height = self.scrollable_content_region.height
        if self.cursor is None or not height:
            return
        top = self.cursor * self._row_height
        at = self.scroll_offset.y
        if top < at:
            self.scroll_to(y=top, animate=False, immediate=True, force=True)
        elif top + self._row_height > at + height:
            self.scroll_to(y=top + self._row_height - height, animate=False, immediate=True, force=True)

    def action_move(self, by: int) -> None:
        self.cursor = 0 if self.cursor is None else self.cursor + by

    def action_page(self, by: int) -> None:
        rows = max(1, self.scrollable_content_region.height // self._row_height - 1)
        self.action_move(by * rows)

    def action_edge(self, to: int) -> None:
        self.cursor = 0 if to < 0 else self._count - 1

    def action_choose(self) -> None:
        if self.cursor is not None:
            self.post_message(self.Chosen(self, self.cursor))

    def _index_at(self, y: int) -> int | None:
        index = (y + self.scroll_offset.y) // self._row_height
        return index if index < self._count else None

    def on_click(self, event: events.Click) -> None:
        index = self._index_at(event.y)
        if index is not None:
            self.cursor = index
            if event.chain == 2:
                self.action_choose()

    def on_mouse_move(self, event: events.MouseMove) -> None:
        self._hover(self._index_at(event.y))

    def on_leave(self, _event: events.Leave) -> None:
        self._hover(None)

    def _hover(self, index: int | None) -> None:
        if index != self._hovered:
            self._hovered = index
            self.refresh()
