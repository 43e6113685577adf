"""Recalls in several steps: how each reached its evidence, run by run, and a new one step by step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Literal

from textual import events, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Vertical
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer
from textual.widgets import Input, Static
from textual.worker import Worker

from afresh.errors import AfreshError, CancelledCallError, KeeperError
from afresh_tui.actions import Act
from afresh_tui.engine import Event
from afresh_tui.inert import inert
from afresh_tui.screens import run_rows
from afresh_tui.screens.base import AfreshScreen
from afresh_tui.screens.run_compare import comparison
from afresh_tui.screens.run_story import Story, begun, story_of, told
from afresh_tui.screens.run_timeline import evidence_line, timeline
from afresh_tui.widgets.text_view import TextView
from afresh_tui.widgets.virtual_list import VirtualList
from afresh_tui.wording import counted

if TYPE_CHECKING:
    from afresh.verbs import ListedRun, RunsResult

State = Literal["loading", "empty", "full", "error"]
_PAGE = 100
_KEPT = 64
_SEARCHES = 4
"""What the verb takes where it isn't told."""
_ABOUT = """\
A recall in several steps splits a question, searches for its parts, and plans the next search from what it \
found. Each run is kept: what each search asked, where that came from, what it found (new evidence is marked \
with +), what the planner concluded and asked next, and how it ended.

Runs of agents and of the command line appear here as they end. Ask starts one, which is seen step by step. \
Replay runs one again and compares; Compare does so for any two: once on the first, again on the second."""
_EMPTY = Content.assemble(
    ("No recall in several steps was run yet.\n\n", "bold"),
    "Agents run them with memory_recall_iterative, the command line with `afresh iterate`.\n",
    ("a", "bold $text-primary"),
    " asks one from here.",
)


class StoryView(TextView):
    """A text that is made for its width: whoever made it is told of another."""

    @dataclass
    class Resized(Message):
        """The width may be another."""

    def on_resize(self, _event: events.Resize) -> None:
        self.post_message(self.Resized())


