"""Conclusions whose code has changed: what was concluded, what changed since, and what to do about it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import work
from textual.app import ComposeResult, SuspendNotSupported
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.reactive import reactive
from textual.widgets import Input, Static

from afresh.errors import AfreshError, CancelledCallError, KeeperError, UsageError
from afresh_tui import editor
from afresh_tui.actions import Act
from afresh_tui.engine import Event
from afresh_tui.inert import inert, one_line
from afresh_tui.screens import rerecord, stale_rows
from afresh_tui.screens.base import AfreshScreen
from afresh_tui.screens.stale_filter import wanted
from afresh_tui.widgets.diff_model import FileChange, file_changes
from afresh_tui.widgets.diff_view import DiffView
from afresh_tui.widgets.text_view import TextView, wrapped
from afresh_tui.widgets.virtual_list import VirtualList

if TYPE_CHECKING:
    from afresh import contracts, verbs
    from afresh.verbs import StaleItem, StaleResult

State = Literal["loading", "empty", "full", "error"]
Key = tuple[str, int]
_KEPT_DIFFS = 32
_ABOUT = """\
Each conclusion here was learned from files that are other now. Above is what was concluded, below what \
changed in the files that it cites since it was recorded; the bar beside a line says that it was cited.

Verify a conclusion that still holds, for the files as they are now. Record it anew where the answer is \
another: your editor opens with the old text. Retire what is false. What was done can be taken back; only a \
memory that was recorded anew stays replaced, with its earlier text in its history.

The filter takes words, and author:NAME, path:PART and impact:WORD."""


@dataclass(frozen=True, slots=True)
class _Shown:
    """An item's diff, as it was read."""

    details: list[contracts.FileDetail]
    changes: tuple[FileChange, ...]


@dataclass(frozen=True, slots=True)
class _Done:
    """Something that can be taken back."""

    kind: Literal["memo", "memory"]
    id: int
    title: str
    what: str


