"""Which documents notes were taken from, and what decision records among them say of themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from afresh.store.columns import among
from afresh.store.cursor import Column, Constant, Cursor, Transaction
from afresh_indexer.decisions import Decision


def outdated(
    cur: Cursor, checkout_id: int, *, rules: int, outlined: Collection[str]
) -> list[tuple[str, str]]:
    """(path, sha256) of each file that may be a document and whose content was not read by these rules.

    `outlined` are the languages of code, in which no document is written.
    """
    return [
        (path, sha256)
        for path, sha256 in cur.execute(
            "SELECT f.path, f.sha256 FROM files AS f WHERE f.checkout_id = ? "
            "AND (f.language IS NULL OR f.language NOT IN (SELECT unnest(?::VARCHAR[]))) AND NOT EXISTS ("
            "SELECT 1 FROM documents AS d WHERE d.checkout_id = f.checkout_id AND d.path = f.path "
            "AND d.sha256 = f.sha256 AND d.rules = ?) ORDER BY f.path",
            [checkout_id, sorted(outlined), rules],
        ).rows()
    ]


def put(
    tx: Transaction,
    checkout_id: int,
    contents: Mapping[str, str],
    decisions: Sequence[Decision],
    *,
    rules: int,
) -> bool:
    """Note which contents (sha256 by path) were read, and what those of them that record decisions say.

    True where one of them records a decision, or did.
    """
    had = forget(tx, checkout_id, contents)
    here = Constant("BIGINT", checkout_id)
    columns = {
        "path": Column("VARCHAR", list(contents)),
        "sha256": Column("VARCHAR", list(contents.values())),
    }
    tx.insert("documents", columns, {"checkout_id": here, "rules": Constant("BIGINT", rules)})
    columns = {
        "path": Column("VARCHAR", [decision.path for decision in decisions]),
        "number": Column("BIGINT", [decision.number for decision in decisions]),
        "status": Column("VARCHAR", [decision.status for decision in decisions]),
        "decided": Column("DATE", [decision.decided for decision in decisions]),
        "superseded_by": Column("VARCHAR[]", [list(decision.superseded_by) for decision in decisions]),
        "supersedes": Column("VARCHAR[]", [list(decision.supersedes) for decision in decisions]),
    }
    tx.insert("decisions", columns, {"checkout_id": here})
    return had or bool(decisions)


def forget(tx: Transaction, checkout_id: int, paths: Collection[str]) -> bool:
    """Drop what is known of these documents; whether a decision record was among them."""
    if not paths:
        return False
    condition, params = among(list(paths))
    tx.execute(f"DELETE FROM documents WHERE checkout_id = ? AND {condition}", [checkout_id, *params])
    deleted = f"DELETE FROM decisions WHERE checkout_id = ? AND {condition} RETURNING path"
    return bool(tx.execute(deleted, [checkout_id, *params]).rows())


def decisions(cur: Cursor, checkout_id: int) -> list[Decision]:
    """All decision records of a checkout."""
    rows = cur.execute(
        "SELECT path, number, status, decided, superseded_by, supersedes FROM decisions "
        "WHERE checkout_id = ? ORDER BY path",
        [checkout_id],
    ).rows()
    return [
        Decision(path, number, status, decided, tuple(superseded_by), tuple(supersedes))
        for path, number, status, decided, superseded_by, supersedes in rows
    ]


def superseded_by_others(cur: Cursor, checkout_id: int) -> dict[int, str]:
    """The notes whose place was taken by a note of another file: id to their own path."""
    rows = cur.execute(
        "SELECT m.id, m.source_path FROM memories AS m JOIN memories AS heir ON heir.id = m.superseded_by "
        "WHERE m.checkout_id = ? AND heir.checkout_id = m.checkout_id AND m.source_kind = 'file' "
        "AND heir.source_kind = 'file' AND m.deleted_at IS NULL AND heir.source_path <> m.source_path",
        [checkout_id],
    ).rows()
    return dict(rows)