class IterationsScreen(AfreshScreen):
    """Runs at the left, the newest first; the one at hand as a timeline, or two of them compared."""

    NAME: ClassVar[str] = "iterations"
    ABOUT: ClassVar[str] = _ABOUT
    ACTS: ClassVar[tuple[Act, ...]] = (
        Act("ask", "a", "Ask", "Ask a question that may need several searches, and watch them."),
        Act("cancel", "x", "Cancel", "Take back the run that is on its way; nothing of it is stored."),
        Act("replay", "r", "Replay", "Run this one again, and compare."),
        Act("compare", "c", "Compare", "Compare two runs: once on the first, again on the second."),
        Act("evidence", "e", "Evidence", "Go to the evidence, or back to the beginning."),
        Act(
            "more_searches",
            "plus,ctrl+up",
            "More searches",
            "Let the next question take one search more.",
            shown=False,
        ),
        Act(
            "fewer_searches",
            "minus,ctrl+down",
            "Fewer searches",
            "Let the next question take one less.",
            shown=False,
        ),
        Act("everywhere", "w", "All projects", "List the runs of all projects, or of this one."),
        Act("copy", "y", "Copy", "Copy what is shown of the run to the clipboard.", shown=False),
        Act("again", "ctrl+r", "Read again", "Read the list again.", shown=False),
    )
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back", show=False)]
    DEFAULT_CSS = """
    IterationsScreen {
        & #runs-ask {
            display: none; height: 3; border: round $border; padding: 0 1; background: $surface;
            border-title-color: $text-primary; border-subtitle-color: $text-muted;
        }
        & #runs-ask.-on { display: block; }
        & #runs-full { layout: horizontal; height: 1fr; }
        & #runs-side { width: 38; height: 1fr; border-right: solid $border-blurred; }
        & #runs-summary {
            height: 1; padding: 0 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis;
        }
        & #runs-message {
            display: none; width: 1fr; height: 1fr; content-align: center middle; text-align: center;
        }
        &.-wide #runs-side { width: 46; }
        &.-narrow #runs-full {
            layout: vertical;
            & #runs-side { width: 1fr; height: 7; border-right: none; border-bottom: solid $border-blurred; }
        }
        &.-paired #runs-side { display: none; }
        &.-said {
            & #runs-full { display: none; }
            & #runs-message { display: block; }
        }
    }
    """

    state: reactive[State] = reactive("loading")
    """loading, empty, full, or error where nothing was ever read."""

    def __init__(self) -> None:
        super().__init__()
        self._runs: list[ListedRun] = []
        self._more = False
        self._new: set[int] = set()
        """Ids of runs that arrived since the list was first read, and were not looked at."""
        self._live: Story | None = None
        """The run that was asked for here and isn't stored: the first row."""
        self._under_way: Worker[None] | None = None
        self._story: Story | None = None
        self._shown: int | None = None
        """The id of the run that is shown, by itself or beside another."""
        self._pair: tuple[Story, Story] | None = None
        self._first: int | None = None
        """The id of the run that is to be compared with another."""
        self._replayed: tuple[int, int] | None = None
        """A run and its replay, which are compared as long as the list stands on the replay."""
        self._stories: dict[int, Story] = {}
        self._everywhere = False
        self._searches = _SEARCHES
        self._timer: Timer | None = None

    def compose_body(self) -> ComposeResult:
        yield Input(placeholder="A question that may need several searches", id="runs-ask")
        with Container(id="runs-full"):
            with Vertical(id="runs-side"):
                yield Static(id="runs-summary")
                yield VirtualList(self._row, row_height=2, id="runs-list")
            yield StoryView(id="runs-story")
        yield Static(id="runs-message")

    def on_mount(self) -> None:
        self.house.still(self.ask_input)
        self.listing.focus()
        self._timer = self.poll(self._look)

    # --- widgets --------------------------------------------------------------------------------------

    @property
    def listing(self) -> VirtualList:
        return self.query_one("#runs-list", VirtualList)

    @property
    def view(self) -> TextView:
        return self.query_one("#runs-story", TextView)

    @property
    def ask_input(self) -> Input:
        return self.query_one("#runs-ask", Input)

    @property
    def run_id(self) -> int | None:
        """The id of the run at hand; None where there is none, or it isn't stored."""
        at = self._at(self.listing.cursor) if self.is_mounted else None
        return None if at is None else self._runs[at].id

    def _at(self, row: int | None) -> int | None:
        """The place of a row among the stored runs."""
        if row is None:
            return None
        at = row - (self._live is not None)
        return at if 0 <= at < len(self._runs) else None

    def _row(self, index: int, width: int) -> list[Content]:
        at, lines = self._at(index), self.listing.row_height
        if at is None:
            return [] if self._live is None else run_rows.live_row(self._live, width, lines)
        run = self._runs[at]
        now = self.conditions.clock()
        return run_rows.row(
            run, now, width, lines, is_new=run.id in self._new, is_first=run.id == self._first
        )

    def on_resize(self) -> None:
        self.listing.set_row_height(1 if self.size.width < 100 else 2)

    def on_story_view_resized(self, _message: StoryView.Resized) -> None:
        self._draw(keep=True)

    # --- the list -------------------------------------------------------------------------------------

    def reload(self) -> None:
        self._read()

    @work(group="runs", exclusive=True)
    async def _read(self) -> None:
        """Read the first page; what is shown stays until it is there."""
        if not self._runs:
            self._say("loading", Content("Reading the runs …"))
        try:
            if not self._everywhere and (await self.place()).project is None:
                self._everywhere = True
            result: RunsResult = await self.engine.ask(
                "runs", {"project": "%" if self._everywhere else None, "limit": _PAGE}
            )
        except AfreshError as error:
            self._failed(error)
            return
        before = self.run_id
        self._runs, self._more = list(result.runs), result.more
        self._show_runs(before)

    def _look(self) -> None:
        if self.state in ("full", "empty"):
            self._look_for_new()

    @work(group="look", exclusive=True)
    async def _look_for_new(self) -> None:
        """See what arrived since the newest run that is known."""
        newest = self._runs[0].id if self._runs else 0
        try:
            result: RunsResult = await self.engine.ask(
                "runs",
                {"project": "%" if self._everywhere else None, "after": newest, "limit": _PAGE},
            )
        except AfreshError as error:
            self.fail(error)
            return
        self._arrived(result.runs)

    def _arrived(self, runs: list[ListedRun]) -> None:
        known = {run.id for run in self._runs}
        fresh = [run for run in runs if run.id not in known]
        if fresh:
            before = self.run_id
            self._new |= {run.id for run in fresh}
            self._runs = [*fresh, *self._runs]
            self._show_runs(before)

    @work(group="page", exclusive=True)
    async def _read_more(self) -> None:
        oldest = self._runs[-1].id
        try:
            result: RunsResult = await self.engine.ask(
                "runs", {"project": "%" if self._everywhere else None, "before": oldest, "limit": _PAGE}
            )
        except AfreshError as error:
            self.fail(error)
            return
        if self._runs and self._runs[-1].id == oldest:
            self._runs += result.runs
            self._more = result.more
            self.listing.set_count(len(self._runs) + (self._live is not None), cursor=self.listing.cursor)
            self._summarise()

    def _show_runs(self, selected: int | None) -> None:
        """Fill the list anew, the run at hand at hand still."""
        if not self._runs and self._live is None:
            self._say("empty", _EMPTY)
            return
        self.state = "full"
        self.set_class(False, "-said")
        self._summarise()
        ids = [run.id for run in self._runs]
        offset = int(self._live is not None)
        cursor = ids.index(selected) + offset if selected in ids else (self.listing.cursor or 0)
        if self._live is not None and selected is None:
            cursor = 0
        self.listing.set_count(len(ids) + offset, cursor=cursor)
        self.refresh_bindings()

    def _summarise(self) -> None:
        many = f"{counted(len(self._runs), 'run')}{' or more' if self._more else ''}"
        parts = [many, "all projects" if self._everywhere else self.house.where or "this project"]
        if self._new:
            parts.append(f"{len(self._new)} new")
        self.query_one("#runs-summary", Static).update(Content(" · ".join(parts)))
        self.house.badge("iterations", str(len(self._new)) if self._new else "")

    def _say(self, state: State, message: Content) -> None:
        self.state = state
        self.query_one("#runs-message", Static).update(message)
        self.set_class(True, "-said")
        self.refresh_bindings()

    def _failed(self, error: AfreshError) -> None:
        if not self._runs and not isinstance(error, CancelledCallError):
            self._say(
                "error",
                Content.assemble(
                    ("The runs could not be read.\n\n", "bold $text-error"),
                    f"{inert(error.message)}\n\n",
                    ("ctrl+r tries again.", "$text-muted"),
                ),
            )
            if not isinstance(error, KeeperError):
                return
        self.fail(error)

    def _set_pair(self, pair: tuple[Story, Story] | None) -> None:
        """Show two runs, which take the whole width, or one again."""
        self._pair = pair
        self.set_class(pair is not None, "-paired")
        self._draw()

    def on_virtual_list_moved(self, message: VirtualList.Moved) -> None:
        at = self._at(message.index)
        if at is not None and self._runs[at].id == self._shown:
            # Only the list is another; its reader stays where he is.
            self.refresh_bindings()
            return
        self._shown = None
        if self._pair is not None:
            self._set_pair(None)
        if at is None:
            self._story = self._live
            self._draw()
        else:
            run = self._runs[at]
            if run.id in self._new:
                self._new.discard(run.id)
                self.listing.redraw(message.index)
                self._summarise()
            if self._replayed is not None and run.id == self._replayed[1]:
                self._compare(*self._replayed)
            else:
                self._replayed = None
                self._read_story(run.id)
            if self._more and at >= len(self._runs) - 10:
                self._read_more()
        self.refresh_bindings()

    def on_virtual_list_chosen(self, _message: VirtualList.Chosen) -> None:
        self.view.focus()

    # --- one run --------------------------------------------------------------------------------------

    @work(group="story", exclusive=True)
    async def _read_story(self, id_: int) -> None:
        try:
            story = await self._stored(id_)
        except AfreshError as error:
            self.fail(error)
            return
        if self.run_id == id_ and self._pair is None:
            self._story, self._shown = story, id_
            self._draw()

    async def _stored(self, id_: int) -> Story:
        """A stored run; its evidence reads as it did when it was first looked at."""
        if id_ not in self._stories:
            result = await self.engine.ask("run", {"id": id_})
            while len(self._stories) >= _KEPT:
                del self._stories[next(iter(self._stories))]
            self._stories[id_] = story_of(result)
        return self._stories[id_]

    def _draw(self, *, keep: bool = False) -> None:
        """Show the run at hand, or the two that are compared."""
        width = self.view.scrollable_content_region.width
        if width <= 0:
            return
        now = self.conditions.clock()
        if self._pair is not None:
            self.view.show(comparison(*self._pair, now, width), keep=keep)
        elif self._story is not None:
            self.view.show(timeline(self._story, now, width), keep=keep)
        else:
            self.view.show([])

    def action_evidence(self) -> None:
        if self._story is None or self._pair is not None:
            return
        width = self.view.scrollable_content_region.width
        line = evidence_line(self._story, self.conditions.clock(), width)
        is_there = self.view.scroll_offset.y >= min(line, self.view.max_scroll_y) > 0
        self.view.scroll_to(y=0 if is_there else line, animate=False, immediate=True, force=True)

    def action_copy(self) -> None:
        if text := self.view.plain:
            self.app.copy_to_clipboard(text)
            self.say("Copied the run.")

    # --- a new one ------------------------------------------------------------------------------------

    def action_ask(self) -> None:
        self._tell_searches()
        self.ask_input.add_class("-on")
        self.set_focus(self.ask_input)

    def action_more_searches(self) -> None:
        self._searches = min(12, self._searches + 1)
        self._tell_searches()

    def action_fewer_searches(self) -> None:
        self._searches = max(1, self._searches - 1)
        self._tell_searches()

    def _tell_searches(self) -> None:
        self.ask_input.border_title = "Ask"
        most = f"at most {counted(self._searches, 'search', 'searches')}"
        self.ask_input.border_subtitle = f"{most} · ctrl+up, ctrl+down"

    def on_input_submitted(self, event: Input.Submitted) -> None:
        query = event.value.strip()
        if event.input is not self.ask_input or not query:
            return
        if self._under_way is not None:
            self.say("A run is on its way; take that back first, or wait for it.")
            return
        self.ask_input.value = ""
        self.ask_input.remove_class("-on")
        self.listing.focus()
        self._begin(query)

    def _begin(self, query: str) -> None:
        self._live = begun(query, self._searches, self.conditions.clock())
        self._show_runs(None)
        arguments = {
            "query": query,
            "max_iters": self._searches,
            "project": "%" if self._everywhere else None,
        }
        self._under_way = self._run(arguments)

    @work(group="run", exit_on_error=False)
    async def _run(self, arguments: dict[str, object]) -> None:
        """Run one, which is stored when it has ended, and show that."""
        try:
            result = await self.engine.ask("memory_recall_iterative", arguments, on_event=self._heard)
            id_ = result.provenance.run_id
            listed: RunsResult = await self.engine.ask(
                "runs", {"project": "%", "after": id_ - 1, "before": id_ + 1, "limit": 1}
            )
        except AfreshError as error:
            self._ended("failed", error)
            return
        finally:
            self._under_way = None
            self.refresh_bindings()
        was_at_hand = self.listing.cursor == 0
        self._live = None
        before = id_ if was_at_hand else self.run_id
        known = {run.id for run in self._runs}
        self._runs = [*(run for run in listed.runs if run.id not in known), *self._runs]
        self._runs.sort(key=lambda run: -run.id)
        self._show_runs(before)

    def _heard(self, event: Event) -> None:
        """One more step of the run that is on its way."""
        if self._live is None:
            return
        self._live = told(self._live, event)
        self.listing.redraw(0)
        if self.listing.cursor == 0 and self._pair is None:
            self._story = self._live
            self._draw(keep=True)
            self.view.scroll_end(animate=False, immediate=True, force=True)

    def _ended(self, reason: Literal["cancelled", "failed"], error: AfreshError | None = None) -> None:
        """The run that is on its way came to nothing; it is shown until another is asked for."""
        if self._live is None:
            return
        self._live = replace(self._live, ending=reason, error=None if error is None else inert(error.message))
        self.listing.redraw(0)
        if self.listing.cursor == 0:
            self._story = self._live
            self._draw(keep=True)
        if isinstance(error, KeeperError):
            self.fail(error)
        self.refresh_bindings()

    def action_cancel(self) -> None:
        if self._under_way is not None:
            running, self._under_way = self._under_way, None
            running.cancel()
            self._ended("cancelled")
            self.say("Taken back; nothing of it is stored.")

    # --- two runs -------------------------------------------------------------------------------------

    def action_compare(self) -> None:
        id_ = self.run_id
        if id_ is None:
            return
        if self._first is None or self._first == id_:
            self._first = None if self._first == id_ else id_
            self.listing.redraw()
            if self._first is not None:
                self.say(f"Comparing run {id_}: go to another and press {self._key('compare', 'c')} again.")
            return
        self._compare(self._first, id_)
        self._first = None
        self.listing.redraw()

    @work(group="story", exclusive=True)
    async def _compare(self, one: int, two: int) -> None:
        """Show two runs side by side, the earlier one first."""
        try:
            stories = [await self._stored(id_) for id_ in sorted((one, two))]
        except AfreshError as error:
            self.fail(error)
            return
        self._set_pair((stories[0], stories[1]))
        self._shown = self.run_id
        self.view.focus()
        self.refresh_bindings()

    def action_replay(self) -> None:
        id_ = self.run_id
        if id_ is not None and self._under_way is None and self._story is not None:
            earlier = self._story
            self._live = begun(earlier.query, earlier.max_iters, self.conditions.clock(), replay_of=id_)
            self._show_runs(None)
            self._under_way = self._replay(id_)

    @work(group="run", exit_on_error=False)
    async def _replay(self, id_: int) -> None:
        """Run one again, and compare the two."""
        try:
            result = await self.engine.ask("replay", {"id": id_}, on_event=self._heard)
            listed: RunsResult = await self.engine.ask(
                "runs",
                {"project": "%", "after": result.replay_id - 1, "before": result.replay_id + 1, "limit": 1},
            )
        except AfreshError as error:
            self._ended("failed", error)
            return
        finally:
            self._under_way = None
            self.refresh_bindings()
        self._live = None
        known = {run.id for run in self._runs}
        self._runs = [*(run for run in listed.runs if run.id not in known), *self._runs]
        self._runs.sort(key=lambda run: -run.id)
        self._replayed = id_, result.replay_id
        self._show_runs(result.replay_id)

    # --- around ---------------------------------------------------------------------------------------

    def action_everywhere(self) -> None:
        self._everywhere = not self._everywhere
        self._new.clear()
        self._runs = []
        self.reload()

    def action_again(self) -> None:
        self.reload()

    def action_back(self) -> None:
        """Out of whatever is in the way: the question, the comparison, the story, the mark."""
        if self.ask_input.has_class("-on"):
            self.ask_input.remove_class("-on")
        elif self._pair is not None:
            self._set_pair(None)
            self._replayed = None
            if self.run_id is not None:
                self._read_story(self.run_id)
        elif self._first is not None and self.focused is self.listing:
            self._first = None
            self.listing.redraw()
        self.listing.focus()

    def can(self, name: str) -> bool:
        if name == "cancel":
            return self._under_way is not None
        if name in ("replay", "compare"):
            is_free = name == "compare" or self._under_way is None
            return self.state == "full" and self.run_id is not None and is_free
        if name in ("evidence", "copy"):
            return (self.state == "full" and self._pair is None) or name == "copy"
        return True

    def _key(self, name: str, default: str) -> str:
        return self.conditions.keys.get(f"{self.NAME}.{name}", default)
