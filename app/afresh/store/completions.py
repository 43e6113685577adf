"""What begins with a few letters: for fields that a person fills in."""

from __future__ import annotations

from typing import NamedTuple

from afresh.store.cursor import Cursor


class Found(NamedTuple):
    """The first of what was found, and how many there are."""

    values: list[str]
    total: int


def projects(cur: Cursor, prefix: str, limit: int) -> Found:
    """Names of projects, by name; case doesn't count."""
    return _found(
        cur,
        "SELECT name FROM projects WHERE starts_with(lower(name), lower(?)) ORDER BY name",
        [prefix],
        limit,
    )


def memo_ids(cur: Cursor, prefix: str, project_id: int | None, limit: int) -> Found:
    """Ids of memos that still count: those of the project first, the newest first."""
    return _found(
        cur,
        "SELECT id::VARCHAR FROM memos WHERE starts_with(id::VARCHAR, ?) AND retired_at IS NULL "
        "AND superseded_by IS NULL ORDER BY project_id IS NOT DISTINCT FROM ? DESC, id DESC",
        [prefix, project_id],
        limit,
    )


def memory_ids(cur: Cursor, prefix: str, project_id: int | None, limit: int) -> Found:
    """Ids of memories that weren't deleted: those of the project first, the newest first."""
    return _found(
        cur,
        "SELECT id::VARCHAR FROM memories WHERE starts_with(id::VARCHAR, ?) AND deleted_at IS NULL "
        "ORDER BY project_id IS NOT DISTINCT FROM ? DESC, id DESC",
        [prefix, project_id],
        limit,
    )


def run_ids(cur: Cursor, prefix: str, project_id: int | None, limit: int) -> Found:
    """Ids of runs: those of the project first, the newest first."""
    return _found(
        cur,
        "SELECT id::VARCHAR FROM runs WHERE starts_with(id::VARCHAR, ?) "
        "ORDER BY project_id IS NOT DISTINCT FROM ? DESC, id DESC",
        [prefix, project_id],
        limit,
    )


def answer_ids(cur: Cursor, prefix: str, project_id: int | None, limit: int) -> Found:
    """Ids of answers: those of the project first, the newest first."""
    return _found(
        cur,
        "SELECT id::VARCHAR FROM answers WHERE starts_with(id::VARCHAR, ?) "
        "ORDER BY project_id IS NOT DISTINCT FROM ? DESC, id DESC",
        [prefix, project_id],
        limit,
    )


def memory_paths(cur: Cursor, prefix: str, project_id: int | None, limit: int) -> Found:
    """Paths that memories have, of one project or of all, by path; case doesn't count."""
    return _found(
        cur,
        "SELECT DISTINCT path FROM memories WHERE path <> '' AND deleted_at IS NULL "
        "AND starts_with(lower(path), lower(?)) AND (?::BIGINT IS NULL OR project_id = ?) ORDER BY path",
        [prefix, project_id, project_id],
        limit,
    )


def _found(cur: Cursor, sql: str, params: list[object], limit: int) -> Found:
    counted = cur.execute(f"SELECT count(*) FROM ({sql})", params).one()
    assert counted is not None
    rows = cur.execute(f"{sql} LIMIT ?", [*params, limit]).rows()
    return Found([value for (value,) in rows], counted[0])
