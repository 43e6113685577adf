"""The help of the screen beneath: what it is for, and every key on it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from afresh_tui.widgets.text_view import wrapped


class HelpScreen(ModalScreen[None]):
    """A page over the screen; escape, `?` or q closes it."""

    DEFAULT_CSS = """
    HelpScreen {
        align: center middle; background: $background 60%;
        & > VerticalScroll {
            width: 90%; max-width: 90; height: auto; max-height: 90%; background: $surface;
            border: round $border; border-title-color: $text-primary; border-title-style: bold;
            border-subtitle-color: $text-muted; padding: 1 1 1 2; scrollbar-size-vertical: 1;
            scrollbar-background: $surface; scrollbar-gutter: stable;
        }
        & Static { width: 1fr; height: auto; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,f1,q", "close", "Close", show=False),
        Binding("down,j", "scroll_by(1)", show=False),
        Binding("up,k", "scroll_by(-1)", show=False),
    ]

    def __init__(self, title: str, about: str, keys: Sequence[tuple[str, str, str]]) -> None:
        """`keys`: each key as it is shown, its title and what it does."""
        super().__init__()
        self._title = title
        self._about = about
        self._keys = keys

    def compose(self) -> ComposeResult:
        with VerticalScroll() as page:
            page.border_title = self._title
            page.border_subtitle = "esc closes"
            yield Static(Content(self._about))
            yield Static(Content(""))
            yield Static(id="keys")

    def on_resize(self) -> None:
        keys = self.query_one("#keys", Static)
        keys.update(self._table(max(keys.content_size.width - 1, 20)))

    def _table(self, width: int) -> Content:
        keys = max((len(key) for key, _, _ in self._keys), default=0)
        titles = max((len(title) for _, title, _ in self._keys), default=0)
        before = keys + titles + 4
        rows: list[Content] = []
        for key, title, about in self._keys:
            parts = [about[start:end] for start, end in wrapped(about, max(width - before, 12))]
            head = Content.assemble((key.rjust(keys), "bold $text-primary"), "  ", title.ljust(titles), "  ")
            rows += [
                Content.assemble(head if at == 0 else " " * before, (part, "$text-muted"))
                for at, part in enumerate(parts)
            ]
        return Content("\n").join(rows)

    def action_close(self) -> None:
        self.dismiss(None)

    def action_scroll_by(self, rows: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=rows, animate=False)
