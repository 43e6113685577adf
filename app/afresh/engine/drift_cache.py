"""Verdicts on pairs of contents: the same bytes are compared once."""

from __future__ import annotations

import threading
from collections import OrderedDict

from afresh_indexer.verdicts import FileDrift

KEPT = 4096


class DriftCache:
    """Bounded, and safe from any thread; what it holds never goes out of date, for contents don't change."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[object, ...], FileDrift] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[object, ...]) -> FileDrift | None:
        """The verdict that was kept under a key."""
        with self._lock:
            return self._kept.get(key)

    def put(self, key: tuple[object, ...], drifted: FileDrift) -> None:
        """Keep a verdict; the oldest goes where there are too many."""
        with self._lock:
            self._kept[key] = drifted
            if len(self._kept) > KEPT:
                self._kept.popitem(last=False)
