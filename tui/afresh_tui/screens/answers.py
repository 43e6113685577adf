"""Ask, watch the steps, and read the answer beside its sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content
from textual.widgets import Input, Static
from textual.worker import Worker

from afresh.errors import AfreshError, KeeperError
from afresh_tui.actions import Act
from afresh_tui.answer_page import Cited, Step, citation_row, cited, page, record_page, steps_page
from afresh_tui.inert import inert, one_line
from afresh_tui.screens.ask import ChooseScreen
from afresh_tui.screens.base import AfreshScreen
from afresh_tui.widgets.chips import Chip, Chips
from afresh_tui.widgets.text_view import TextView
from afresh_tui.widgets.virtual_list import VirtualList
from afresh_tui.wording import counted

if TYPE_CHECKING:
    from afresh.answer_verbs import VerifiedAnswer
    from afresh.contracts import AnswerResult
    from afresh_tui.engine import Event

_TYPES = ("all", "fact", "decision", "solution", "lesson", "convention")


class AnswersScreen(AfreshScreen):
    """The question, the answer, its citations, and the record of one of them."""

    NAME: ClassVar[str] = "answers"
    ABOUT: ClassVar[str] = (
        "Ask in your own words, and read an answer that is made of what is remembered. Each number is a "
        "citation: a quote that stands word for word in its record, which is shown with the quote lit. "
        "What speaks against the answer, what is missing and how it was checked stand below it.\n\n"
        "● supported, ◐ in part or inferred, ○ not enough information: then nothing is made up. Verifying "
        "again proves the quotes against the records as they are now. Enter asks, and esc takes a question "
        "back while it is on its way."
    )
    ACTS: ClassVar[tuple[Act, ...]] = (
        Act("ask", "slash", "Ask", "Go to the question."),
        Act("next", "n", "Next", "The next citation, with its record."),
        Act("previous", "N", "Previous", "The citation before.", shown=False),
        Act("verify", "v", "Verify", "Prove every quote again, as of now."),
        Act("copy", "c,ctrl+y", "Copy", "Copy the answer with its sources."),
        Act("filter_type", "t", "Type", "Answer from one type of memory only."),
        Act("filter_project", "P", "Project", "Answer from another project, or from all.", shown=False),
        Act("cancel", "escape", "Cancel", "Take the question back, or leave the box.", shown=False),
    )
    DEFAULT_CSS = """
    AnswersScreen {
        & #query { height: 1; border: none; padding: 0; background: $surface; width: 1fr; }
        & #ask { height: 1; background: $surface; layout: horizontal; }
        & #prompt { width: 3; height: 1; padding: 0 0 0 1; color: $text-primary; background: $surface; }
        & #panes { height: 1fr; layout: vertical; }
        & #said { height: 1fr; layout: vertical; }
        & #answer { height: 1fr; }
        & #citations { height: auto; max-height: 5; border-top: solid $border-blurred; }
        & #citations:focus { border-top: solid $primary; }
        & #record { height: 7; border-top: solid $border-blurred; }
        & #record:focus { border-top: solid $primary; }
        &.-bare #citations, &.-bare #record { display: none; }
        &.-tall #citations { max-height: 8; }
        &.-tall #record { height: 10; }
        &.-wide #panes { layout: horizontal; }
        &.-wide #said { width: 60%; height: 1fr; }
        &.-wide #citations { max-height: 12; }
        &.-wide #record { width: 1fr; height: 1fr; border-top: none; border-left: solid $border-blurred; }
        &.-wide #record:focus { border-left: solid $primary; }
    }
    """
    AUTO_FOCUS = "#query"

    def __init__(self) -> None:
        super().__init__()
        self.type = "all"
        self.project: str | None = None
        """None: the workspace's."""
        self.asked = ""
        self.steps: list[Step] = []
        self.answer: AnswerResult | None = None
        self.verified: VerifiedAnswer | None = None
        self.citations: list[Cited] = []
        self._asking: Worker[None] | None = None

    def compose_body(self) -> ComposeResult:
        with Container(id="ask"):
            yield Static(Content("?"), id="prompt")
            box = Input(placeholder="Ask what is remembered", id="query", max_length=8000)
            self.house.still(box)
            yield box
        yield Chips()
        with Container(id="panes"):
            with Container(id="said"):
                yield TextView(id="answer")
                yield VirtualList(self._row, id="citations")
            yield TextView(id="record")

    def reload(self) -> None:
        self._show_chips()
        if self.answer is None and self._asking is None:
            self._show_answer()

    # --- asking ---------------------------------------------------------------------------------------

    @on(Input.Submitted, "#query")
    def _submitted(self, event: Input.Submitted) -> None:
        question = event.value.strip()
        if question:
            self.asked = question
            self.query_one("#answer").focus()
            self._asking = self._ask()

    @work(exclusive=True, group="answer")
    async def _ask(self) -> None:
        self.steps, self.answer, self.verified, self.citations = [], None, None, []
        self._show_citations()
        self._show_steps()
        try:
            project = self.project or (await self.place()).project
            if project is None:
                self._tell("This folder is in no known project: P chooses one.")
                return
            arguments = {"query": self.asked, "project": project, "type": self.type}
            answer = await self.engine.ask("memory_answer", arguments, on_event=self._take)
        except AfreshError as error:
            self._asking = None
            self._tell("" if isinstance(error, KeeperError) else error.message)
            self.fail(error)
            return
        finally:
            self._asking = None
            self._show_chips()
            self.refresh_bindings()
        self.answer = answer
        self.citations = cited(answer)
        self._show_citations()
        self._show_answer()
        if self.citations:
            self.query_one("#citations").focus()
        self._show_chips()
        self.refresh_bindings()

    def _take(self, event: Event) -> None:
        if event.get("kind") == "answer_step":
            step = event["step"]
            self.steps.append(Step(str(step["name"]), str(step["told"]), float(step["elapsed_ms"])))
            self._show_steps()

    # --- showing --------------------------------------------------------------------------------------

    def _show_steps(self) -> None:
        self.query_one("#answer", TextView).show(steps_page(self.asked, self.steps))
        self._show_chips()

    def _show_answer(self, *, keep: bool = False) -> None:
        view = self.query_one("#answer", TextView)
        if self.answer is None:
            view.show(self._nothing())
            self._show_citations()
        else:
            view.show(page(self.asked, self.answer, self.verified), keep=keep)

    def _nothing(self) -> list[Content]:
        return [
            Content("Ask, and read an answer with its sources."),
            Content(""),
            Content.styled(
                "It is made of what is remembered and of nothing else. Where that is not enough, it says so.",
                "$text-muted",
            ),
        ]

    def _tell(self, text: str) -> None:
        shown = [Content.styled(inert(self.asked), "bold"), Content("")]
        self.query_one("#answer", TextView).show([*shown, Content.styled(inert(text), "$text-warning")])

    def _show_citations(self) -> None:
        self.set_class(not self.citations, "-bare")
        self.query_one("#citations", VirtualList).set_count(len(self.citations))

    def _row(self, index: int, width: int) -> Sequence[Content]:
        if index >= len(self.citations):
            return [Content("")]
        return [citation_row(self.citations[index], self.verified, width, self.conditions.clock())]

    @property
    def current(self) -> Cited | None:
        """The citation at the cursor."""
        at = self.query_one("#citations", VirtualList).cursor
        return self.citations[at] if at is not None and at < len(self.citations) else None

    @on(VirtualList.Moved, "#citations")
    def _moved(self) -> None:
        item = self.current
        if item is None:
            return
        view = self.query_one("#record", TextView)
        paragraphs, paragraph, offset = record_page(item, self.conditions.clock(), self.conditions.zone)
        view.show(paragraphs)
        self.call_after_refresh(view.reveal, paragraph, offset)

    @on(VirtualList.Chosen, "#citations")
    def _chosen(self) -> None:
        self.query_one("#record").focus()

    def _show_chips(self) -> None:
        chips = self.query_one(Chips)
        project = one_line({"%": "all"}.get(self.project or "", self.project or ""), 24)
        chips.chips = (
            Chip("type", "t", "" if self.type == "all" else self.type, "all"),
            Chip("project", "P", project, "here"),
        )
        if self._asking is not None:
            chips.status = f"step {len(self.steps) + 1}…"
        elif self.answer is not None:
            chips.status = counted(len(self.citations), "citation")
        else:
            chips.status = ""

    # --- acts -----------------------------------------------------------------------------------------

    def can(self, name: str) -> bool:
        match name:
            case "next" | "previous":
                return bool(self.citations)
            case "verify" | "copy":
                return self.answer is not None
            case "cancel":
                return self._asking is not None or isinstance(self.focused, Input)
        return True

    def action_ask(self) -> None:
        self.set_focus(self.query_one("#query"))

    def action_next(self) -> None:
        self.query_one("#citations", VirtualList).action_move(1)

    def action_previous(self) -> None:
        self.query_one("#citations", VirtualList).action_move(-1)

    def action_cancel(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None
            self._tell("You took the question back.")
            self._show_chips()
            self.refresh_bindings()
        else:
            self.query_one("#answer").focus()

    @work(exclusive=True, group="verify")
    async def action_verify(self) -> None:
        answer = self.answer
        if answer is None:
            return
        try:
            verified = await self.engine.ask("verify_answer", {"id": answer.answer_id})
        except AfreshError as error:
            self.fail(error)
            return
        if self.answer is answer:
            self.verified = verified
            self.query_one("#citations", VirtualList).redraw()
            self._show_answer(keep=True)
            stands = verified.quotes_stand and verified.sources_current
            self.say(
                "Every quote stands, and its sources are current." if stands else "Not all stands any more."
            )

    def action_copy(self) -> None:
        if self.answer is None:
            return
        sources = [f"[{item.number}] #{item.record.id}: “{item.citation.quote}”" for item in self.citations]
        self.app.copy_to_clipboard("\n".join([self.answer.answer, "", *sources]).rstrip())
        self.say(f"Copied the answer with {counted(len(sources), 'source')}.")

    def action_filter_type(self) -> None:
        options = [(name, Content(name)) for name in _TYPES]
        self.app.push_screen(ChooseScreen("Type", options, self.type), self._set_type)

    def _set_type(self, chosen: str | None) -> None:
        if chosen is not None:
            self.type = chosen
            self._show_chips()

    @work(exclusive=True, group="projects")
    async def action_filter_project(self) -> None:
        try:
            known = await self.engine.ask("projects", {})
        except AfreshError as error:
            self.fail(error)
            return
        names = [info.name for info in known.projects]
        options = [("", Content("the workspace's")), ("%", Content("all"))]
        options += [(name, Content(one_line(name, 50))) for name in names]
        self.app.push_screen(ChooseScreen("Project", options, self.project or ""), self._set_project)

    def _set_project(self, chosen: str | None) -> None:
        if chosen is not None:
            self.project = chosen or None
            self._show_chips()

    @on(Chips.Pressed)
    def _pressed(self, event: Chips.Pressed) -> None:
        if event.name == "type":
            self.action_filter_type()
        else:
            self.action_filter_project()