class StaleScreen(AfreshScreen):
    """What went stale, gravest first, with the changes that made it so."""

    NAME: ClassVar[str] = "stale"
    ABOUT: ClassVar[str] = _ABOUT
    ACTS: ClassVar[tuple[Act, ...]] = (
        Act("verify", "v", "Verify", "Say that the conclusion still holds, for its files as they are now."),
        Act("record", "r", "Re-record", "Edit the conclusion and record it for the files as they are now."),
        Act("retire", "d", "Retire", "Take the conclusion out of every recall; undo brings it back."),
        Act("undo", "u", "Undo", "Take back what was done last on this screen."),
        Act("next_hunk", "n", "Next change", "Go to the next change."),
        Act("previous_hunk", "p", "Previous change", "Go to the change before.", shown=False),
        Act("next_item", "right_square_bracket", "Next", "Go to the next conclusion.", shown=False),
        Act("previous_item", "left_square_bracket", "Previous", "Go to the one before.", shown=False),
        Act("filter", "slash", "Filter", "Show only some: words, author:NAME, path:PART, impact:WORD."),
        Act("split", "s", "Split", "Show old and new side by side, or one below the other."),
        Act("all", "a", "All changes", "Show also the changes that touch nothing cited, or the cited alone."),
        Act("zoom", "z", "Zoom", "Give the changes the whole screen, or give it back."),
        Act("open", "o", "Open", "Open the file at the change in your editor."),
        Act("wrap", "w", "Wrap", "Fold long lines, or let them run out to the right.", shown=False),
        Act("copy", "y", "Copy change", "Copy the change at hand to the clipboard.", shown=False),
        Act("again", "ctrl+r", "Judge again", "Judge everything again, from the disk.", shown=False),
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back", show=False)]
    DEFAULT_CSS = """
    StaleScreen {
        & #stale-full { layout: horizontal; height: 1fr; }
        & #stale-side { width: 38; height: 1fr; border-right: solid $border-blurred; }
        & #stale-detail { width: 1fr; height: 1fr; }
        & #stale-summary, & #stale-heading {
            height: 1; padding: 0 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis;
        }
        & #stale-heading { color: $text-primary; }
        & #stale-text { height: auto; }
        & #stale-about {
            height: 1; padding: 0 1; color: $text-muted; background: $surface;
            text-wrap: nowrap; text-overflow: ellipsis;
        }
        & #stale-filter { height: 1; border: none; padding: 0 1; display: none; background: $surface; }
        & #stale-filter.-on { display: block; }
        & #stale-message {
            display: none; width: 1fr; height: 1fr; content-align: center middle; text-align: center;
        }
        &.-wide #stale-side { width: 46; }
        &.-narrow #stale-full {
            layout: vertical;
            & #stale-side {
                width: 1fr; height: 30%; border-right: none; border-bottom: solid $border-blurred;
            }
            & #stale-about { display: none; }
        }
        &.-narrow.-zoomed #stale-full #stale-about { display: block; }
        &.-said {
            & #stale-full { display: none; }
            & #stale-message { display: block; }
        }
        &.-zoomed {
            & #stale-side, & #stale-text, & #stale-heading { display: none; }
        }
    }
    """

    state: reactive[State] = reactive("loading")
    """loading, empty, full, or error where nothing was ever read."""

    def __init__(self) -> None:
        super().__init__()
        self._result: StaleResult | None = None
        self._items: list[StaleItem] = []
        """Those that the filter lets through, in the list's order."""
        self._diffs: dict[Key, _Shown] = {}
        self._at_hand: Key | None = None
        """Whose changes are shown, or on their way."""
        self._done: list[_Done] = []
        self._judging = False
        self._again = False
        self._is_old = False
        """Whether something changed while another screen was seen."""

    def compose_body(self) -> ComposeResult:
        with Container(id="stale-full"):
            with Vertical(id="stale-side"):
                yield Static(id="stale-summary")
                yield Input(placeholder="words, author:ada, path:billing/", id="stale-filter")
                yield VirtualList(self._row, row_height=2, id="stale-list")
            with Vertical(id="stale-detail"):
                yield Static(id="stale-heading")
                yield TextView(id="stale-text")
                yield Static(id="stale-about")
                yield DiffView(id="stale-diff")
        yield Static(id="stale-message")

    def on_mount(self) -> None:
        self.house.still(self.filter_input)
        self.listing.focus()

    # --- widgets --------------------------------------------------------------------------------------

    @property
    def listing(self) -> VirtualList:
        return self.query_one("#stale-list", VirtualList)

    @property
    def diff(self) -> DiffView:
        return self.query_one("#stale-diff", DiffView)

    @property
    def text(self) -> TextView:
        return self.query_one("#stale-text", TextView)

    @property
    def filter_input(self) -> Input:
        return self.query_one("#stale-filter", Input)

    @property
    def item(self) -> StaleItem | None:
        """The conclusion at hand."""
        cursor = self.listing.cursor if self.is_mounted else None
        return self._items[cursor] if cursor is not None and cursor < len(self._items) else None

    @property
    def _is_narrow(self) -> bool:
        """Whether the list stands above the changes, not beside them."""
        return self.size.width < 100

    def _row(self, index: int, width: int) -> list[Content]:
        return stale_rows.row(self._items[index], self.conditions.clock(), width, self.listing.row_height)

    def on_resize(self) -> None:
        self.listing.set_row_height(1 if self._is_narrow else 2)
        if (item := self.item) is not None:
            self.text.show(stale_rows.conclusion(item, with_title=not self._is_narrow))
        self._tell_place()
        self._fit_text()

    # --- reading --------------------------------------------------------------------------------------

    def reload(self) -> None:
        if self._judging:
            self._again = True
            return
        self._judging = True
        self._judge()

    def workspace_changed(self, event: Event) -> None:
        if event.get("kind") not in ("change", "indexed"):
            return
        if self.is_current:
            self.reload()
        else:
            self._is_old = True

    def on_screen_resume(self) -> None:
        if self._is_old:
            self._is_old = False
            self.reload()

    @work(group="judge", exclusive=True)
    async def _judge(self) -> None:
        """Judge everything; what is shown stays until the answer is there."""
        if self._result is None:
            self._say("loading", Content("Judging what was learned against the disk …"))
        try:
            while True:
                self._again = False
                here = await self.place()
                if here.project is None:
                    self._say("empty", _NO_PROJECT)
                    return
                result: StaleResult = await self.engine.ask("stale", {}, on_event=self._progress)
                self._take(result)
                if not self._again:
                    return
        except AfreshError as error:
            self._failed(error)
        finally:
            self._judging = False

    def _progress(self, event: Event) -> None:
        if event.get("phase") == "judge" and self.state == "loading":
            told = f"Judging what was learned against the disk … {event['done']:,} of {event['total']:,}"
            self._say("loading", Content(told))

    def _failed(self, error: AfreshError) -> None:
        if self._result is None and not isinstance(error, CancelledCallError):
            self._say(
                "error",
                Content.assemble(
                    ("Nothing could be judged.\n\n", "bold $text-error"),
                    f"{inert(error.message)}\n\n",
                    ("ctrl+r tries again.", "$text-muted"),
                ),
            )
            if not isinstance(error, KeeperError):
                return
        self.fail(error)

    def _take(self, result: StaleResult) -> None:
        """Show a new judgement, the conclusion at hand at hand still."""
        self._result = result
        self._diffs.clear()
        self.house.badge("stale", str(len(result.items)) if result.items else "")
        if not result.items:
            self._say("empty", stale_rows.nothing(result))
            self._items = []
            self.listing.set_count(0)
            return
        self.state = "full"
        self.set_class(False, "-said")
        self._show_items()

    def _say(self, state: State, message: Content) -> None:
        self.state = state
        self.query_one("#stale-message", Static).update(message)
        self.set_class(True, "-said")
        self.refresh_bindings()

    # --- the list -------------------------------------------------------------------------------------

    def _show_items(self, *, cursor: int | None = None) -> None:
        """Fill the list anew; the cursor stays on its item, else on its row."""
        assert self._result is not None
        before = self.item
        row = self.listing.cursor or 0
        asked = wanted(self.filter_input.value)
        self._items = [item for item in self._result.items if asked.holds(item)]
        if cursor is None:
            keys = [_key(item) for item in self._items]
            cursor = keys.index(_key(before)) if before is not None and _key(before) in keys else row
        self.query_one("#stale-summary", Static).update(
            Content(stale_rows.summary(self._result, self._items, bool(self.filter_input.value)))
        )
        self.listing.set_count(len(self._items), cursor=cursor)

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.input is self.filter_input and self._result is not None:
            self._show_items(cursor=0)

    def on_input_submitted(self, event: Input.Submitted) -> None:
        if event.input is self.filter_input:
            self.listing.focus()

    def on_virtual_list_moved(self, _message: VirtualList.Moved) -> None:
        self._show_item()
        self.refresh_bindings()

    def on_virtual_list_chosen(self, _message: VirtualList.Chosen) -> None:
        self.diff.focus()

    def _show_item(self) -> None:
        item = self.item
        now = self.conditions.clock()
        heading = self.query_one("#stale-heading", Static)
        if item is None:
            heading.update(Content("Nothing fits the filter; escape clears it." if self._result else ""))
            self._at_hand = None
            self.text.show([])
            self._fit_text()
            self.diff.show((), now)
            return
        self._tell_place()
        is_same = self._at_hand == _key(item)
        self.text.show(stale_rows.conclusion(item, with_title=not self._is_narrow), keep=is_same)
        self._fit_text()
        self._read_diff(item)

    def _fit_text(self) -> None:
        """The conclusion takes the rows that it needs, up to a quarter of the screen; it scrolls then."""
        width = self.text.scrollable_content_region.width or self.size.width - 4
        rows = sum(len(wrapped(paragraph.plain, width)) for paragraph in self.text.paragraphs)
        self.text.styles.height = max(1, min(rows, self.size.height // 4 if self.size.height >= 30 else 2))

    @work(group="diff", exclusive=True)
    async def _read_diff(self, item: StaleItem) -> None:
        """Show what changed under one conclusion."""
        key = _key(item)
        if self._at_hand != key:
            self._at_hand = key
            self.diff.show((), self.conditions.clock())
            self._tell_place()
        if key not in self._diffs:
            # A list that is scrolled through asks for the one that it comes to rest on.
            await asyncio.sleep(self.conditions.debounce)
            verb = "memo_diff" if item.kind == "memo" else "memory_diff"
            try:
                answer: verbs.MemoDiffResult | verbs.MemoryDiffResult = await self.engine.ask(
                    verb, {"id": item.id}
                )
            except AfreshError as error:
                self.fail(error)
                return
            while len(self._diffs) >= _KEPT_DIFFS:
                del self._diffs[next(iter(self._diffs))]
            self._diffs[key] = _Shown(answer.details, file_changes(answer.details, answer.files))
        shown = self.item
        changes = self._diffs[key].changes
        # What was judged again and came out the same stays where its reader is.
        if shown is not None and _key(shown) == key and self.diff.changes != changes:
            self.diff.show(changes, self.conditions.clock())

    # --- the diff -------------------------------------------------------------------------------------

    def on_diff_view_hunk_changed(self, _message: DiffView.HunkChanged) -> None:
        self._tell_place()

    def _tell_place(self) -> None:
        """Say which conclusion, which change and how it is laid out: in one line where rows are few."""
        diff = self.diff
        number, total = diff.current
        place = f"change {number} of {total}" if total else ""
        look = [diff.mode, "cited changes only" if diff.cited_only else "all changes"]
        if not diff.wrap:
            look.append("not wrapped")
        about = " · ".join(part for part in (place, *look) if part)
        self.query_one("#stale-about", Static).update(Content(about))
        if (item := self.item) is not None:
            heading = stale_rows.heading(item, self.conditions.clock())
            told = Content(heading)
            if self._is_narrow and place:
                told += Content.styled(f" · {place}", "$text-accent")
            self.query_one("#stale-heading", Static).update(told)

    def action_next_hunk(self) -> None:
        if not self.diff.next_hunk():
            self.app.bell()

    def action_previous_hunk(self) -> None:
        if not self.diff.previous_hunk():
            self.app.bell()

    def action_next_item(self) -> None:
        self.listing.action_move(1)

    def action_previous_item(self) -> None:
        self.listing.action_move(-1)

    def action_split(self) -> None:
        self.diff.wanted = "unified" if self.diff.mode == "split" else "split"
        self._tell_place()

    def action_all(self) -> None:
        self.diff.cited_only = not self.diff.cited_only
        self._tell_place()

    def action_wrap(self) -> None:
        self.diff.wrap = not self.diff.wrap
        self._tell_place()

    def action_zoom(self) -> None:
        self.toggle_class("-zoomed")
        (self.diff if self.has_class("-zoomed") else self.listing).focus()

    def action_filter(self) -> None:
        self.filter_input.add_class("-on")
        self.remove_class("-zoomed")
        self.set_focus(self.filter_input)

    def action_back(self) -> None:
        """Out of whatever is in the way: the zoom, the diff, then the filter."""
        if self.has_class("-zoomed"):
            self.action_zoom()
        elif self.focused is not self.listing and self.focused is not self.filter_input:
            self.listing.focus()
        else:
            self.filter_input.value = ""
            self.filter_input.remove_class("-on")
            self.listing.focus()

    def action_copy(self) -> None:
        if text := self.diff.hunk_text:
            self.app.copy_to_clipboard(text)
            self.say("Copied the change.")

    def action_open(self) -> None:
        item, place = self.item, self.diff.place
        if item is None or place is None:
            return
        path, line = place
        try:
            editor.readable_text(Path(item.root) / path, path)
            self._in_terminal(editor.editor_command(self.conditions.editor, Path(item.root) / path, line))
        except AfreshError as error:
            self.fail(error)

    def action_again(self) -> None:
        self.reload()

    # --- what is done about it ------------------------------------------------------------------------

    def can(self, name: str) -> bool:
        if name == "undo":
            return bool(self._done)
        if name == "again":
            return True
        item = self.item if self.state == "full" else None
        if name == "verify":
            return item is not None and item.kind == "memo"
        if name == "filter":
            return self.state == "full"
        return item is not None

    def action_verify(self) -> None:
        if (item := self.item) is not None:
            self._verify(item)

    @work(group="act", exclusive=True)
    async def _verify(self, item: StaleItem) -> None:
        try:
            await self.engine.ask("memory_exploration_verify", {"id": item.id, "action": "verify"})
        except AfreshError as error:
            self.fail(error)
            return
        self._acted(item, "Verified")

    def action_retire(self) -> None:
        if (item := self.item) is not None:
            self._retire(item)

    @work(group="act", exclusive=True)
    async def _retire(self, item: StaleItem) -> None:
        try:
            if item.kind == "memo":
                await self.engine.ask("memory_exploration_verify", {"id": item.id, "action": "retire"})
            else:
                await self.engine.ask("memory_delete", {"id": item.id})
        except AfreshError as error:
            self.fail(error)
            return
        self._acted(item, "Retired")

    def action_record(self) -> None:
        if (item := self.item) is not None:
            self._record(item)

    @work(group="act", exclusive=True)
    async def _record(self, item: StaleItem) -> None:
        """Let the old text be edited, and record what came of it."""
        try:
            editor.editor_command(self.conditions.editor, Path())
            shown = self._diffs.get(_key(item))
            details = item.details if shown is None else shown.details
            if item.kind == "memo":
                memo: verbs.MemoResult = await self.engine.ask("memo", {"id": item.id})
                given = rerecord.draft(memo.question, memo.conclusion, memo.files, details)
                edited = rerecord.read(self._edited(given.text), given)
                if edited is not None:
                    await self.engine.ask("memory_exploration_record", _of_memo(memo, edited))
            else:
                memory = await self._memory(item)
                given = rerecord.draft(item.title, memory.content, memory.files, details)
                edited = rerecord.read(self._edited(given.text), given)
                if edited is not None:
                    await self.engine.ask("memory_save", _of_memory(memory, edited))
        except AfreshError as error:
            self.fail(error)
            return
        if edited is None:
            self.say("Nothing was changed. Verify it if it holds as it is.")
            return
        self._acted(item, "Recorded", can_undo=item.kind == "memo")

    def _edited(self, text: str) -> str | None:
        """A text as it is after it was edited; None where it stayed what it was. Raises UsageError."""
        return editor.edited_text(self.conditions.editor, text, self._in_terminal)

    def _in_terminal(self, command: list[str]) -> int:
        """Hand the terminal over until a command ends; its exit code. Raises UsageError."""
        try:
            with self.app.suspend():
                return editor.run_editor(command)
        except SuspendNotSupported:
            raise UsageError(f"{command[0]} needs the terminal, which can't be handed over here") from None
        except OSError as error:
            raise UsageError(f"{command[0]} can't be started: {error.strerror or error}") from None

    async def _memory(self, item: StaleItem) -> contracts.MemoryRecord:
        """Raises UsageError for one that was deleted meanwhile."""
        found = await self.engine.ask("memory_get", {"ids": [item.id]})
        if not found.memories:
            raise UsageError(f"memory {item.id} was deleted meanwhile")
        return found.memories[0]

    def _acted(self, item: StaleItem, what: str, *, can_undo: bool = True) -> None:
        """Something was done about an item: it leaves the list, and the rest is judged again."""
        undo = f"; {self._undo_key} takes it back" if can_undo else ""
        if can_undo:
            self._done.append(_Done(item.kind, item.id, item.title, what))
        self.say(f"{what} “{one_line(item.title, 60)}”{undo}")
        if self._result is not None:
            left = [other for other in self._result.items if _key(other) != _key(item)]
            self._result = self._result.model_copy(update={"items": left, "fresh": self._result.fresh})
            self._show_items()
        self.refresh_bindings()
        self.reload()

    @property
    def _undo_key(self) -> str:
        return self.conditions.keys.get("stale.undo", "u")

    def action_undo(self) -> None:
        if self._done:
            self._undo(self._done[-1])

    @work(group="act", exclusive=True)
    async def _undo(self, done: _Done) -> None:
        try:
            if done.kind == "memo":
                await self.engine.ask("memory_exploration_verify", {"id": done.id, "action": "undo"})
            else:
                await self.engine.ask("memory_delete", {"id": done.id, "undo": True})
        except AfreshError as error:
            self.fail(error)
            return
        self._done.remove(done)
        self.say(f"Taken back: {done.what.lower()} “{one_line(done.title, 60)}”")
        self.refresh_bindings()
        self.reload()


_NO_PROJECT = Content.assemble(
    ("This folder is in no project yet.\n\n", "bold"),
    "`afresh index` makes it one; then conclusions about its code are judged here.",
)


def _key(item: StaleItem) -> Key:
    return item.kind, item.id


def _of_memo(memo: verbs.MemoResult, edited: rerecord.Rerecorded) -> dict[str, object]:
    return {
        "question": memo.question,
        "conclusion": edited.conclusion,
        "project": memo.project,
        "root": memo.root,
        "files": edited.files,
    }


def _of_memory(memory: contracts.MemoryRecord, edited: rerecord.Rerecorded) -> dict[str, object]:
    return {
        "content": edited.conclusion,
        "type": memory.type,
        "memory_type": memory.memory_type,
        "project": memory.project,
        "path": memory.path,
        "tags": memory.tags,
        "files": edited.files,
        "supersedes": memory.id,
    }
