"""The lexical index: which term occurs how often in which memory or memo.

Terms are 64-bit hashes, so that no dictionary is needed. The index that is searched is kept in memory; these
rows are what it is built from, and they are written in the transaction of the text that they belong to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from afresh.store.columns import matching
from afresh.store.cursor import Column, Constant, Cursor, Transaction
from afresh.store.owners import TEXTS, Owner

Terms: TypeAlias = "npt.NDArray[np.uint64]"
Frequencies: TypeAlias = "npt.NDArray[np.uint16]"

_BLOCK = 500_000
"""Rows fetched at once: a result of millions would fill DuckDB's memory limit and go to the disk."""


def put(tx: Transaction, owner: Owner, rows: Mapping[int, tuple[Terms, Frequencies]]) -> None:
    """Add the terms of texts that have none yet; per id its distinct terms and how often each occurs."""
    if not rows:
        return
    lengths = [len(terms) for terms, _ in rows.values()]
    ids = np.repeat(np.fromiter(rows, dtype=np.int64, count=len(rows)), lengths)
    tx.insert(
        "postings",
        {
            "owner_id": Column("BIGINT", ids),
            "term": Column("UBIGINT", np.concatenate([np.asarray(t, np.uint64) for t, _ in rows.values()])),
            "frequency": Column(
                "USMALLINT", np.concatenate([np.asarray(f, np.uint16) for _, f in rows.values()])
            ),
        },
        {"owner": Constant("owner_kind", owner)},
    )


def remove(tx: Transaction, owner: Owner, ids: Iterable[int]) -> None:
    """Drop all terms of these texts."""
    condition, params = matching("owner_id", ids)
    tx.execute(f"DELETE FROM postings WHERE owner = ? AND {condition}", [owner, *params])


def load(cur: Cursor, owner: Owner) -> tuple[Terms, npt.NDArray[np.int64], Frequencies]:
    """All postings of texts that can be found, as three arrays of one length: terms, ids, frequencies."""
    row = cur.execute(
        "SELECT count(*), min(owner_id), max(owner_id) FROM postings WHERE owner = ?", [owner]
    ).one()
    count, lowest, highest = row if row is not None else (0, None, None)
    terms = np.empty(count, dtype=np.uint64)
    ids = np.empty(count, dtype=np.int64)
    frequencies = np.empty(count, dtype=np.uint16)
    filled = 0
    for start, end in _windows(count, lowest, highest):
        block = cur.execute(
            "SELECT term, owner_id, frequency FROM postings "
            "WHERE owner = ? AND owner_id >= ? AND owner_id < ? "
            f"AND owner_id IN (SELECT id FROM ({TEXTS[owner]}) WHERE id >= ? AND id < ?)",
            [owner, start, end, start, end],
        ).numpy()
        size = len(block["term"])
        terms[filled : filled + size] = block["term"]
        ids[filled : filled + size] = block["owner_id"]
        frequencies[filled : filled + size] = block["frequency"]
        filled += size
    return terms[:filled], ids[:filled], frequencies[:filled]


def _windows(count: int, lowest: int | None, highest: int | None) -> Iterable[tuple[int, int]]:
    if lowest is None or highest is None:
        return
    blocks = max(1, -(-count // _BLOCK))
    step = max(1, -(-(highest - lowest + 1) // blocks))
    for start in range(lowest, highest + 1, step):
        yield start, start + step
