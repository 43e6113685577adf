"""The store: one file, one writer at a time, one cursor for each read."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

import duckdb

from afresh.errors import StoreError, StoreHeldError
from afresh.store import backups, opening, schema
from afresh.store.cursor import Cursor, Transaction
from afresh.store.failures import invalidates, translated
from afresh.store.kept import Kept

__all__ = ["Cursor", "Store", "Transaction"]

_open_paths: set[Path] = set()
_open_paths_lock = threading.Lock()

_PATIENCE = 5.0
"""Seconds that closing waits for cursors in use; a query that outlasts it is interrupted."""


class Store:
    """The open database of one data folder.

    Every method may be called from any thread. A read sees one state of the whole database; a write is
    stored, on the disk, when its block has ended without an error, and not at all otherwise.
    """

    def __init__(
        self, path: Path, opened: opening.Opened, config: opening.Config, clock: Callable[[], datetime]
    ):
        self.path = path
        self.set_aside = opened.set_aside
        """Where a damaged database, or its damaged log, was moved when this one was opened."""
        self.note = opened.note
        """The same for a person; empty where nothing was damaged."""
        self._config = config
        self._clock = clock
        self._connection: duckdb.DuckDBPyConnection | None = opened.connection
        self._broken = False
        self._closed = False
        self._gate = threading.Condition()
        self._cursors: dict[int, duckdb.DuckDBPyConnection] = {}
        self._write_lock = threading.Lock()
        self._copy_lock = threading.Lock()
        self._writer: int | None = None
        self._generation = 0
        self._kept = Kept()

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        clock: Callable[[], datetime],
        backups: int = 3,
        memory_limit: str = "128MB",
        threads: int = 2,
        log_limit: str = "256MB",
        migrations: Sequence[schema.Migration] | None = None,
    ) -> Self:
        """Open the database at `path`, made with its folder where there is none, and bring its schema up.

        `backups` copies from before migrations are kept. `log_limit` is the size of the log at which DuckDB
        checkpoints by itself, in the midst of a write; `checkpoint()` in a quiet moment comes before it.
        `clock` gives aware times.

        Raises StoreVersionError, StoreHeldError, StoreUnwritableError, StoreFullError, StoreCorruptError.
        """
        path = path.absolute()
        opening.prepare_folder(path.parent)
        path = path.parent.resolve() / path.name
        with _open_paths_lock:
            if path in _open_paths:
                raise StoreHeldError(f"{path} is open in this process already; use the Store that has it")
            _open_paths.add(path)
        try:
            config: opening.Config = {
                "threads": threads,
                "memory_limit": memory_limit,
                "checkpoint_threshold": log_limit,
                # No look-up of a table's name may reach Python variables, a download, or another file.
                "python_enable_replacements": False,
                "autoinstall_known_extensions": False,
                "autoload_known_extensions": False,
            }
            opened = opening.open_database(path, config, _utc(clock()))
            try:
                _bring_up(opened.connection, path, clock, backups, migrations)
            except BaseException:
                opened.connection.close()
                raise
            return cls(path, opened, config, clock)
        except BaseException:
            with _open_paths_lock:
                _open_paths.discard(path)
            raise

    @property
    def generation(self) -> int:
        """Grows with every write that changed something, to tell a cache that it is out of date.

        It counts from 0 for each opening: only this process writes, so no cache outlives it.
        """
        return self._generation

    @contextmanager
    def read(self) -> Iterator[Cursor]:
        """A cursor of its own, in which all statements see the same state; writing with it is an error."""
        generation = self._generation
        with self._cursor() as connection:
            cursor = Cursor(connection, self._translate, (self._kept, generation))
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            try:
                yield cursor
            finally:
                with contextlib.suppress(duckdb.Error):
                    connection.rollback()

    @contextmanager
    def write(self, *, aside: bool = False) -> Iterator[Transaction]:
        """A transaction, alone among writers, committed at the end of the block.

        What is written `aside` leaves the generation as it is: no cache holds anything of it.

        Any error in the block undoes all of it and is raised again. An error of a statement that the block
        swallowed does too: DuckDB would accept the commit and store nothing.

        Raises StoreFullError, StoreError.
        """
        me = threading.get_ident()
        if self._writer == me:
            raise RuntimeError("a write inside a write of the same thread: pass its transaction on instead")
        with self._write_lock:
            self._writer = me
            try:
                with self._cursor() as connection:
                    transaction = Transaction(connection, self._translate, _utc(self._clock()))
                    transaction.execute("BEGIN")
                    try:
                        yield transaction
                        if transaction.failure is not None:
                            raise StoreError(
                                f"a statement failed and nothing was stored: {transaction.failure}"
                            ) from transaction.failure
                        transaction.execute("COMMIT")
                    except BaseException:
                        with contextlib.suppress(duckdb.Error):
                            connection.rollback()
                        raise
                    if transaction.changed and not aside:
                        self._generation += 1
            finally:
                self._writer = None

    def checkpoint(self) -> None:
        """Move the log into the database file; for quiet moments, since writers wait for it.

        Raises StoreError.
        """
        with self._write_lock, self._copy_lock, self._cursor() as connection:
            Cursor(connection, self._translate).execute("CHECKPOINT")

    def backup(self, to: Path) -> int:
        """Copy the database, as it is now, to the new file `to`; reads and writes go on meanwhile.

        Returns the copy's bytes.

        Raises InvalidArgumentError where `to` exists, StoreError.
        """
        with self._copy_lock, self._cursor() as connection:
            backups.copy_database(connection, to)
        return to.stat().st_size

    def size_bytes(self) -> int:
        """Bytes of the database file and of its log."""
        return sum(opening.sizes(self.path))

    def log_bytes(self) -> int:
        """Bytes of the log: what a checkpoint would move, and what a start after a kill would replay."""
        return opening.sizes(self.path)[1]

    def close(self) -> None:
        """Close the database; a second time does nothing."""
        with self._write_lock, self._gate:
            if self._closed:
                return
            self._closed = True
            self._let_go()
        with _open_paths_lock:
            _open_paths.discard(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._gate:
            if self._broken and not self._closed:
                self._reopen()
            if self._closed or self._connection is None:
                raise StoreError(f"the database {self.path} is closed")
            cursor = self._connection.cursor()
            self._cursors[id(cursor)] = cursor
        try:
            yield cursor
        finally:
            cursor.close()
            with self._gate:
                self._cursors.pop(id(cursor), None)
                self._gate.notify_all()

    def _translate(self, error: duckdb.Error) -> StoreError:
        if invalidates(error):
            self._broken = True
        return translated(error, self.path)

    def _reopen(self) -> None:
        """Leave the instance that DuckDB gave up and open the file anew; it lives on while a cursor does."""
        self._let_go()
        if self._broken and not self._closed:
            self._connection = opening.open_database(self.path, self._config, _utc(self._clock())).connection
            self._broken = False

    def _let_go(self) -> None:
        if not self._gate.wait_for(lambda: not self._cursors, timeout=_PATIENCE):
            for cursor in self._cursors.values():
                with contextlib.suppress(duckdb.Error):
                    cursor.interrupt()
            self._gate.wait_for(lambda: not self._cursors, timeout=_PATIENCE)
        if self._connection is not None:
            with contextlib.suppress(duckdb.Error):
                self._connection.close()
            self._connection = None


def _bring_up(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    clock: Callable[[], datetime],
    keep: int,
    migrations: Sequence[schema.Migration] | None,
) -> None:
    try:
        current = schema.version_of(connection, path)
        steps = schema.pending(current, schema.packaged() if migrations is None else migrations, path)
        if steps and current:
            backups.backup_before_migration(connection, path.parent / "backups", current, _utc(clock()), keep)
        for step in steps:
            schema.apply(connection, step, _utc(clock()))
    except duckdb.Error as error:
        raise translated(error, path) from error


def _utc(time: datetime) -> datetime:
    return time.astimezone(UTC)
