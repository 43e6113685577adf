"""The command that connects agents and editors: install."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from afresh.errors import InvalidArgumentError, UsageError
from afresh.faces.cli_session import Session, top_of
from afresh.faces.render import Line, line, write

if TYPE_CHECKING:
    from afresh.faces.install.clients import Place, Scope, Server
    from afresh.faces.install.plan import Change, Wanted

# The table itself would bring the parsers; a test holds these equal to it.
CLIENTS = (
    *("claude-code", "claude-desktop", "cursor", "vscode", "zed", "windsurf", "codex", "gemini"),
    *("neovim", "helix", "emacs"),
)


@click.command(short_help="Connect an agent or an editor: write its configuration.")
@click.argument("client", type=click.Choice(CLIENTS), metavar="CLIENT")
@click.option("--project", "scope", flag_value="project", help="For this project, in its folder.")
@click.option("--user", "scope", flag_value="user", help="For you, in all projects.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and write nothing.")
@click.option("--remove", is_flag=True, help="Take out whatever install wrote for this client.")
@click.option(
    "--hooks", is_flag=True, help="Also recall at a session's start, and tell what an edit made stale."
)
@click.option("--instructions", is_flag=True, help="Also a skill, and a block in AGENTS.md or its like.")
@click.option("--root", metavar="DIR", help="The project, for a client that starts its servers elsewhere.")
@click.pass_obj
def install(
    session: Session,
    client: str,
    scope: Scope | None,
    dry_run: bool,
    remove: bool,
    hooks: bool,
    instructions: bool,
    root: str | None,
) -> int:
    """Connect CLIENT to afresh, by an edit of its own configuration that is shown first.

    CLIENT is claude-code, claude-desktop, cursor, vscode, zed, windsurf, codex, gemini, neovim, helix or
    emacs.
    Comments and everything else in its files stay as they are, a copy of each is kept, and doing it again
    changes nothing. Without --project or --user: for cursor and vscode this project, for the others you.
    """
    from afresh.faces.install.clients import CLIENTS as KNOWN
    from afresh.faces.install.clients import Place, scope_of
    from afresh.faces.install.plan import Installation

    known = KNOWN[client]
    place = Place(scope_of(known, scope), top_of(Path.cwd()), Path.home(), os.environ)
    server = _server(session, place, root)
    wanted = _wanted(
        client, place, server, hooks=hooks or remove, instructions=instructions or remove, lax=remove
    )
    installation = Installation(session.settings().home)
    changes = installation.plan(wanted, remove=remove)
    edited = [change for change in changes if change.is_change]
    for change in edited:
        write(_shown(change), sys.stdout)
    if not edited:
        session.say(
            f"nothing to change: afresh is {'not ' if remove else ''}in {known.title}'s configuration"
        )
    if dry_run:
        session.say("nothing was written")
        return 0
    copies = installation.write(changes)
    for change in edited:
        session.say(f"{'took away' if change.new is None else 'wrote'} {change.path}")
    if copies:
        session.say(f"what was there before is kept in {copies[0].parent}")
    if not remove:
        _advise(session, server, known.then)
    return 0


def _wanted(
    name: str, place: Place, server: Server, *, hooks: bool, instructions: bool, lax: bool
) -> list[Wanted]:
    """The edits that were asked for. Raises UsageError for what the client doesn't have, unless `lax`."""
    from afresh.faces.install.clients import CLIENTS as KNOWN
    from afresh.faces.install.plan import Wanted

    client = KNOWN[name]
    wanted = [Wanted(f"{name} server", client.serve(place, server))]
    for asked, what, find in (
        (hooks, "hooks", client.hooks),
        (instructions, "instructions", client.instructions),
    ):
        edits = find(place, server) if asked else ()
        if not isinstance(edits, str):
            wanted.append(Wanted(f"{name} {what}", edits))
        elif not lax:
            raise UsageError(f"no --{what} for {client.title}: {edits}")
    return wanted


def _server(session: Session, place: Place, root: str | None) -> Server:
    from afresh.faces.install.clients import Server

    if root is not None:
        folder = Path(root).expanduser().absolute()
        if not folder.is_dir():
            raise InvalidArgumentError(f"--root: there is no folder {folder}")
        root = str(folder)
    if place.scope == "project":
        # Others use these files too, on machines where it lies elsewhere.
        return Server("afresh", root=root)
    home = str(session.settings().home) if os.environ.get("AFRESH_HOME") else None
    return Server(_program(), home=home, root=root)


def _program() -> str:
    """This very program's path: what starts from a desktop has another search path than a shell."""
    called = Path(sys.argv[0])
    if called.stem == "afresh" and called.is_absolute() and called.is_file():
        return str(called)
    return shutil.which("afresh") or str(Path(sys.executable).with_name("afresh"))


def _shown(change: Change) -> list[Line]:
    from afresh.faces.install.plan import diff

    styles = {"+": "green", "-": "red", "@": "dim"}
    return [line((row, styles.get(row[:1], ""))) for row in diff(change)]


def _advise(session: Session, server: Server, then: str) -> None:
    if server.command == "afresh" and shutil.which("afresh") is None:
        session.say("afresh is not on your search path, where this client will look for it")
    if then:
        session.say(then)
