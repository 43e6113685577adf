"""Which documents follow one another: the turns of a conversation, in the order in which they were said.

A turn alone says little ("Yes, last Friday!"); the question before it says what it is about. Neighbours are
linked by row, so a search can look to both sides of a document without any text being indexed twice, and a
turn that comes later changes nothing that was stored.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from afresh.text.days import UNKNOWN_DAY

_Real = TypeVar("_Real", np.float32, np.float64)
NO_THREAD = 0
NO_TIME = np.iinfo(np.int64).min
"""In an array of times: none is known."""
Places: TypeAlias = "tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]"
"""Ids, rising; the thread of each or NO_THREAD; microseconds since 1970 or NO_TIME."""

_MICROSECONDS_A_DAY = 86_400_000_000
_EPOCH_DAY = 719_163
_SMALLEST = 1024


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands among others."""

    thread: int = NO_THREAD
    """Documents of one number follow one another; NO_THREAD stands alone."""
    time_us: int | None = None
    """When it happened, in microseconds since 1970; the order within a thread, then by id."""


ALONE = Place()


@dataclass(frozen=True, slots=True)
class Links:
    """Both neighbours of each row at one moment, -1 where there is none that the search may see."""

    before: NDArray[np.int32]
    after: NDArray[np.int32]


class Threads:
    """Neighbours and days by row; rows are never reused, as in the other indexes."""

    def __init__(self) -> None:
        self._before = np.full(_SMALLEST, -1, np.int32)
        self._after = np.full(_SMALLEST, -1, np.int32)
        self._days = np.full(_SMALLEST, UNKNOWN_DAY, np.int32)
        self._members: dict[int, list[tuple[int, int, int]]] = {}
        self._placed: dict[int, tuple[int, tuple[int, int, int]]] = {}

    @classmethod
    def of(cls, doc_ids: NDArray[np.int64], places: Places) -> Threads:
        """Build for documents by row, from the places of some of them."""
        threads = cls()
        ids, numbers, times = places
        row = np.searchsorted(ids, doc_ids)
        there = row < len(ids)
        there[there] = ids[row[there]] == doc_ids[there]
        size = max(_SMALLEST, len(doc_ids))
        threads._before, threads._after = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
        threads._days = np.full(size, UNKNOWN_DAY, np.int32)
        rows, at = np.flatnonzero(there), row[there]
        dated = times[at] != NO_TIME
        threads._days[rows[dated]] = times[at[dated]] // _MICROSECONDS_A_DAY + _EPOCH_DAY
        for r, i in zip(rows.tolist(), at.tolist(), strict=True):
            if numbers[i] != NO_THREAD:
                time = None if times[i] == NO_TIME else int(times[i])
                threads.add(r, int(ids[i]), Place(int(numbers[i]), time))
        return threads

    def add(self, row: int, doc_id: int, place: Place) -> None:
        """Put a row where it belongs: anywhere in its thread, since what is older may come later."""
        while row >= len(self._days):
            self._before, self._after = _doubled(self._before, -1), _doubled(self._after, -1)
            self._days = _doubled(self._days, UNKNOWN_DAY)
        if place.time_us is not None:
            self._days[row] = place.time_us // _MICROSECONDS_A_DAY + _EPOCH_DAY
        if place.thread == NO_THREAD:
            return
        members = self._members.setdefault(place.thread, [])
        entry = (place.time_us or 0, doc_id, row)
        insort(members, entry)
        self._placed[row] = (place.thread, entry)
        at = bisect_left(members, entry)
        self._link(members[at - 1][2] if at else -1, row)
        self._link(row, members[at + 1][2] if at + 1 < len(members) else -1)

    def remove(self, row: int) -> None:
        """Take a row out; its neighbours become each other's."""
        if (placed := self._placed.pop(row, None)) is None:
            return
        thread, entry = placed
        members = self._members[thread]
        members.pop(bisect_left(members, entry))
        if not members:
            del self._members[thread]
        before, after = int(self._before[row]), int(self._after[row])
        self._before[row] = self._after[row] = -1
        self._link(before, after)

    def move(self, row: int, doc_id: int, place: Place) -> None:
        """Put a row that may stand somewhere already where it belongs now."""
        self.remove(row)
        if row < len(self._days):
            self._days[row] = UNKNOWN_DAY
        self.add(row, doc_id, place)

    def _link(self, before: int, after: int) -> None:
        if before >= 0:
            self._after[before] = after
        if after >= 0:
            self._before[after] = before

    def renumbered(self, rows: NDArray[np.int32]) -> Threads:
        """The same under other rows: the new row of each old one, or -1 to leave it out."""
        threads = Threads()
        count = int(rows.max(initial=-1)) + 1
        size = max(_SMALLEST, count)
        threads._before, threads._after = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
        threads._days = np.full(size, UNKNOWN_DAY, np.int32)
        kept = np.flatnonzero(rows >= 0)
        threads._days[rows[kept]] = self._days[kept]
        for thread, members in self._members.items():
            moved = [(time, doc, int(rows[row])) for time, doc, row in members if rows[row] >= 0]
            if not moved:
                continue
            threads._members[thread] = moved
            for entry in moved:
                threads._placed[entry[2]] = (thread, entry)
            for left, right in pairwise(moved):
                threads._link(left[2], right[2])
        return threads

    def days(self, rows: int) -> NDArray[np.int32]:
        """The day of each row as a proleptic ordinal, or UNKNOWN_DAY. Take it under the writer's lock."""
        return self._days[:rows]

    def links(self, rows: int) -> Links | None:
        """The neighbours of the first rows, or None where no document has one. Take it under the lock."""
        if not self._placed:
            return None
        # Copies, since a writer relinks in place.
        return Links(self._before[:rows].copy(), self._after[:rows].copy())


def seen(links: Links | None, mask: NDArray[np.bool_]) -> Links | None:
    """The links between rows that a search may see."""
    if links is None:
        return None
    return Links(_seen(links.before, mask), _seen(links.after, mask))


def _seen(pointers: NDArray[np.int32], mask: NDArray[np.bool_]) -> NDArray[np.int32]:
    valid = (pointers >= 0) & mask
    valid[valid] = mask[pointers[valid]]
    return np.where(valid, pointers, np.int32(-1))


def shifted(values: NDArray[_Real], pointers: NDArray[np.int32]) -> NDArray[_Real]:
    """Each row's value of the row that its pointer names; 0 where it names none."""
    moved = np.zeros_like(values)
    there = np.flatnonzero(pointers >= 0)
    moved[there] = values[pointers[there]]
    return moved


def _doubled(values: NDArray[np.int32], fill: int) -> NDArray[np.int32]:
    return np.concatenate((values, np.full(len(values), fill, np.int32)))
