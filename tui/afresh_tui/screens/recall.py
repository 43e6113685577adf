"""Search what is remembered, as one types; with nothing typed, all of it, the newest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Input, Static

from afresh.errors import AfreshError, KeeperError
from afresh_tui.actions import Act
from afresh_tui.inert import inert, one_line
from afresh_tui.memory_rows import preview, row_lines, told_window
from afresh_tui.recall_filters import Filters
from afresh_tui.recall_results import Results
from afresh_tui.screens.base import AfreshScreen
from afresh_tui.screens.recall_acts import RecallActs
from afresh_tui.widgets.chips import Chips
from afresh_tui.widgets.text_view import TextView
from afresh_tui.widgets.virtual_list import VirtualList
from afresh_tui.wording import counted

if TYPE_CHECKING:
    from afresh.contracts import MemoryRecord
    from afresh_tui.engine import Event
    from afresh_tui.memory_rows import Row

_FOUND = 50
"""So many are asked for: what one search gives at most."""
_AGAIN = 0.5
"""Seconds after a change in the workspace until what is shown is asked for again."""


class RecallScreen(RecallActs, AfreshScreen):
    """The search box, the filters, what was found and one of it whole."""

    NAME: ClassVar[str] = "recall"
    ABOUT: ClassVar[str] = (
        "Type to search memories and notes by meaning and by words; the last keystroke counts. With nothing "
        "typed all of them are listed, the newest first.\n\n"
        "● fresh: every file that a memory cites is what it was. ▲: it changed, and how. No mark: it cites "
        "none. ~ stands before what is only near: when nothing is relevant, that is said, and these are no "
        "answers.\n\n"
        "Filters: type, path, time words such as “last week”, project. Enter reads a memory at full size, "
        "esc goes back. Letters are keys once the search box is left with enter, esc or tab."
    )
    ACTS: ClassVar[tuple[Act, ...]] = (
        Act("search", "slash", "Search", "Go to the search box."),
        Act("open_source", "o,ctrl+o", "Open", "Open its source in your editor, at the line."),
        Act("copy", "c,ctrl+y", "Copy", "Copy its text."),
        Act("edit", "e", "Edit", "Change it; its earlier state is kept."),
        Act("delete", "d", "Delete", "Take it out of every recall; u brings it back."),
        Act("undo", "u", "Undo", "Bring the memory that was deleted last back."),
        Act("new", "n,ctrl+n", "New", "Save a new memory."),
        Act("replace", "s", "Replace", "Save a new memory that supersedes it."),
        Act("explain", "x,ctrl+t", "Explain", "Take scores apart by part, as bars."),
        Act("filter_type", "t", "Type", "Show one type of memory only.", shown=False),
        Act("filter_path", "p", "Path", "Show memories below a path only.", shown=False),
        Act("filter_time", "w", "When", "Show a time only, in words such as last week.", shown=False),
        Act("filter_project", "P", "Project", "Search another project, or all of them.", shown=False),
        Act("clear_filters", "backspace", "Clear filters", "Take all filters away.", shown=False),
        Act("back", "escape", "Back", "Leave the box, or the memory that is read.", shown=False),
        Act("up", "up", "Up", "The memory above.", shown=False),
        Act("down", "down", "Down", "The memory below.", shown=False),
    )
    DEFAULT_CSS = """
    RecallScreen {
        & #query { height: 1; border: none; padding: 0; background: $surface; width: 1fr; }
        & #ask { height: 1; background: $surface; layout: horizontal; }
        & #prompt { width: 3; height: 1; padding: 0 0 0 1; color: $text-primary; background: $surface; }
        & #told { height: auto; max-height: 3; padding: 0 1; display: none; color: $text-warning; }
        & #told.-on { display: block; }
        & #panes { height: 1fr; layout: vertical; }
        & #results { height: 1fr; }
        & #preview { height: 10; border-top: solid $border-blurred; }
        & #preview:focus { border-top: solid $primary; }
        &.-tall #preview { height: 12; }
        &.-wide #panes { layout: horizontal; }
        &.-wide #results { width: 55%; height: 1fr; }
        &.-wide #preview { width: 1fr; height: 1fr; border-top: none; border-left: solid $border-blurred; }
        &.-wide #preview:focus { border-left: solid $primary; }
        &.-reading #results { display: none; }
        &.-reading #preview { height: 1fr; width: 1fr; }
    }
    """
    AUTO_FOCUS = "#query"

    def __init__(self) -> None:
        super().__init__()
        self.filters = Filters()
        self.results = Results()
        self.explaining = False
        self.record: MemoryRecord | None = None
        self.deleted: list[int] = []
        """Ids of memories that were deleted here, the last one last."""
        self._typing: Timer | None = None
        self._again: Timer | None = None
        self._resting: Timer | None = None
        self._could: tuple[bool, ...] = ()
        self._searching = False

    def compose_body(self) -> ComposeResult:
        with Container(id="ask"):
            yield Static(Content("›"), id="prompt")
            box = Input(placeholder="Search what is remembered", id="query", max_length=8000)
            self.house.still(box)
            yield box
        yield Chips()
        yield Static(id="told")
        with Container(id="panes"):
            yield VirtualList(self._row, row_height=2, id="results")
            yield TextView(id="preview")

    def on_mount(self) -> None:
        self.poll(self._look_for_new)

    def reload(self) -> None:
        self._show_chips()
        self.search_again(keep=True)

    def workspace_changed(self, event: Event) -> None:
        if event.get("kind") == "change":
            if self._again is not None:
                self._again.stop()
            self._again = self.set_timer(_AGAIN, lambda: self.search_again(keep=True))

    # --- searching ------------------------------------------------------------------------------------

    @property
    def query_text(self) -> str:
        return self.query_one("#query", Input).value.strip()

    @on(Input.Changed, "#query")
    def _typed(self) -> None:
        if self._typing is not None:
            self._typing.stop()
        self._typing = self.after_rest(self.search_again)

    @on(Input.Submitted, "#query")
    def _submitted(self) -> None:
        self.set_focus(self.query_one("#results"))

    @work(exclusive=True, group="search")
    async def search_again(self, *, keep: bool = False) -> None:
        """Ask for what is typed and filtered; with `keep` the cursor stays on its memory. A search that
        was on its way is taken back."""
        self._searching = True
        self._show_chips()
        query = self.query_text
        try:
            if query:
                arguments = self.filters.for_recall(query, self.conditions.zone_name)
                asked = {**arguments, "limit": _FOUND, "explain": self.explaining or None}
                found = Results.found((await self.engine.ask("recall", asked)).result)
                found.query = query
            else:
                arguments = self.filters.for_browse(self.conditions.zone_name)
                found = Results.all_of(await self.engine.ask("browse", arguments))
        except AfreshError as error:
            self._searching = False
            self._show_chips()
            self._tell(error.message)
            if isinstance(error, KeeperError):
                self.fail(error)
            return
        self._searching = False
        self._show(found, keep=keep)

    def _show(self, found: Results, *, keep: bool) -> None:
        here = self.current
        self.results = found
        at = found.index_of(here.memory.id) if keep and here is not None else None
        self.query_one(VirtualList).set_count(found.total, cursor=at or 0)
        self._show_chips()
        self._tell(self._told())
        if not found.total:
            self.query_one(TextView).show(self._empty())

    def _told(self) -> str:
        found = self.results
        if found.nothing_relevant:
            nearest = " The nearest, which are no answers:" if found.total else ""
            return f"Nothing relevant is remembered.{nearest}"
        return (found.window.note if found.window else None) or ""

    def _tell(self, text: str) -> None:
        told = self.query_one("#told", Static)
        told.update(Content(inert(text)))
        told.set_class(bool(text), "-on")

    def _empty(self) -> list[Content]:
        if self.results.nothing_relevant or self.filters.any():
            return [Content.styled("Other words, or fewer filters, may find something.", "$text-muted")]
        return [
            Content("Nothing is remembered here yet."),
            Content(""),
            Content.styled("n saves a memory. Agents save theirs through `afresh mcp`.", "$text-muted"),
        ]

    def _look_for_new(self) -> None:
        """Where all are listed, see whether others came."""
        if not self.query_text and not self._searching:
            self._compare_first()

    @work(exclusive=True, group="look")
    async def _compare_first(self) -> None:
        arguments = {**self.filters.for_browse(self.conditions.zone_name), "limit": 1}
        try:
            found = await self.engine.ask("browse", arguments)
        except AfreshError as error:
            self.fail(error)
            return
        first = self.results.row(0)
        same = [memory.id for memory in found.memories] == ([first.memory.id] if first else [])
        if not self.query_text and (found.total != self.results.total or not same):
            self.search_again(keep=True)

    # --- showing --------------------------------------------------------------------------------------

    @property
    def current(self) -> Row | None:
        """The row at the cursor."""
        at = self.query_one(VirtualList).cursor
        return None if at is None else self.results.row(at)

    def _row(self, index: int, width: int) -> Sequence[Content]:
        row = self.results.row(index)
        if row is None:
            self.call_later(self._read_seen)
            return [Content.styled("…", "$text-muted")]
        return row_lines(row, width, self.conditions.clock(), self.results.query)

    def _read_seen(self) -> None:
        """Read the stretch of memories that is seen and wasn't read."""
        if self.results.unread(self.query_one(VirtualList).seen()) is not None:
            self._read_stretch()

    @work(exclusive=True, group="stretch")
    async def _read_stretch(self) -> None:
        results = self.results
        listed = self.query_one(VirtualList)
        while (offset := results.unread(listed.seen())) is not None:
            arguments = {**self.filters.for_browse(self.conditions.zone_name), "offset": offset}
            try:
                read = await self.engine.ask("browse", arguments)
            except AfreshError as error:
                self.fail(error)
                return
            if results is not self.results or not read.memories:
                return
            results.add(offset, read.memories)
            listed.redraw()
            if listed.cursor is not None and offset <= listed.cursor < offset + len(read.memories):
                self._show_current()

    def _show_chips(self) -> None:
        chips = self.query_one(Chips)
        chips.chips = self.filters.chips()
        chips.status = self._status()

    def _status(self) -> str:
        found = self.results
        if self._searching:
            return "searching…"
        told = [told_window(found.window.model_dump())] if found.window else []
        if not found.query:
            told.append(counted(found.total, "memory", "memories"))
        elif not found.nothing_relevant:
            told += [f"{found.total} found", found.retrieval]
        return " · ".join(part for part in told if part)

    @on(VirtualList.Moved, "#results")
    def _moved(self) -> None:
        self._show_current()
        self._refresh_keys()

    def _refresh_keys(self) -> None:
        """Tell the key bar where other things can be done than before: asking all of it is slow."""
        could = tuple(self.can(act.name) for act in self.ACTS)
        if could != self._could:
            self._could = could
            self.refresh_bindings()

    def _show_current(self) -> None:
        row = self.current
        if row is None:
            self.record = None
            return
        if self.record is None or self.record.id != row.memory.id:
            self.record = None
            if self._resting is not None:
                self._resting.stop()
            id_ = row.memory.id
            self._resting = self.after_rest(lambda: self._read_record(id_))
        self._show_preview(row)

    def _show_preview(self, row: Row, *, keep: bool = False) -> None:
        view = self.query_one(TextView)
        explained = self.results.explained.get(row.memory.id) if self.explaining else None
        page = preview(
            row,
            self.record,
            explained,
            self.results.steps,
            self.results.query,
            self.conditions.clock(),
            self.conditions.zone,
            max(view.scrollable_content_region.width, 20),
        )
        if self.explaining and not self.results.query:
            page.insert(2, Content.styled("Scores are explained once something is searched.", "$text-muted"))
        if self.results.retrieval_note:
            page.append(Content.styled(one_line(self.results.retrieval_note), "$text-muted"))
        view.show(page, keep=keep)

    @work(exclusive=True, group="record")
    async def _read_record(self, id_: int) -> None:
        """Read what a result doesn't carry: the files that it cites, and its versions."""
        try:
            got = await self.engine.ask("memory_get", {"ids": [id_]})
        except AfreshError as error:
            self.fail(error)
            return
        row = self.current
        if got.memories and row is not None and row.memory.id == id_:
            self.record = got.memories[0]
            self._show_preview(row, keep=True)
            self._refresh_keys()

    # --- moving ---------------------------------------------------------------------------------------

    @on(VirtualList.Chosen, "#results")
    def _chosen(self) -> None:
        self.add_class("-reading")
        self.set_focus(self.query_one(TextView))

    def action_search(self) -> None:
        # At once, so that what is typed right after it arrives in the box.
        self.remove_class("-reading")
        self.set_focus(self.query_one("#query"))

    def action_back(self) -> None:
        if self.has_class("-reading"):
            self.remove_class("-reading")
        self.set_focus(self.query_one("#results"))

    def action_up(self) -> None:
        self.query_one(VirtualList).action_move(-1)

    def action_down(self) -> None:
        self.query_one(VirtualList).action_move(1)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "search" and isinstance(self.focused, Input):
            return False
        return super().check_action(action, parameters)

    @on(Chips.Pressed)
    async def _chip_pressed(self, event: Chips.Pressed) -> None:
        await self.run_action(f"filter_{event.name if event.name != 'when' else 'time'}")

    def explain_again(self, *_: Any) -> None:
        """Ask again, with or without scores by part."""
        if self.query_text:
            self.search_again(keep=True)
        elif (row := self.current) is not None:
            self._show_preview(row)
