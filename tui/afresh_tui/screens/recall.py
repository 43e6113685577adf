"""Search what is remembered."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from afresh_tui.screens.base import AfreshScreen


class RecallScreen(AfreshScreen):
    """Search what is remembered."""

    NAME: ClassVar[str] = "recall"
    ABOUT: ClassVar[str] = "Search what is remembered."

    def compose_body(self) -> ComposeResult:
        yield Static(Content(self.ABOUT))
