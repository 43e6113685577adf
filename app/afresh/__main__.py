"""The command `afresh`: pump and keeper by the shortest way, everything else by the command line."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """Run the command line of this process; the exit code."""
    arguments = sys.argv[1:]
    words, options = _leading_options(arguments)
    if words[:1] == ["mcp"] and not {"-h", "--help"} & set(words):
        from afresh.faces.bridge import main as bridge

        return bridge([*options, *words[1:]])
    if words == ["keeper", "run"] and not options:
        return _keep()
    from afresh.client import connect
    from afresh.faces.cli import main as command_line
    from afresh.keeper.local import open_local

    return command_line(arguments, open_client=connect, open_local=open_local)


def _leading_options(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What follows the options before the command, and those of them that the command is to know.

    A data folder goes into the environment, where settings are read from.
    """
    rest = list(arguments)
    options: list[str] = []
    home: str | None = None
    while rest and rest[0].startswith("--"):
        name, _, value = rest[0].partition("=")
        if name == "--in-process":
            options.append(rest.pop(0))
        elif name == "--home" and (value or len(rest) > 1):
            rest.pop(0)
            home = value or rest.pop(0)
        else:
            return arguments, []
    if home and rest[:1] in (["mcp"], ["keeper"]):
        os.environ["AFRESH_HOME"] = os.path.abspath(os.path.expanduser(home))  # noqa: PTH100, PTH111
        # That is the folder of the other data folder's socket.
        os.environ.pop("AFRESH_RUNTIME", None)
    return rest, options


def _keep() -> int:
    """Be the keeper; what keeps it from that goes to standard error, which its starter sends to the log."""
    from afresh.errors import AfreshError
    from afresh.keeper.process import run
    from afresh.settings import load

    try:
        code = run(load())
    except AfreshError as error:
        os.write(2, f"{error.message}\n".encode("utf-8", "replace"))
        code = error.exit_code
    # Everything is closed. A thread that hangs in a call must not keep the process.
    os._exit(code)


if __name__ == "__main__":
    sys.exit(main())
