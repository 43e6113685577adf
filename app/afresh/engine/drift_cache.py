"""Verdicts on pairs of contents, and who made the change: the same question is answered once."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, TypeVar

from afresh_indexer.last_change import LastChange
from afresh_indexer.verdicts import FileDrift

KEPT = 4096

_Answer = TypeVar("_Answer")


@dataclass(frozen=True, slots=True)
class Compared:
    """The verdict on two versions of a file."""

    drift: FileDrift
    recorded: frozenset[str]
    """The ids under which git may have the recorded version."""
    now: frozenset[str]
    """The same of the other one."""


class _Bounded(Generic[_Answer]):
    """Safe from any thread; the oldest goes where there are too many."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], _Answer] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[object, ...]) -> _Answer | None:
        with self._lock:
            return self._kept.get(key)

    def put(self, key: tuple[object, ...], answer: _Answer) -> None:
        with self._lock:
            self._kept[key] = answer
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


class DriftCache:
    """Bounded. What it holds never goes out of date: contents don't change, and neither do commits."""

    def __init__(self) -> None:
        self.verdicts: _Bounded[Compared] = _Bounded()
        """By two hashes and what was cited."""
        self.changes: _Bounded[LastChange] = _Bounded()
        """By a commit, a path, two hashes and lines."""

    def clear(self) -> None:
        """Forget everything."""
        self.verdicts.clear()
        self.changes.clear()
