"""Whether the files behind a conclusion are what they were: judged from the disk, at the moment of the call.

Fresh means byte-identical. Files are read and hashed; only beyond a budget of bytes a call does the gate
of size and timestamps decide, and the verdict says so. Nothing here looks at the index, which may lag.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, assert_never

from afresh.contracts import Status, UnverifiableFile
from afresh.engine.repositories import Place, Repositories
from afresh_indexer.fingerprint import Unhashed, UnhashedReason, hash_many, is_racy, read_regular
from afresh_indexer.history import Side

HASH_BUDGET = 64 * 1024 * 1024
"""Bytes that one call reads before the gate is used instead."""
MAX_SOURCE_BYTES = 32 * 1024 * 1024
"""A source may have this many bytes; a larger file can't be what was recorded."""


class RecordedState(Protocol):
    """A cited file as it was when it was recorded."""

    @property
    def path(self) -> str: ...
    @property
    def sha256(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def mtime_ns(self) -> int: ...
    @property
    def ctime_ns(self) -> int: ...
    @property
    def inode(self) -> int: ...
    @property
    def hashed_at_ns(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a conclusion's files."""

    changed: tuple[str, ...]
    missing: tuple[str, ...]
    unverifiable: tuple[UnverifiableFile, ...]

    @property
    def status(self) -> Status:
        return "stale" if self.changed or self.missing or self.unverifiable else "fresh"


@dataclass(frozen=True, slots=True)
class Located:
    """What git knows of a file, at the moment that is judged."""

    place: Place | None
    """None where there is no repository that git opens."""
    at: str | Side
    """The commit or the side that is judged there."""


class Judge(Protocol):
    """Says what cited files are at one moment: on the disk now, in the index, or at a commit."""

    gated: bool
    """Whether timestamps decided for some files, because reading them all would have been too much."""
    at: str | None
    """The revision that is judged; None for the disk."""

    def read(self, root: Path, files: Iterable[RecordedState]) -> None:
        """Read files that will be judged, at once."""

    def judge(self, root: Path, files: Iterable[RecordedState]) -> Verdict:
        """Compare files under a root with how they were recorded."""

    def contents(self, root: Path, paths: Sequence[str]) -> dict[str, bytes | None]:
        """The bytes of files; None where there is none that could be read."""

    def sha256(self, root: Path, path: str) -> str | None:
        """The hash of a file that was judged; None where there was none to take."""

    def located(self, root: Path, path: str) -> Located:
        """The repository that a file belongs to: that of its root, or one inside it."""


class DiskJudge:
    """Judges the files of one call; each is read once however many conclusions cite it."""

    def __init__(self, budget: int = HASH_BUDGET) -> None:
        self._left = budget
        self._known: dict[Path, dict[str, str | Unhashed]] = {}
        self._repositories = Repositories()
        self._folders: dict[tuple[Path, str], tuple[str, str | None]] = {}
        """Of each folder that was read in: its root and itself, links resolved; None where it leads out."""
        self.gated = False
        self.at: str | None = None

    def judge(self, root: Path, files: Iterable[RecordedState]) -> Verdict:
        """Compare files under a root with how they were recorded."""
        states = list(files)
        self.read(root, states)
        known = self._known[root]
        changed: list[str] = []
        missing: list[str] = []
        unverifiable: list[UnverifiableFile] = []
        for state in states:
            now = known[state.path]
            if isinstance(now, str):
                if now != state.sha256:
                    changed.append(state.path)
                continue
            match now.reason:
                case UnhashedReason.MISSING | UnhashedReason.NOT_REGULAR:
                    missing.append(state.path)
                case UnhashedReason.OVER_BUDGET:
                    self.gated = True
                    if not _passes_gate(root, state):
                        changed.append(state.path)
                case UnhashedReason.OUTSIDE_ROOT:
                    unverifiable.append(UnverifiableFile(path=state.path, reason="outside_root"))
                case UnhashedReason.TOO_LARGE:
                    unverifiable.append(UnverifiableFile(path=state.path, reason="too_large"))
                case UnhashedReason.UNREADABLE:
                    unverifiable.append(UnverifiableFile(path=state.path, reason="unreadable"))
                case other:
                    assert_never(other)
        return Verdict(tuple(changed), tuple(missing), tuple(unverifiable))

    def read(self, root: Path, files: Iterable[RecordedState]) -> None:
        """Read files that will be judged, at once: folders are then resolved once for all of them."""
        known = self._known.setdefault(root, {})
        states = [state for state in files if state.path not in known]
        if not states:
            return
        hashed = hash_many(
            root, [state.path for state in states], limit_bytes=MAX_SOURCE_BYTES, budget_bytes=self._left
        )
        known.update(hashed)
        sizes = {state.path: state.size for state in states}
        self._left -= sum(sizes[path] for path, result in hashed.items() if isinstance(result, str))
        self._left = max(self._left, 0)

    def contents(self, root: Path, paths: Sequence[str]) -> dict[str, bytes | None]:
        """The bytes of files as they are on the disk; None also for one that is too large or leads out."""
        return {path: self._content(root, path) for path in paths}

    def sha256(self, root: Path, path: str) -> str | None:
        """The hash that a judgement took."""
        found = self._known.get(root, {}).get(path)
        return found if isinstance(found, str) else None

    def located(self, root: Path, path: str) -> Located:
        """The repository that a file belongs to, and its work tree."""
        return Located(self._repositories.holding(root, path), Side.WORKTREE)

    def _content(self, root: Path, path: str) -> bytes | None:
        folder, _, name = path.rpartition("/")
        key = (root, folder)
        if key not in self._folders:
            top = os.path.realpath(root)
            real = os.path.realpath(f"{top}/{folder}")
            self._folders[key] = (top, real if os.path.commonpath([top, real]) == top else None)
        top, inside = self._folders[key]
        if inside is None:
            return None
        try:
            content = read_regular(f"{inside}/{name}", MAX_SOURCE_BYTES)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.EMLINK):
                return None
            return _behind_link(top, f"{inside}/{name}")
        return content.data if content.whole else None


def _behind_link(top: str, link: str) -> bytes | None:
    real = os.path.realpath(link)
    try:
        content = read_regular(real, MAX_SOURCE_BYTES) if os.path.commonpath([top, real]) == top else None
    except OSError:
        return None
    return content.data if content is not None and content.whole else None


def _passes_gate(root: Path, state: RecordedState) -> bool:
    """Whether size and timestamps are those of the recording, by git's rule for racy ones."""
    try:
        now = (root / state.path).stat()
    except OSError:
        return False
    return (
        now.st_size == state.size
        and now.st_mtime_ns == state.mtime_ns
        and now.st_ctime_ns == state.ctime_ns
        and now.st_ino == state.inode
        and not is_racy(state.mtime_ns, state.hashed_at_ns)
    )
