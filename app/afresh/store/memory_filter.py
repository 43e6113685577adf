"""Which memories a search may return: one scan of the columns that the filter names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from afresh.store.columns import aware, aware_or_none, stored
from afresh.store.cursor import Cursor

Axis: TypeAlias = Literal["recorded", "event", "auto"]
"""Which time counts: when it was saved, when it happened (those without are left out), or that where it is
known and else when it was saved."""

_TIMES: dict[Axis, str] = {
    "recorded": "created_at",
    "event": "event_time",
    "auto": "coalesce(event_time, created_at)",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """What a memory must be to be returned. Deleted ones never are."""

    now: datetime
    """Aware; what has expired by now is out."""
    project_id: int | None = None
    """None: all projects."""
    checkout_id: int | None = None
    """Of the notes from files only those of this checkout; None: of every checkout."""
    types: tuple[str, ...] = ()
    """Empty: any."""
    memory_types: tuple[str, ...] = ()
    """Empty: any."""
    path: str = "%"
    """A LIKE pattern: % any text, _ any character, and a backslash takes the next one literally."""
    agent_id: str | None = None
    """Only what that agent saved."""
    agent_instance_id: str | None = None
    """Only what that instance of an agent saved."""
    branch: str | None = None
    """Only what was saved on that branch, or on none."""
    include_superseded: bool = False
    """Superseded and expired ones too."""
    since: datetime | None = None
    """The window is half-open: from `since`, before `until`."""
    until: datetime | None = None
    axis: Axis = "recorded"


def filter_ids(cur: Cursor, wanted: MemoryFilter) -> tuple[npt.NDArray[np.int64], datetime | None]:
    """The ids of all memories that pass, rising, and until when this holds if nothing is written.

    The time is that of the next expiry among them, None where none of them expires.
    """
    if wanted.since is not None or wanted.until is not None:
        return _filtered(cur, wanted)
    # Without its moment, for which it holds from the one that it was read in until the next expiry.
    key = ("memory_ids", replace(wanted, now=datetime.min))
    since, ids, until = cur.kept(key, lambda: (wanted.now, *_filtered(cur, wanted)))
    if since <= wanted.now and (until is None or wanted.now < until):
        return ids, until
    return _filtered(cur, wanted)


def _filtered(cur: Cursor, wanted: MemoryFilter) -> tuple[npt.NDArray[np.int64], datetime | None]:
    where, params = _conditions(wanted)
    ids = cur.execute(f"SELECT id FROM memories WHERE {where}", params).numpy()["id"]
    until = None
    if not wanted.include_superseded:
        where = f"expires_at > ? AND {where}"
        params = [stored(wanted.now), *params]
        row = cur.execute(f"SELECT min(expires_at) FROM memories WHERE {where}", params).one()
        until = aware_or_none(row[0]) if row is not None else None
    # Updated rows stand at the table's end, so that the order is nearly, not always, the rising one.
    return np.sort(np.asarray(ids, dtype=np.int64), kind="stable"), until


def feed(
    cur: Cursor,
    wanted: MemoryFilter,
    *,
    limit: int,
    descending: bool = False,
    after: tuple[datetime, int] | None = None,
) -> list[tuple[datetime, int]]:
    """The next memories in the order of the filter's axis, as (time, id); `after` is the last one had.

    Equal times are ordered by id, so that no memory is given twice or left out between two pages.
    """
    time = _TIMES[wanted.axis]
    where, params = _conditions(wanted)
    where += f" AND {time} IS NOT NULL"
    direction, beyond = ("DESC", "<") if descending else ("ASC", ">")
    if after is not None:
        where += f" AND ({time}, id) {beyond} (?, ?)"
        params += [stored(after[0]), after[1]]
    rows = cur.execute(
        f"SELECT {time} AS moment, id FROM memories WHERE {where} "
        f"ORDER BY moment {direction}, id {direction} LIMIT ?",
        [*params, limit],
    ).rows()
    return [(aware(moment), id_) for moment, id_ in rows]


def _conditions(wanted: MemoryFilter) -> tuple[str, list[object]]:
    terms = ["deleted_at IS NULL"]
    params: list[object] = []

    def add(term: str, *values: object) -> None:
        terms.append(term)
        params.extend(values)

    if wanted.project_id is not None:
        add("project_id = ?", wanted.project_id)
    if wanted.checkout_id is not None:
        add("(source_kind <> 'file' OR checkout_id = ?)", wanted.checkout_id)
    for column, allowed in (("type", wanted.types), ("memory_type", wanted.memory_types)):
        if len(allowed) == 1:
            add(f"{column} = ?", allowed[0])
        elif allowed:
            add(f"{column} IN (SELECT unnest(?::VARCHAR[]))", list(allowed))
    if wanted.path != "%":
        add("path LIKE ? ESCAPE '\\'", _pattern(wanted.path))
    if wanted.agent_id is not None:
        add("agent_id = ?", wanted.agent_id)
    if wanted.agent_instance_id is not None:
        add("agent_instance_id = ?", wanted.agent_instance_id)
    if wanted.branch is not None:
        add("(branch = ? OR branch IS NULL)", wanted.branch)
    if not wanted.include_superseded:
        # One whose replacement was deleted counts again.
        add(
            "(superseded_by IS NULL OR superseded_by IN "
            "(SELECT id FROM memories WHERE deleted_at IS NOT NULL)) "
            "AND (expires_at IS NULL OR expires_at > ?)",
            stored(wanted.now),
        )
    time = _TIMES[wanted.axis]
    if wanted.since is not None:
        add(f"{time} >= ?", stored(wanted.since))
    if wanted.until is not None:
        add(f"{time} < ?", stored(wanted.until))
    return " AND ".join(terms), params


def _pattern(pattern: str) -> str:
    """A pattern may not end in an escape that escapes nothing; the backslash is then meant itself."""
    trailing = len(pattern) - len(pattern.rstrip("\\"))
    return pattern + "\\" if trailing % 2 else pattern
