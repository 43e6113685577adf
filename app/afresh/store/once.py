"""What a checkout held once: paths that were indexed and names that were defined, whatever became of them.

A batch of the watch must not wait for this. So the transaction that replaces or removes a file's row notes
only which content the path had; `settle` takes the names out of its outline later, when the new outline is
there and what lives on is left out. Reading counts both, so that nothing is missing in between.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

from afresh.store.columns import among, stored
from afresh.store.cursor import Cursor, Transaction

PATHS_AT_MOST = 50_000
"""Paths that are remembered of one checkout; the oldest go."""
NAMES_AT_MOST = 100_000
"""Names that are remembered of one checkout; the oldest go."""
_KEPT_OF_FULL = 0.9
"""What stays of a full table, so that not each later batch has to make room."""

_NOTED_NAMES = """
    FROM once_contents AS c
    JOIN outlines AS o ON o.sha256 = c.sha256 AND o.language = c.language
    JOIN symbols AS s ON s.outline_id = o.id
    WHERE c.checkout_id = ?
"""


def note(tx: Transaction, checkout_id: int, paths: Collection[str], now: datetime) -> None:
    """Note the contents that paths are about to lose; for the transaction that takes their rows away."""
    if paths:
        condition, params = among(paths)
        tx.execute(
            "INSERT INTO once_contents SELECT checkout_id, path, sha256, language, ?::TIMESTAMP FROM files "
            f"WHERE checkout_id = ? AND {condition}",
            [stored(now), checkout_id, *params],
        )


def unsettled(cur: Cursor, checkout_id: int) -> int:
    """How many contents are noted whose names were not taken out yet."""
    row = cur.execute("SELECT count(*) FROM once_contents WHERE checkout_id = ?", [checkout_id]).one()
    return int(row[0]) if row is not None else 0


def settle(
    tx: Transaction,
    checkout_id: int,
    *,
    paths_at_most: int = PATHS_AT_MOST,
    names_at_most: int = NAMES_AT_MOST,
) -> None:
    """Remember, each once, the paths and the names of the noted contents that are gone now.

    A name counts as gone where the path's current content has an outline without it, or none.
    """
    tx.execute(
        "INSERT INTO once_paths SELECT c.checkout_id, c.path, max(c.noted_at) FROM once_contents AS c "
        "WHERE c.checkout_id = ? "
        "AND NOT EXISTS (SELECT 1 FROM files AS f WHERE f.checkout_id = c.checkout_id AND f.path = c.path) "
        "AND NOT EXISTS (SELECT 1 FROM once_paths AS p "
        "WHERE p.checkout_id = c.checkout_id AND p.path = c.path) GROUP BY c.checkout_id, c.path",
        [checkout_id],
    )
    tx.execute(
        "INSERT INTO once_symbols SELECT c.checkout_id, c.path, s.qualified_name, max(c.noted_at) "
        f"{_NOTED_NAMES} "
        "AND NOT EXISTS (SELECT 1 FROM files AS f JOIN outlines AS fo ON fo.sha256 = f.sha256 "
        "AND fo.language = f.language JOIN symbols AS fs ON fs.outline_id = fo.id "
        "WHERE f.checkout_id = c.checkout_id AND f.path = c.path "
        "AND fs.qualified_name = s.qualified_name) "
        "AND NOT EXISTS (SELECT 1 FROM once_symbols AS n WHERE n.checkout_id = c.checkout_id "
        "AND n.path = c.path AND n.qualified_name = s.qualified_name) "
        "GROUP BY c.checkout_id, c.path, s.qualified_name",
        [checkout_id],
    )
    tx.execute("DELETE FROM once_contents WHERE checkout_id = ?", [checkout_id])
    _make_room(tx, "once_paths", checkout_id, paths_at_most)
    _make_room(tx, "once_symbols", checkout_id, names_at_most)


def settle_all(tx: Transaction) -> None:
    """Settle every checkout, before outlines go that the names are still to be taken from."""
    for (checkout_id,) in tx.execute("SELECT DISTINCT checkout_id FROM once_contents").rows():
        settle(tx, checkout_id)


def paths(cur: Cursor, checkout_id: int) -> frozenset[str]:
    """Paths that were indexed once; some may be there again."""
    rows = cur.execute(
        "SELECT path FROM once_paths WHERE checkout_id = ? "
        "UNION SELECT path FROM once_contents WHERE checkout_id = ?",
        [checkout_id, checkout_id],
    ).rows()
    return frozenset(row[0] for row in rows)


def names(cur: Cursor, checkout_id: int) -> dict[str, list[str]]:
    """The qualified names that were defined once, by path; some may be there still or again."""
    rows = cur.execute(
        "SELECT path, list(qualified_name) FROM ("
        "SELECT path, qualified_name FROM once_symbols WHERE checkout_id = ? "
        f"UNION SELECT c.path, s.qualified_name {_NOTED_NAMES}) GROUP BY path",
        [checkout_id, checkout_id],
    ).rows()
    return {path: sorted(found) for path, found in rows}


def _make_room(tx: Transaction, table: str, checkout_id: int, at_most: int) -> None:
    row = tx.execute(f"SELECT count(*) FROM {table} WHERE checkout_id = ?", [checkout_id]).one()
    count = int(row[0]) if row is not None else 0
    if count > at_most:
        tx.execute(
            f"DELETE FROM {table} WHERE rowid IN (SELECT rowid FROM {table} WHERE checkout_id = ? "
            "ORDER BY noted_at, rowid LIMIT ?)",
            [checkout_id, count - int(at_most * _KEPT_OF_FULL)],
        )
