"""The index of a checkout: its files as they were last read, and what was left out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from afresh.store import once
from afresh.store.columns import among, build_many, stored
from afresh.store.cursor import Column, Constant, Cursor, Transaction
from afresh_indexer.records import Excluded, ExcludedReason, FileRecord

_FILE_TYPES = {
    "path": "VARCHAR",
    "size": "BIGINT",
    "mtime_ns": "BIGINT",
    "ctime_ns": "BIGINT",
    "inode": "UBIGINT",
    "sha256": "VARCHAR",
    "eol_sha256": "VARCHAR",
    "language": "VARCHAR",
    "hashed_at_ns": "BIGINT",
}
_EXCLUDED_TYPES = {
    "path": "VARCHAR",
    "reason": "VARCHAR",
    "detail": "VARCHAR",
    "size": "BIGINT",
    "mtime_ns": "BIGINT",
    "ctime_ns": "BIGINT",
    "inode": "UBIGINT",
    "hashed_at_ns": "BIGINT",
}


@dataclass(frozen=True, slots=True)
class FileCounts:
    """What a checkout's index holds."""

    files: int
    bytes: int
    languages: Mapping[str, int]
    """Files by language, most first; those of no known language are not in it."""
    excluded: Mapping[str, int]
    """Paths left out, by reason."""


def known(cur: Cursor, checkout_id: int) -> dict[str, FileRecord]:
    """Every indexed file by its path, as the scan compares it with the disk."""
    columns = cur.execute(
        f"SELECT {', '.join(_FILE_TYPES)} FROM files WHERE checkout_id = ?", [checkout_id]
    ).numpy()
    records = build_many(FileRecord, columns)
    return {record.path: record for record in records}


def paths(cur: Cursor, checkout_id: int) -> list[str]:
    """The path of every indexed file."""
    return [
        row[0] for row in cur.execute("SELECT path FROM files WHERE checkout_id = ?", [checkout_id]).rows()
    ]


def stamp(cur: Cursor, checkout_id: int) -> tuple[object, ...]:
    """What is another one as soon as the checkout's index, or what is remembered of it, is another one."""
    row = cur.execute(
        "SELECT (SELECT count(*) FROM files WHERE checkout_id = $1), "
        "(SELECT bit_xor(hash(path, sha256, language)) FROM files WHERE checkout_id = $1), "
        "(SELECT bit_xor(hash(path, reason)) FROM excluded WHERE checkout_id = $1), "
        "(SELECT max(id) FROM outlines), "
        "(SELECT count(*) FROM once_contents WHERE checkout_id = $1), "
        "(SELECT count(*) FROM once_paths WHERE checkout_id = $1), "
        "(SELECT count(*) FROM once_symbols WHERE checkout_id = $1)",
        [checkout_id],
    ).one()
    return () if row is None else row


def excluded(cur: Cursor, checkout_id: int) -> dict[str, Excluded]:
    """Every path that was left out, with its reason, by path."""
    rows = cur.execute(
        f"SELECT {', '.join(_EXCLUDED_TYPES)} FROM excluded WHERE checkout_id = ? ORDER BY path",
        [checkout_id],
    ).rows()
    return {path: Excluded(path, ExcludedReason(reason), *rest) for path, reason, *rest in rows}


def apply(
    tx: Transaction,
    checkout_id: int,
    *,
    changed: Sequence[FileRecord],
    removed: Sequence[str],
    excluded: Sequence[Excluded],
    included_again: Sequence[str],
    now: datetime,
) -> None:
    """Take in one batch. A row that stays what it was keeps its `indexed_at`, the others get `now`.

    Contents that paths lose are noted, for what they defined.
    """
    latest = {record.path: record for record in changed}
    left_out = {item.path: item for item in excluded}
    there = _rows_of(tx, checkout_id, latest)
    latest = {path: record for path, record in latest.items() if there.get(path) != record}
    losing = {path for path in there.keys() & latest.keys() if _lost(there[path], latest[path])}
    once.note(tx, checkout_id, losing.union(removed), now)
    _forget(tx, "files", checkout_id, {*there.keys() & latest.keys(), *removed})
    _forget(tx, "excluded", checkout_id, {*left_out, *included_again})
    here = Constant("BIGINT", checkout_id)
    if latest:
        columns = {
            name: Column(kind, [getattr(record, name) for record in latest.values()])
            for name, kind in _FILE_TYPES.items()
        }
        stamp = Constant("TIMESTAMP", stored(now))
        tx.insert("files", columns, {"checkout_id": here, "indexed_at": stamp})
    if left_out:
        columns = {
            name: Column(kind, [getattr(item, name) for item in left_out.values()])
            for name, kind in _EXCLUDED_TYPES.items()
        }
        columns["reason"] = Column("VARCHAR", [item.reason.value for item in left_out.values()])
        tx.insert("excluded", columns, {"checkout_id": here})


