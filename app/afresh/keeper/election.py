"""Who owns the data folder: one lock of the operating system, held for life.

The file says who holds it, for people and for finding the socket; it is never taken for a proof, since it
outlives the process that wrote it. The lock doesn't: it goes with its process, however that ends.
"""

from __future__ import annotations

import errno
import json
import os
from typing import TYPE_CHECKING, NamedTuple

from afresh.errors import StoreUnwritableError
from afresh.keeper import system

if TYPE_CHECKING:
    from pathlib import Path


class Holder(NamedTuple):
    """What the holder of the lock wrote about itself."""

    pid: int
    version: str
    address: str = ""
    """Where it listens, as `keeper.transport` writes addresses; empty for one that doesn't."""
    in_process: bool = False


class Lock:
    """The exclusive lock of a data folder."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor = descriptor

    @classmethod
    def acquire(cls, path: Path) -> Lock | None:
        """Take the lock; None where another process has it.

        Raises StoreUnwritableError where the file can't be made or the file system knows no locks.
        """
        try:
            while True:
                descriptor = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
                lock = cls(path, descriptor)
                try:
                    held = system.lock_exclusively(descriptor)
                except BaseException:
                    os.close(descriptor)
                    raise
                if not held:
                    os.close(descriptor)
                    return None
                if lock.is_in_place():
                    return lock
                # Another took the file away between our opening and locking it.
                os.close(descriptor)
        except OSError as error:
            raise unwritable(path.parent, error) from None

    def note(self, holder: Holder) -> None:
        """Write down who we are, for others to show."""
        line = json.dumps(
            {
                "pid": holder.pid,
                "version": holder.version,
                "address": holder.address,
                "in_process": holder.in_process,
            }
        )
        self._write(line.encode() + b"\n")

    def is_in_place(self) -> bool:
        """Whether the file at that path is still the one that we hold; if not, another may own the folder."""
        try:
            there = self._path.stat()
        except OSError:
            return False
        return os.path.samestat(there, os.fstat(self._descriptor))

    def release(self) -> None:
        """Give the folder up. The file stays: removing it would let two processes lock two files."""
        self._write(b"")
        os.close(self._descriptor)

    def _write(self, content: bytes) -> None:
        os.ftruncate(self._descriptor, 0)
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.write(self._descriptor, content)


def noted_holder(path: Path | str) -> Holder | None:
    """Who says that it holds the lock; None where nobody does, or nobody can read it."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - on the path of every start, which has no Path
            noted = json.loads(file.read())
        return Holder(
            int(noted["pid"]),
            str(noted["version"]),
            str(noted.get("address", "")),
            bool(noted.get("in_process", False)),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return None


def describe_holder(path: Path) -> str:
    """Name the process that holds the lock, with its command line, as well as the system tells."""
    import psutil

    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and any(f.path == str(path) for f in process.open_files()):
                return f"process {process.pid} ({' '.join(process.cmdline()) or process.name()})"
        except (psutil.Error, OSError):
            continue
    noted = noted_holder(path)
    return f"process {noted.pid}" if noted else "another process"


def unwritable(folder: Path, error: OSError) -> StoreUnwritableError:
    """The error for a data folder that can't be used, with what to do."""
    if error.errno in (errno.ENOLCK, errno.EOPNOTSUPP):
        return StoreUnwritableError(
            f"the file system of {folder} has no locks; set AFRESH_HOME to a folder on a local disk"
        )
    return StoreUnwritableError(
        f"the data folder {folder} can't be used ({error.strerror or error}); "
        "make it writable, or set AFRESH_HOME to one that is"
    )
