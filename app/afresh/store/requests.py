"""What agents and editors asked, newest first: written many at once, read page by page, kept for a while.

Texts arrive redacted and cut to their bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from afresh.errors import NotFoundError
from afresh.store.columns import aware, stored
from afresh.store.cursor import Column, Cursor, Transaction


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a tool. Times are aware, in UTC; lengths are characters."""

    id: int
    """0 before it is stored."""
    client: str
    kind: str
    """agent or cli."""
    cwd: str | None
    session: str | None
    tool: str
    asked: str
    """What it is about, on one line."""
    outcome: str
    """What came of it, on one line."""
    arguments: str
    """JSON, or its beginning where it is longer than the bound."""
    arguments_length: int
    result: str | None
    """The same; None where the call failed."""
    result_length: int
    error_kind: str | None
    error: str | None
    redacted: int
    """How many secrets were taken out."""
    started_at: datetime
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which requests to read; None is all."""

    client: str | None = None
    """A part of the client's name, in any case."""
    tool: str | None = None
    failed: bool | None = None


_TYPES = {
    "client": "VARCHAR",
    "kind": "VARCHAR",
    "cwd": "VARCHAR",
    "session": "VARCHAR",
    "tool": "VARCHAR",
    "asked": "VARCHAR",
    "outcome": "VARCHAR",
    "arguments": "VARCHAR",
    "arguments_length": "BIGINT",
    "result": "VARCHAR",
    "result_length": "BIGINT",
    "error_kind": "VARCHAR",
    "error": "VARCHAR",
    "redacted": "BIGINT",
    "started_at": "TIMESTAMP",
    "elapsed_ms": "DOUBLE",
}
_NAMES = ", ".join(["id", *_TYPES])


def put(tx: Transaction, requests: Sequence[Request]) -> list[int]:
    """Store these; the ids that they have from now on, in their order and rising."""
    if not requests:
        return []
    ids = [
        int(id_)
        for (id_,) in tx.execute("SELECT nextval('request_ids') FROM range(?)", [len(requests)]).rows()
    ]
    ids.sort()
    columns = {name: Column(kind, [_value(item, name) for item in requests]) for name, kind in _TYPES.items()}
    tx.insert("requests", {"id": Column("BIGINT", ids), **columns})
    return ids


def get(cur: Cursor, id: int) -> Request:
    """The request with that id.

    Raises NotFoundError.
    """
    row = cur.execute(f"SELECT {_NAMES} FROM requests WHERE id = ?", [id]).one()
    if row is None:
        raise NotFoundError(f"there is no request {id}; requests are kept for a while only")
    return _request(row)


def page(cur: Cursor, wanted: Wanted, *, before: int | None, limit: int) -> list[Request]:
    """The newest requests below the id `before`, without what was sent and answered."""
    condition, params = _condition(wanted)
    names = ", ".join(["id", *("''" if name in ("arguments", "result") else name for name in _TYPES)])
    rows = cur.execute(
        f"SELECT {names} FROM requests WHERE {condition} AND id < coalesce(?::BIGINT, 9223372036854775807) "
        "ORDER BY id DESC LIMIT ?",
        [*params, before, limit],
    ).rows()
    return [_request(row) for row in rows]


def count(cur: Cursor, wanted: Wanted) -> int:
    """How many there are."""
    condition, params = _condition(wanted)
    row = cur.execute(f"SELECT count(*) FROM requests WHERE {condition}", params).one()
    return int(row[0]) if row is not None else 0


def purge(tx: Transaction, before: datetime) -> int:
    """Take out what began before a moment; how many that were."""
    row = tx.execute("SELECT count(*) FROM requests WHERE started_at < ?", [stored(before)]).one()
    old = int(row[0]) if row is not None else 0
    if old:
        tx.execute("DELETE FROM requests WHERE started_at < ?", [stored(before)])
    return old


def _condition(wanted: Wanted) -> tuple[str, list[object]]:
    conditions: list[str] = ["TRUE"]
    params: list[object] = []
    if wanted.client is not None:
        conditions.append("contains(lower(client), lower(?))")
        params.append(wanted.client)
    if wanted.tool is not None:
        conditions.append("tool = ?")
        params.append(wanted.tool)
    if wanted.failed is not None:
        conditions.append(f"error_kind IS {'NOT ' if wanted.failed else ''}NULL")
    return " AND ".join(conditions), params


def _value(request: Request, name: str) -> object:
    value = getattr(request, name)
    return stored(value) if isinstance(value, datetime) else value


def _request(row: Sequence[Any]) -> Request:
    named = dict(zip(["id", *_TYPES], row, strict=True))
    named["started_at"] = aware(named["started_at"])
    return Request(**named)
