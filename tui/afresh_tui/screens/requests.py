"""What agents and editors ask, as it arrives; each can be read whole, repeated and copied."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Static

from afresh.errors import AfreshError
from afresh_tui.actions import Act
from afresh_tui.inert import inert, one_line
from afresh_tui.request_rows import Again, as_text, page, row_lines, running_lines, running_page
from afresh_tui.screens.ask import ChooseScreen
from afresh_tui.screens.base import AfreshScreen
from afresh_tui.widgets.chips import Chip, Chips
from afresh_tui.widgets.text_view import TextView
from afresh_tui.widgets.virtual_list import VirtualList
from afresh_tui.wording import counted

if TYPE_CHECKING:
    from afresh.activity_verbs import RequestResult, RequestSummary, RunningCall
    from afresh_tui.engine import Event

_PAGE = 100
_ALL = ""


class RequestsScreen(AfreshScreen):
    """The calls, the newest first, and one of them whole."""

    NAME: ClassVar[str] = "requests"
    ABOUT: ClassVar[str] = (
        "Every call of a tool by an agent or an editor, as it arrives: what it asked, what came of it, and "
        "how long it took. ✓ was answered, ✗ failed, ◌ runs.\n\n"
        "They are kept for 30 days without secrets, and long texts to a bound; AFRESH_REQUESTS=off keeps "
        "none. Enter reads one at full size, esc goes back. Repeating one asks again, now and from here."
    )
    ACTS: ClassVar[tuple[Act, ...]] = (
        Act("repeat", "r", "Repeat", "Ask the same again, and compare what comes."),
        Act("copy", "c,ctrl+y", "Copy", "Copy it with its arguments and its result, as JSON."),
        Act("filter_client", "a", "Client", "Show the calls of one client only."),
        Act("filter_tool", "t", "Tool", "Show the calls of one tool only."),
        Act("filter_failed", "f", "Failed", "Show those that failed only, or all again."),
        Act("clear_filters", "backspace", "Clear filters", "Take all filters away.", shown=False),
        Act("back", "escape", "Back", "Leave the request that is read.", shown=False),
    )
    DEFAULT_CSS = """
    RequestsScreen {
        & #told { height: auto; max-height: 3; padding: 0 1; display: none; color: $text-warning; }
        & #told.-on { display: block; }
        & #panes { height: 1fr; layout: vertical; }
        & #calls { height: 1fr; }
        & #page { height: 9; border-top: solid $border-blurred; }
        & #page:focus { border-top: solid $primary; }
        &.-tall #page { height: 14; }
        &.-wide #panes { layout: horizontal; }
        &.-wide #calls { width: 55%; height: 1fr; }
        &.-wide #page { width: 1fr; height: 1fr; border-top: none; border-left: solid $border-blurred; }
        &.-wide #page:focus { border-left: solid $primary; }
        &.-reading #calls { display: none; }
        &.-reading #page { height: 1fr; width: 1fr; }
    }
    """
    AUTO_FOCUS = "#calls"

    def __init__(self) -> None:
        super().__init__()
        self.running: list[RunningCall] = []
        self.calls: list[RequestSummary] = []
        self.total = 0
        self.client: str | None = None
        self.tool: str | None = None
        self.failed: bool | None = None
        self.request: RequestResult | None = None
        self.again: Again | None = None
        self._loading = True
        self._kept = True

    def compose_body(self) -> ComposeResult:
        yield Chips()
        yield Static(id="told")
        with Container(id="panes"):
            yield VirtualList(self._row, row_height=2, id="calls")
            yield TextView(id="page")

    def reload(self) -> None:
        self._show_chips()
        self._read()
        if self.conditions.live:
            self._follow()

    # --- reading --------------------------------------------------------------------------------------

    @work(exclusive=True, group="read")
    async def _read(self) -> None:
        self._loading = True
        self._show_chips()
        try:
            found = await self.engine.ask("requests", {**self._wanted(), "limit": _PAGE})
        except AfreshError as error:
            self._loading = False
            self._show_chips()
            self._tell(error.message)
            self.fail(error)
            return
        self._loading = False
        self._kept = found.kept
        self.running, self.calls, self.total = list(reversed(found.running)), found.requests, found.total
        self._tell(
            "" if found.kept else "Calls are not kept: AFRESH_REQUESTS is off. Those to come are shown."
        )
        self._show_rows(0)

    @work(exclusive=True, group="older")
    async def _read_older(self) -> None:
        if not self.calls or len(self.calls) >= self.total:
            return
        wanted = {**self._wanted(), "limit": _PAGE, "before": self.calls[-1].id}
        try:
            found = await self.engine.ask("requests", wanted)
        except AfreshError as error:
            self.fail(error)
            return
        known = {call.id for call in self.calls}
        self.calls += [call for call in found.requests if call.id not in known]
        self._show_rows(self.query_one("#calls", VirtualList).cursor)

    @work(exclusive=True, group="follow")
    async def _follow(self) -> None:
        wanted = {"client": self.client, "tool": self.tool}
        try:
            await self.engine.ask("follow_requests", wanted, on_event=self.tell_request)
        except AfreshError as error:
            self.fail(error)

    def tell_request(self, event: Event) -> None:
        """A call that began or ended."""
        from afresh.activity_verbs import RequestSummary, RunningCall

        listed = self.query_one("#calls", VirtualList)
        at = listed.cursor
        before = len(self.running) + len(self.calls)
        if event.get("kind") == "call_began":
            self.running.insert(0, RunningCall.model_validate(event["call"]))
        elif event.get("kind") == "call_ended":
            self.running = [call for call in self.running if call.number != event["number"]]
            ended = RequestSummary.model_validate(event["request"])
            known = ended.id and any(call.id == ended.id for call in self.calls[:_PAGE])
            if not known and self.failed in (None, ended.error_kind is not None):
                self.calls.insert(0, ended)
                self.total += 1
        grown = len(self.running) + len(self.calls) - before
        # Who reads the newest goes on with it; who reads another keeps it.
        self._show_rows(0 if not at else at + grown)

    def _wanted(self) -> dict[str, Any]:
        return {"client": self.client, "tool": self.tool, "failed": self.failed}

    # --- showing --------------------------------------------------------------------------------------

    @property
    def current(self) -> RequestSummary | None:
        """The call at the cursor that has ended."""
        at = self.query_one("#calls", VirtualList).cursor
        at = None if at is None else at - len(self.running)
        return self.calls[at] if at is not None and 0 <= at < len(self.calls) else None

    @property
    def _current_running(self) -> RunningCall | None:
        at = self.query_one("#calls", VirtualList).cursor
        return self.running[at] if at is not None and at < len(self.running) else None

    def _show_rows(self, cursor: int | None) -> None:
        listed = self.query_one("#calls", VirtualList)
        listed.set_count(len(self.running) + len(self.calls), cursor=cursor)
        self._show_chips()
        if not listed.count:
            self.request = None
            self.query_one("#page", TextView).show(self._empty())

    def _row(self, index: int, width: int) -> Sequence[Content]:
        now = self.conditions.clock()
        if index < len(self.running):
            return running_lines(self.running[index], width, now)
        at = index - len(self.running)
        if at >= len(self.calls) - 1 and len(self.calls) < self.total:
            self.call_later(self._read_older)
        return row_lines(self.calls[at], width, now) if at < len(self.calls) else [Content("")]

    def _empty(self) -> list[Content]:
        if self.client or self.tool or self.failed is not None:
            return [Content.styled("Nothing fits; fewer filters may show more.", "$text-muted")]
        return [
            Content("No agent and no editor has asked anything yet."),
            Content(""),
            Content.styled("`afresh install` connects them; what they ask then arrives here.", "$text-muted"),
        ]

    def _show_chips(self) -> None:
        chips = self.query_one(Chips)
        chips.chips = (
            Chip("client", "a", one_line(self.client or "", 20), "all"),
            Chip("tool", "t", one_line(self.tool or "", 26), "all"),
            Chip("outcome", "f", "failed" if self.failed else "", "all"),
        )
        if self._loading:
            chips.status = "reading…"
        else:
            running = f"{len(self.running)} running · " if self.running else ""
            chips.status = f"{running}{counted(self.total, 'call')}"

    def _tell(self, text: str) -> None:
        told = self.query_one("#told", Static)
        told.update(Content(inert(text)))
        told.set_class(bool(text), "-on")

    @on(VirtualList.Moved, "#calls")
    def _moved(self) -> None:
        running, call = self._current_running, self.current
        view = self.query_one("#page", TextView)
        if running is not None:
            self.request = None
            view.show(running_page(running, self.conditions.clock()))
        elif call is not None and (self.request is None or self.request.id != call.id):
            self.request, self.again = None, None
            self._read_one(call.id)
        self.refresh_bindings()

    @work(exclusive=True, group="one")
    async def _read_one(self, id_: int) -> None:
        view = self.query_one("#page", TextView)
        if not self._kept:
            view.show([Content.styled("It was not kept, so there is no more to read.", "$text-muted")])
            return
        try:
            request = await self.engine.ask("request", {"id": id_})
        except AfreshError as error:
            view.show([Content.styled(inert(error.message), "$text-error")])
            self.fail(error)
            return
        call = self.current
        if call is not None and call.id == id_:
            self.request = request
            self._show_page()
            self.refresh_bindings()

    def _show_page(self, *, keep: bool = False) -> None:
        if self.request is not None:
            shown = page(self.request, self.again, self.conditions)
            self.query_one("#page", TextView).show(shown, keep=keep)

    # --- acts -----------------------------------------------------------------------------------------

    def can(self, name: str) -> bool:
        match name:
            case "copy" | "repeat":
                return self.request is not None
            case "clear_filters":
                return bool(self.client or self.tool or self.failed is not None)
            case "back":
                return self.has_class("-reading")
        return True

    @on(VirtualList.Chosen, "#calls")
    def _chosen(self) -> None:
        self.add_class("-reading")
        self.query_one("#page", TextView).focus()
        self.refresh_bindings()

    def action_back(self) -> None:
        self.remove_class("-reading")
        self.query_one("#calls", VirtualList).focus()
        self.refresh_bindings()

    def action_copy(self) -> None:
        if self.request is not None:
            self.app.copy_to_clipboard(as_text(self.request))
            self.say(f"Copied request #{self.request.id}.")

    def action_repeat(self) -> None:
        from afresh.verbs import VERBS

        request = self.request
        if request is None:
            return
        verb = VERBS.get(request.tool)
        if verb is None:
            self.say(f"There is no tool {request.tool} any more.")
        elif request.arguments_cut or request.redacted or not isinstance(request.arguments, dict):
            self.say("Its arguments were not kept whole, so it can't be repeated.")
        elif verb.read_only:
            self._repeat(request)
        else:
            options = [("no", Content("No, leave it")), ("yes", Content("Yes, do it again"))]
            question = f"{request.tool} changes what is stored"
            self.app.push_screen(ChooseScreen(question, options, "no"), partial(self._confirmed, request))

    def _confirmed(self, request: RequestResult, answer: str | None) -> None:
        if answer == "yes":
            self._repeat(request)

    @work(exclusive=True, group="repeat")
    async def _repeat(self, request: RequestResult) -> None:
        assert isinstance(request.arguments, dict)
        began = time.perf_counter()
        try:
            result = await self.engine.ask(request.tool, request.arguments)
        except AfreshError as error:
            again = Again(None, error.message, self._since(began))
        else:
            again = Again(result.model_dump(mode="json"), None, self._since(began))
        if self.request is not None and self.request.id == request.id:
            self.again = again
            self._show_page()

    def _since(self, began: float) -> float:
        return (time.perf_counter() - began) * 1000 if self.conditions.live else 0.0

    def action_filter_client(self) -> None:
        names = sorted({call.client for call in self.calls} | {call.client for call in self.running})
        options = [(_ALL, Content("all")), *((name, Content(one_line(name, 50))) for name in names)]
        self.app.push_screen(ChooseScreen("Client", options, self.client or _ALL), self._set_client)

    def _set_client(self, chosen: str | None) -> None:
        if chosen is not None:
            self.client = chosen or None
            self.reload()

    def action_filter_tool(self) -> None:
        from afresh.verbs import TOOLS

        options = [(_ALL, Content("all")), *((verb.name, Content(verb.name)) for verb in TOOLS)]
        self.app.push_screen(ChooseScreen("Tool", options, self.tool or _ALL), self._set_tool)

    def _set_tool(self, chosen: str | None) -> None:
        if chosen is not None:
            self.tool = chosen or None
            self.reload()

    def action_filter_failed(self) -> None:
        self.failed = None if self.failed else True
        self.reload()

    def action_clear_filters(self) -> None:
        self.client = self.tool = self.failed = None
        self.reload()

    @on(Chips.Pressed)
    def _pressed(self, event: Chips.Pressed) -> None:
        match event.name:
            case "client":
                self.action_filter_client()
            case "tool":
                self.action_filter_tool()
            case _:
                self.action_filter_failed()
