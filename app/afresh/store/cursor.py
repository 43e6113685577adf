"""Cursors: thin, typed, for one thread and one call each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self, TypeAlias, TypeVar

import duckdb
import numpy as np
import numpy.typing as npt

from afresh.errors import StoreError
from afresh.store.kept import Kept

T = TypeVar("T")

Values: TypeAlias = "Sequence[object] | npt.NDArray[Any]"
"""One column of many rows."""

_SMALL = 200
"""Up to this many rows a list parameter is the faster way in, beyond it a registered array: measured with 60
rows 1.5 against 2.2 ms, with 500 rows of nine columns 12 against 6 ms, with 5,000 90 against 13 ms."""

_READING = ("SELECT", "WITH", "BEGIN", "COMMIT")

_DTYPES: Mapping[str, str] = {
    "BIGINT": "int64",
    "UBIGINT": "uint64",
    "INTEGER": "int32",
    "USMALLINT": "uint16",
    "DOUBLE": "float64",
}


class Cursor:
    """Reads: what `Store.read()` gives."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        translate: Callable[[duckdb.Error], StoreError],
        kept: tuple[Kept, int] | None = None,
    ) -> None:
        self._connection = connection
        self._translate = translate
        self._kept = kept
        self._failed: BaseException | None = None

    def execute(self, sql: str, params: Sequence[object] = ()) -> Self:
        """Run one statement; its rows are then taken by `rows`, `one` or `numpy`.

        Raises StoreError, or the kind of it that tells more. Any error aborts the transaction.
        """
        self._guarded(lambda: self._connection.execute(sql, list(params)))
        return self

    def rows(self) -> list[tuple[Any, ...]]:
        """All rows of the last statement."""
        rows: list[tuple[Any, ...]] = self._guarded(self._connection.fetchall)
        return rows

    def one(self) -> tuple[Any, ...] | None:
        """The next row of the last statement, or None where there is none."""
        row: tuple[Any, ...] | None = self._guarded(self._connection.fetchone)
        return row

    def numpy(self) -> dict[str, npt.NDArray[Any]]:
        """All rows of the last statement as one array a column; a column with NULLs is a masked array."""
        columns: dict[str, npt.NDArray[Any]] = self._guarded(self._connection.fetchnumpy)
        return columns

    def kept(self, key: Hashable, read: Callable[[], T]) -> T:
        """What `read` gives, from when it was last read if nothing was written since; a write reads anew.

        Never change what it holds.
        """
        return read() if self._kept is None else self._kept[0].get(self._kept[1], key, read)

    def _guarded(self, step: Callable[[], Any]) -> Any:
        if self._failed is not None:
            raise StoreError("a statement of this transaction failed before; nothing more can run in it")
        try:
            return step()
        except duckdb.Error as error:
            self._failed = error
            raise self._translate(error) from error
        except BaseException as error:
            self._failed = error
            raise


@dataclass(frozen=True, slots=True)
class Column:
    """Many values of one SQL type, to be inserted with `Transaction.insert`."""

    sql_type: str
    values: Values


@dataclass(frozen=True, slots=True)
class Constant:
    """One value of one SQL type, the same in each row that `Transaction.insert` inserts."""

    sql_type: str
    value: object


class Transaction(Cursor):
    """Reads and writes: what `Store.write()` gives. Committed when the block ends, never in part."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        translate: Callable[[duckdb.Error], StoreError],
        now: datetime,
    ) -> None:
        super().__init__(connection, translate)
        self.changed = False
        """Whether a statement that may change rows has run."""
        self.now = now
        """When the transaction began, by the store's clock, in UTC."""

    @property
    def failure(self) -> BaseException | None:
        """The first error of a statement, also when the caller swallowed it: such a transaction is lost."""
        return self._failed

    def leave_caches(self) -> None:
        """Say that no cache holds what was changed so far: `Store.generation` stays as it is for it."""
        self.changed = False

    def execute(self, sql: str, params: Sequence[object] = ()) -> Self:
        """As `Cursor.execute`."""
        super().execute(sql, params)
        self.changed = self.changed or not sql.lstrip().upper().startswith(_READING)
        return self

    def insert(
        self, table: str, columns: Mapping[str, Column], constants: Mapping[str, Constant] | None = None
    ) -> None:
        """Insert many rows, given column by column, with one statement; `constants` are the same in each row.

        All columns have the same length. Raises StoreError.
        """
        lengths = {len(column.values) for column in columns.values()}
        if len(lengths) != 1:
            raise ValueError(f"columns of {table} differ in length: {sorted(lengths)}")
        count = lengths.pop()
        if not count:
            return
        fixed = constants or {}
        params: list[object] = [constant.value for constant in fixed.values()]
        selected = [f"?::{constant.sql_type}" for constant in fixed.values()]
        names = ", ".join([*fixed, *columns])
        if count == 1:
            # Planned in two thirds of the time that a list of one needs.
            selected += [f"?::{column.sql_type}" for column in columns.values()]
            params += [_as_list(column.values)[0] for column in columns.values()]
            self.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join(selected)})", params)
            return
        if count <= _SMALL:
            selected += [f"unnest(?::{column.sql_type}[])" for column in columns.values()]
            params += [_as_list(column.values) for column in columns.values()]
            self.execute(f"INSERT INTO {table} ({names}) SELECT {', '.join(selected)}", params)
            return
        arrays = {name: _as_array(column) for name, column in columns.items()}
        selected += [f"{name}::{column.sql_type}" for name, column in columns.items()]
        self._guarded(lambda: self._connection.register("incoming_rows", arrays))
        try:
            self.execute(
                f"INSERT INTO {table} ({names}) SELECT {', '.join(selected)} FROM incoming_rows", params
            )
        finally:
            self._connection.unregister("incoming_rows")


def _as_list(values: Values) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _as_array(column: Column) -> npt.NDArray[Any]:
    if isinstance(column.values, np.ndarray):
        return column.values
    if column.sql_type == "TIMESTAMP":
        return np.array(column.values, dtype="datetime64[us]")
    dtype = _DTYPES.get(column.sql_type)
    if dtype is not None and None not in column.values:
        return np.array(column.values, dtype=dtype)
    array = np.empty(len(column.values), dtype=object)
    array[:] = column.values
    return array
