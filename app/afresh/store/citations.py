"""The files that memories and memos rest on, as they were when they were recorded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Self

from afresh.store.columns import matching, stored
from afresh.store.cursor import Column, Constant, Cursor, Transaction
from afresh.store.owners import Owner
from afresh.store.spans import Span, dump_spans, load_spans, spans_from_rows
from afresh_indexer.records import FileRecord


@dataclass(frozen=True, slots=True)
class FileCitation:
    """A cited file as it was then, with the parts of it that were cited."""

    path: str
    """POSIX, relative to the root."""
    sha256: str
    eol_sha256: str
    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    hashed_at_ns: int
    language: str | None = None
    spans: tuple[Span, ...] = ()
    """None: the whole file."""

    @classmethod
    def of_record(cls, record: FileRecord, spans: Sequence[Span] = ()) -> Self:
        """The citation of a file as the indexer reads it."""
        return cls(
            path=record.path,
            sha256=record.sha256,
            eol_sha256=record.eol_sha256,
            size=record.size,
            mtime_ns=record.mtime_ns,
            ctime_ns=record.ctime_ns,
            inode=record.inode,
            hashed_at_ns=record.hashed_at_ns,
            language=record.language,
            spans=tuple(spans),
        )


@dataclass(frozen=True, slots=True)
class Citation:
    """What one memory or memo rests on."""

    root: str
    """Absolute path of the folder that the files' paths are relative to."""
    files: tuple[FileCitation, ...]


_TYPES: Mapping[str, str] = {
    "path": "VARCHAR",
    "sha256": "VARCHAR",
    "eol_sha256": "VARCHAR",
    "size": "BIGINT",
    "mtime_ns": "BIGINT",
    "ctime_ns": "BIGINT",
    "inode": "UBIGINT",
    "hashed_at_ns": "BIGINT",
    "language": "VARCHAR",
}
_COLUMNS = ", ".join([*_TYPES, "spans"])


def put(tx: Transaction, memory_id: int, root: str, files: Sequence[FileCitation]) -> None:
    """Set the files that a memory cites, in place of those that it cited."""
    put_all(tx, "memory", {memory_id: Citation(root, tuple(files))})


def put_all(tx: Transaction, owner: Owner, citations: Mapping[int, Citation]) -> None:
    """Set the files of many memories or memos, in place of their earlier ones."""
    if not citations:
        return
    remove(tx, owner, citations)
    placed = [
        (id_, citation.root, ordinal, file)
        for id_, citation in citations.items()
        for ordinal, file in enumerate(citation.files)
    ]
    columns = {
        name: Column(kind, [getattr(file, name) for *_, file in placed]) for name, kind in _TYPES.items()
    }
    columns["spans"] = Column("VARCHAR", [dump_spans(file.spans) for *_, file in placed])
    columns["owner_id"] = Column("BIGINT", [id_ for id_, *_ in placed])
    columns["root"] = Column("VARCHAR", [root for _, root, *_ in placed])
    columns["ordinal"] = Column("INTEGER", [ordinal for *_, ordinal, _ in placed])
    tx.insert("citations", columns, {"owner": Constant("owner_kind", owner)})


def remove(tx: Transaction, owner: Owner, ids: Iterable[int]) -> None:
    """Drop what these memories or memos cite."""
    condition, params = matching("owner_id", ids)
    tx.execute(f"DELETE FROM citations WHERE owner = ? AND {condition}", [owner, *params])


def of(cur: Cursor, ids: Iterable[int], owner: Owner = "memory") -> dict[int, Citation]:
    """What these memories, or memos, cite, by id; those that cite nothing are left out."""
    condition, params = matching("owner_id", ids)
    rows = cur.execute(
        f"SELECT owner_id, root, {_COLUMNS} FROM citations WHERE owner = ? AND {condition} "
        "ORDER BY owner_id, ordinal",
        [owner, *params],
    ).rows()
    return _grouped(rows)


def of_memories(cur: Cursor, project_id: int, now: datetime) -> dict[int, Citation]:
    """What the memories of a project cite, by id: of those that count now and cite something."""
    rows = cur.execute(
        f"SELECT owner_id, root, {_COLUMNS} FROM citations WHERE owner = 'memory' AND owner_id IN ("
        "SELECT id FROM memories WHERE project_id = ? AND deleted_at IS NULL AND superseded_by IS NULL "
        "AND (expires_at IS NULL OR expires_at > ?)) ORDER BY owner_id, ordinal",
        [project_id, stored(now)],
    ).rows()
    return _grouped(rows)


def citing(cur: Cursor, owner: Owner, paths: Iterable[str]) -> list[tuple[int, str]]:
    """Who cites a file of these paths, whatever its root: (id, path), by id."""
    return [
        (id_, path)
        for id_, path in cur.execute(
            "SELECT owner_id, path FROM citations WHERE owner = ? AND path IN (SELECT unnest(?::VARCHAR[])) "
            "ORDER BY owner_id, ordinal",
            [owner, sorted(set(paths))],
        ).rows()
    ]


def naming(cur: Cursor, owner: Owner, name: str) -> set[int]:
    """Who may cite a definition whose qualified name ends in this; some of them cite another one."""
    rows = cur.execute(
        'SELECT DISTINCT owner_id FROM citations WHERE owner = ? AND contains(spans, \'"symbol":"\') '
        "AND contains(spans, ?)",
        [owner, f'{name}"'],
    ).rows()
    return {id_ for (id_,) in rows}


def dump_files(files: Iterable[FileCitation]) -> str:
    """As JSON text, for a history."""
    return json.dumps([asdict(file) for file in files], ensure_ascii=False, separators=(",", ":"))


def load_files(text: str) -> tuple[FileCitation, ...]:
    """From `dump_files`."""
    return tuple(file_from_row(row) for row in json.loads(text))


def file_from_row(row: Mapping[str, Any]) -> FileCitation:
    """From a dictionary of its fields; only path, sha256 and size have no stand-in.

    A file without its stamps is one that no gate on stamps will pass, so its bytes are always compared.
    """
    return FileCitation(
        path=row["path"],
        sha256=row["sha256"],
        eol_sha256=row.get("eol_sha256") or row["sha256"],
        size=row["size"],
        mtime_ns=row.get("mtime_ns", 0),
        ctime_ns=row.get("ctime_ns", 0),
        inode=row.get("inode", 0),
        hashed_at_ns=row.get("hashed_at_ns", 0),
        language=row.get("language"),
        spans=spans_from_rows(row.get("spans") or ()),
    )


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[int, Citation]:
    roots: dict[int, str] = {}
    files: dict[int, list[FileCitation]] = {}
    for id_, root, *fields, spans in rows:
        roots[id_] = root
        values = dict(zip(_TYPES, fields, strict=True))
        files.setdefault(id_, []).append(FileCitation(**values, spans=load_spans(spans)))
    return {id_: Citation(root, tuple(files[id_])) for id_, root in roots.items()}
