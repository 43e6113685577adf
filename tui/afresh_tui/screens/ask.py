"""Small pages over a screen that ask for one thing: a choice, or a line of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

_LOOK = """
    { align: center middle; background: $background 60%;
      & > Vertical { width: 60; max-width: 90%; height: auto; max-height: 80%; background: $surface;
                     border: round $border; border-title-color: $text-primary; border-title-style: bold;
                     border-subtitle-color: $text-muted; padding: 0 1; }
      & OptionList { height: auto; max-height: 16; background: $surface; border: none; padding: 0; }
      & Input { background: $panel; border: none; height: 1; padding: 0 1; }
      & Static { color: $text-muted; height: auto; padding: 0 1; margin: 0 0 1 0; }
    }
"""


class ChooseScreen(ModalScreen[str | None]):
    """One of several; None where it was left without a choice."""

    DEFAULT_CSS = f"ChooseScreen {_LOOK}"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", "Leave", show=False),
        Binding("j", "move(1)", show=False),
        Binding("k", "move(-1)", show=False),
    ]

    def __init__(self, title: str, options: Sequence[tuple[str, Content]], current: str) -> None:
        """`options`: what is given back, and how it is shown."""
        super().__init__()
        self._title = title
        self._options = options
        self._current = current

    def compose(self) -> ComposeResult:
        with Vertical() as page:
            page.border_title = self._title
            page.border_subtitle = "enter takes it, esc leaves"
            choices = OptionList(*(Option(label) for _, label in self._options))
            values = [value for value, _ in self._options]
            choices.highlighted = values.index(self._current) if self._current in values else 0
            yield choices

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(self._options[event.option_index][0])

    def action_leave(self) -> None:
        self.dismiss(None)

    def action_move(self, by: int) -> None:
        choices = self.query_one(OptionList)
        choices.action_cursor_down() if by > 0 else choices.action_cursor_up()


class LineScreen(ModalScreen[str | None]):
    """A line of text, maybe empty; None where it was left."""

    DEFAULT_CSS = f"LineScreen {_LOOK}"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Leave", show=False)]

    def __init__(
        self, title: str, about: str, value: str, *, placeholder: str = "", blink: bool = True
    ) -> None:
        super().__init__()
        self._title = title
        self._about = about
        self._value = value
        self._placeholder = placeholder
        self._blink = blink

    def compose(self) -> ComposeResult:
        with Vertical() as page:
            page.border_title = self._title
            page.border_subtitle = "enter takes it, esc leaves"
            yield Static(Content(self._about))
            line = Input(self._value, placeholder=self._placeholder, max_length=1000)
            line.cursor_blink = self._blink
            yield line

    def on_input_submitted(self, event: Input.Submitted) -> None:
        self.dismiss(event.value.strip())

    def action_leave(self) -> None:
        self.dismiss(None)
