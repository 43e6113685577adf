"""Rows of an import as the store's columns, and what is known of them already."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias

from afresh.store.citations import Citation, file_from_row
from afresh.store.columns import stored
from afresh.store.cursor import Column, Transaction
from afresh.store.memory_records import COLUMNS, TYPES, Memory, memory_from_row
from afresh.store.transfer import time_from

Row: TypeAlias = Mapping[str, Any]

UPDATED = (
    "type",
    "memory_type",
    "path",
    "tags",
    "branch",
    "agent_id",
    "agent_instance_id",
    "session_id",
    "event_time",
    "expires_at",
    "term_count",
)


@dataclass(frozen=True, slots=True)
class Link:
    """A supersession to be set when all ids are known."""

    id: int
    version: int | None
    """The row of the history; None: the present one."""
    target: int
    """In the store that the row came from."""


class KnownMemories:
    """Those among the stored memories that some rows may be, found with one statement.

    `taken` are ids that other rows of the same export became: two equal rows with ids were two memories.
    """

    def __init__(
        self, tx: Transaction, project_ids: Sequence[int], rows: Sequence[Row], taken: set[int]
    ) -> None:
        self._taken = taken
        self.memories: dict[int, Memory] = {}
        """Those found, by id."""
        self._by_external: dict[tuple[int, str], int] = {}
        self._by_content: dict[tuple[Any, ...], list[int]] = {}
        externals = sorted({row["external_id"] for row in rows if row.get("external_id")})
        contents = sorted({row["content_sha256"] for row in rows if not row.get("external_id")})
        found = tx.execute(
            f"SELECT {COLUMNS} FROM memories WHERE project_id IN (SELECT unnest(?::BIGINT[])) AND "
            "(external_id IN (SELECT unnest(?::VARCHAR[])) OR "
            "(external_id IS NULL AND content_sha256 IN (SELECT unnest(?::VARCHAR[])))) ORDER BY id DESC",
            [sorted(set(project_ids)), externals, contents],
        ).rows()
        for memory in map(memory_from_row, found):
            self.memories[memory.id] = memory
            if memory.external_id is not None:
                self._by_external[memory.project_id, memory.external_id] = memory.id
                continue
            key = (memory.project_id, memory.type, memory.content_sha256)
            self._by_content.setdefault((*key, memory.created_at), []).append(memory.id)
            if memory.deleted_at is None and memory.superseded_by is None and memory.source_kind != "file":
                self._by_content.setdefault((*key, None), []).append(memory.id)

    def find(self, project_id: int, row: Row) -> int | None:
        """The stored memory that a row is, if any."""
        if row.get("external_id"):
            return self._by_external.get((project_id, row["external_id"]))
        same = self._by_content.get(_content_key(project_id, row), ())
        if row.get("id") is None:
            return next(iter(same), None)
        return next((id_ for id_ in same if id_ not in self._taken), None)

    def add(self, id_: int, project_id: int, row: Row) -> None:
        """Note what a row became, for the rows after it."""
        if row.get("id") is not None:
            self._taken.add(id_)
        if row.get("external_id"):
            self._by_external[project_id, row["external_id"]] = id_
        else:
            self._by_content.setdefault(_content_key(project_id, row), []).append(id_)


def _content_key(project_id: int, row: Row) -> tuple[Any, ...]:
    return project_id, row["type"], row["content_sha256"], time_from(row.get("created_at"))


def memory_values(row: Row) -> dict[str, Any]:
    """The columns that a row fills by itself."""
    source = row.get("source") or {}
    return {
        "type": row["type"],
        "memory_type": row["memory_type"],
        "path": row.get("path") or "",
        "tags": list(row.get("tags") or ()),
        "branch": row.get("branch"),
        "agent_id": row.get("agent_id"),
        "agent_instance_id": row.get("agent_instance_id"),
        "session_id": row.get("session_id"),
        "event_time": time_from(row.get("event_time")),
        "expires_at": time_from(row.get("expires_at")),
        "source_kind": source.get("kind") or "import",
        "source_path": source.get("path"),
        "source_line": source.get("line"),
        "source_end_line": source.get("end_line"),
        "external_id": row.get("external_id"),
        "term_count": row.get("term_count", 0),
    }


def as_field(value: object) -> object:
    """A row's value as a Memory has it."""
    return tuple(value) if isinstance(value, list) else value


def differences(memory: Memory, row: Row) -> dict[str, Any]:
    """What a row says otherwise than the memory that it is; what it doesn't name is left alone."""
    wanted = {name: value for name, value in memory_values(row).items() if name in UPDATED and name in row}
    wanted |= {"content": row["content"], "content_sha256": row["content_sha256"]}
    return {name: value for name, value in wanted.items() if getattr(memory, name) != as_field(value)}


def as_columns(values: Sequence[Mapping[str, Any]]) -> dict[str, Column]:
    """Whole rows of memories as columns to insert; aware times become stored ones."""
    return {
        name: Column(
            kind,
            [
                stored(v) if isinstance(v := value[name], datetime) and v.tzinfo is not None else v
                for value in values
            ],
        )
        for name, kind in TYPES.items()
    }


def citation_of(row: Row) -> Citation:
    """The files that a row cites, with their root."""
    return Citation(
        row.get("files_root") or row.get("root") or "", tuple(file_from_row(item) for item in row["files"])
    )


def stored_time(text: str | None) -> datetime | None:
    """A row's time as it is stored."""
    time = time_from(text)
    return None if time is None else stored(time)


def set_links(tx: Transaction, table: str, key: str, links: Sequence[Link], ids: Mapping[int, int]) -> None:
    """Set `superseded_by` in one table; `key` is the column of its ids, `ids` maps the export's to ours."""
    historic = table.endswith("_history")
    found = [
        (link.id, link.version or 0, ids[link.target])
        for link in links
        if (link.version is not None) == historic and ids.get(link.target, link.id) != link.id
    ]
    if not found:
        return
    versioned = "AND t.version = l.version" if historic else ""
    tx.execute(
        f"UPDATE {table} AS t SET superseded_by = l.target FROM "
        "(SELECT unnest(?::BIGINT[]) AS id, unnest(?::BIGINT[]) AS version, unnest(?::BIGINT[]) AS target) "
        "AS l "
        f"WHERE t.{key} = l.id AND t.superseded_by IS NULL {versioned}",
        [
            [id_ for id_, _, _ in found],
            [version for _, version, _ in found],
            [target for *_, target in found],
        ],
    )
