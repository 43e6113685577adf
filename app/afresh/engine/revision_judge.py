"""Whether cited files are, at a commit or in the index, what they were: from git objects, no checkout."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from afresh.contracts import UnverifiableFile
from afresh.engine.freshness import MAX_SOURCE_BYTES, RecordedState, Verdict
from afresh.errors import UsageError
from afresh_indexer.errors import GitFailed
from afresh_indexer.history import NoRepository, Revisions, RevisionUnknown, Side
from afresh_indexer.old_versions import line_end_variants

_AT_ONCE_BYTES = 16 * 1024 * 1024
"""So much is read by one process of git; what a call holds in memory stays near it."""


class RevisionJudge:
    """Judges at one revision, or what is staged. A link, submodule or folder counts as no file.

    A work tree may have other line ends than git keeps: a blob counts as unchanged where one of the ways to
    check it out has the recorded bytes.
    """

    def __init__(self, revision: str | Side, *, index_file: Path | None = None) -> None:
        self.gated = False
        self.at: str | None = revision.value if isinstance(revision, Side) else revision
        self.revision = revision
        self._index_file = index_file
        self._repositories: dict[Path, Revisions] = {}
        self._hashes: dict[Path, dict[str, tuple[str, ...] | None]] = {}

    def repository(self, root: Path) -> Revisions:
        """The repository of a root. Raises UsageError that says what is missing."""
        if root not in self._repositories:
            try:
                opened = Revisions.open(root, index_file=self._index_file)
                if isinstance(self.revision, str):
                    opened.resolve(self.revision)
            except (NoRepository, RevisionUnknown, GitFailed) as error:
                raise UsageError(f"{root} can't be judged at {self.at}: {error}") from None
            self._repositories[root] = opened
        return self._repositories[root]

    def read(self, root: Path, files: Iterable[RecordedState]) -> None:
        """Hash files as the revision has them; some megabytes at a time. Raises UsageError."""
        known = self._hashes.setdefault(root, {})
        new = {state.path: state for state in files if state.path not in known}
        for batch in _batches(list(new.values())):
            for path, data in self.contents(root, [state.path for state in batch]).items():
                known[path] = None if data is None else tuple(_hashes(data))

    def judge(self, root: Path, files: Iterable[RecordedState]) -> Verdict:
        """As `Judge.judge`. Raises UsageError for a root or revision that git does not know."""
        states = list(files)
        self.read(root, states)
        changed: list[str] = []
        missing: list[str] = []
        unverifiable: list[UnverifiableFile] = []
        for state in states:
            hashes = self._hashes[root][state.path]
            if hashes is None:
                missing.append(state.path)
            elif state.sha256 not in hashes:
                changed.append(state.path)
        return Verdict(tuple(changed), tuple(missing), tuple(unverifiable))

    def contents(self, root: Path, paths: Sequence[str]) -> dict[str, bytes | None]:
        """The bytes of files as git stores them. Raises UsageError."""
        revisions = self.repository(root)
        try:
            if isinstance(self.revision, Side):
                return revisions.staged(paths, limit_bytes=MAX_SOURCE_BYTES)
            return revisions.read(self.revision, paths, limit_bytes=MAX_SOURCE_BYTES)
        except (RevisionUnknown, GitFailed) as error:
            raise UsageError(f"{root} can't be judged at {self.at}: {error}") from None

    def sha256(self, root: Path, path: str) -> str | None:
        """The hash of a file's bytes as git stores them."""
        hashes = self._hashes.get(root, {}).get(path)
        return hashes[0] if hashes else None


def _hashes(data: bytes) -> Iterator[str]:
    return (hashlib.sha256(variant).hexdigest() for variant in line_end_variants(data))


def _batches(states: Sequence[RecordedState]) -> Iterator[list[RecordedState]]:
    batch: list[RecordedState] = []
    size = 0
    for state in states:
        batch.append(state)
        size += state.size
        if size >= _AT_ONCE_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
