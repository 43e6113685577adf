"""One quick recall below the prompt: type, choose, and its text is printed."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from typing import ClassVar

from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from afresh.errors import AfreshError
from afresh_tui import themes
from afresh_tui.conditions import Conditions
from afresh_tui.engine import Engine
from afresh_tui.inert import one_line
from afresh_tui.memory_rows import row_lines
from afresh_tui.recall_filters import Filters
from afresh_tui.recall_results import Results
from afresh_tui.widgets.virtual_list import VirtualList

_FOUND = 20


class QuickRecall(App[str]):
    """Search as one types, in a few rows; gives back the text that was chosen, or nothing."""

    TITLE = "afresh recall"
    ENABLE_COMMAND_PALETTE = False
    INLINE_PADDING = 0
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "leave", "Leave", priority=True),
        Binding("up", "move(-1)", "Up", priority=True),
        Binding("down", "move(1)", "Down", priority=True),
        Binding("pageup", "page(-1)", "Page up", priority=True),
        Binding("pagedown", "page(1)", "Page down", priority=True),
    ]
    CSS = """
    Screen { background: $background; color: $foreground; height: 14; layout: vertical;
             &:inline { height: 14; border: none; } }
    Horizontal { height: 1; background: $surface; }
    #prompt { width: 3; padding: 0 0 0 1; color: $text-primary; }
    Input { height: 1; border: none; padding: 0; width: 1fr; background: $surface; }
    VirtualList { height: 1fr; }
    #told { height: 1; padding: 0 1; color: $text-muted; }
    """

    def __init__(
        self, engine: Engine, conditions: Conditions, *, query: str = "", project: str | None = None
    ) -> None:
        """`query` is typed already. The engine is closed when the app ends."""
        super().__init__()
        self.engine = engine
        self.conditions = conditions
        self._query_first = query
        self._narrowed = Filters(project=project or "")
        self._results = Results()
        self._typing: Timer | None = None
        for theme in themes.OURS:
            self.register_theme(theme)
        self.theme = conditions.theme if conditions.theme in self.available_themes else "afresh-dark"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(themes.defaults(self.current_theme.dark))

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Static(Content("›"), id="prompt")
            box = Input(self._query_first, placeholder="Search what is remembered", max_length=8000)
            box.cursor_blink = self.conditions.blink
            yield box
        yield VirtualList(self._row, row_height=2)
        yield Static(id="told")

    def on_mount(self) -> None:
        self.query_one(VirtualList).can_focus = False
        self.query_one(Input).focus()
        self.call_after_refresh(gc.enable)
        self.search()

    def on_unmount(self) -> None:
        self.engine.close()

    @property
    def broken_by(self) -> Exception | None:
        """What ended the app without being foreseen."""
        return self._exception

    def _fatal_error(self) -> None:
        self._close_messages_no_wait()

    @on(Input.Changed)
    def _typed(self) -> None:
        if self._typing is not None:
            self._typing.stop()
        if self.conditions.debounce > 0:
            self._typing = self.set_timer(self.conditions.debounce, self.search)
        else:
            self.search()

    @work(exclusive=True, group="search")
    async def search(self) -> None:
        """Ask for what is typed; a search that was on its way is taken back."""
        query = self.query_one(Input).value.strip()
        zone = self.conditions.zone_name
        try:
            if query:
                asked = {**self._narrowed.for_recall(query, zone), "limit": _FOUND}
                found = Results.found((await self.engine.ask("recall", asked)).result)
                found.query = query
            else:
                found = Results.all_of(
                    await self.engine.ask("browse", {**self._narrowed.for_browse(zone), "limit": _FOUND})
                )
                found.total = min(found.total, _FOUND)
        except AfreshError as error:
            self._tell(one_line(error.message))
            return
        self._results = found
        self.query_one(VirtualList).set_count(found.total)
        nothing = "Nothing relevant is remembered; the nearest are no answers.  "
        self._tell(f"{nothing if found.nothing_relevant else ''}enter prints it · esc leaves")

    def _tell(self, text: str) -> None:
        self.query_one("#told", Static).update(Content(text))

    def _row(self, index: int, width: int) -> Sequence[Content]:
        row = self._results.row(index)
        if row is None:
            return []
        return row_lines(row, width, self.conditions.clock(), self._results.query)

    @on(Input.Submitted)
    @on(VirtualList.Chosen)
    def _choose(self) -> None:
        at = self.query_one(VirtualList).cursor
        row = None if at is None else self._results.row(at)
        if row is not None:
            self.exit(row.memory.content)

    def action_leave(self) -> None:
        self.exit(None)

    def action_move(self, by: int) -> None:
        self.query_one(VirtualList).action_move(by)

    def action_page(self, by: int) -> None:
        self.query_one(VirtualList).action_page(by)
