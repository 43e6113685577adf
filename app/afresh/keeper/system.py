"""What differs between operating systems, in one place: locks, owners, limits, detached processes.

Nothing outside this module calls what exists on one system only. Paths are texts here and in its neighbours
on the way of every start: `pathlib` and `dataclasses` together take longer to import than all the rest.
"""

# ruff: noqa: PTH100, PTH116, PTH120

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import IO, TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import ctypes

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_FAR = 1 << 30
"""Where Windows locks one byte: beyond the note, which must stay readable for others."""


class Process(Protocol):
    """A process that we started."""

    @property
    def pid(self) -> int: ...

    def poll(self) -> int | None: ...


def lock_exclusively(descriptor: int) -> bool:
    """Take the lock of an open file for as long as the descriptor stays open; False where another has it.

    Raises OSError where the file system knows no locks.
    """
    try:
        if sys.platform == "win32":
            os.lseek(descriptor, _FAR, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def folder_problem(folder: str) -> str | None:
    """Why a folder can't hold a socket that only we may reach; None where it can.

    It must be a folder of ours with mode 0700, and nobody else may be able to put another in its place.
    Raises OSError where there is none.
    """
    seen = os.lstat(folder)
    if not stat.S_ISDIR(seen.st_mode):
        return "it is not a folder"
    if sys.platform == "win32":
        return None
    if seen.st_uid != os.getuid():
        return f"it belongs to user {seen.st_uid}, not to user {os.getuid()}"
    if stat.S_IMODE(seen.st_mode) & 0o077:
        return f"others may enter it (its mode is {stat.S_IMODE(seen.st_mode):04o}); run: chmod 700 {folder}"
    parent = os.path.dirname(folder)
    above = os.stat(parent)
    if above.st_uid not in (0, os.getuid()):
        return f"{parent} belongs to user {above.st_uid}, who could replace it"
    if above.st_mode & 0o022 and not above.st_mode & stat.S_ISVTX:
        return f"others may replace it: the mode of {parent} is {stat.S_IMODE(above.st_mode):04o}"
    return None


def settle_in() -> None:
    """Give up what a background process shouldn't keep: the working directory and open permissions.

    A keeper that stays in its starter's folder would keep a disk from being unmounted.
    """
    os.umask(0o077)
    os.chdir(os.path.abspath(os.sep))


def raise_file_limit(wanted: int = 4096) -> None:
    """Allow as many open files as many clients and watches need; some systems start at 256."""
    if sys.platform == "win32":
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def start_detached(command: Sequence[str], environment: Mapping[str, str], log: IO[bytes]) -> Process:
    """Start a process that outlives us: its own session, no terminal, its output in the log.

    Raises OSError where it can't be started.
    """
    import subprocess
    import threading

    if sys.platform == "win32":
        detached = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    else:
        detached = 0
    process = subprocess.Popen(
        list(command),
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        env=dict(environment),
        cwd=os.path.abspath(os.sep),
        start_new_session=sys.platform != "win32",
        creationflags=detached,
    )
    # Whoever lives on after the keeper must not leave a zombie behind.
    threading.Thread(target=process.wait, name="reap", daemon=True).start()
    return process


def is_running(pid: int) -> bool:
    """Whether a process of that number runs. It may be another than was meant: good enough for waiting."""
    if sys.platform == "win32":
        import psutil

        return bool(psutil.pid_exists(pid))
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def parent_watch() -> Callable[[], bool]:
    """Say whether the process that started us is gone, asked as often as wanted.

    On Windows a process keeps its parent's number, so there the closed input alone tells.
    """
    if sys.platform == "win32":
        return lambda: False
    parent = os.getppid()
    return lambda: os.getppid() != parent


def keep_freed_memory_small() -> None:
    """Have one pool of memory for all threads, where the C library makes one for each.

    A keeper has two dozen threads, each of which embeds, parses or sorts now and then. With glibc's pools it
    held 300 MB more than it used, measured after an index and twenty saves. Below 4 MiB the model's buffers
    would go back to the system after each batch, which made embedding a quarter slower.
    """
    library = _glibc()
    if library is not None:
        library.mallopt(_M_ARENA_MAX, 1)
        library.mallopt(_M_TRIM_THRESHOLD, 4 * 1024 * 1024)
        library.mallopt(_M_MMAP_THRESHOLD, 4 * 1024 * 1024)


def return_freed_memory() -> None:
    """Give freed memory back to the system, where the C library would keep it."""
    library = _glibc()
    if library is not None:
        library.malloc_trim(0)


_M_TRIM_THRESHOLD = -1
_M_MMAP_THRESHOLD = -3
_M_ARENA_MAX = -8


def _glibc() -> ctypes.CDLL | None:
    """The GNU C library of this process, if that is the one it has."""
    if not sys.platform.startswith("linux"):
        return None
    import ctypes

    library = ctypes.CDLL(None)
    return library if hasattr(library, "gnu_get_libc_version") else None
