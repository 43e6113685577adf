"""What can be done on a screen, said once: keys, the command palette and the help are made from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textual.binding import Binding


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to do, done by the method `action_<name>` of the screen or app that lists it."""

    name: str
    key: str
    """As Textual names keys, several with commas between; empty for the palette alone."""
    title: str
    """One or two words, for the key bar and the palette."""
    about: str
    """A sentence for the palette and the help."""
    shown: bool = True
    """Whether the key bar has it, where there is room."""
    priority: bool = False
    """Whether its key also counts while a text is typed."""


def bindings_of(owner: str, acts: Iterable[Act]) -> list[Binding]:
    """The keys of acts; `owner` and the act's name make the id by which a configuration remaps it."""
    return [
        Binding(
            act.key,
            act.name,
            act.title,
            show=act.shown,
            priority=act.priority,
            tooltip=act.about,
            id=f"{owner}.{act.name}",
        )
        for act in acts
        if act.key
    ]
