"""Embeddings, one row a chunk, each with its model's id, and the queue of texts that still lack them.

Vectors are little-endian float32 blobs: from FLOAT arrays numpy would get objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from afresh.store.columns import ids_list, matching, stored
from afresh.store.cursor import Column, Constant, Cursor, Transaction
from afresh.store.owners import OWNERS, TEXTS, Owner

Vector: TypeAlias = "npt.NDArray[np.float32]"
Block: TypeAlias = "tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float32]]"
"""Ids, chunk numbers and a matrix float32[n, dim], row by row."""

_BLOCK = 10_000
"""Rows fetched at once: 15 MB of 384 dimensions."""


def put(tx: Transaction, owner: Owner, model: str, rows: Mapping[int, Sequence[Vector] | Vector]) -> None:
    """Store the vectors of texts, float32[dim] for each chunk in its order; earlier ones of `model` go."""
    if not rows:
        return
    remove(tx, owner, rows, model=model)
    placed = [
        (id_, chunk, np.ascontiguousarray(vector, dtype="<f4").tobytes())
        for id_, chunks in rows.items()
        for chunk, vector in enumerate(chunks)
    ]
    tx.insert(
        "vectors",
        {
            "owner_id": Column("BIGINT", [id_ for id_, _, _ in placed]),
            "chunk": Column("INTEGER", [chunk for _, chunk, _ in placed]),
            "vector": Column("BLOB", [vector for _, _, vector in placed]),
        },
        {"owner": Constant("owner_kind", owner), "model": Constant("VARCHAR", model)},
    )


def remove(tx: Transaction, owner: Owner, ids: Iterable[int], *, model: str | None = None) -> None:
    """Drop the vectors of these texts, of one model or of all; of all, their places in the queue too."""
    condition, params = matching("owner_id", ids)
    if model is None:
        tx.execute(f"DELETE FROM vectors WHERE owner = ? AND {condition}", [owner, *params])
        done(tx, owner, ids_list(ids))
    else:
        tx.execute(
            f"DELETE FROM vectors WHERE owner = ? AND model = ? AND {condition}", [owner, model, *params]
        )


def load(cur: Cursor, owner: Owner, model: str) -> Iterator[Block]:
    """The vectors of texts that can be found, of one model, block by block in the order of ids.

    Take them while the cursor is open.
    """
    row = cur.execute(
        "SELECT count(*), min(owner_id), max(owner_id) FROM vectors WHERE owner = ? AND model = ?",
        [owner, model],
    ).one()
    count, lowest, highest = row if row is not None else (0, None, None)
    if not count:
        return
    step = max(1, (highest - lowest + 1) * _BLOCK // count)
    for start in range(lowest, highest + 1, step):
        rows = cur.execute(
            "SELECT owner_id, chunk, vector FROM vectors "
            "WHERE owner = ? AND model = ? AND owner_id >= ? AND owner_id < ? "
            f"AND owner_id IN (SELECT id FROM ({TEXTS[owner]}) WHERE id >= ? AND id < ?) "
            "ORDER BY owner_id, chunk",
            [owner, model, start, start + step, start, start + step],
        ).rows()
        if rows:
            yield _block(rows)


def of(cur: Cursor, owner: Owner, model: str, ids: Iterable[int]) -> list[tuple[int, Vector]]:
    """The stored vectors of some texts, one (id, float32[dim]) for each chunk, in the order of ids."""
    condition, params = matching("owner_id", ids)
    rows = cur.execute(
        f"SELECT owner_id, chunk, vector FROM vectors WHERE owner = ? AND model = ? AND {condition} "
        "ORDER BY owner_id, chunk",
        [owner, model, *params],
    ).rows()
    return [(id_, np.frombuffer(vector, dtype="<f4")) for id_, _, vector in rows]


def models(cur: Cursor) -> dict[str, int]:
    """How many vectors are stored of each model."""
    rows = cur.execute("SELECT model, count(*) FROM vectors GROUP BY model ORDER BY model").rows()
    return {model: int(number) for model, number in rows}


def drop_model(tx: Transaction, model: str) -> None:
    """Drop every vector of a model that is no longer used."""
    tx.execute("DELETE FROM vectors WHERE model = ?", [model])


def enqueue(tx: Transaction, owner: Owner, ids: Iterable[int], *, asked: bool = False) -> None:
    """Queue texts for embedding; `asked` ones, that somebody waits for, come before all others."""
    wanted = ids_list(ids)
    if not wanted:
        return
    done(tx, owner, wanted)
    moment = stored(tx.now)
    tx.execute(
        "INSERT INTO vector_queue (owner, owner_id, queued_at, asked_at) "
        "SELECT ?::owner_kind, unnest(?::BIGINT[]), ?, ?",
        [owner, wanted, moment, moment if asked else None],
    )


def enqueue_missing(tx: Transaction, owner: Owner, model: str) -> int:
    """Queue every text that lacks vectors of `model`; how many texts then wait."""
    tx.execute(
        "INSERT INTO vector_queue (owner, owner_id, queued_at) "
        f"SELECT ?::owner_kind, id, ? FROM ({TEXTS[owner]}) "
        "WHERE id NOT IN (SELECT owner_id FROM vectors WHERE owner = ? AND model = ?) "
        "AND id NOT IN (SELECT owner_id FROM vector_queue WHERE owner = ?)",
        [owner, stored(tx.now), owner, model, owner],
    )
    return _waiting(tx, owner, None)


def next_batch(cur: Cursor, owner: Owner, n: int) -> list[tuple[int, str]]:
    """Up to `n` queued texts as (id, text): asked-for ones first, then the newest."""
    rows = cur.execute(
        f"SELECT t.id, t.text FROM vector_queue AS q JOIN ({TEXTS[owner]}) AS t ON t.id = q.owner_id "
        "WHERE q.owner = ? ORDER BY q.asked_at DESC NULLS LAST, q.owner_id DESC LIMIT ?",
        [owner, n],
    ).rows()
    return [(id_, text) for id_, text in rows]


def texts_of(cur: Cursor, owner: Owner, ids: Iterable[int]) -> list[tuple[int, str]]:
    """The present texts of some owners as (id, text); those that can't be found any more are left out."""
    condition, params = matching("id", ids)
    rows = cur.execute(f"SELECT id, text FROM ({TEXTS[owner]}) WHERE {condition} ORDER BY id", params).rows()
    return [(id_, text) for id_, text in rows]


