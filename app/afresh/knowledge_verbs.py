"""What an editor asks of the engine: everything that is known of one file, or of one name, at this moment.

Both take texts that are open and not saved yet: those count, and not what the disk has.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from afresh.contracts import Arguments, Impact, MovedTo, Result, SpanState, Status, Time

_MOST_BUFFERS = 200


class Buffer(Arguments):
    """A file as it is in an editor."""

    path: str = Field(min_length=1, max_length=4096, description="Absolute.")
    text: str


class FileKnowledgeArguments(Arguments):
    path: str = Field(min_length=1, max_length=4096, description="Absolute.")
    text: str | None = Field(None, description="As it is in the editor; default: as it is on the disk.")
    buffers: list[Buffer] = Field([], max_length=_MOST_BUFFERS, description="Others that are not saved.")
    root: str | None = Field(
        None,
        min_length=1,
        max_length=4096,
        description="A folder of the project that a text tells of, where the file lies in none.",
    )


class SymbolKnowledgeArguments(Arguments):
    path: str = Field(min_length=1, max_length=4096, description="Absolute: of the file that names it.")
    name: str = Field(min_length=1, max_length=500, description="Qualified, or its last part.")
    buffers: list[Buffer] = Field([], max_length=_MOST_BUFFERS)


class CodeNamesArguments(Arguments):
    path: str = Field(min_length=1, max_length=4096, description="Absolute: of the file that is written.")
    prefix: str = Field("", max_length=1024)
    limit: int = Field(100, ge=1, le=500)


class FollowArguments(Arguments):
    pass


class KnownPlace(Result):
    """A cited part of the file that was asked about."""

    symbol: str | None
    """Its qualified name, as it is now."""
    start_line: int | None
    """Lines in the text as it is now; null where the part is there no more."""
    end_line: int | None
    now: SpanState
    moved_to: MovedTo | None


class ChangedLines(Result):
    """Lines of the text as it is now that are not what they were; the end is before the start where lines
    were only taken out in front of it."""

    start_line: int
    end_line: int


class OtherFile(Result):
    """Another file that the same conclusion rests on."""

    path: str
    """Absolute."""
    change: Impact | None
    """Null where it is what it was."""
    line: int
    """Where its cited part begins."""


class Known(Result):
    """A conclusion, or a memory that cites files."""

    kind: Literal["memo", "memory"]
    id: int
    title: str
    """The question, or a memory's first line."""
    text: str
    status: Status
    impact: Impact | None
    updated_at: Time
    root: str
    """The folder under which its files were judged."""
    change: Impact | None
    """What became of the file that was asked about; null where it is what it was."""
    places: list[KnownPlace]
    """Its cited parts; empty where it is cited as a whole."""
    hunks: list[ChangedLines]
    """What changed in the cited parts."""
    others: list[OtherFile]


class Claimed(Result):
    """Something that a document names. Columns are code points from 0; the end is exclusive."""

    kind: Literal["path", "symbol", "commit", "command"]
    text: str
    line: int
    """From 1."""
    start_column: int
    end_column: int
    target: str | None
    """The file that it leads to, absolute."""
    target_line: int | None
    target_symbol: str | None
    dead: str | None
    """Why it holds no more; null where it holds, or where that can't be told."""
    suggestion: str | None
    replacement: str | None
    """What to write between the columns instead, where that is known."""


class FileKnowledgeResult(Result):
    project: str | None
    """Null where the file lies in no known project; then everything else is empty."""
    root: str | None
    path: str | None
    """Relative to the root."""
    note_kind: str | None
    """agent_file, decision or documentation, where notes are read from it."""
    known: list[Known]
    """The gravest first."""
    claims: list[Claimed]
    notes: list[str]
    """What could not be judged, and why."""


class SymbolPlace(Result):
    path: str
    """Absolute."""
    kind: str
    qualified_name: str
    start_line: int
    end_line: int


class SymbolKnowledgeResult(Result):
    project: str | None
    root: str | None
    places: list[SymbolPlace]
    """Where it is defined, by the index."""
    known: list[Known]


class CodeName(Result):
    kind: Literal["file", "folder", "symbol"]
    name: str
    path: str
    """Relative to the root: of the symbol's file, or the name itself."""


class CodeNamesResult(Result):
    names: list[CodeName]
    complete: bool
    """Whether these are all that begin so."""


class FollowResult(Result):
    told: int
    """How many pieces of news there were."""
