from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from afresh.errors import StoreError
from afresh.store import Store, schema
from afresh.store.schema import Migration

FIRST = Migration(1, "first", "CREATE TABLE things (id BIGINT); INSERT INTO things VALUES (7)")
SECOND = Migration(
    2, "second", "ALTER TABLE things ADD COLUMN name VARCHAR; UPDATE things SET name = 'seven'"
)
BROKEN = Migration(2, "broken", "ALTER TABLE things ADD COLUMN name VARCHAR; SELECT no_such_column")


def things(store: Store) -> list[tuple[Any, ...]]:
    with store.read() as cursor:
        return cursor.execute("SELECT * FROM things").rows()


def copies(database: Path) -> list[Path]:
    return sorted((database.parent / "backups").glob("*.duckdb"))


def test_the_migrations_that_ship_are_numbered_without_gaps() -> None:
    assert [migration.version for migration in schema.packaged()] == list(
        range(1, len(schema.packaged()) + 1)
    )


def test_a_new_database_needs_no_backup(database: Path, clock: Any) -> None:
    Store.open(database, clock=clock).close()
    assert copies(database) == []


def test_a_migration_is_applied_once_and_dated(database: Path, clock: Any) -> None:
    for _ in range(2):
        with Store.open(database, clock=clock, migrations=[FIRST]) as store, store.read() as cursor:
            applied = cursor.execute("SELECT version, applied_at FROM schema_migrations").rows()
            assert applied == [(1, clock.now.replace(tzinfo=None))]
            assert things(store) == [(7,)]


def test_a_copy_from_before_is_kept_when_the_schema_changes(database: Path, clock: Any) -> None:
    Store.open(database, clock=clock, migrations=[FIRST]).close()
    with Store.open(database, clock=clock, migrations=[FIRST, SECOND]) as store:
        assert things(store) == [(7, "seven")]
    (copy,) = copies(database)
    assert "schema-0001" in copy.name
    with Store.open(copy, clock=clock, migrations=[FIRST]) as store:
        assert things(store) == [(7,)]


def test_a_migration_that_fails_changes_nothing(database: Path, clock: Any) -> None:
    Store.open(database, clock=clock, migrations=[FIRST]).close()
    with pytest.raises(StoreError, match="no_such_column"):
        Store.open(database, clock=clock, migrations=[FIRST, BROKEN])
    with Store.open(database, clock=clock, migrations=[FIRST]) as store:
        assert things(store) == [(7,)]
    clock.forward(seconds=1)
    with Store.open(database, clock=clock, migrations=[FIRST, SECOND]) as store:
        assert things(store) == [(7, "seven")]


def test_only_the_newest_copies_are_kept(database: Path, clock: Any) -> None:
    steps = [FIRST, *(Migration(n, "more", f"CREATE TABLE more_{n} (id BIGINT)") for n in range(2, 6))]
    for number in range(1, len(steps) + 1):
        clock.forward(days=1)
        Store.open(database, clock=clock, backups=2, migrations=steps[:number]).close()
    assert [copy.name[-len("schema-0003.duckdb") :] for copy in copies(database)] == [
        "schema-0003.duckdb",
        "schema-0004.duckdb",
    ]


def test_no_copy_is_made_where_none_is_wanted(database: Path, clock: Any) -> None:
    Store.open(database, clock=clock, migrations=[FIRST]).close()
    Store.open(database, clock=clock, backups=0, migrations=[FIRST, SECOND]).close()
    assert copies(database) == []
