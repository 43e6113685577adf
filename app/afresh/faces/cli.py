"""The command line: one entry that turns every outcome into an exit code.

0 done; 1 the answer is no; 2 wrong usage; 3 the engine or a dependency failed; 130 interrupted. Results go
to stdout and messages to stderr.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import click

from afresh import __version__
from afresh.errors import AfreshError
from afresh.faces import (
    cli_answer,
    cli_claims,
    cli_freshness,
    cli_hooks,
    cli_install,
    cli_iterate,
    cli_keeper,
    cli_memories,
    cli_memos,
    cli_requests,
    cli_transfer,
    cli_workspace,
)
from afresh.faces.cli_plugged import PluggedGroup
from afresh.faces.cli_session import OpenClient, OpenLocal, Session
from afresh.faces.render import inert
from afresh.settings import load

INTERRUPTED = 130


@click.group(
    cls=PluggedGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(__version__, prog_name="afresh", message="%(prog)s %(version)s")
@click.option("--in-process", is_flag=True, help="Run the engine in this command, without a keeper.")
@click.option("--home", metavar="DIR", help="The data folder, instead of AFRESH_HOME.")
@click.pass_obj
def commands(session: Session, in_process: bool, home: str | None) -> None:
    """Memory for coding agents and developers that checks itself against the code."""
    session.in_process = in_process
    if home is not None:
        if not home:
            raise click.BadParameter("it is empty; give a folder", param_hint="--home")
        os.environ["AFRESH_HOME"] = str(Path(home).expanduser().absolute())
        # That is the folder of the other data folder's socket.
        os.environ.pop("AFRESH_RUNTIME", None)


for _command in (
    cli_workspace.up,
    cli_workspace.index,
    cli_workspace.watch,
    cli_workspace.status,
    cli_workspace.projects,
    cli_memories.save,
    cli_memories.recall,
    cli_memories.context,
    cli_iterate.iterate,
    cli_iterate.run,
    cli_iterate.replay,
    cli_answer.answer,
    cli_answer.verify,
    cli_memories.get,
    cli_memories.update,
    cli_memories.delete,
    cli_memos.record,
    cli_memos.explore,
    cli_memos.memo,
    cli_freshness.stale,
    cli_freshness.check,
    cli_claims.claims,
    cli_requests.requests,
    cli_transfer.export,
    cli_transfer.import_,
    cli_transfer.backup,
    cli_keeper.doctor,
    cli_keeper.keeper,
    cli_keeper.mcp,
    cli_install.install,
    cli_hooks.hook,
):
    commands.add_command(_command)


def main(
    argv: Sequence[str],
    open_client: OpenClient,
    open_local: OpenLocal,
    *,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    monotonic: Callable[[], float] = time.monotonic,
) -> int:
    """Run one command line, without the program's name, and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A locale that lacks a character must not end a command halfway.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    session = Session(open_client, open_local, clock, monotonic)
    try:
        with commands.make_context("afresh", list(argv), obj=session) as context:
            code = commands.invoke(context)
        sys.stdout.flush()
        return int(code or 0)
    except click.exceptions.Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        error.show(sys.stderr)
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        _to_stderr("interrupted")
        return INTERRUPTED
    except AfreshError as error:
        _to_stderr(f"afresh: {error.message}")
        return error.exit_code
    except BrokenPipeError:
        _silence_stdout()
        return 0
    except OSError as error:
        _silence_stdout()
        _to_stderr(f"afresh: can't write or read: {error.strerror or error}")
        return AfreshError.exit_code
    except Exception as error:  # noqa: BLE001 - the outermost edge; the traceback is kept
        _to_stderr(f"afresh: internal error: {type(error).__name__}: {error}{_kept_traceback()}")
        return AfreshError.exit_code


def _to_stderr(message: str) -> None:
    with suppress(OSError):
        sys.stderr.write(f"{inert(message)}\n")
        sys.stderr.flush()


def _silence_stdout() -> None:
    """Let the interpreter's last flush go nowhere: whoever read us has left."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())


def _kept_traceback() -> str:
    """Where the traceback of the failure at hand was kept, for the message."""
    import traceback

    try:
        path = load().home / "last-error.log"
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(traceback.format_exc(), encoding="utf-8", errors="backslashreplace")
    except (OSError, AfreshError):
        return ""
    return f"; its traceback is in {path}"
