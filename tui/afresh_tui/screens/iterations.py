"""How recalls in several steps reached their evidence."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from afresh_tui.screens.base import AfreshScreen


class IterationsScreen(AfreshScreen):
    """How recalls in several steps reached their evidence."""

    NAME: ClassVar[str] = "iterations"
    ABOUT: ClassVar[str] = "How recalls in several steps reached their evidence."

    def compose_body(self) -> ComposeResult:
        yield Static(Content(self.ABOUT))
