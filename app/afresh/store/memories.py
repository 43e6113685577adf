"""Memories: written once, changed by id with their history kept, deleted by tombstones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from afresh.errors import InvalidArgumentError, NotFoundError
from afresh.store.columns import aware, matching, stored
from afresh.store.cursor import Column, Cursor, Transaction
from afresh.store.memory_filter import MemoryFilter, feed, filter_ids
from afresh.store.memory_records import COLUMNS, TYPES, Memory, MemoryHistory, NewMemory, memory_from_row

__all__ = [
    "Memory",
    "MemoryFilter",
    "MemoryHistory",
    "NewMemory",
    "by_external_id",
    "by_external_prefix",
    "change",
    "count_by_type",
    "feed",
    "filter_ids",
    "find_same",
    "get",
    "histories",
    "history",
    "insert",
    "move_note",
    "notes_of",
    "replaced_by",
    "restore",
    "revive_note",
    "supersede",
    "tombstone",
]


_CHANGEABLE = frozenset(TYPES) - {
    "id",
    "project_id",
    "created_at",
    "updated_at",
    "superseded_by",
    "deleted_at",
    "version",
}


def insert(tx: Transaction, new: Sequence[NewMemory], now: datetime) -> list[int]:
    """Store memories with one statement; their ids, in the order given."""
    if not new:
        return []
    ids = new_ids(tx, len(new))
    columns = {
        name: Column(kind, [_stored_value(getattr(memory, name)) for memory in new])
        for name, kind in TYPES.items()
        if name in NewMemory.__slots__ and name != "created_at"
    }
    created = [stored(memory.created_at or now) for memory in new]
    columns["id"] = Column("BIGINT", ids)
    columns["created_at"] = Column("TIMESTAMP", created)
    columns["updated_at"] = Column("TIMESTAMP", created)
    columns["version"] = Column("BIGINT", [1] * len(new))
    tx.insert("memories", columns)
    return ids


def new_ids(tx: Transaction, count: int) -> list[int]:
    """Ids that no memory has or had, rising."""
    return [row[0] for row in tx.execute("SELECT nextval('memory_ids') FROM range(?)", [count]).rows()]


def find_same(tx: Transaction, project_id: int, type: str, content_sha256: str) -> Memory | None:
    """The memory with that content, in that project and of that type, that still counts.

    Deleted, superseded and expired ones don't, nor do notes from files. It takes a transaction: only in one
    with the insertion do two saves at the same moment make one row.
    """
    rows = tx.execute("SELECT id FROM memories WHERE content_sha256 = ?", [content_sha256]).rows()
    for memory in get(tx, sorted(row[0] for row in rows)):
        same = memory.project_id == project_id and memory.type == type and memory.source_kind != "file"
        expired = memory.expires_at is not None and memory.expires_at <= tx.now
        if same and not expired and memory.superseded_by is None:
            return memory
    return None


def by_external_id(cur: Cursor, project_id: int, external_ids: Iterable[str]) -> dict[str, Memory]:
    """The memories of a project that came in under these ids, deleted ones too, by external id."""
    rows = cur.execute(
        f"SELECT {COLUMNS} FROM memories WHERE project_id = ? "
        "AND external_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY id DESC",
        [project_id, sorted(set(external_ids))],
    ).rows()
    found = [memory_from_row(row) for row in rows]
    return {memory.external_id: memory for memory in found if memory.external_id is not None}


def by_external_prefix(cur: Cursor, project_id: int, prefixes: Sequence[str]) -> list[Memory]:
    """The memories of a project whose external ids begin with one of these, deleted ones too."""
    rows = cur.execute(
        f"SELECT {COLUMNS} FROM memories WHERE project_id = ? AND external_id IS NOT NULL AND EXISTS "
        "(SELECT 1 FROM (SELECT unnest(?::VARCHAR[]) AS prefix) WHERE starts_with(external_id, prefix)) "
        "ORDER BY id",
        [project_id, list(prefixes)],
    ).rows()
    return [memory_from_row(row) for row in rows]


def get(cur: Cursor, ids: Sequence[int], *, include_deleted: bool = False) -> list[Memory]:
    """The memories with these ids, in the order asked, each once; those that aren't there are left out."""
    if not ids:
        return []
    condition, params = matching("id", ids)
    living = "" if include_deleted else "AND deleted_at IS NULL"
    rows = cur.execute(f"SELECT {COLUMNS} FROM memories WHERE {condition} {living}", params).rows()
    found = {row[0]: memory_from_row(row) for row in rows}
    return [found[id_] for id_ in dict.fromkeys(int(i) for i in ids) if id_ in found]


def replaced_by(cur: Cursor, ids: Sequence[int]) -> list[Memory]:
    """The memories that these replaced directly, by id; deleted ones are left out."""
    condition, params = matching("superseded_by", ids)
    rows = cur.execute(
        f"SELECT {COLUMNS} FROM memories WHERE {condition} AND deleted_at IS NULL ORDER BY id", params
    ).rows()
    return [memory_from_row(row) for row in rows]


def change(tx: Transaction, id: int, fields: Mapping[str, object], reason: str | None, now: datetime) -> int:
    """Set some fields of a memory, keeping the old row in its history; its new version.

    Raises NotFoundError for one that isn't there or is deleted, ValueError for a field that isn't its own.
    """
    unknown = set(fields) - _CHANGEABLE
    if unknown:
        raise ValueError(f"a memory's {', '.join(sorted(unknown))} can't be changed")
    keep(tx, [id], "change", reason, now, "deleted_at IS NULL")
    sets = "".join(f"{name} = ?::{TYPES[name]}, " for name in fields)
    row = tx.execute(
        f"UPDATE memories SET {sets} updated_at = ?, version = version + 1 "
        "WHERE id = ? AND deleted_at IS NULL RETURNING version",
        [*(_stored_value(value) for value in fields.values()), stored(now), id],
    ).one()
    if row is None:
        raise NotFoundError(f"there is no memory {id}, or it is deleted")
    return int(row[0])


