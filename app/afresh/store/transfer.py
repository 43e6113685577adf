"""Export, row by row: everything but what is computed again (vectors, postings, the file index).

Rows are dictionaries that are one JSON object each; times are RFC 3339 in UTC. `importing` takes them in.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from afresh.store import citations, memories, memos, projects
from afresh.store.citations import Citation, FileCitation
from afresh.store.columns import aware
from afresh.store.cursor import Cursor
from afresh.store.memory_records import COLUMNS, Memory, MemoryHistory, memory_from_row
from afresh.store.memos import Memo, MemoHistory

FORMAT = 1
"""The version of the rows' shape."""

_BATCH = 500


def export_rows(cur: Cursor) -> Iterator[dict[str, Any]]:
    """Every row, in an order in which each refers only to earlier ones or, by id, to others of its kind."""
    yield {"kind": "afresh", "format": FORMAT}
    names: dict[int, str] = {}
    for project in projects.list_projects(cur):
        names[project.id] = project.name
        yield {
            "kind": "project",
            "name": project.name,
            "identity": project.identity,
            "created_at": time_text(project.created_at),
        }
    roots: dict[int, str] = {}
    for checkout in projects.checkouts(cur):
        roots[checkout.id] = checkout.root
        yield {"kind": "checkout", "project": names[checkout.project_id], "root": checkout.root}
    yield from _memories(cur, names, roots)
    for project_id, name in sorted(names.items()):
        for memo in memos.of_project(cur, project_id, include_retired=True):
            yield memo_row(memo, memos.history(cur, memo.id), name)
    yield from _snapshots(cur)


def memory_row(
    memory: Memory,
    project: str,
    root: str | None,
    cited: Citation | None,
    history: Sequence[MemoryHistory] = (),
) -> dict[str, Any]:
    """A memory as a row of the export; `root` is that of the checkout that a note from a file belongs to."""
    return {
        "kind": "memory",
        "project": project,
        "root": root,
        **_memory_fields(memory),
        "files_root": cited.root if cited is not None else None,
        "files": _files(cited.files) if cited is not None else [],
        "history": [
            {
                "action": item.action,
                "reason": item.reason,
                "changed_at": time_text(item.changed_at),
                "before": _memory_fields(item.before),
            }
            for item in history
        ],
    }


def memo_row(memo: Memo, history: Sequence[MemoHistory], project: str) -> dict[str, Any]:
    """A memo as a row of the export."""
    return {
        "kind": "memo",
        "project": project,
        **_memo_fields(memo, ("id", "root", "question", "question_key", "conclusion", "recorded_at")),
        **_memo_fields(memo, ("updated_at", "retired_at", "superseded_by", "version")),
        "files": _files(memo.files),
        "history": [
            {**_memo_fields(item, tuple(f.name for f in fields(MemoHistory))), "files": _files(item.files)}
            for item in history
        ],
    }


def time_text(time: datetime | None) -> str | None:
    """RFC 3339 in UTC with `Z`, with microseconds where there are any."""
    return None if time is None else time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def time_from(text: str | None) -> datetime | None:
    """From RFC 3339."""
    return None if text is None else datetime.fromisoformat(text)


def _memories(cur: Cursor, names: Mapping[int, str], roots: Mapping[int, str]) -> Iterator[dict[str, Any]]:
    last = 0
    while True:
        rows = cur.execute(
            f"SELECT {COLUMNS} FROM memories WHERE id > ? ORDER BY id LIMIT ?", [last, _BATCH]
        ).rows()
        if not rows:
            return
        batch = [memory_from_row(row) for row in rows]
        ids = [memory.id for memory in batch]
        last = ids[-1]
        cited = citations.of(cur, ids)
        changed = memories.histories(cur, [memory.id for memory in batch if memory.version > 1])
        for memory in batch:
            root = roots.get(memory.checkout_id) if memory.checkout_id is not None else None
            yield memory_row(
                memory, names[memory.project_id], root, cited.get(memory.id), changed.get(memory.id, ())
            )


def _snapshots(cur: Cursor) -> Iterator[dict[str, Any]]:
    for (sha,) in cur.execute("SELECT sha256 FROM snapshots ORDER BY created_at, sha256").rows():
        row = cur.execute("SELECT content, created_at FROM snapshots WHERE sha256 = ?", [sha]).one()
        if row is not None:
            yield {
                "kind": "snapshot",
                "sha256": sha,
                "zstd": base64.b64encode(row[0]).decode("ascii"),
                "created_at": time_text(aware(row[1])),
            }


def _memory_fields(memory: Memory) -> dict[str, Any]:
    return {
        "id": memory.id,
        "external_id": memory.external_id,
        "content": memory.content,
        "content_sha256": memory.content_sha256,
        "type": memory.type,
        "memory_type": memory.memory_type,
        "path": memory.path,
        "tags": list(memory.tags),
        "branch": memory.branch,
        "event_time": time_text(memory.event_time),
        "created_at": time_text(memory.created_at),
        "updated_at": time_text(memory.updated_at),
        "expires_at": time_text(memory.expires_at),
        "deleted_at": time_text(memory.deleted_at),
        "superseded_by": memory.superseded_by,
        "version": memory.version,
        "agent_id": memory.agent_id,
        "agent_instance_id": memory.agent_instance_id,
        "session_id": memory.session_id,
        "source": {
            "kind": memory.source_kind,
            "path": memory.source_path,
            "line": memory.source_line,
            "end_line": memory.source_end_line,
            "external_id": memory.external_id,
        },
        "term_count": memory.term_count,
    }


def _memo_fields(memo: Memo | MemoHistory, names: Sequence[str]) -> dict[str, Any]:
    values = {name: getattr(memo, name) for name in names if name != "files"}
    return {
        name: time_text(value) if isinstance(value, datetime) else value for name, value in values.items()
    }


def _files(files: Sequence[FileCitation]) -> list[dict[str, Any]]:
    return [asdict(file) for file in files]
