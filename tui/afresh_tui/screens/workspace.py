"""The workspace at work: what is indexed, watched and running, and what changes as it happens."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import events, on, work
from textual.app import ComposeResult
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from afresh.errors import AfreshError, KeeperError
from afresh_tui.actions import Act
from afresh_tui.inert import inert
from afresh_tui.screens.base import AfreshScreen
from afresh_tui.widgets.chips import Chip, Chips
from afresh_tui.widgets.virtual_list import VirtualList
from afresh_tui.wording import counted
from afresh_tui.workspace_facts import (
    change_row,
    claim_rows,
    client_row,
    excluded_row,
    facts,
    laid_out,
)

if TYPE_CHECKING:
    from afresh.activity_verbs import ActivityResult, ConnectedClient, ExcludedFile, WorkspaceChange
    from afresh.contracts import KeeperStatus, StatusResult
    from afresh.verbs import DeadClaim
    from afresh_tui.engine import Event

_VIEWS = ("changes", "clients", "left out", "dead claims")
_KEPT = 100
_AGAIN = 0.5
"""Seconds after a change until the figures are asked for again."""


class WorkspaceScreen(AfreshScreen):
    """Figures above; below one of four lists."""

    NAME: ClassVar[str] = "workspace"
    ABOUT: ClassVar[str] = (
        "What is indexed, remembered, watched and running. Below the figures stands one of four lists: the "
        "last hundred changes as the watch brings them in, with the time from the disk to the index; who is "
        "connected to the keeper; which files are left out and why; and dead claims, which are files, "
        "symbols, commits and commands that notes name and that are not there any more."
    )
    ACTS: ClassVar[tuple[Act, ...]] = (
        Act("changes", "h", "Changes", "Show what changed."),
        Act("clients", "l", "Clients", "Show who is connected."),
        Act("excluded", "x", "Left out", "Show the files that are not indexed, and why."),
        Act("claims", "d", "Dead claims", "Show what notes name that is not there."),
        Act("index", "i", "Index", "Bring the index up to date now."),
        Act("refresh", "r", "Refresh", "Read all of it again.", shown=False),
    )
    DEFAULT_CSS = """
    WorkspaceScreen {
        & #facts { height: auto; padding: 0 1; margin: 0 0 1 0; }
        & #told { height: auto; max-height: 3; padding: 0 1; display: none; color: $text-warning; }
        & #told.-on { display: block; }
        & #rows { height: 1fr; border-top: solid $border-blurred; }
        & #empty { display: none; height: 1fr; padding: 0 2; border-top: solid $border-blurred; }
        & #empty { color: $text-muted; }
        &.-empty #rows { display: none; }
        &.-empty #empty { display: block; }
        &.-tall #facts { margin: 1 0; }
    }
    """
    AUTO_FOCUS = "#rows"

    def __init__(self) -> None:
        super().__init__()
        self.view = "changes"
        self.status: StatusResult | None = None
        self.activity: ActivityResult | None = None
        self.keeper: KeeperStatus | None = None
        self.changes: deque[WorkspaceChange] = deque(maxlen=_KEPT)
        self.clients: Sequence[ConnectedClient] = ()
        self.excluded: Sequence[ExcludedFile] | None = None
        self.claims: Sequence[DeadClaim] | None = None
        self._doing = "reading…"
        self._notes = ""
        self._again: Timer | None = None

    def compose_body(self) -> ComposeResult:
        yield Static(id="facts")
        yield Static(id="told")
        yield Chips()
        yield VirtualList(self._row, id="rows")
        yield Static(id="empty")

    def on_mount(self) -> None:
        self.poll(self._look)

    def reload(self) -> None:
        self._show()
        self._read_status()
        self._look()
        if self.view in ("left out", "dead claims"):
            self._read_view()

    def workspace_changed(self, event: Event) -> None:
        from afresh.activity_verbs import WorkspaceChange

        match event.get("kind"):
            case "change" if "at" in event:
                self.changes.appendleft(WorkspaceChange.model_validate({"commits": 0, **event}))
                self._show()
                self._soon()
            case "progress":
                total = f" of {event['total']:,}" if event.get("total") else ""
                self._doing = f"{inert(event.get('phase', ''))} {event.get('done') or 0:,}{total}"
                self._show_chips()
            case "indexed" | "watch":
                self._doing = ""
                self._soon()

    def _soon(self) -> None:
        if self._again is not None:
            self._again.stop()
        self._again = self.set_timer(_AGAIN, self._read_status)

    # --- reading --------------------------------------------------------------------------------------

    @work(exclusive=True, group="status")
    async def _read_status(self) -> None:
        try:
            self.status = await self.engine.ask("workspace_status", {})
        except AfreshError as error:
            self._doing = ""
            # A lost keeper is told by the banner.
            self._tell("" if isinstance(error, KeeperError) else error.message)
            self._show()
            self.fail(error)
            return
        self._doing = ""
        self.keeper = self.status.keeper
        self._tell("" if self.status.root else "This folder is in no known project: i indexes it.")
        self._show()

    @work(exclusive=True, group="look")
    async def _look(self) -> None:
        """What changes from moment to moment."""
        try:
            self.activity = await self.engine.ask("activity", {"limit": _KEPT})
            self.clients = (await self.engine.ask("clients", {})).clients
            self.keeper = await self.engine.ask("keeper_status", {})
        except AfreshError as error:
            self.fail(error)
            return
        self.changes = deque(self.activity.changes, maxlen=_KEPT)
        self._show()

    @work(exclusive=True, group="view")
    async def _read_view(self) -> None:
        view = self.view
        self._doing = "judging notes…" if view == "dead claims" else "reading…"
        self._show()
        try:
            if view == "left out":
                found = await self.engine.ask("excluded", {"limit": 5000})
                self.excluded = found.files
                hidden = found.total - len(found.files)
                self._notes = f"{hidden:,} more are left out." if hidden else ""
            elif view == "dead claims":
                judged = await self.engine.ask("claims", {}, on_event=self.workspace_changed)
                self.claims = judged.dead
                self._notes = "  ".join(judged.notes)
        except AfreshError as error:
            self._notes = error.message
            self.fail(error)
        self._doing = ""
        self._show()

    # --- showing --------------------------------------------------------------------------------------

    def _show(self) -> None:
        self._show_facts()
        self._show_chips()
        rows = self.query_one("#rows", VirtualList)
        listed = self._listed
        count = len(listed) if listed is not None else 0
        self.set_class(not count, "-empty")
        self.query_one("#empty", Static).update(Content(self._empty()))
        rows.set_row_height(2 if self.view == "dead claims" else 1)
        rows.set_count(count, cursor=rows.cursor or 0)
        if count and self.focused is None and self.is_current:
            rows.focus()

    def _show_facts(self) -> None:
        shown = self.query_one("#facts", Static)
        if self.status is None or self.keeper is None:
            shown.update(Content.styled("Reading what is known…" if self._doing else "", "$text-muted"))
            return
        width = max(shown.content_size.width or self.size.width - 2, 40)
        known, runs = facts(self.status, self.activity, self.keeper, self.conditions.clock())
        shown.update(Content("\n").join(laid_out(known, runs, width)))

    def on_resize(self, _event: events.Resize) -> None:
        self.call_after_refresh(self._show_facts)

    def _show_chips(self) -> None:
        chips = self.query_one(Chips)
        counts: dict[str, str] = {
            "changes": f"{len(self.changes):,}",
            "clients": f"{len(self.clients):,}",
            "left out": self._count_excluded(),
            "dead claims": "?" if self.claims is None else f"{len(self.claims):,}",
        }
        keys = dict(zip(_VIEWS, ("h", "l", "x", "d"), strict=True))
        chips.chips = tuple(
            Chip(view, keys[view], counts[view] if view == self.view else "", counts[view]) for view in _VIEWS
        )
        chips.status = self._doing

    def _count_excluded(self) -> str:
        if self.excluded is not None:
            return f"{len(self.excluded):,}"
        return "?" if self.status is None else f"{self.status.files.excluded:,}"

    @property
    def _listed(self) -> Sequence[object] | None:
        lists: dict[str, Callable[[], Sequence[object] | None]] = {
            "changes": lambda: self.changes,
            "clients": lambda: self.clients,
            "left out": lambda: self.excluded,
            "dead claims": lambda: self.claims,
        }
        return lists[self.view]()

    def _empty(self) -> str:
        if self._doing:
            return self._doing
        told = {
            "changes": "Nothing changed since the keeper began to watch. What is saved is seen here at once.",
            "clients": "No client is known.",
            "left out": "No file is left out, those aside that ignore rules name.",
            "dead claims": "Everything that notes and memories name is there.",
        }
        return inert(self._notes) or told[self.view]

    def _row(self, index: int, width: int) -> Sequence[Content]:
        match self.view:
            case "changes":
                return [change_row(self.changes[index], width, self.conditions.zone)]
            case "clients":
                return [client_row(self.clients[index], width, self.conditions.clock(), self.conditions)]
            case "left out":
                return [excluded_row((self.excluded or ())[index], width)]
            case _:
                return claim_rows((self.claims or ())[index], width)

    def _tell(self, text: str) -> None:
        told = self.query_one("#told", Static)
        told.update(Content(inert(text)))
        told.set_class(bool(text), "-on")

    # --- acts -----------------------------------------------------------------------------------------

    def _view(self, view: str) -> None:
        self.view, self._notes = view, ""
        rows = self.query_one("#rows", VirtualList)
        rows.set_count(0)
        if view in ("left out", "dead claims"):
            self._read_view()
        else:
            self._show()
        rows.focus()

    def action_changes(self) -> None:
        self._view("changes")

    def action_clients(self) -> None:
        self._view("clients")

    def action_excluded(self) -> None:
        self._view("left out")

    def action_claims(self) -> None:
        self._view("dead claims")

    def action_refresh(self) -> None:
        self.reload()

    @work(exclusive=True, group="index")
    async def action_index(self) -> None:
        self._doing = "indexing…"
        self._show_chips()
        try:
            here = await self.place()
            path = here.root or Path.cwd()
            result = await self.engine.ask("index", {"path": str(path)}, on_event=self.workspace_changed)
        except AfreshError as error:
            self._doing = ""
            self._show_chips()
            self.fail(error)
            return
        self._doing = ""
        changed = result.added + result.changed + result.removed
        self.say(
            f"Up to date in {result.elapsed_s:.1f} s: {counted(result.files, 'file')}, "
            f"{f'{changed:,} of them new' if changed else 'nothing new'}."
        )
        self.reload()

    @on(Chips.Pressed)
    def _pressed(self, event: Chips.Pressed) -> None:
        self._view(event.name)
