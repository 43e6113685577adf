"""What a call is, whoever makes it: the caller, the events on the way, and the service that answers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Protocol

from afresh.contracts import Result
from afresh.errors import CancelledCallError

Event = Mapping[str, Any]
"""One step of a verb that takes time: `kind`, and what that kind carries (`message`, `done`, `total` …)."""

Emit = Callable[[Event], None]
"""Takes an event; may be called from any thread and never blocks for long."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls, and from where."""

    cwd: Path | None = None
    """The working directory of the caller's process; it decides which project is "the workspace's"."""
    client: str = "unknown"
    """A name to show: the MCP client's own name, `cli`, `tui`, `lsp`."""
    kind: Literal["agent", "cli"] = "cli"
    """What a memory saved by this caller gives as its source."""


def ignore_event(_event: Event) -> None:
    """The `Emit` of a caller that wants the result alone."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call's surroundings, handed through to the verb."""

    caller: Caller = field(default_factory=Caller)
    emit: Emit = ignore_event
    cancelled: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Raise CancelledCallError if the caller took the call back; verbs ask between their steps."""
        if self.cancelled.is_set():
            raise CancelledCallError("the call was cancelled")


@dataclass(frozen=True, slots=True)
class News:
    """What a follower may want to read again, because it is other than it was.

    It says that something changed, never how: whoever cares reads it, and two pieces of news are one.
    """

    memos: frozenset[int] = frozenset()
    """Ids of memos whose content, status or changed files are others."""
    diffs: frozenset[int] = frozenset()
    """Ids of memos whose files differ in another way from what was recorded."""
    memories: frozenset[int] = frozenset()
    """Ids of memories, among those that the follower asked about."""
    stale: frozenset[str] = frozenset()
    """Names of the projects whose stale memos are others."""
    listing: bool = False
    """Whether the projects, or the memos of the follower's own one, or how those stand, are others."""


Listener = Callable[[News], None]
"""Takes news; may be called from any thread and never blocks for long."""


class Following(Protocol):
    """One follower's share in what turns."""

    def know(
        self, *, memos: Iterable[int] = (), memories: Iterable[int] = (), projects: Iterable[str] = ()
    ) -> None:
        """See how these stand now, so that whatever becomes of them after this is told. Blocks.

        Raises NotFoundError for an id and UnknownProjectError for a name that doesn't exist.
        """

    def close(self) -> None:
        """Hear nothing more. Returns at once."""


class Attachment(Protocol):
    """A client that works in a workspace; while one is attached, the workspace is watched."""

    def close(self) -> None: ...


class Service(Protocol):
    """Every verb of `afresh.verbs.VERBS`, as the keeper offers it to its faces. Safe from any thread."""

    def call(self, verb: str, arguments: Mapping[str, Any], call: Call) -> Result:
        """Answer one call. Blocks: run it in a worker thread.

        Raises an AfreshError for whatever can be foreseen.
        """

    def attach(self, caller: Caller) -> Attachment:
        """Note that a client works where `caller.cwd` is. Returns at once; indexing goes on behind."""

    def follow(self, caller: Caller, listener: Listener) -> Following:
        """Tell a caller what turns, as it is seen from where it works. Blocks for the first look."""
