"""The bytes of cited files as they were recorded: from snapshots, else from git."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from afresh.engine.freshness import Judge
from afresh.engine.repositories import Repositories
from afresh.errors import StoreCorruptError
from afresh.store import snapshots
from afresh.store.citations import FileCitation
from afresh.store.database import Store

_AHEAD_BYTES = 16 * 1024 * 1024
"""Snapshots up to so much are read at once; larger ones one by one, so that memory stays flat."""


RECALL_S = 0.15
"""Seconds that a recall may spend on looking for old bytes in git."""
NO_OLD_BYTES = (
    "what it was is kept nowhere: no snapshot (it held a secret, or there was no room) and no version in "
    "git; judged by hashes alone"
)
NOT_LOOKED_FOR = (
    "what it was has no snapshot (it held a secret, or there was no room), and the time was over before git "
    "was asked; judged by hashes alone. `afresh memo` takes the time"
)


class OldBytes:
    """Finds old contents for one call."""

    def __init__(self, store: Store, judge: Judge, seconds: float) -> None:
        """`seconds` are what may be spent on looking for what has no snapshot, in the histories of files."""
        self._store = store
        self._judge = judge
        self._left = seconds
        self.why_none = ""
        """Why the last ones that were asked for were not found, for a person."""
        self._ahead: dict[str, bytes] = {}
        self._outer = Repositories()

    def prepare(self, files: Iterable[FileCitation]) -> None:
        """Read the snapshots of files whose old bytes will be asked for, as far as memory allows."""
        wanted: list[str] = []
        size = 0
        for file in files:
            size += file.size
            if size > _AHEAD_BYTES:
                break
            wanted.append(file.sha256)
        if len(wanted) > 1:
            with self._store.read() as cursor:
                self._ahead = snapshots.get_many(cursor, wanted)

    def of(self, root: Path, file: FileCitation) -> bytes | None:
        """What a file was when it was recorded; None where that is kept nowhere."""
        data = self._ahead.pop(file.sha256, None)
        if data is None:
            data = self._snapshot(file.sha256)
        if data is None and self._left <= 0:
            self.why_none = NOT_LOOKED_FOR
        elif data is None:
            began = time.monotonic()
            data = self._from_git(root, file)
            self._left -= time.monotonic() - began
            self.why_none = NO_OLD_BYTES
        return data

    def _from_git(self, root: Path, file: FileCitation) -> bytes | None:
        """From the repository that has the file now, else from that of its root, which may have had it."""
        places = [self._judge.located(root, file.path).place]
        if places[0] is None or places[0].below:
            places.append(self._outer.of(root))
        for place in places:
            if place is not None:
                path, size = place.inside(file.path), file.size or None
                data = place.revisions.find_blob(path, size, file.sha256, recorded_at(file))
                if data is not None:
                    return data
        return None

    def _snapshot(self, sha256: str) -> bytes | None:
        with self._store.read() as cursor:
            try:
                return snapshots.get(cursor, sha256)
            except StoreCorruptError:
                # The damage concerns this one diff, and git may have the bytes.
                return None


def recorded_at(file: FileCitation) -> datetime | None:
    """When a file was hashed; None for one that was imported without its stamps."""
    return datetime.fromtimestamp(file.hashed_at_ns / 1e9, UTC) if file.hashed_at_ns else None


def first_recorded(files: Mapping[str, FileCitation] | Iterable[FileCitation]) -> datetime | None:
    """When the first of some files was hashed."""
    each = files.values() if isinstance(files, Mapping) else files
    moments = [moment for file in each if (moment := recorded_at(file)) is not None]
    return min(moments, default=None)
