"""A memory's records, and the columns that they are stored in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from afresh.store.columns import aware_or_none


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMemory:
    """A memory to be stored. Times are aware."""

    project_id: int
    content: str
    content_sha256: str
    type: str
    memory_type: str
    checkout_id: int | None = None
    """Only notes read from a file belong to a checkout."""
    path: str = ""
    tags: tuple[str, ...] = ()
    branch: str | None = None
    agent_id: str | None = None
    agent_instance_id: str | None = None
    session_id: str | None = None
    created_at: datetime | None = None
    """When it was saved, for an import; None: now."""
    event_time: datetime | None = None
    expires_at: datetime | None = None
    source_kind: str = "agent"
    """agent, cli, file, import or git."""
    source_path: str | None = None
    source_line: int | None = None
    source_end_line: int | None = None
    external_id: str | None = None
    term_count: int = 0
    """How many terms its text has, for BM25's length."""


@dataclass(frozen=True, slots=True)
class Memory:
    """A stored memory. Times are aware, in UTC."""

    id: int
    project_id: int
    checkout_id: int | None
    content: str
    content_sha256: str
    type: str
    memory_type: str
    path: str
    tags: tuple[str, ...]
    branch: str | None
    agent_id: str | None
    agent_instance_id: str | None
    session_id: str | None
    created_at: datetime
    updated_at: datetime
    event_time: datetime | None
    expires_at: datetime | None
    superseded_by: int | None
    deleted_at: datetime | None
    version: int
    source_kind: str
    source_path: str | None
    source_line: int | None
    source_end_line: int | None
    external_id: str | None
    term_count: int


@dataclass(frozen=True, slots=True)
class MemoryHistory:
    """A memory as it was before one change."""

    before: Memory
    action: str
    """change, supersede, delete or restore: what was then done to it."""
    reason: str | None
    changed_at: datetime

    @property
    def version(self) -> int:
        return self.before.version

    @property
    def content(self) -> str:
        return self.before.content

    @property
    def type(self) -> str:
        return self.before.type

    @property
    def path(self) -> str:
        return self.before.path

    @property
    def tags(self) -> tuple[str, ...]:
        return self.before.tags

    @property
    def expires_at(self) -> datetime | None:
        return self.before.expires_at


TYPES: Mapping[str, str] = {
    "id": "BIGINT",
    "project_id": "BIGINT",
    "checkout_id": "BIGINT",
    "content": "VARCHAR",
    "content_sha256": "VARCHAR",
    "type": "VARCHAR",
    "memory_type": "VARCHAR",
    "path": "VARCHAR",
    "tags": "VARCHAR[]",
    "branch": "VARCHAR",
    "agent_id": "VARCHAR",
    "agent_instance_id": "VARCHAR",
    "session_id": "VARCHAR",
    "created_at": "TIMESTAMP",
    "updated_at": "TIMESTAMP",
    "event_time": "TIMESTAMP",
    "expires_at": "TIMESTAMP",
    "superseded_by": "BIGINT",
    "deleted_at": "TIMESTAMP",
    "version": "BIGINT",
    "source_kind": "VARCHAR",
    "source_path": "VARCHAR",
    "source_line": "BIGINT",
    "source_end_line": "BIGINT",
    "external_id": "VARCHAR",
    "term_count": "BIGINT",
}
"""The table's columns, which are a Memory's fields."""

COLUMNS = ", ".join(TYPES)

_TIMES = tuple(index for index, kind in enumerate(TYPES.values()) if kind == "TIMESTAMP")
_TAGS = list(TYPES).index("tags")


def memory_from_row(row: Sequence[Any]) -> Memory:
    """A Memory from a row of COLUMNS."""
    values = list(row)
    for index in _TIMES:
        values[index] = aware_or_none(values[index])
    values[_TAGS] = tuple(values[_TAGS])
    return Memory(*values)
