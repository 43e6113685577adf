"""What is indexed, watched and running."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from afresh_tui.screens.base import AfreshScreen


class WorkspaceScreen(AfreshScreen):
    """What is indexed, watched and running."""

    NAME: ClassVar[str] = "workspace"
    ABOUT: ClassVar[str] = "What is indexed, watched and running."

    def compose_body(self) -> ComposeResult:
        yield Static(Content(self.ABOUT))
