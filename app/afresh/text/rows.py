"""Documents' ids to rows: dense numbers from 0, in the order of arrival, that the indexes share.

A document that changes gets a new row and its old one dies: rows are never written over, so a search that
began before goes on with what it saw.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_SMALLEST = 1024
_Kind = TypeVar("_Kind", np.int64, np.bool_)


class RowTable:
    """Which row holds which document, and which rows are alive."""

    def __init__(self, ids: NDArray[np.int64] | None = None) -> None:
        """Begin with these ids, sorted and each once, as rows 0, 1, 2 …"""
        first = np.empty(0, np.int64) if ids is None else ids.astype(np.int64)
        count = len(first)
        self._ids = _grown(first)
        self._alive = _grown(np.ones(count, np.bool_))
        self._count = count
        # The same the other way round: ids in order, each once, and the newest row of each.
        self._keys = _grown(first)
        self._newest = _grown(np.arange(count, dtype=np.int64))
        self._known = count
        self.dead = 0
        """Rows that hold nothing any more."""

    def __len__(self) -> int:
        return self._count

    @property
    def ids(self) -> NDArray[np.int64]:
        """The document of each row, dead rows included."""
        return self._ids[: self._count]

    @property
    def alive(self) -> NDArray[np.bool_]:
        """Which rows hold a document."""
        return self._alive[: self._count]

    def append(self, doc_id: int) -> int:
        """Give a document a new row; its old one, if it has one, dies."""
        self.kill(doc_id)
        row = self._count
        if row == len(self._ids):
            self._ids, self._alive = _grown(self._ids), _grown(self._alive)
        self._ids[row], self._alive[row] = doc_id, True
        self._count = row + 1
        self._point(doc_id, row)
        return row

    def kill(self, doc_id: int) -> int | None:
        """Let the document's row die; gives that row, or None where it has none."""
        row = self.row(doc_id)
        if row is not None:
            self._alive[row] = False
            self.dead += 1
        return row

    def row(self, doc_id: int) -> int | None:
        """The living row of a document."""
        found = self.rows(np.array([doc_id], np.int64))
        return int(found[0]) if len(found) else None

    def rows(self, doc_ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The living rows of these documents; those that have none are left out."""
        keys = self._keys[: self._known]
        if not len(keys):
            return np.empty(0, np.int64)
        at = np.minimum(np.searchsorted(keys, doc_ids), len(keys) - 1)
        newest: NDArray[np.int64] = self._newest[at[keys[at] == doc_ids]]
        living: NDArray[np.int64] = newest[self.alive[newest]]
        return living

    def _point(self, doc_id: int, row: int) -> None:
        """Make this the document's newest row."""
        keys = self._keys[: self._known]
        at = int(np.searchsorted(keys, doc_id))
        if at < self._known and keys[at] == doc_id:
            self._newest[at] = row
            return
        if self._known == len(self._keys):
            self._keys, self._newest = _grown(self._keys), _grown(self._newest)
        if at < self._known:
            # Ids grow as a rule; one that comes late moves those above it.
            self._keys[at + 1 : self._known + 1] = self._keys[at : self._known].copy()
            self._newest[at + 1 : self._known + 1] = self._newest[at : self._known].copy()
        self._keys[at], self._newest[at] = doc_id, row
        self._known += 1


def _grown(values: NDArray[_Kind]) -> NDArray[_Kind]:
    """The same values with room for as many again."""
    room = np.zeros(max(_SMALLEST, 2 * len(values)), values.dtype)
    room[: len(values)] = values
    return room
