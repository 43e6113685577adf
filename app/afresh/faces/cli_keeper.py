"""Commands about afresh itself: keeper, doctor, mcp."""

from __future__ import annotations

from pathlib import Path

import click

from afresh.errors import AfreshError, KeeperUnavailableError, UsageError
from afresh.faces import render_workspace
from afresh.faces.cli_options import json_option
from afresh.faces.cli_session import Session, given
from afresh.faces.render import line


@click.group()
def keeper() -> None:
    """The one process that owns the database."""


@keeper.command(name="status")
@json_option
@click.pass_obj
def keeper_status(session: Session, as_json: bool) -> int:
    """Show the keeper, without starting one. Exits with 1 when none runs."""
    _not_in_process(session)
    try:
        with session.engine(start=False) as engine:
            result = engine.call("keeper_status", {})
    except KeeperUnavailableError as error:
        session.say(error.message)
        return 1
    session.show(result, as_json, lambda: render_workspace.keeper(result))
    return 0


@keeper.command(name="stop")
@json_option
@click.pass_obj
def keeper_stop(session: Session, as_json: bool) -> int:
    """Stop the keeper when its calls are done. Exits with 1 when none runs."""
    _not_in_process(session)
    try:
        with session.engine(start=False) as engine:
            result = engine.call("keeper_stop", {})
    except KeeperUnavailableError as error:
        session.say(error.message)
        return 1
    session.show(result, as_json, lambda: [line(f"The keeper (process {result['pid']}) is stopping.")])
    return 0


@keeper.command(name="run")
def keeper_run() -> int:
    """Be the keeper, in this process. Commands start one by themselves; AFRESH_HOME names its folder."""
    raise UsageError("a keeper runs by itself: write `afresh keeper run`, with no other option than --home")


@click.command(short_help="Serve agents over stdio (MCP).")
@click.option("--root", metavar="DIR", help="Work in this folder instead of the working directory.")
@click.option("--in-process", is_flag=True, help="Without a keeper: the engine runs in this process.")
def mcp(root: str | None, in_process: bool) -> int:
    """Serve agents over stdio (MCP): the command to put into a client's configuration.

    It speaks the protocol on stdin and stdout until its input ends.
    """
    raise UsageError("write `afresh mcp` with no other options before it than --home and --in-process")


@click.command()
@click.option("--root", type=click.Path(path_type=Path), help="Default: the working directory.")
@json_option
@click.pass_obj
def doctor(session: Session, root: Path | None, as_json: bool) -> int:
    """Check the installation, the database, the model and the watch.

    Exits with 1 when a check found an error, and with 3 when the engine can't be asked at all.
    """
    try:
        result = session.ask("doctor", given({"root": str(root.absolute()) if root else None}))
    except AfreshError as error:
        if error.exit_code != AfreshError.exit_code:
            raise
        result = {"checks": [{"name": "engine", "state": "error", "detail": error.message, "advice": ""}]}
        session.show(result, as_json, lambda: render_workspace.doctor(result))
        return error.exit_code
    session.show(result, as_json, lambda: render_workspace.doctor(result))
    return 1 if any(check["state"] == "error" for check in result["checks"]) else 0


def _not_in_process(session: Session) -> None:
    if session.in_process:
        raise UsageError("--in-process runs without a keeper; leave it out to ask about one")
