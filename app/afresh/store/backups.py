"""Copies of the database, made by DuckDB itself while the file stays open."""

from __future__ import annotations

import contextlib
from datetime import datetime
from pathlib import Path

import duckdb

from afresh.errors import InvalidArgumentError, StoreUnwritableError
from afresh.store.failures import translated

_PREFIX = "before-migration-"


def copy_database(connection: duckdb.DuckDBPyConnection, target: Path) -> None:
    """Copy everything, as it is at this moment, to a new file that is complete when it has its name.

    Raises InvalidArgumentError for a target that exists, StoreError.
    """
    if target.exists():
        raise InvalidArgumentError(f"{target} exists; a backup never overwrites, so name a new file")
    partial = target.with_name(target.name + ".partial")
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _remove(partial)
    except OSError as error:
        raise StoreUnwritableError(f"the backup {target} can't be written: {error.strerror}") from error
    try:
        row = connection.execute("SELECT current_database()").fetchone()
        source = str(row[0]) if row is not None else ""
        connection.execute(f"ATTACH {_literal(str(partial))} AS backup_copy")
        try:
            connection.execute(f"COPY FROM DATABASE {_identifier(source)} TO backup_copy")
        finally:
            connection.execute("DETACH backup_copy")
    except duckdb.Error as error:
        with contextlib.suppress(OSError):
            _remove(partial)
        raise translated(error, target) from error
    partial.rename(target)


def backup_before_migration(
    connection: duckdb.DuckDBPyConnection, folder: Path, version: int, now: datetime, keep: int
) -> Path | None:
    """Copy the database before its schema changes, and drop the oldest such copies beyond `keep`."""
    if keep < 1:
        return None
    target = folder / f"{_PREFIX}{now.strftime('%Y%m%dT%H%M%S.%fZ')}-schema-{version:04d}.duckdb"
    copy_database(connection, target)
    for old in sorted(folder.glob(f"{_PREFIX}*.duckdb"))[:-keep]:
        old.unlink()
    return target


def _remove(partial: Path) -> None:
    for leftover in (partial, partial.with_name(partial.name + ".wal")):
        leftover.unlink(missing_ok=True)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
