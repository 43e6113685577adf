"""What agents and editors asked."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from afresh_tui.screens.base import AfreshScreen


class RequestsScreen(AfreshScreen):
    """What agents and editors asked."""

    NAME: ClassVar[str] = "requests"
    ABOUT: ClassVar[str] = "What agents and editors asked."

    def compose_body(self) -> ComposeResult:
        yield Static(Content(self.ABOUT))
