"""Opening the file: what is damaged is moved aside, never deleted, and everything else is a clear error.

The database file itself is only ever opened by DuckDB: any other descriptor on it would, when closed, drop
the lock that keeps other processes out. Renaming and asking for its size need none.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeAlias

import duckdb

from afresh.errors import StoreCorruptError, StoreUnwritableError
from afresh.store.failures import Failure, failure_of, translated

Config: TypeAlias = Mapping[str, str | int | bool]
"""DuckDB's settings by name."""

_LOGS = (".wal", ".wal.checkpoint", ".wal.recovery")
"""What DuckDB appends to the file's name for its log, and for the logs of a checkpoint that was cut short."""

_ATTEMPTS = 4
"""A damaged log and then a damaged main file need three."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A connection, and what had to be moved aside to get it."""

    connection: duckdb.DuckDBPyConnection
    set_aside: Path | None = None
    """Where the damaged file now is: the database's, or the log's where only that was damaged."""
    note: str = ""
    """The same for a person: what was damaged, where it is now, and what that means."""


def prepare_folder(folder: Path) -> None:
    """Make the data folder, for its owner alone.

    Raises StoreUnwritableError.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnwritableError(
            f"the data folder {folder} can't be made ({error.strerror}). Make it, or set AFRESH_HOME to "
            "another one."
        ) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise StoreUnwritableError(
            f"the data folder {folder} can't be written. Give this user the right to write there, or set "
            "AFRESH_HOME to another one."
        )


def open_database(path: Path, config: Config, now: datetime) -> Opened:
    """Open the database at `path`, a new one where there is none or where it had to be moved aside.

    Raises StoreHeldError, StoreVersionError, StoreUnwritableError, StoreFullError, StoreCorruptError.
    """
    stamp = now.strftime("%Y%m%dT%H%M%S.%fZ")
    moved: Path | None = None
    notes: list[str] = []
    for _ in range(_ATTEMPTS):
        if not path.exists() and _log_bytes(path):
            # DuckDB would delete it without a word when it makes the new file.
            moved = _move(path, stamp, log_only=True)
            notes.append(f"a log without its database was moved to {moved}")
        logged = _log_bytes(path)
        try:
            connection = duckdb.connect(str(path), config=dict(config))
        except duckdb.Error as error:
            match failure_of(error):
                case Failure.LOG:
                    moved = _move(path, stamp, log_only=True)
                    notes.append(_log_note(path, moved))
                case Failure.CORRUPT:
                    moved = _move(path, stamp, log_only=False)
                    notes.append(
                        f"the database {path} was damaged and is now {moved}; a new, empty one was made. "
                        f"Copies from before migrations are in {path.parent / 'backups'}"
                    )
                case _:
                    raise translated(error, path) from error
            continue
        if logged and _log_was_ignored(connection, path):
            connection.close()
            moved = _move(path, stamp, log_only=True)
            notes.append(_log_note(path, moved))
            continue
        return Opened(connection, moved, "; ".join(notes))
    raise StoreCorruptError(f"{path} can't be opened: {'; '.join(notes)}")


def sizes(path: Path) -> tuple[int, int]:
    """Bytes of the database file and of its log."""
    return (path.stat().st_size if path.exists() else 0), _log_bytes(path)


def _log_bytes(path: Path) -> int:
    logs = (path.with_name(path.name + suffix) for suffix in _LOGS)
    return sum(log.stat().st_size for log in logs if log.exists())


def _log_was_ignored(connection: duckdb.DuckDBPyConnection, path: Path) -> bool:
    """A log with a broken header opens as if it were empty, and the next write overwrites it.

    Such a log is still there after the opening while DuckDB counts none of it; one that was in the file
    already, from a checkpoint that was cut short, is gone.
    """
    row = connection.execute("SELECT wal_size FROM pragma_database_size()").fetchone()
    if row is None or row[0] != "0 bytes" or not _log_bytes(path):
        return False
    connection.execute("PRAGMA disable_checkpoint_on_shutdown")
    return True


def _log_note(path: Path, moved: Path) -> str:
    return (
        f"the log of {path} was damaged and is now {moved}; what was stored since the last checkpoint is in "
        "it and no longer in the database"
    )


def _move(path: Path, stamp: str, *, log_only: bool) -> Path:
    target = path.with_name(f"{path.name}.damaged-{stamp}")
    suffixes = _LOGS if log_only else ("", *_LOGS)
    moved: list[Path] = []
    for suffix in suffixes:
        source = path.with_name(path.name + suffix)
        if source.exists():
            try:
                moved.append(source.rename(target.with_name(target.name + suffix)))
            except OSError as error:
                raise StoreCorruptError(
                    f"{source} is damaged and can't be moved aside ({error.strerror}). Move it and try again."
                ) from error
    return moved[0] if moved else target