def counts(cur: Cursor, checkout_id: int) -> FileCounts:
    """How many files and bytes are indexed, by language, and what was left out, by reason."""
    row = cur.execute(
        "SELECT count(*), coalesce(sum(size), 0) FROM files WHERE checkout_id = ?", [checkout_id]
    ).one()
    number, size = row if row is not None else (0, 0)
    languages = cur.execute(
        "SELECT language, count(*) AS n FROM files WHERE checkout_id = ? AND language IS NOT NULL "
        "GROUP BY language ORDER BY n DESC, language",
        [checkout_id],
    ).rows()
    reasons = cur.execute(
        "SELECT reason, count(*) AS n FROM excluded WHERE checkout_id = ? "
        "GROUP BY reason ORDER BY n DESC, reason",
        [checkout_id],
    ).rows()
    return FileCounts(int(number), int(size), dict(languages), dict(reasons))


def with_content(cur: Cursor, checkout_id: int, sha256: str) -> list[str]:
    """The paths of the files that have this content, in their order."""
    rows = cur.execute(
        "SELECT path FROM files WHERE checkout_id = ? AND sha256 = ? ORDER BY path", [checkout_id, sha256]
    ).rows()
    return [path for (path,) in rows]


def indexed_since(cur: Cursor, checkout_id: int, moment: datetime | None, limit: int) -> list[str]:
    """The paths of files whose content was read as new after a moment, or of all, the newest first."""
    rows = cur.execute(
        "SELECT path FROM files WHERE checkout_id = ? AND indexed_at > coalesce(?::TIMESTAMP, '-infinity') "
        "ORDER BY indexed_at DESC, path LIMIT ?",
        [checkout_id, None if moment is None else stored(moment), limit],
    ).rows()
    return [path for (path,) in rows]


def indexed_until(cur: Cursor, checkout_id: int, moment: datetime) -> set[str]:
    """The paths of files whose content, as the index has it, was read at a moment or before."""
    rows = cur.execute(
        "SELECT path FROM files WHERE checkout_id = ? AND indexed_at <= ?::TIMESTAMP",
        [checkout_id, stored(moment)],
    ).rows()
    return {path for (path,) in rows}


def outdated_outlines(
    cur: Cursor, checkout_id: int, language_grammars: Collection[str]
) -> list[tuple[str, str, str]]:
    """(path, sha256, language) of each file that could have an outline and has none for its content.

    `language_grammars` are the languages that can be parsed.
    """
    return [
        (path, sha256, language)
        for path, sha256, language in cur.execute(
            f"SELECT path, sha256, language {_MISSING_OUTLINES} ORDER BY path",
            [checkout_id, list(language_grammars)],
        ).rows()
    ]


def outlines_missing(cur: Cursor, checkout_id: int, language_grammars: Collection[str]) -> int:
    """How many files wait for their outline."""
    row = cur.execute(f"SELECT count(*) {_MISSING_OUTLINES}", [checkout_id, list(language_grammars)]).one()
    return int(row[0]) if row is not None else 0


_MISSING_OUTLINES = """
    FROM files AS f
    WHERE f.checkout_id = ? AND f.language IN (SELECT unnest(?::VARCHAR[])) AND NOT EXISTS (
        SELECT 1 FROM outlines AS o WHERE o.sha256 = f.sha256 AND o.language = f.language
    )
"""


def _rows_of(tx: Transaction, checkout_id: int, paths: Collection[str]) -> dict[str, FileRecord]:
    """The files of a batch as they are known so far, by path."""
    if not paths:
        return {}
    condition, params = among(paths)
    columns = tx.execute(
        f"SELECT {', '.join(_FILE_TYPES)} FROM files WHERE checkout_id = ? AND {condition}",
        [checkout_id, *params],
    ).numpy()
    return {record.path: record for record in build_many(FileRecord, columns)}


def _lost(old: FileRecord, new: FileRecord) -> bool:
    """Whether a file loses a content that may have defined something."""
    return old.language is not None and (old.sha256, old.language) != (new.sha256, new.language)


def _forget(tx: Transaction, table: str, checkout_id: int, paths: Collection[str]) -> None:
    if paths:
        condition, params = among(paths)
        tx.execute(f"DELETE FROM {table} WHERE checkout_id = ? AND {condition}", [checkout_id, *params])
