"""What DuckDB's errors mean, told apart by their texts, because many share one class."""

from __future__ import annotations

import re
from enum import Enum, auto
from pathlib import Path

import duckdb

from afresh.errors import (
    StoreCorruptError,
    StoreError,
    StoreFullError,
    StoreHeldError,
    StoreUnwritableError,
    StoreVersionError,
)


class Failure(Enum):
    """The kinds of failure that are handled differently."""

    HELD = auto()
    """Another process has the file open for writing."""
    VERSION = auto()
    """The storage format is from a newer DuckDB."""
    LOG = auto()
    """The write-ahead log can't be replayed; the main file may be sound."""
    CORRUPT = auto()
    """The main file can't be read as a database."""
    UNWRITABLE = auto()
    FULL = auto()
    OTHER = auto()


_SIGNS: tuple[tuple[Failure, tuple[str, ...]], ...] = (
    (Failure.HELD, ("could not set lock on file", "being used by another process")),
    (Failure.FULL, ("no space left on device", "disk quota exceeded", "not enough space on the disk")),
    (Failure.UNWRITABLE, ("permission denied", "read-only file system", "is a directory", "not permitted")),
    (Failure.LOG, ("replaying wal", "corrupt wal", "this wal was created")),
    (Failure.VERSION, ("version number",)),
    (
        Failure.CORRUPT,
        ("not a valid duckdb database file", "corrupt", "could not read enough bytes", "could not read from"),
    ),
)
"""In this order: a log's error quotes the errors of the other kinds."""

_SHOWN = 120
"""Characters of a command line."""

_HOLDER = re.compile(r"\(PID (\d+)\)")


def failure_of(error: duckdb.Error) -> Failure:
    """The kind of `error`."""
    text = str(error).lower()
    for failure, signs in _SIGNS:
        if any(sign in text for sign in signs):
            return failure
    return Failure.OTHER


def invalidates(error: duckdb.Error) -> bool:
    """Whether the whole instance is unusable after `error`, so that the file must be opened anew."""
    return isinstance(error, duckdb.FatalException | duckdb.InternalException) or "invalidated" in str(error)


def translated(error: duckdb.Error, path: Path) -> StoreError:
    """The error of ours that says what `error` means for the database at `path`."""
    detail = _first_line(error)
    match failure_of(error):
        case Failure.HELD:
            return StoreHeldError(
                f"{path} is open in {holder(error)}. Only one process may have it: end that one, or set "
                "AFRESH_HOME to another data folder."
            )
        case Failure.VERSION:
            return StoreVersionError(
                f"{path} has a storage format that the installed DuckDB {duckdb.__version__} doesn't know "
                f"({detail}). Update afresh, or set AFRESH_HOME to another data folder."
            )
        case Failure.FULL:
            return StoreFullError(
                f"the disk that holds {path} is full ({detail}). This write was not stored; everything "
                "acknowledged before it is. Free some space and try again."
            )
        case Failure.UNWRITABLE:
            return StoreUnwritableError(
                f"{path} can't be written ({detail}). Give this user the right to write there, or set "
                "AFRESH_HOME to another data folder."
            )
        case Failure.CORRUPT | Failure.LOG:
            return StoreCorruptError(
                f"{path} is damaged ({detail}). Nothing was deleted: stop afresh, move the file and its .wal "
                f"aside, and put back a copy from {path.parent / 'backups'} or import an export."
            )
        case Failure.OTHER:
            return StoreError(f"the database {path} failed: {detail}")


def holder(error: duckdb.Error) -> str:
    """The process that DuckDB names as the owner of the lock: its id and command line."""
    found = _HOLDER.search(str(error))
    if found is None:
        return "another process"
    pid = int(found.group(1))
    import psutil

    try:
        process = psutil.Process(pid)
        command = " ".join(" ".join(process.cmdline() or [process.name()]).split())
    except psutil.Error:
        return f"process {pid}"
    return f"process {pid} ({command[:_SHOWN]}{'…' if len(command) > _SHOWN else ''})"


def _first_line(error: duckdb.Error) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].strip().rstrip(".")
