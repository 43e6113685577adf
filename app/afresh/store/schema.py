"""The schema's versions: numbered SQL files, each applied in one transaction of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from pathlib import Path

import duckdb

from afresh.errors import StoreError, StoreVersionError
from afresh.store.columns import stored


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema."""

    version: int
    name: str
    sql: str


def packaged() -> tuple[Migration, ...]:
    """The migrations that ship, in their order."""
    folder = resources.files("afresh.store.migrations")
    found = []
    for entry in folder.iterdir():
        number, _, name = entry.name.removesuffix(".sql").partition("_")
        if entry.name.endswith(".sql"):
            found.append(Migration(int(number), name, entry.read_text(encoding="utf-8")))
    return tuple(sorted(found, key=lambda migration: migration.version))


def version_of(connection: duckdb.DuckDBPyConnection, path: Path) -> int:
    """The schema's version, 0 for an empty database.

    Raises StoreError for a database that has tables but isn't one of ours.
    """
    tables = {name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    if not tables:
        return 0
    if "schema_migrations" not in tables:
        raise StoreError(
            f"{path} is a database of another program (it has the tables {', '.join(sorted(tables)[:5])}). "
            "Nothing was changed: set AFRESH_HOME to another data folder."
        )
    row = connection.execute("SELECT max(version) FROM schema_migrations").fetchone()
    return int(row[0]) if row is not None and row[0] is not None else 0


def pending(current: int, migrations: Sequence[Migration], path: Path) -> tuple[Migration, ...]:
    """The migrations that a database of version `current` lacks.

    Raises StoreVersionError for a version that these migrations don't know.
    """
    known = max((migration.version for migration in migrations), default=0)
    if current > known:
        raise StoreVersionError(
            f"{path} has schema version {current}, and this afresh knows versions up to {known}: a newer one "
            "wrote it. Update afresh, or set AFRESH_HOME to another data folder. Nothing was changed."
        )
    return tuple(migration for migration in migrations if migration.version > current)


def apply(connection: duckdb.DuckDBPyConnection, migration: Migration, now: datetime) -> None:
    """Apply one migration, wholly or not at all.

    Raises duckdb.Error.
    """
    connection.execute("BEGIN")
    try:
        connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations "
            "(version BIGINT NOT NULL, applied_at TIMESTAMP NOT NULL)"
        )
        connection.execute(migration.sql)
        connection.execute("INSERT INTO schema_migrations VALUES (?, ?)", [migration.version, stored(now)])
    except duckdb.Error:
        connection.rollback()
        raise
    connection.execute("COMMIT")
