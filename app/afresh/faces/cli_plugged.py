"""Commands that other packages bring, found by their entry points and loaded when they are called.

The terminal UI and the language server are such: the command line knows them by name and imports neither.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from afresh.errors import AfreshError

GROUP = "afresh.commands"
"""The entry points' group; each names a click command, by the word that calls it."""


class PluggedGroup(click.Group):
    """A group whose own commands come first; those of entry points are looked for when a word is none of
    them."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        return own if own is not None else plugged(cmd_name)

    def list_commands(self, ctx: click.Context) -> list[str]:
        from importlib.metadata import entry_points

        brought = {point.name for point in entry_points(group=GROUP)}
        return sorted({*super().list_commands(ctx), *brought})


def plugged(name: str) -> click.Command | None:
    """The command of that name that a package brings; None where none does.

    Raises AfreshError where one is there and can't be loaded.
    """
    from importlib.metadata import entry_points

    for point in entry_points(group=GROUP, name=name):
        try:
            found: Any = point.load()
        except (ImportError, AttributeError) as error:
            raise AfreshError(
                f"the command {name} is brought by {point.value} and can't be loaded: {error}; "
                "install afresh anew"
            ) from error
        if isinstance(found, click.Command):
            return found
        raise AfreshError(f"the command {name} is brought by {point.value}, which is no command of click")
    return None


def on_terminal() -> bool:
    """Whether a person reads and types here, on a terminal that can show screens."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return all(stream.isatty() for stream in streams) and os.environ.get("TERM") != "dumb"


def screens() -> click.Command:
    """The command of the terminal UI.

    Raises AfreshError where this installation has none.
    """
    found = plugged("tui")
    if found is None:
        raise AfreshError(
            "this installation has no terminal UI: its entry points lack tui; install afresh anew"
        )
    return found
