"""Where memories stand among others: the conversation that they are part of, and when they happened."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from afresh.store.columns import matching
from afresh.store.cursor import Cursor

Places: TypeAlias = "tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]"
"""Ids, rising; the thread of each, 0 where it stands alone; microseconds since 1970, or NO_TIME."""

NO_TIME = np.iinfo(np.int64).min
"""Of a memory that happened at no known time."""

_SELECT = (
    "SELECT id, "
    # Episodes of one session are what follows one another; lessons of one session seldom do. A thread is a
    # number that lives as long as the process, so any hash will do; its lowest bit keeps it from being 0.
    "CASE WHEN session_id IS NULL OR memory_type <> 'episodic' THEN 0 "
    "ELSE ((hash(project_id, session_id) >> 2) * 2 + 1)::BIGINT END AS thread, "
    f"coalesce(epoch_us(event_time), {NO_TIME}) AS time "
    "FROM memories WHERE "
)


def load(cur: Cursor) -> Places:
    """The places of all memories that can be found and that have one."""
    return _arrays(
        cur,
        "deleted_at IS NULL AND (event_time IS NOT NULL OR session_id IS NOT NULL) ORDER BY id",
        [],
    )


def of(cur: Cursor, ids: Iterable[int]) -> Places:
    """The places of these memories, deleted ones included."""
    condition, params = matching("id", ids)
    return _arrays(cur, f"{condition} ORDER BY id", params)


def _arrays(cur: Cursor, condition: str, params: list[object]) -> Places:
    found = cur.execute(_SELECT + condition, params).numpy()
    return tuple(np.asarray(found[name], np.int64) for name in ("id", "thread", "time"))  # type: ignore[return-value]