def supersede(tx: Transaction, old_id: int, new_id: int, now: datetime) -> None:
    """Let one memory take another's place.

    Raises NotFoundError for an old one that isn't there, InvalidArgumentError where both are the same.
    """
    if old_id == new_id:
        raise InvalidArgumentError(f"memory {old_id} can't supersede itself")
    keep(tx, [old_id], "supersede", None, now)
    row = tx.execute(
        "UPDATE memories SET superseded_by = ?, updated_at = ?, version = version + 1 "
        "WHERE id = ? RETURNING id",
        [new_id, stored(now), old_id],
    ).one()
    if row is None:
        raise NotFoundError(f"there is no memory {old_id}")


def tombstone(tx: Transaction, ids: Sequence[int], reason: str | None, now: datetime) -> list[int]:
    """Delete memories, so that it can be undone; the ids of those that were there."""
    keep(tx, ids, "delete", reason, now, "deleted_at IS NULL")
    moment = stored(now)
    condition, params = matching("id", ids)
    rows = tx.execute(
        "UPDATE memories SET deleted_at = ?, updated_at = ?, version = version + 1 "
        f"WHERE {condition} AND deleted_at IS NULL RETURNING id",
        [moment, moment, *params],
    ).rows()
    return sorted(row[0] for row in rows)


def restore(tx: Transaction, id: int, now: datetime) -> None:
    """Undo a deletion; nothing happens to a memory that isn't deleted.

    Raises NotFoundError.
    """
    if not get(tx, [id], include_deleted=True):
        raise NotFoundError(f"there is no memory {id}")
    keep(tx, [id], "restore", None, now, "deleted_at IS NOT NULL")
    tx.execute(
        "UPDATE memories SET deleted_at = NULL, updated_at = ?, version = version + 1 "
        "WHERE id = ? AND deleted_at IS NOT NULL",
        [stored(now), id],
    )


def history(cur: Cursor, id: int) -> list[MemoryHistory]:
    """Every earlier state of a memory, oldest first."""
    return histories(cur, [id]).get(id, [])


def histories(cur: Cursor, ids: Iterable[int]) -> dict[int, list[MemoryHistory]]:
    """The earlier states of many memories, by id; those that were never changed are left out."""
    condition, params = matching("id", ids)
    rows = cur.execute(
        f"SELECT action, reason, changed_at, {COLUMNS} FROM memory_history WHERE {condition} "
        "ORDER BY id, version",
        params,
    ).rows()
    found: dict[int, list[MemoryHistory]] = {}
    for row in rows:
        item = MemoryHistory(memory_from_row(row[3:]), action=row[0], reason=row[1], changed_at=aware(row[2]))
        found.setdefault(item.before.id, []).append(item)
    return found


def notes_of(cur: Cursor, checkout_id: int, paths: Sequence[str]) -> dict[str, list[Memory]]:
    """All notes ever read from these files, deleted and superseded ones too, by path, newest first."""
    rows = cur.execute(
        f"SELECT {COLUMNS} FROM memories WHERE source_kind = 'file' AND checkout_id = ? "
        "AND source_path IN (SELECT unnest(?::VARCHAR[])) ORDER BY id DESC",
        [checkout_id, sorted(set(paths))],
    ).rows()
    found: dict[str, list[Memory]] = {}
    for row in rows:
        memory = memory_from_row(row)
        found.setdefault(str(memory.source_path), []).append(memory)
    return found


def move_note(tx: Transaction, id: int, source_line: int, source_end_line: int) -> None:
    """Note the lines at which an unchanged text now stands; that is no new version of it."""
    tx.execute(
        "UPDATE memories SET source_line = ?, source_end_line = ? WHERE id = ?",
        [source_line, source_end_line, id],
    )


def revive_note(
    tx: Transaction, id: int, now: datetime, reason: str = "its text is in the file again"
) -> None:
    """Let a note count again, as when its text is back in its file: neither deleted nor superseded."""
    keep(tx, [id], "restore", reason, now)
    tx.execute(
        "UPDATE memories SET deleted_at = NULL, superseded_by = NULL, updated_at = ?, version = version + 1 "
        "WHERE id = ?",
        [stored(now), id],
    )


def count_by_type(cur: Cursor, project_id: int | None = None) -> dict[str, int]:
    """How many memories there are by type, most first; deleted and superseded ones don't count."""
    rows = cur.execute(
        "SELECT type, count(*) AS n FROM memories WHERE (? IS NULL OR project_id = ?) "
        "AND deleted_at IS NULL AND superseded_by IS NULL GROUP BY type ORDER BY n DESC, type",
        [project_id, project_id],
    ).rows()
    return {kind: int(number) for kind, number in rows}


def keep(
    tx: Transaction, ids: Iterable[int], action: str, reason: str | None, now: datetime, only: str = "TRUE"
) -> None:
    """Put rows, as they are before a change, into the history; `only` is a further condition in SQL."""
    condition, params = matching("id", ids)
    tx.execute(
        f"INSERT INTO memory_history ({COLUMNS}, action, reason, changed_at) SELECT {COLUMNS}, ?, ?, ? "
        f"FROM memories WHERE {condition} AND {only}",
        [action, reason, stored(now), *params],
    )


def _stored_value(value: object) -> object:
    match value:
        case datetime():
            return stored(value)
        case tuple():
            return list(value)
        case _:
            return value
