"""Filters in one row: what each is set to, and at the right end what was found."""

from __future__ import annotations

from dataclasses import dataclass

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget


@dataclass(frozen=True, slots=True)
class Chip:
    """One filter."""

    name: str
    key: str
    value: str
    """As it is shown; empty where nothing is filtered."""
    unset: str
    """What is shown then."""


class Chips(Widget):
    """The filters and a status; a click on a filter asks for it."""

    DEFAULT_CSS = """
    Chips { height: 1; padding: 0 1; background: $background; text-wrap: nowrap; text-overflow: ellipsis; }
    """
    ALLOW_SELECT = False

    chips: reactive[tuple[Chip, ...]] = reactive(())
    status: reactive[str] = reactive("")

    @dataclass
    class Pressed(Message):
        """A filter was clicked."""

        name: str

    def _parts(self) -> list[tuple[str, str, str]]:
        """Name, text and style of each filter."""
        return [
            (
                chip.name,
                f" {chip.name} {chip.value or chip.unset} ",
                "bold $block-cursor-foreground on $chip-set" if chip.value else "$text-muted on $chip",
            )
            for chip in self.chips
        ]

    def render(self) -> Content:
        width = self.content_size.width
        parts: list[str | tuple[str, str]] = []
        used = 0
        for _, text, style in self._parts():
            parts += [(text, style), " "]
            used += cell_len(text) + 1
        room = width - used - 1
        if self.status and room > 0:
            status = self.status if cell_len(self.status) <= room else ""
            parts.append((status.rjust(room), "$text-muted"))
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        at = 1
        for name, text, _ in self._parts():
            if at <= event.x < at + cell_len(text):
                self.post_message(self.Pressed(name))
                return
            at += cell_len(text) + 1
