"""What git keeps outside the tracked files and yet decides which files count: HEAD, the index, ignore files.

Reads files only, and never starts git: it is asked at every batch and at every tick.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from afresh_indexer.watch_tree import IGNORE_FILES

_INDEX_SIGNATURE = b"DIRC"


@dataclass(frozen=True, slots=True)
class GitSigns:
    """A comparable picture of them: two that differ mean that the whole tree must be compared."""

    git_dir: Path | None = None
    """Where this checkout's HEAD and index are; outside the root for a worktree, a submodule or a
    subfolder."""
    common_dir: Path | None = None
    """Where what all worktrees share is."""
    head: bytes = b""
    commit: bytes = b""
    """What the branch that HEAD names stands at, as far as a file of its own says."""
    tracked: int = -1
    """How many entries the index has: it moves when files become tracked or untracked, while a mere refresh
    of the index by `git status` leaves it."""
    rules: tuple[tuple[int, int, int] | None, ...] = ()
    """mtime_ns, size and inode of each ignore file outside the root, and of git's configuration."""

    def folders(self) -> list[str]:
        """Folders in which a change of these shows natively, as far as they exist."""
        found = [self.git_dir, self.common_dir / "info" if self.common_dir else None]
        return [str(folder) for folder in found if folder is not None and folder.is_dir()]

    def is_busy(self, now_ns: int, patience_ns: int) -> bool:
        """Whether git is just writing the tree: it holds the index's lock meanwhile.

        A lock older than `patience_ns` is taken for one that a crash left, or that waits for a person's
        editor.
        """
        if self.git_dir is None:
            return False
        try:
            return now_ns - (self.git_dir / "index.lock").stat().st_mtime_ns < patience_ns
        except OSError:
            return False


def read_signs(root: Path) -> GitSigns:
    """The signs for a root, which may be a repository, a worktree, a folder in one, or none of them."""
    above: list[Path] = []
    for top in (root, *root.parents):
        git_dir = _git_dir_of(top)
        if git_dir is not None:
            common_dir = _common_dir_of(git_dir)
            watched = [common_dir / "info" / "exclude", common_dir / "config"]
            watched += [folder / name for folder in above for name in sorted(IGNORE_FILES)]
            return GitSigns(
                git_dir=git_dir,
                common_dir=common_dir,
                head=(head := _bytes_of(git_dir / "HEAD", 4096)),
                commit=_branch_commit(common_dir, head),
                tracked=_index_entries(git_dir / "index"),
                rules=tuple(_signature(path) for path in watched),
            )
        if top.parent != top:
            # Ignore files in the root itself are seen by the watch; those above it only here.
            above.append(top.parent)
    return GitSigns()


def _git_dir_of(folder: Path) -> Path | None:
    link = folder / ".git"
    if link.is_dir():
        return link if (link / "HEAD").exists() else None
    told = _bytes_of(link, 8192)
    if not told.startswith(b"gitdir:"):
        return None
    git_dir = folder / os.fsdecode(told.removeprefix(b"gitdir:").strip())
    return git_dir.resolve() if (git_dir / "HEAD").exists() else None


def _common_dir_of(git_dir: Path) -> Path:
    told = _bytes_of(git_dir / "commondir", 8192).strip()
    return (git_dir / os.fsdecode(told)).resolve() if told else git_dir


def _branch_commit(common_dir: Path, head: bytes) -> bytes:
    """A commit always writes this file; right after git packed its references there is none."""
    if not head.startswith(b"ref: refs/"):
        return b""
    return _bytes_of(common_dir / os.fsdecode(head.removeprefix(b"ref:").strip()), 256)


def _index_entries(index: Path) -> int:
    header = _bytes_of(index, 12)
    return int.from_bytes(header[8:12], "big") if header.startswith(_INDEX_SIGNATURE) else -1


def _bytes_of(path: Path, limit: int) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(limit)
    except OSError:
        return b""


def _signature(path: Path) -> tuple[int, int, int] | None:
    try:
        seen = path.stat()
    except OSError:
        return None
    return seen.st_mtime_ns, seen.st_size, seen.st_ino
