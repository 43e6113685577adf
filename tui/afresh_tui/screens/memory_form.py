"""A page on which a memory is written or changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Select, Static, TextArea

TYPES = ("fact", "decision", "solution", "lesson", "convention")


@dataclass(frozen=True, slots=True)
class Draft:
    """A memory as it was written."""

    content: str
    type: str
    path: str


class MemoryForm(ModalScreen[Draft | None]):
    """Text, type and place; None where it was left. A changed text is left by escape pressed twice."""

    DEFAULT_CSS = """
    MemoryForm {
        align: center middle; background: $background 60%;
        & > Vertical { width: 96; max-width: 95%; height: 20; max-height: 90%; background: $surface;
                       border: round $border; border-title-color: $text-primary; border-title-style: bold;
                       border-subtitle-color: $text-muted; padding: 0 1; }
        & Horizontal { height: 1; margin: 0 0 1 0; }
        & Static { width: auto; color: $text-muted; padding: 0 1; }
        & Select { width: 18; height: 1; }
        & Input { width: 1fr; border: none; height: 1; background: $panel; padding: 0 1; }
        & TextArea { height: 1fr; border: none; background: $panel; padding: 0 1; }
        & #problem { width: 1fr; height: auto; color: $text-error; display: none; }
        & #problem.-on { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+s", "save", "Save", priority=True),
        Binding("ctrl+e", "editor", "Editor", priority=True),
        Binding("escape", "leave", "Leave", show=False),
    ]

    def __init__(
        self,
        title: str,
        draft: Draft,
        *,
        edit: Callable[[str], str | None],
        check: Callable[[Draft], str],
        blink: bool = True,
    ) -> None:
        """`edit` has a text changed in the reader's editor; `check` says what is wrong with a draft, or
        nothing."""
        super().__init__()
        self._title = title
        self._draft = draft
        self._edit = edit
        self._check = check
        self._blink = blink
        self._warned = False

    def compose(self) -> ComposeResult:
        with Vertical() as page:
            page.border_title = self._title
            page.border_subtitle = "ctrl+s saves · ctrl+e editor · esc leaves"
            with Horizontal():
                yield Static(Content("type"))
                yield Select(
                    [(kind, kind) for kind in TYPES], value=self._draft.type, allow_blank=False, compact=True
                )
                yield Static(Content("place"))
                place = Input(self._draft.path, placeholder="such as billing/locks", max_length=1024)
                place.cursor_blink = self._blink
                yield place
            text = TextArea(self._draft.content, soft_wrap=True, show_line_numbers=False, compact=True)
            text.cursor_blink = self._blink
            yield text
            yield Static(id="problem")

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()

    def draft(self) -> Draft:
        """What stands on the page."""
        return Draft(
            self.query_one(TextArea).text.strip(),
            str(self.query_one(Select).value),
            self.query_one(Input).value.strip(),
        )

    def action_save(self) -> None:
        draft = self.draft()
        problem = self._check(draft)
        if problem:
            self._tell(problem)
        else:
            self.dismiss(draft)

    def action_editor(self) -> None:
        written = self._edit(self.query_one(TextArea).text)
        if written is not None:
            self.query_one(TextArea).text = written

    def action_leave(self) -> None:
        if self.draft() == self._draft or self._warned:
            self.dismiss(None)
        else:
            self._warned = True
            self._tell("Not saved. Escape once more leaves it, ctrl+s saves it.")

    def _tell(self, problem: str) -> None:
        shown = self.query_one("#problem", Static)
        shown.update(Content(problem))
        shown.add_class("-on")
