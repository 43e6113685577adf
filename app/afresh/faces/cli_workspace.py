"""Commands for a workspace: up, index, watch, status, projects."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from afresh.errors import RootRefusedError
from afresh.faces import render_memories, render_workspace
from afresh.faces.cli_options import json_option, project_option
from afresh.faces.cli_plugged import on_terminal, screens
from afresh.faces.cli_session import Engine, Session, given
from afresh.faces.render import Line, line, write

_HEADING = re.compile(r"#{1,6}\s+(?P<text>.*?)\s*#*")
_GUIDES = ("CLAUDE.md", "AGENTS.md", "README.md", "CONTRIBUTING.md")

path_argument = click.argument("path", required=False, default=".")
force_option = click.option("--force", is_flag=True, help="Also / or the home folder.")


@click.command(short_help="Index a workspace and keep it current.")
@path_argument
@click.option("--once", is_flag=True, help="End after the index and its recall; don't watch.")
@click.option("--plain", is_flag=True, help="Print, on a terminal too, instead of opening the screens.")
@project_option
@force_option
@click.pass_context
def up(context: click.Context, path: str, once: bool, plain: bool, project: str | None, force: bool) -> int:
    """Index a workspace, then open the screens of the terminal UI over it.

    Without a terminal, and with --plain, it shows what is remembered and keeps the index current until it is
    interrupted.
    """
    session: Session = context.obj
    root = _folder(path)
    if on_terminal() and not once and not plain:
        with session.engine(cwd=root) as engine:
            _index(session, engine, given({"path": str(root), "project": project, "force": force or None}))
        return int(context.invoke(screens(), path=str(root)) or 0)
    arguments = given({"path": str(root), "project": project, "force": force or None})
    with session.engine(cwd=root) as engine:
        result = _index(session, engine, arguments)
        write([*render_workspace.indexed(result), Line()], sys.stdout)
        write(_first_recall(session, engine, result), sys.stdout)
        if once:
            return 0
        write([Line(), line(("Watching for changes; Ctrl-C ends it.", "dim"))], sys.stdout)
        return _watch(session, engine, arguments, as_json=False, quiet_index=True)


@click.command()
@path_argument
@project_option
@force_option
@click.option(
    "--history",
    type=click.IntRange(0, 100_000),
    metavar="N",
    help="Also remember the messages of the last N commits, and of later ones; 0 ends it.",
)
@json_option
@click.pass_obj
def index(
    session: Session, path: str, project: str | None, force: bool, history: int | None, as_json: bool
) -> int:
    """Make the files, outlines and notes of a workspace current."""
    root = _folder(path)
    with session.engine(cwd=root) as engine:
        arguments = {"path": str(root), "project": project, "force": force or None, "history": history}
        result = _index(session, engine, given(arguments))
    session.show(result, as_json, lambda: render_workspace.indexed(result))
    return 0


@click.command(short_help="Index a workspace and print each change.")
@path_argument
@project_option
@force_option
@json_option
@click.pass_obj
def watch(session: Session, path: str, project: str | None, force: bool, as_json: bool) -> int:
    """Index a workspace and print each change until interrupted; with --json one event a line."""
    root = _folder(path)
    with session.engine(cwd=root) as engine:
        return _watch(
            session,
            engine,
            given({"path": str(root), "project": project, "force": force or None}),
            as_json=as_json,
            quiet_index=False,
        )


@click.command(short_help="What is indexed and remembered here.")
@project_option
@click.option("--root", type=click.Path(path_type=Path), help="Another checkout than the one here.")
@json_option
@click.pass_obj
def status(session: Session, project: str | None, root: Path | None, as_json: bool) -> int:
    """What is indexed and remembered here, and whether it still stands."""
    arguments = {"project": project, "root": str(root.absolute()) if root else None}
    result = session.ask("workspace_status", arguments)
    session.show(result, as_json, lambda: render_workspace.status(result, session.clock()))
    return 0


@click.command()
@json_option
@click.pass_obj
def projects(session: Session, as_json: bool) -> int:
    """List the projects, their roots and what they hold. Exits with 1 when there is none."""
    result = session.ask("projects", {})
    session.show(result, as_json, lambda: render_workspace.projects(result))
    return 0 if result["projects"] else 1


def _folder(path: str) -> Path:
    """The folder that was named, absolute.

    Raises RootRefusedError where there is none.
    """
    folder = Path(os.path.abspath(Path(path).expanduser()))  # noqa: PTH100 - the root keeps its own name, not a link's target
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "doesn't exist"
        raise RootRefusedError(f"{folder} {what}; give the folder of a workspace")
    return folder


def _index(session: Session, engine: Engine, arguments: Mapping[str, Any]) -> dict[str, Any]:
    with session.progress() as progress:
        return engine.call("index", arguments, on_event=progress.event)


def _watch(
    session: Session, engine: Engine, arguments: Mapping[str, Any], *, as_json: bool, quiet_index: bool
) -> int:
    """Print events until the caller interrupts, or the watch ends by itself."""
    with session.progress() as progress:

        def show(event: Mapping[str, Any]) -> None:
            if as_json:
                session.show_json(event)
                return
            match event.get("kind"):
                case "progress":
                    progress.event(event)
                case "indexed" if not quiet_index:
                    write(render_workspace.indexed(event["result"]), sys.stdout)
                case "indexed":
                    write(render_workspace.meanwhile(event["result"]), sys.stdout)
                case "change":
                    write(render_workspace.change(event), sys.stdout)
                case "watch":
                    write(render_workspace.watching(event), sys.stdout)

        engine.call("watch", arguments, on_event=show)
    return 0


def _first_recall(session: Session, engine: Engine, indexed: Mapping[str, Any]) -> list[Line]:
    """One real recall, asked with a heading of the workspace's own notes."""
    query = _heading(Path(indexed["root"]))
    if query is None:
        told = "There are no notes to recall yet: save one with `afresh save`, or write a CLAUDE.md."
        return [line((told, "dim"))]
    found = engine.call("recall", {"query": query, "project": indexed["project"], "limit": 1})
    return [
        line(("Recall, asked with a heading of its own notes: ", "dim"), (query, "bold")),
        *render_memories.recall(found, session.clock()),
    ]


def _heading(root: Path) -> str | None:
    """The first heading of the workspace's guides that has text of its own below it, rather no bare title."""
    titles: list[str] = []
    for name in _GUIDES:
        try:
            rows = (root / name).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        filled = [row.strip() for row in rows if row.strip()]
        for row, below in pairwise(filled):
            heading = _HEADING.fullmatch(row)
            if not heading or not heading["text"] or _HEADING.fullmatch(below):
                continue
            if " " in heading["text"]:
                return heading["text"][:200]
            titles.append(heading["text"][:200])
    return titles[0] if titles else None
