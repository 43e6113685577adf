"""The command for what notes and memories name that is not there: claims."""

from __future__ import annotations

from pathlib import Path

import click

from afresh.faces import render_claims
from afresh.faces.cli_options import json_option, project_option
from afresh.faces.cli_session import Session, given


@click.command(short_help="What notes and memories name that is not there any more.")
@project_option
@click.option("--root", type=click.Path(path_type=Path), help="Another checkout than the one here.")
@json_option
@click.pass_obj
def claims(session: Session, project: str | None, root: Path | None, as_json: bool) -> int:
    """List the files, symbols, commits and commands that agent files, documentation and saved memories name
    and that the workspace has no more.

    The index is brought up to date first. Exits with 1 when there are any, with 0 when there are none.
    """
    arguments = given({"project": project, "root": str(root.absolute()) if root else None})
    with session.engine() as engine, session.progress() as progress:
        result = engine.call("claims", arguments, on_event=progress.event)
    session.show(result, as_json, lambda: render_claims.claims(result))
    return 1 if result["dead"] else 0