def done(tx: Transaction, owner: Owner, ids: Iterable[int]) -> None:
    """Take texts out of the queue."""
    condition, params = matching("owner_id", ids)
    tx.execute(f"DELETE FROM vector_queue WHERE owner = ? AND {condition}", [owner, *params])


def pending(cur: Cursor, project_id: int | None = None) -> int:
    """How many texts wait for their vectors, in one project or in all."""
    return sum(_waiting(cur, owner, project_id) for owner in OWNERS)


def _waiting(cur: Cursor, owner: Owner, project_id: int | None) -> int:
    row = cur.execute(
        f"SELECT count(*) FROM vector_queue AS q JOIN ({TEXTS[owner]}) AS t ON t.id = q.owner_id "
        "WHERE q.owner = ? AND (? IS NULL OR t.project_id = ?)",
        [owner, project_id, project_id],
    ).one()
    return int(row[0]) if row is not None else 0


def _block(rows: Sequence[tuple[int, int, bytes]]) -> Block:
    count = len(rows)
    ids = np.fromiter((row[0] for row in rows), dtype=np.int64, count=count)
    chunks = np.fromiter((row[1] for row in rows), dtype=np.int64, count=count)
    matrix = np.frombuffer(b"".join([row[2] for row in rows]), dtype="<f4").reshape(count, -1)
    return ids, chunks, matrix
