"""The keeper's log: one bounded file that only its owner reads, and everything the process prints.

What is logged are events and failures, never arguments or contents.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path

LIMIT = 1024 * 1024
"""Bytes after which the log is set aside as `….1`, in place of the one before."""


class LogFile(logging.Handler):
    """Writes records to a file that standard output and error lead to as well.

    Libraries and the interpreter itself print to the descriptors, so a rotation moves those along.
    """

    def __init__(self, path: Path, limit: int = LIMIT) -> None:
        super().__init__()
        self._path = path
        self._limit = limit
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._redirect()

    def emit(self, record: logging.LogRecord) -> None:
        try:
            os.write(self._descriptor, self.format(record).encode("utf-8", "replace") + b"\n")
            if os.fstat(self._descriptor).st_size > self._limit:
                self._rotate()
        except OSError:
            # A full disk must not stop the keeper, and there is no other place to say so.
            self.handleError(record)

    def handleError(self, record: logging.LogRecord) -> None:
        """Nothing: the standard error that it would be printed to is this very file."""

    def close(self) -> None:
        os.close(self._descriptor)
        super().close()

    def _rotate(self) -> None:
        self._path.replace(self._path.with_name(self._path.name + ".1"))
        fresh = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.close(self._descriptor)
        self._descriptor = fresh
        self._redirect()

    def _redirect(self) -> None:
        os.dup2(self._descriptor, 1)
        os.dup2(self._descriptor, 2)


def open_log(path: Path, level: str) -> LogFile:
    """Send the root logger, standard output and standard error to the log. Raises OSError."""
    handler = LogFile(path)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(process)d %(name)s: %(message)s"))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(level.upper())
    return handler
