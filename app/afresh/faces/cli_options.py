"""Options and arguments that several commands share, and the values that they take."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from afresh.errors import InvalidArgumentError

# The contracts' own lists would bring pydantic, which costs more than the rest of a start; a test holds
# these equal to them.
SAVE_TYPES = ("fact", "decision", "solution", "lesson", "convention")
MEMORY_TYPES = ("episodic", "identity", "procedural", "semantic", "working")
RECALL_TYPES = ("%", "auto", *MEMORY_TYPES, *SAVE_TYPES)

F = TypeVar("F", bound=Callable[..., Any])


def json_option(command: F) -> F:
    """`--json`: the result and nothing else on stdout."""
    return click.option("--json", "as_json", is_flag=True, help="Print the result as JSON and nothing else.")(
        command
    )


def project_option(command: F) -> F:
    """`--project NAME`."""
    return click.option("--project", metavar="NAME", help="Default: the project of the working directory.")(
        command
    )


def agent_options(command: F) -> F:
    """`--agent-id` and `--agent-instance-id`."""
    command = click.option("--agent-instance-id", metavar="ID")(command)
    return click.option("--agent-id", metavar="ID", help="Who asks or saves.")(command)


def words(name: str) -> Callable[[F], F]:
    """A text argument that needs no quotes: its words are joined."""

    def joined(_context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> str:
        return " ".join(value)

    return click.argument(name, nargs=-1, required=True, callback=joined)


def text_or_stdin(written: str, name: str) -> str:
    """A text as written, or what stdin holds where it is `-`.

    Raises InvalidArgumentError where stdin is not UTF-8.
    """
    if written != "-":
        return written
    try:
        return sys.stdin.read().removesuffix("\n")
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(f"{name}: stdin is not UTF-8 text ({error.reason})") from None
