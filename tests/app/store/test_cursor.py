from __future__ import annotations

import sys
from datetime import datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afresh.store import Store
from afresh.store.cursor import Column, Constant

TEXTS = st.one_of(st.none(), st.text(st.characters(exclude_categories=["Cs"]), max_size=12))
ROWS = st.tuples(
    TEXTS,
    st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)),
    st.one_of(st.none(), st.integers(0, 2**64 - 1)),
    st.one_of(st.none(), st.binary(max_size=8)),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=4), max_size=3),
    st.one_of(st.none(), st.datetimes(datetime(1700, 1, 1), datetime(2200, 1, 1))),
)
TYPES = {"t": "VARCHAR", "i": "BIGINT", "u": "UBIGINT", "b": "BLOB", "l": "VARCHAR[]", "m": "TIMESTAMP"}


def insert(store: Store, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    with store.write() as tx:
        tx.execute(
            "CREATE OR REPLACE TABLE kinds (k VARCHAR, t VARCHAR, i BIGINT, u UBIGINT, b BLOB, "
            "l VARCHAR[], m TIMESTAMP)"
        )
        columns = {
            name: Column(kind, [row[place] for row in rows])
            for place, (name, kind) in enumerate(TYPES.items())
        }
        tx.insert("kinds", columns, {"k": Constant("VARCHAR", "same")})
        kinds = tx.execute("SELECT DISTINCT k FROM kinds").rows()
        assert kinds == [("same",)]
        return tx.execute("SELECT t, i, u, b, l, m FROM kinds ORDER BY rowid").rows()


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(ROWS, min_size=1, max_size=4), times=st.sampled_from([1, 2, 300]))
def test_rows_come_back_as_they_went_in_whatever_their_number(
    store: Store, rows: list[tuple[Any, ...]], times: int
) -> None:
    """One row, a list of them and an array of them take three ways into the database."""
    assert insert(store, rows * times) == rows * times


def test_a_value_that_appears_late_in_a_column_of_nulls_is_stored(store: Store) -> None:
    """DuckDB guesses a column's type from a sample of it."""
    empty = (None, None, None, None, [], None)
    full = ("x", 1, 2**64 - 1, b"\0", ["a"], datetime(2026, 1, 1))
    rows = [empty] * 3000 + [full]
    assert insert(store, rows) == rows


def test_arrays_are_stored_as_they_are(store: Store) -> None:
    terms = np.array([0, 1, 2**64 - 1] * 100, dtype=np.uint64)
    with store.write() as tx:
        tx.insert(
            "postings",
            {
                "owner_id": Column("BIGINT", np.arange(300)),
                "term": Column("UBIGINT", terms),
                "frequency": Column("USMALLINT", np.full(300, 65535, dtype=np.uint16)),
            },
            {"owner": Constant("owner_kind", "memo")},
        )
        found = tx.execute("SELECT owner_id, term, frequency FROM postings ORDER BY owner_id").numpy()
    assert (found["term"] == terms).all()
    assert (found["frequency"] == 65535).all()


def test_columns_of_different_length_are_refused(store: Store) -> None:
    with store.write() as tx, pytest.raises(ValueError, match="differ in length"):
        tx.insert("excluded", {"path": Column("VARCHAR", ["a"]), "reason": Column("VARCHAR", [])})


def test_a_table_name_never_reaches_a_python_variable(store: Store) -> None:
    from afresh.errors import StoreError

    somewhere = {"a": np.arange(3)}
    with store.read() as cursor, pytest.raises(StoreError, match="somewhere"):
        cursor.execute("SELECT * FROM somewhere")
    assert len(somewhere["a"]) == 3


def test_neither_pandas_nor_pyarrow_is_imported_for_many_rows(store: Store) -> None:
    insert(store, [("x", 1, 2, b"", [], None)] * 500)
    assert "pandas" not in sys.modules
    assert "pyarrow" not in sys.modules
