"""Commands for answers: answer, and verify for one that was given."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from afresh.faces import render_answers
from afresh.faces.cli_options import SAVE_TYPES, json_option, project_option, words
from afresh.faces.cli_session import Session, given, place
from afresh.faces.render import write


def live_steps(event: Mapping[str, Any]) -> None:
    """Show an event of an answer on stderr as it comes."""
    write(render_answers.live(event), sys.stderr)


@click.command(short_help="Answer a question from memory, with quotes.")
@words("query")
@project_option
@click.option("--branch", metavar="NAME", help="Leave out what was saved on other branches.")
@click.option("--type", "type_", type=click.Choice(("all", *SAVE_TYPES)), help="Default: all.")
@click.option("--limit", type=int, default=10, show_default=True, help="Records of each search, 1 to 20.")
@click.option(
    "--max-bytes",
    type=int,
    default=24_000,
    show_default=True,
    help="Of evidence for the reader, 512 to 24000.",
)
@click.option("--followup/--no-followup", default=True, help="One more search for what is missing.")
@json_option
@click.pass_obj
def answer(
    session: Session, /, as_json: bool, project: str | None, type_: str | None, **arguments: Any
) -> int:
    """Answer a question from saved records alone, each claim with a quote that stands in one of them.

    Steps are shown on stderr as they come, the answer and its numbered citations on stdout. Exits with 1 when
    there is not enough information.
    """
    with session.engine() as engine:
        named = project or place(engine, Path.cwd(), None, writes=False).project
        sent = given({**arguments, "project": named, "type": type_})
        result = engine.call("memory_answer", sent, on_event=live_steps)
    session.show(result, as_json, lambda: render_answers.answered(result))
    if result["note"]:
        session.say(f"afresh: {result['note']}")
    return 1 if result["draft"]["status"] == "insufficient" else 0


@click.command(short_help="Prove an answer again.")
@click.argument("id_", type=int, metavar="ID")
@json_option
@click.pass_obj
def verify(session: Session, id_: int, as_json: bool) -> int:
    """Say which quotes of an answer still stand in their records, and which records went stale.

    Exits with 0 when every quote stands and no source changed, was replaced or deleted, with 1 otherwise.
    """
    result = session.ask("verify_answer", {"id": id_})
    session.show(result, as_json, lambda: render_answers.verified(result, session.clock()))
    return 0 if result["quotes_stand"] and result["sources_current"] else 1
