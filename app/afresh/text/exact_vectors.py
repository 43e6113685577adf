"""The vectors themselves, in a file beside the codes that are searched.

Few are asked for at a time, and these by id: from a file that takes tens of microseconds, while a column of a
database is read in pieces of thousands of rows. The file belongs to this process alone and vanishes with it;
the store has the same vectors and is where they are read from when this file fails.
"""

from __future__ import annotations

import tempfile
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

_DTYPE = np.float16
"""Its error is a hundredth of what the codes of a byte have."""
_TAIL = 4096
"""So many rows are looked through one by one before the rows are sorted again."""


class ExactVectors:
    """Chunks' vectors by document id. Safe from any thread."""

    def __init__(self, folder: Path, dim: int) -> None:
        self.dim = dim
        self._lock = threading.Lock()
        self._owners = np.empty(1024, np.int64)
        self._count = 0
        self._order = np.empty(0, np.int64)
        self._sorted = np.empty(0, np.int64)
        self._file: IO[bytes] | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = tempfile.TemporaryFile(dir=folder, prefix="vectors-")  # noqa: SIM115 - lives as long
            weakref.finalize(self, self._file.close)
        except OSError:
            # A folder that can't be written: the store's own vectors are read instead.
            self._file = None

    def put(self, ids: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        """Add chunks: the document of each, and float32 [chunks, dim]. They replace those that these had."""
        with self._lock:
            if self._file is None or not len(ids):
                return
            self._forget(np.unique(ids))
            try:
                self._file.seek(self._count * self._width)
                self._file.write(np.ascontiguousarray(vectors, _DTYPE).tobytes())
                self._file.flush()
            except OSError:
                self._give_up()
                return
            while self._count + len(ids) > len(self._owners):
                self._owners = np.concatenate([self._owners, np.empty_like(self._owners)])
            self._owners[self._count : self._count + len(ids)] = ids
            self._count += len(ids)

    def of(self, ids: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
        """The chunks of some documents: int64 [chunks] and float32 [chunks, dim]; None if the file failed."""
        wanted = np.asarray(ids, np.int64)
        with self._lock:
            if self._file is None:
                return None
            rows = self._rows(wanted)
            found = np.empty((len(rows), self.dim), np.float32)
            try:
                for at, row in enumerate(rows.tolist()):
                    self._file.seek(row * self._width)
                    found[at] = np.frombuffer(self._file.read(self._width), _DTYPE)
            except (OSError, ValueError):
                self._give_up()
                return None
            return self._owners[rows], found

    def close(self) -> None:
        """Let the file vanish."""
        with self._lock:
            self._give_up()

    @property
    def _width(self) -> int:
        return self.dim * np.dtype(_DTYPE).itemsize

    def _rows(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of documents, in the order of ids."""
        if self._count - len(self._sorted) > _TAIL:
            self._order = np.argsort(self._owners[: self._count], kind="stable")
            self._sorted = self._owners[self._order]
        first = np.searchsorted(self._sorted, ids, side="left")
        last = np.searchsorted(self._sorted, ids, side="right")
        rows = [self._order[start:end] for start, end in zip(first, last, strict=True) if end > start]
        tail = np.arange(len(self._sorted), self._count)
        rows.append(tail[np.isin(self._owners[tail], ids)])
        found = np.concatenate(rows)
        # What was replaced stays in the sorted part until that is made anew.
        found = found[np.isin(self._owners[found], ids)]
        return found[np.argsort(self._owners[found], kind="stable")]

    def _forget(self, ids: NDArray[np.int64]) -> None:
        rows = self._rows(ids)
        self._owners[rows] = -1

    def _give_up(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
