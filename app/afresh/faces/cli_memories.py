"""Commands for memories: save, recall, get, update, delete."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from afresh.faces import render_memories
from afresh.faces.cli_citations import absolute, citation
from afresh.faces.cli_options import (
    MEMORY_TYPES,
    RECALL_TYPES,
    SAVE_TYPES,
    agent_options,
    json_option,
    project_option,
    search_options,
    text_or_stdin,
    words,
)
from afresh.faces.cli_plugged import screens
from afresh.faces.cli_session import Session
from afresh.faces.render import line, write


@click.command(short_help="Save one thing worth knowing later.")
@click.argument("content")
@click.option("--type", "type_", type=click.Choice(SAVE_TYPES), default="fact", show_default=True)
@click.option("--memory-type", type=click.Choice(MEMORY_TYPES), help="Default: from --type.")
@click.option("--path", metavar="PLACE", help="Logical place, such as billing/locks.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="May be given several times.")
@click.option(
    "--files",
    multiple=True,
    metavar="FILE",
    help="PATH, PATH:START-END or PATH#SYMBOL that it rests on. Repeatable.",
)
@project_option
@click.option("--branch", metavar="NAME", help="Default: the checkout's.")
@click.option("--event-time", metavar="TIME", help="When it happened: RFC 3339 with offset.")
@click.option("--supersedes", type=int, metavar="ID", help="The memory that this one replaces.")
@click.option("--expires-in-days", type=int, metavar="DAYS")
@click.option("--session-id", metavar="ID")
@agent_options
@json_option
@click.pass_obj
def save(
    session: Session,
    /,
    content: str,
    type_: str,
    tags: tuple[str, ...],
    files: tuple[str, ...],
    as_json: bool,
    **given: Any,
) -> int:
    """Save one thing worth knowing later; CONTENT is a text, or - for stdin."""
    cwd = Path.cwd()
    arguments = {
        "content": text_or_stdin(content, "content"),
        "type": type_,
        **given,
        "tags": list(tags) or None,
        "files": [absolute(cwd, citation(written, cwd)) for written in files] or None,
    }
    result = session.ask("memory_save", arguments)
    session.show(result, as_json, lambda: render_memories.saved(result))
    return 0


@click.command()
@words("query", required=False)
@click.option("-i", "--interactive", is_flag=True, help="Search as you type; enter prints what is chosen.")
@click.option("--project", metavar="NAME", help="Default: the project of the working directory; % for all.")
@click.option("--limit", type=int, default=5, show_default=True, help="1 to 50.")
@click.option(
    "--type", "--memory-type", "memory_type", type=click.Choice(RECALL_TYPES), help="% is all, the default."
)
@click.option("--path-filter", metavar="PATTERN", help="LIKE pattern over the memories' paths.")
@search_options
@click.option("--explain", is_flag=True, help="Scores by part, and the steps taken.")
@click.option("--cursor", metavar="TEXT", help="The next page of a feed, as its last page gave it.")
@json_option
@click.pass_context
def recall(context: click.Context, /, as_json: bool, interactive: bool, **given: Any) -> int:
    """Search memories and notes by meaning and by words. Exits with 1 when nothing is relevant.

    With -i the search goes on while you type, a few rows below the prompt.
    """
    session: Session = context.obj
    if interactive:
        asked = {"query": given["query"], "project": given["project"]}
        return int(context.invoke(screens(), path=".", inline=True, **asked) or 0)
    if not given["query"]:
        raise click.UsageError("there is nothing to search for; write a QUERY, or -i to type one")
    result = session.ask("recall", _flags_only_when_set(given))
    session.show(result, as_json, lambda: render_memories.recall(result, session.clock()))
    found = result["result"]
    return 0 if found["memories"] and not found["nothing_relevant"] else 1


@click.command(short_help="What is relevant to a task, as one text for a prompt.")
@words("query")
@click.option("--project", metavar="NAME", help="Default: the project of the working directory; % for all.")
@click.option("--max-tokens", type=int, default=2000, show_default=True, help="100 to 32000.")
@click.option(
    "--type", "--memory-type", "memory_type", type=click.Choice(RECALL_TYPES), help="% is all, the default."
)
@click.option("--path-filter", metavar="PATTERN", help="LIKE pattern over the memories' paths.")
@search_options
@json_option
@click.pass_obj
def context(session: Session, /, as_json: bool, **given: Any) -> int:
    """Print what is relevant to a task as Markdown for a prompt, never longer than --max-tokens.

    Exits with 1 when nothing is relevant.
    """
    result = session.ask("recall_context", _flags_only_when_set(given))
    session.show(result, as_json, lambda: render_memories.context(result))
    return 0 if result["items"] else 1


@click.command()
@click.argument("ids", nargs=-1, required=True, type=int, metavar="ID...")
@click.option("--history", is_flag=True, help="Earlier states too.")
@json_option
@click.pass_obj
def get(session: Session, ids: tuple[int, ...], history: bool, as_json: bool) -> int:
    """Show whole memories by their ids. Exits with 1 when one of them is missing."""
    result = session.ask("memory_get", {"ids": list(ids), "history": history or None})
    session.show(result, as_json, lambda: render_memories.records(result, session.clock()))
    if result["missing"] and not as_json:
        session.say(f"no memory has the id {', '.join(map(str, result['missing']))}")
    return 1 if result["missing"] else 0


@click.command(short_help="Correct a memory in place.")
@click.argument("id_", type=int, metavar="ID")
@click.option("--content", metavar="TEXT", help="The new text, or - for stdin.")
@click.option("--type", "type_", type=click.Choice(SAVE_TYPES))
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="All its tags from now on. Repeatable.")
@click.option("--no-tags", is_flag=True, help="Take all its tags away.")
@click.option("--path", metavar="PLACE")
@click.option("--expires-in-days", type=int, metavar="DAYS")
@click.option("--reason", metavar="TEXT", help="Kept in the history.")
@json_option
@click.pass_obj
def update(
    session: Session,
    /,
    id_: int,
    content: str | None,
    type_: str | None,
    tags: tuple[str, ...],
    no_tags: bool,
    as_json: bool,
    **given: Any,
) -> int:
    """Correct a memory in place; its earlier state stays in the history."""
    if tags and no_tags:
        raise click.UsageError("--tag and --no-tags exclude each other")
    arguments = {
        "id": id_,
        "content": None if content is None else text_or_stdin(content, "content"),
        "type": type_,
        "tags": list(tags) if tags or no_tags else None,
        **given,
    }
    if all(value is None for name, value in arguments.items() if name not in ("id", "reason")):
        raise click.UsageError(
            "nothing to update; give --content, --type, --tag, --path or --expires-in-days"
        )
    result = session.ask("memory_update", arguments)
    session.show(
        result,
        as_json,
        lambda: [
            line((f"Updated #{result['id']} in {result['project']}: version {result['version']}.", "bold")),
            *render_memories.redactions(result["redacted"]),
        ],
    )
    return 0


@click.command()
@click.argument("id_", type=int, metavar="ID")
@click.option("--reason", metavar="TEXT", help="Kept in the history.")
@click.option("--undo", is_flag=True, help="Bring a deleted memory back.")
@json_option
@click.pass_obj
def delete(session: Session, id_: int, reason: str | None, undo: bool, as_json: bool) -> int:
    """Take a memory out of every recall; --undo brings it back."""
    result = session.ask("memory_delete", {"id": id_, "reason": reason, "undo": undo or None})
    if as_json:
        session.show_json(result)
    else:
        done = "Deleted" if result["deleted"] else "Brought back"
        undoing = f" `afresh delete {id_} --undo` brings it back." if result["deleted"] else ""
        write([line((f"{done} #{result['id']} in {result['project']}.", "bold"), undoing)], sys.stdout)
    return 0


def _flags_only_when_set(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in arguments.items() if value is not False}
