"""Ask, and read the answer with its sources."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from afresh_tui.screens.base import AfreshScreen


class AnswersScreen(AfreshScreen):
    """Ask, and read the answer with its sources."""

    NAME: ClassVar[str] = "answers"
    ABOUT: ClassVar[str] = "Ask, and read the answer with its sources."

    def compose_body(self) -> ComposeResult:
        yield Static(Content(self.ABOUT))
