"""The command `afresh lsp`, found by its entry point; what it needs is loaded when it runs."""

from __future__ import annotations

from typing import Protocol

import click

from afresh.errors import AfreshError, UsageError
from afresh.settings import Settings


class Session(Protocol):
    """What the command line hands to its commands, as far as it is needed here."""

    in_process: bool

    def settings(self) -> Settings: ...


@click.command(short_help="Serve an editor (LSP): memories and freshness on the code.")
@click.option("--tcp", metavar="PORT", type=click.IntRange(0, 65535), help="On loopback, to debug with.")
@click.option("--stdio", is_flag=True, help="Over standard input and output, which is the default.")
@click.pass_obj
def lsp(session: Session, tcp: int | None, stdio: bool) -> int:
    """Serve one editor over standard input and output, until it leaves.

    Editors start this by themselves: it shows what is known of the code on the code, and what went stale on
    the lines that made it so, also in text that isn't saved yet.
    """
    if session.in_process:
        raise UsageError("the language server works through the keeper; leave out --in-process")
    if tcp is not None and stdio:
        raise UsageError("--tcp and --stdio exclude each other")
    settings = session.settings()
    from afresh_lsp.serving import serve_stdio, serve_tcp

    if tcp is None:
        return serve_stdio(settings)
    try:
        return serve_tcp(settings, tcp)
    except OSError as error:
        raise AfreshError(f"can't serve on port {tcp}: {error.strerror or error}") from None
