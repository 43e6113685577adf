"""The command `afresh tui`, which opens the screens; it is loaded by its entry point.

What it needs of the terminal UI is loaded inside, so that asking for help stays quick.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

import click

from afresh.client import Host, connect
from afresh.errors import RootRefusedError, UsageError
from afresh.settings import Settings

SCREENS = ("recall", "iterations", "stale", "answers", "workspace", "requests")


class Session(Protocol):
    """What the command line hands to its commands, as far as it is needed here."""

    clock: Callable[[], datetime]
    in_process: bool
    open_local: Any

    def settings(self) -> Settings: ...


@click.command(short_help="Search, freshness, runs and requests on screens in the terminal.")
@click.argument("path", required=False, default=".")
@click.option(
    "--screen",
    type=click.Choice(SCREENS),
    default="recall",
    show_default=True,
    help="The screen to begin with.",
)
@click.option("--web", is_flag=True, help="In a browser on this machine, instead of the terminal.")
@click.option("--port", type=click.IntRange(1, 65535), default=8421, show_default=True, help="For --web.")
@click.option("--inline", is_flag=True, hidden=True)
@click.option("--query", default="", hidden=True)
@click.option("--project", default=None, hidden=True)
@click.pass_obj
def tui(
    session: Session,
    path: str,
    screen: str,
    web: bool,
    port: int,
    inline: bool,
    query: str,
    project: str | None,
) -> int:
    """Open the screens over the workspace at PATH; every change is seen as it happens.

    Keys: 1 to 6 change the screen, ? explains it, ctrl+p lists everything that can be done, q leaves.
    """
    root = _folder(path)
    if web:
        from afresh_tui.web import serve

        return serve(root, screen, port)
    # It is painted on standard error, so that what is chosen inline can go into a pipe.
    streams = (sys.stdin, sys.stderr) if inline else (sys.stdin, sys.stdout, sys.stderr)
    if not all(stream.isatty() for stream in streams) and not _driven():
        raise UsageError(
            "the terminal UI needs a terminal for its input and output; "
            "use the commands (`afresh --help`) in pipes, or --web for a browser"
        )
    settings = session.settings()

    def open_host() -> Host:
        if session.in_process:
            host: Host = session.open_local(settings, cwd=root, client="tui", kind="cli")
            return host
        return connect(settings, cwd=root, client="tui", kind="cli", attach=True)

    # Nothing of what is loaded now becomes garbage; looking for some took a quarter of the start. The apps
    # take it up again after their first paint.
    gc.disable()
    from afresh_tui.start import run, run_inline

    if inline:
        return run_inline(open_host, settings, session.clock, query, project)
    return run(open_host, settings, session.clock, screen)


def _driven() -> bool:
    """Whether a driver was chosen that needs no terminal: the browser's."""
    from textual.constants import DRIVER

    return DRIVER is not None


def _folder(path: str) -> Path:
    folder = Path(path).expanduser().absolute()
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "doesn't exist"
        raise RootRefusedError(f"{folder} {what}; give the folder of a workspace")
    return folder
