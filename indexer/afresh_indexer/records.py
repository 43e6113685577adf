"""What the indexer gives out: frozen records, free of any database's or protocol's types.

Paths in records are POSIX, relative to the root that was indexed. Lines count from 1 and ranges include
both ends; byte offsets count from 0 and exclude the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum


class ExcludedReason(StrEnum):
    """Why a path under the root is not indexed."""

    BINARY = "binary"
    """It has a NUL byte among its first 8,000 bytes (git's own rule)."""
    TOO_LARGE = "too_large"
    OUTSIDE_ROOT = "outside_root"
    """A symbolic link that leads out of the root."""
    LINK = "link"
    """A link whose target inside the root is indexed under its own path, or that loops or dangles."""
    NOT_REGULAR = "not_regular"
    """A socket, a pipe or a device."""
    UNREADABLE = "unreadable"
    """Permission denied, or an input/output error."""
    VANISHED = "vanished"
    """It was listed and gone when it was to be read."""
    BAD_NAME = "bad_name"
    """Its name is not valid UTF-8 and so can't be stored or cited."""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """One file as it was when it was read."""

    path: str
    size: int
    """Bytes."""
    mtime_ns: int
    ctime_ns: int
    inode: int
    sha256: str
    """Of the bytes, 64 hexadecimal digits."""
    eol_sha256: str
    """Of the bytes with CRLF and CR as LF; equal to `sha256` where there are neither."""
    language: str | None
    """A name of `languages.LANGUAGES`, or None where it is not known."""
    hashed_at_ns: int
    """The file system's clock just before the bytes were read; git's rule for racy timestamps needs it."""


@dataclass(frozen=True, slots=True)
class Excluded:
    """A path that was met and left out, so that it can be counted and shown."""

    path: str
    reason: ExcludedReason
    detail: str = ""
    """For a person: the size and the limit, the error's text, where the link leads."""
    size: int = 0
    """Bytes; with the stamps of the reading, so that a file found binary isn't opened every time."""
    mtime_ns: int = 0
    ctime_ns: int = 0
    inode: int = 0
    hashed_at_ns: int = 0
    """As in FileRecord; 0 where the reason is told without reading."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition in a file."""

    kind: str
    """function, method, class, struct, enum, interface, trait, module, type, constant, variable, field …"""
    name: str
    qualified_name: str
    """The names of the enclosing definitions and its own, joined by dots: `Command.invoke`."""
    start_line: int
    end_line: int
    start_byte: int
    end_byte: int
    source_sha256: str
    """Of the definition's own bytes, decorators and attributes included."""
    tokens_sha256: str
    """Of its normalised token stream: equal for two sources that differ only in form."""


@dataclass(frozen=True, slots=True)
class Note:
    """A piece of a document that is worth recalling by itself: a section under a heading."""

    path: str
    headings: tuple[str, ...]
    """The trail of headings, outermost first."""
    text: str
    start_line: int
    end_line: int
    kind: str = "documentation"
    """agent_file, decision or documentation."""
    tags: tuple[str, ...] = ()
    context: str = ""
    """The sentence that leads to the list which the text is an item of."""
    decided: date | None = None
    """The day of the decision that it is part of, where that is told."""


@dataclass(frozen=True, slots=True)
class Batch:
    """One consistent step from what was known to what is on the disk.

    A batch says everything about the paths that it names and nothing about others. Applied in order,
    batches lead from `known` to a fresh index.
    """

    changed: tuple[FileRecord, ...] = ()
    """Files that are new or whose record differs from the known one (also by its timestamps alone)."""
    removed: tuple[str, ...] = ()
    """Known paths that are gone, or that are excluded now."""
    excluded: tuple[Excluded, ...] = ()
    included_again: tuple[str, ...] = ()
    """Paths that were excluded before and are not now."""
    listed: int = 0
    """Paths looked at for this batch, for progress."""
    read: int = 0
    """Files whose content was opened for this batch."""
    total: int | None = None
    """How many paths the whole scan has, once that is known."""


@dataclass(frozen=True, slots=True)
class Outline:
    """The definitions of one file, for the content with this hash."""

    path: str
    sha256: str
    symbols: tuple[Symbol, ...]
    error: str | None = None
    """Why there are none: a parser that gave up. A syntax error alone is no error; what parses is given."""


@dataclass(frozen=True, slots=True)
class WatchState:
    """How a root is being watched."""

    mode: str
    """native, polling or off."""
    reason: str = ""
    """Why it polls, or why it is off."""


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """What `watch` yields: paths that may have changed, or a new state of the watch itself."""

    paths: frozenset[str] = frozenset()
    """Files and folders, relative to the root, to be looked at again; a folder stands for all below it."""
    rescan: bool = False
    """The whole tree must be compared: events may have been lost, or an ignore rule or HEAD changed."""
    state: WatchState | None = None
    first_event_ns: int = 0
    """`time.time_ns()` when the first event of this batch arrived; 0 where there was none."""
