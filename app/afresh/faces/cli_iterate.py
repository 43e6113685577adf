"""Commands for recall in several steps: iterate, and run and replay for how one went."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from afresh.faces import render_runs
from afresh.faces.cli_options import json_option, words
from afresh.faces.cli_session import Session, given
from afresh.faces.render import write

_FAILED = ("search_error", "planner_error")


def live_steps(event: Mapping[str, Any]) -> None:
    """Show an event of a run on stderr as it comes."""
    write(render_runs.live(event), sys.stderr)


@click.command(short_help="Search in several steps for what no single memory answers.")
@words("query")
@click.option("--project", metavar="NAME", help="Default: the project of the working directory; % for all.")
@click.option("--max-iters", type=int, default=4, show_default=True, help="Searches at most, 1 to 12.")
@click.option(
    "--k", "k_per_iter", type=int, default=10, show_default=True, help="Hits taken of each, 1 to 50."
)
@click.option(
    "--model", "llm_model", metavar="NAME", help="A language model, or none; default: the configured one."
)
@json_option
@click.pass_obj
def iterate(session: Session, /, as_json: bool, **arguments: Any) -> int:
    """Search for the parts of a question, with each step on stderr and the evidence on stdout.

    Exits with 1 when nothing was found, with 3 when a search or the planner failed; what was found until then
    is shown all the same.
    """
    with session.engine() as engine:
        result = engine.call("memory_recall_iterative", given(arguments), on_event=live_steps)
    session.show(result, as_json, lambda: render_runs.iterated(result))
    if result["terminated_reason"] in _FAILED:
        session.say(f"afresh: {result['terminated_reason']}: {result['provenance']['error']}")
        return 3
    return 0 if result["evidence"] else 1


@click.command(short_help="How a recall in several steps went.")
@click.argument("id_", type=int, metavar="ID")
@json_option
@click.pass_obj
def run(session: Session, id_: int, as_json: bool) -> int:
    """Show a run by its id: each search, what it found, what was planned, and the evidence."""
    result = session.ask("run", {"id": id_})
    session.show(result, as_json, lambda: render_runs.run(result, session.clock()))
    return 0


@click.command(short_help="Run one again and compare.")
@click.argument("id_", type=int, metavar="ID")
@json_option
@click.pass_obj
def replay(session: Session, id_: int, as_json: bool) -> int:
    """Run it again with the same arguments, and say where steps and evidence differ.

    Exits with 0 when both are the same, with 1 when they are not.
    """
    with session.engine() as engine:
        result = engine.call("replay", {"id": id_}, on_event=live_steps)
    session.show(result, as_json, lambda: render_runs.replayed(result))
    return 0 if result["same"] else 1
