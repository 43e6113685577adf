"""Commands for what no longer stands: stale, check."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from afresh import __version__
from afresh.errors import AfreshError, InvalidArgumentError
from afresh.faces import render_stale
from afresh.faces.cli_options import json_option, project_option
from afresh.faces.cli_session import Session, given
from afresh.faces.render_sarif import sarif

IMPACTS = ("eol_only", "elsewhere", "cosmetic", "docs_only", "moved", "edited", "gone")
"""From the lightest to the gravest; a test holds these equal to the contracts' own."""
_GIT_INDEX = "GIT_INDEX_FILE"
"""In a hook git names the index of the very commit here: that of some paths alone is another."""


@click.command(short_help="What was learned and no longer stands, gravest first.")
@click.option("--diff", is_flag=True, help="With the changed lines, their changed words marked.")
@click.option("--at", metavar="REV", help="Judge at a branch, tag or commit instead of the disk.")
@project_option
@json_option
@click.pass_obj
def stale(session: Session, diff: bool, at: str | None, project: str | None, as_json: bool) -> int:
    """List the conclusions and memories whose code changed since, gravest first: what happened to each cited
    file and symbol, where it went, and who did it. Exits with 1 when there are any, with 0 when all stand.
    """
    result = _judged(session, {"project": project, "at": at, "diff": diff or None})
    session.show(result, as_json, lambda: render_stale.stale(result, session.clock()))
    return 1 if result["items"] else 0


@click.command(short_help="A gate: what a change makes stale.")
@click.option("--staged", is_flag=True, help="What is staged, compared with the last commit.")
@click.option("--base", metavar="REV", help="What changed since this revision and yours went apart.")
@click.option("--at", metavar="REV", help="Judge a revision instead of the disk.")
@click.option(
    "--fail-on",
    type=click.Choice((*IMPACTS, "any")),
    default="any",
    show_default=True,
    help="The lightest impact that fails the check.",
)
@click.option(
    "--sarif", "sarif_file", metavar="FILE", type=click.Path(path_type=Path), help="Write SARIF 2.1.0."
)
@project_option
@json_option
@click.pass_obj
def check(
    session: Session,
    staged: bool,
    base: str | None,
    at: str | None,
    fail_on: str,
    sarif_file: Path | None,
    project: str | None,
    as_json: bool,
) -> int:
    """Say what a change makes stale, and how badly: before a commit (--staged), before a merge (--base) or at
    a revision (--at); without any of them, all that is stale now.

    Exits with 1 when something at least as bad as --fail-on goes stale, with 0 when nothing does.
    """
    if staged and at is not None:
        raise InvalidArgumentError("--staged and --at exclude each other")
    index = os.environ.get(_GIT_INDEX) if staged else None
    arguments = {
        "project": project,
        "staged": staged or None,
        "base": base,
        "at": at,
        "index_file": str(Path(index).absolute()) if index else None,
    }
    result = _judged(session, arguments)
    failing = [item for item in result["items"] if _is_as_bad(item, fail_on)]
    if sarif_file is not None:
        text = json.dumps(sarif(result, __version__), ensure_ascii=False, indent=2)
        try:
            sarif_file.write_text(f"{text}\n", encoding="utf-8")
        except OSError as error:
            raise AfreshError(f"can't write {sarif_file}: {error.strerror or error}") from None
        session.say(f"wrote {sarif_file}")
    session.show(result, as_json, lambda: render_stale.check(result, failing, fail_on))
    return 1 if failing else 0


def _judged(session: Session, arguments: Mapping[str, Any]) -> dict[str, Any]:
    with session.engine() as engine, session.progress() as progress:
        return engine.call("stale", given(arguments), on_event=progress.event)


def _is_as_bad(item: Mapping[str, Any], fail_on: str) -> bool:
    return fail_on == "any" or IMPACTS.index(item["impact"]) >= IMPACTS.index(fail_on)
