"""Conclusions whose code has changed, with the changes."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from afresh_tui.screens.base import AfreshScreen


class StaleScreen(AfreshScreen):
    """Conclusions whose code has changed, with the changes."""

    NAME: ClassVar[str] = "stale"
    ABOUT: ClassVar[str] = "Conclusions whose code has changed, with the changes."

    def compose_body(self) -> ComposeResult:
        yield Static(Content(self.ABOUT))
