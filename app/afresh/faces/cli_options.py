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
TIME_AXES = ("recorded", "event", "auto")
TIME_ORDERS = ("asc", "desc")
QUERY_MODES = ("topic", "activity_log")
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


def search_options(command: F) -> F:
    """What a search is narrowed by: agents, sessions and time."""
    for option in reversed(
        (
            click.option("--only-own", is_flag=True, help="Only what that agent saved."),
            click.option("--prefer-working", is_flag=True, help="Working memories first."),
            click.option("--session-id", metavar="ID", help="With --prefer-working: that session's first."),
            click.option("--include-superseded", is_flag=True, help="Superseded and expired too, marked."),
            click.option("--since", metavar="TIME", help="RFC 3339 with an offset."),
            click.option("--until", metavar="TIME", help="RFC 3339 with an offset; not part of the window."),
            click.option("--owner-timezone", metavar="ZONE", help="For words such as yesterday."),
            click.option("--reference-time", metavar="TIME", help="What now is, for relative words."),
            click.option(
                "--temporal-axis-mode",
                type=click.Choice(TIME_AXES),
                help="Which time counts: when it was saved or happened; auto is the default.",
            ),
            click.option("--time-order", type=click.Choice(TIME_ORDERS), help="Default: by relevance."),
            click.option(
                "--query-mode", type=click.Choice(QUERY_MODES), help="activity_log: all in a window."
            ),
            click.option("--hypothetical-answer", metavar="TEXT", help="A guess, searched beside the query."),
        )
    ):
        command = option(command)
    return agent_options(command)


def words(name: str, *, required: bool = True) -> Callable[[F], F]:
    """A text argument that needs no quotes: its words are joined."""

    def joined(_context: click.Context, _parameter: click.Parameter, value: tuple[str, ...]) -> str:
        return " ".join(value)

    return click.argument(name, nargs=-1, required=required, callback=joined)


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
