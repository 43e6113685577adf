"""The command for what agents and editors asked: requests."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import click

from afresh.errors import UsageError
from afresh.faces import render_requests
from afresh.faces.cli_options import json_option
from afresh.faces.cli_session import Session, given
from afresh.faces.render import write


@click.command(short_help="What agents and editors asked, and what they got.")
@click.argument("id_", type=int, required=False, metavar="[ID]")
@click.option("--client", metavar="NAME", help="Only of clients with this in their name.")
@click.option("--tool", metavar="NAME", help="Only of this tool.")
@click.option("--failed", is_flag=True, help="Only those that failed.")
@click.option("--limit", type=click.IntRange(1, 500), default=20, show_default=True, help="How many.")
@click.option("--before", type=int, metavar="ID", help="Only older ones than this.")
@click.option("--follow", is_flag=True, help="Go on with each call as it ends, until interrupted.")
@json_option
@click.pass_obj
def requests(
    session: Session,
    id_: int | None,
    client: str | None,
    tool: str | None,
    failed: bool,
    limit: int,
    before: int | None,
    follow: bool,
    as_json: bool,
) -> int:
    """List the calls of agents and editors, the latest last, or show one by its ID with all that was sent
    and answered.

    They are kept for 30 days without secrets; AFRESH_REQUESTS=off keeps none. With --follow and --json each
    event is one line. Exits with 1 when nothing fits.
    """
    if id_ is not None:
        if follow:
            raise UsageError("--follow goes on with what comes; leave it out to show one request")
        result = session.ask("request", {"id": id_})
        session.show(result, as_json, lambda: render_requests.request(result, session.clock()))
        return 0
    wanted = given({"client": client, "tool": tool})
    page = given({**wanted, "failed": failed or None, "limit": limit, "before": before})
    with session.engine() as engine:
        if not (follow and as_json):
            found = engine.call("requests", page)
            session.show(found, as_json, lambda: render_requests.requests(found, session.clock()))
            if not follow:
                return 0 if found["requests"] else 1

        def show(event: Mapping[str, Any]) -> None:
            if as_json:
                session.show_json(event)
            elif not (failed and event.get("request", {}).get("error_kind") is None):
                write(render_requests.followed(event, session.clock()), sys.stdout)

        engine.call("follow_requests", wanted, on_event=show)
    return 0
