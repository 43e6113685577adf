"""One module a screen; which ones there are, and how each is loaded when it is first wanted."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from afresh_tui.screens.base import AfreshScreen


@dataclass(frozen=True, slots=True)
class Place:
    """A screen's place: its mode, its digit, and where its class is."""

    name: str
    title: str
    digit: str
    module: str
    kind: str
    about: str

    def kind_of_screen(self) -> type[AfreshScreen]:
        """Its class, with its module loaded."""
        found: type[AfreshScreen] = getattr(import_module(self.module), self.kind)
        return found

    def open(self) -> AfreshScreen:
        """A new one."""
        return self.kind_of_screen()()


def _place(digit: str, kind: str, about: str) -> Place:
    name = kind.lower()
    return Place(name, kind, digit, f"afresh_tui.screens.{name}", f"{kind}Screen", about)


SCREENS = (
    _place("1", "Recall", "Search what is remembered."),
    _place("2", "Iterations", "How recalls in several steps reached their evidence."),
    _place("3", "Stale", "Conclusions whose code has changed, with the changes."),
    _place("4", "Answers", "Ask, and read the answer with its sources."),
    _place("5", "Workspace", "What is indexed, watched and running."),
    _place("6", "Requests", "What agents and editors asked."),
)
"""In the order of the tab bar."""
