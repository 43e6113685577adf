"""Commands for conclusions about code: record, explore, memo."""

from __future__ import annotations

from pathlib import Path

import click

from afresh.faces import render_diff, render_memories
from afresh.faces.cli_citations import citation, under
from afresh.faces.cli_options import json_option, project_option, text_or_stdin, words
from afresh.faces.cli_session import Session, given, place


@click.command(short_help="Record what was concluded from reading files.")
@click.argument("question")
@click.argument("conclusion")
@click.option(
    "--files",
    multiple=True,
    required=True,
    metavar="FILE",
    help="What it was read from: PATH, PATH:START-END or PATH#SYMBOL. Repeatable.",
)
@project_option
@click.option("--root", type=click.Path(path_type=Path), help="Default: the project's.")
@click.option("--supersedes", type=int, metavar="ID", help="The conclusion that this one replaces.")
@json_option
@click.pass_obj
def record(
    session: Session,
    question: str,
    conclusion: str,
    files: tuple[str, ...],
    project: str | None,
    root: Path | None,
    supersedes: int | None,
    as_json: bool,
) -> int:
    """Record what was concluded from reading files; CONCLUSION is a text, or - for stdin.

    The files are hashed now, and `afresh explore` tells later whether the conclusion still stands.
    """
    cwd = Path.cwd()
    cited = [citation(written, cwd) for written in files]
    text = text_or_stdin(conclusion, "conclusion")
    with session.engine() as engine:
        where = place(engine, root.absolute() if root else cwd, project, writes=True)
        top = root.absolute() if root else where.root
        arguments = {
            "question": question,
            "conclusion": text,
            "project": where.project,
            "root": str(top),
            "files": [under(top, cwd, item) for item in cited],
            "supersedes": supersedes,
        }
        result = engine.call("memory_exploration_record", given(arguments))
    session.show(result, as_json, lambda: render_memories.recorded(result))
    return 0


@click.command(short_help="Ask what was concluded, and whether it still stands.")
@words("question")
@project_option
@click.option("--root", type=click.Path(path_type=Path), help="Default: the project's.")
@click.option("--limit", type=int, default=5, show_default=True, help="1 to 50.")
@click.option("--no-stale", is_flag=True, help="Only conclusions whose files are all unchanged.")
@click.option("--at", metavar="REV", help="Judge at a branch, tag or commit instead of the disk.")
@json_option
@click.pass_obj
def explore(
    session: Session,
    question: str,
    project: str | None,
    root: Path | None,
    limit: int,
    no_stale: bool,
    at: str | None,
    as_json: bool,
) -> int:
    """Ask what was concluded before, and whether it still stands. Exits with 1 when nothing was."""
    cwd = Path.cwd()
    with session.engine() as engine:
        where = place(engine, root.absolute() if root else cwd, project, writes=False)
        arguments = {
            "question": question,
            "project": where.project,
            "root": str(root.absolute() if root else where.root),
            "limit": limit,
            "include_stale": False if no_stale else None,
            "at": at,
        }
        verb = "memory_exploration_recall" if at is None else "explore_at"
        result = engine.call(verb, given(arguments))
    session.show(result, as_json, lambda: render_memories.explored(result, session.clock()))
    return 0 if result["results"] else 1


@click.group(short_help="Show a conclusion, verify or retire it, undo.")
def memo() -> None:
    """Show a conclusion, say that it still holds, retire it, or undo that."""


@memo.command(short_help="Show a whole conclusion, its files and its history.")
@click.argument("id_", type=int, metavar="ID")
@click.option("--root", type=click.Path(path_type=Path), help="The checkout to judge against.")
@click.option("--at", metavar="REV", help="Judge at a branch, tag or commit instead of the disk.")
@click.option("--diff", is_flag=True, help="With the changed lines.")
@json_option
@click.pass_obj
def show(session: Session, id_: int, root: Path | None, at: str | None, diff: bool, as_json: bool) -> int:
    """Show a whole conclusion, its files and its history; with --diff what changed under it."""
    arguments = given({"id": id_, "root": str(root.absolute()) if root else None, "at": at})
    if diff:
        changed = session.ask("memo_diff", arguments)
        session.show(changed, as_json, lambda: render_diff.memo(changed))
        return 0
    result = session.ask("memo", arguments)
    session.show(result, as_json, lambda: render_memories.memo(result, session.clock()))
    return 0


def _action(action: str, text: str) -> click.Command:
    @click.argument("id_", type=int, metavar="ID")
    @click.option("--note", metavar="TEXT", help="Kept in the history.")
    @json_option
    @click.pass_obj
    def run(session: Session, id_: int, note: str | None, as_json: bool) -> int:
        arguments = given({"id": id_, "action": action, "note": note})
        result = session.ask("memory_exploration_verify", arguments)
        session.show(result, as_json, lambda: render_memories.verified(result))
        return 0

    return click.command(name=action, help=text)(run)


memo.add_command(_action("verify", "Say that a conclusion still holds, for its files as they are now."))
memo.add_command(_action("retire", "Take a conclusion out of every recall; undo brings it back."))
memo.add_command(_action("undo", "Take the last change of a conclusion back."))
