"""Which roots may be indexed, and what a path under one of them is, told without reading it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from afresh_indexer.errors import RootRefused
from afresh_indexer.records import Excluded, ExcludedReason

DEFAULT_MAX_BYTES = 32 << 20
"""A larger file is left out: it is data, and hashing it with every write costs more than it tells."""

BINARY_PROBE_BYTES = 8000
"""git's own rule looks as far for a NUL byte."""


def check_root(path: Path, *, force: bool, home: Path) -> Path:
    """The root with links resolved, ready to be indexed.

    `force` allows a whole disk or a home folder, which are nearly always named by mistake.
    Raises RootRefused.
    """
    shown = str(path).encode("utf-8", "backslashreplace").decode("utf-8")
    try:
        root = Path(os.path.realpath(path, strict=True))
        is_folder = root.is_dir()
        if is_folder:
            with os.scandir(root) as entries:
                next(entries, None)
    except FileNotFoundError:
        raise RootRefused(f"there is no folder {shown}; check the spelling, or make it first") from None
    except PermissionError:
        raise RootRefused(f"no permission to read the folder {shown}; run as a user who has it") from None
    except ValueError:
        raise RootRefused(f"{shown!r} can't be the name of a folder") from None
    except OSError as error:
        raise RootRefused(f"the folder {shown} can't be read: {error.strerror or error}") from None
    if not is_folder:
        raise RootRefused(f"{shown} is a file; give the folder that holds it: {root.parent}")
    try:
        str(root).encode("utf-8")
    except UnicodeEncodeError:
        raise RootRefused(f"the name of {shown} is not valid UTF-8 and can't be stored; rename it") from None
    if not force:
        _refuse_too_wide(root, Path(os.path.realpath(home)))
    return root


def _refuse_too_wide(root: Path, home: Path) -> None:
    if root == root.parent:
        kind = "a whole disk"
    elif root == home:
        kind = "your home folder"
    elif root in home.parents:
        kind = "a folder that holds your home folder"
    else:
        return
    raise RootRefused(f"{root} is {kind}; give a project's folder, or --force if all of it is meant")


def is_binary(data: bytes) -> bool:
    """Whether git would call these bytes binary: a NUL among the first 8,000."""
    return b"\0" in data[:BINARY_PROBE_BYTES]


def judge_link(root: str, path: str) -> Excluded:
    """Why the symbolic link `path`, relative to `root`, is not indexed, and where it leads.

    `root` itself is absolute and free of links.
    """
    full = f"{root.rstrip(os.path.sep)}/{path}"
    try:
        target = os.fsencode(os.readlink(full)).decode("utf-8", "backslashreplace")  # noqa: PTH115
    except OSError as error:
        return Excluded(path, ExcludedReason.LINK, f"can't be followed: {error.strerror}")
    try:
        real = os.path.realpath(full, strict=True)
        detail = f"-> {target}"
    except FileNotFoundError:
        real = os.path.realpath(full)
        detail = f"-> {target}, where nothing is"
    except OSError as error:
        real = os.path.realpath(full)
        detail = f"-> {target}: {error.strerror}"
    inside = real == root or real.startswith(root.rstrip(os.path.sep) + os.path.sep)
    return Excluded(path, ExcludedReason.LINK if inside else ExcludedReason.OUTSIDE_ROOT, detail)


def judge_stamps(root: str, path: str, stamps: os.stat_result, max_bytes: int) -> Excluded | None:
    """Why the path is left out, as far as its own stamps tell; None for a regular file of a fair size."""
    mode = stamps.st_mode
    if stat.S_ISREG(mode):
        if stamps.st_size <= max_bytes:
            return None
        detail = f"{stamps.st_size:,} bytes, over the limit of {max_bytes:,}"
        return Excluded(path, ExcludedReason.TOO_LARGE, detail, size=stamps.st_size)
    if stat.S_ISLNK(mode):
        return judge_link(root, path)
    return Excluded(path, ExcludedReason.NOT_REGULAR, _kind(mode))


def _kind(mode: int) -> str:
    kinds = {stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFDIR: "a folder"}
    return kinds.get(stat.S_IFMT(mode), "a device")
