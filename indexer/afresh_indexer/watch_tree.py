"""Which folders of a tree are worth watching, and what the files in them look like from outside.

Neither links nor ignored folders are entered, and `.git` never is. Paths are POSIX and relative to the root;
the root itself is the empty path.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterator

IGNORE_FILES = frozenset({".gitignore", ".afreshignore"})
"""Files whose change alters which other files count."""

_GIT = ".git"

Signature = tuple[int, int, int, int]
"""mtime_ns, ctime_ns, size and inode of a file."""


def ancestors(path: str) -> Iterator[str]:
    """The folders above a path, nearest first, without the root."""
    while (cut := path.rfind("/")) > 0:
        path = path[:cut]
        yield path


def reported(path: str) -> str | None:
    """The path to tell the caller of when `path` changed, or None where it is inside a `.git`.

    A `.git` that comes or goes below the root makes its folder a repository, or no longer one, so the folder
    is to be looked at again.
    """
    parts = path.split("/")
    if _GIT not in parts:
        return path
    return "/".join(parts[:-1]) or None if parts.index(_GIT) == len(parts) - 1 else None


class IgnoredFolders:
    """The folders that the caller ignores, as it last told."""

    def __init__(self, ask: Callable[[], Collection[str]]) -> None:
        self._ask = ask
        self._paths: frozenset[str] = frozenset()

    def refresh(self) -> None:
        """Ask the caller again; what it raises passes through."""
        self._paths = frozenset(path.rstrip("/") for path in self._ask())

    def __contains__(self, path: str) -> bool:
        """Whether exactly this folder is listed, for a walk that never enters one."""
        return path in self._paths

    def covers(self, path: str) -> bool:
        """Whether a path is listed or lies below a folder that is."""
        return path in self._paths or any(above in self._paths for above in ancestors(path))


class Links:
    """Tells paths that lie beyond a symbolic link; one object a batch, for it remembers what it looked at."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._beyond: dict[str, bool] = {}

    def lead_to(self, path: str) -> bool:
        """Whether a folder above `path` is a link, so that the file belongs elsewhere."""
        return any(self._is_link(above) for above in ancestors(path))

    def _is_link(self, folder: str) -> bool:
        if folder not in self._beyond:
            self._beyond[folder] = stat.S_ISLNK(_mode(self._root, folder))
        return self._beyond[folder]


def is_folder(root: str, path: str) -> bool:
    """Whether `path` is a folder itself and not a link to one."""
    return stat.S_ISDIR(_mode(root, path))


def _mode(root: str, path: str) -> int:
    try:
        return os.lstat(f"{root}/{path}").st_mode
    except OSError:
        return 0


def walk(root: str, top: str, enter: Callable[[str], bool]) -> Iterator[tuple[str, list[os.DirEntry[str]]]]:
    """Each folder at and below `top` that `enter` allows, with its entries that are not folders.

    Folders that vanish or can't be read are left out, and so are names that aren't valid UTF-8: native
    watching can't tell of those.
    """
    waiting = [top]
    while waiting:
        folder = waiting.pop()
        prefix = f"{folder}/" if folder else ""
        others: list[os.DirEntry[str]] = []
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                for entry in entries:
                    if not _is_utf8(entry.name):
                        continue
                    if entry.name == _GIT or not entry.is_dir(follow_symlinks=False):
                        others.append(entry)
                    elif enter(prefix + entry.name):
                        waiting.append(prefix + entry.name)
        except OSError:
            continue
        yield folder, others


def folders_below(root: str, top: str, ignored: IgnoredFolders) -> set[str]:
    """All folders at and below `top` that are not ignored; nothing where `top` is no folder or is ignored."""
    if top and (not is_folder(root, top) or ignored.covers(top)):
        return set()
    return {folder for folder, _ in walk(root, top, lambda path: path not in ignored)}


def snapshot(root: str, enter: Callable[[str], bool]) -> tuple[dict[str, Signature], set[str]]:
    """The signature of every file that a walk meets, and the folders that it entered."""
    files: dict[str, Signature] = {}
    folders: set[str] = set()
    for folder, entries in walk(root, "", enter):
        folders.add(folder)
        prefix = f"{folder}/" if folder else ""
        for entry in entries:
            if entry.name == _GIT:
                # Only that it is there counts; what git does inside it is no change of the tree.
                files[prefix + _GIT] = (0, 0, 0, 0)
                continue
            try:
                seen = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            files[prefix + entry.name] = (seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino)
    return files, folders


def _is_utf8(name: str) -> bool:
    if name.isascii():
        return True
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
