"""Whether cited files are, at a commit or in the index, what they were: from git objects, no checkout."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from afresh.contracts import UnverifiableFile
from afresh.engine.freshness import MAX_SOURCE_BYTES, Located, RecordedState, Verdict
from afresh.engine.repositories import Place, Repositories
from afresh.errors import UsageError
from afresh_indexer.errors import GitFailed
from afresh_indexer.history import NoRepository, RevisionUnknown, Side
from afresh_indexer.old_versions import line_end_variants

_AT_ONCE_BYTES = 16 * 1024 * 1024
"""So much is read by one process of git; what a call holds in memory stays near it."""


class RevisionJudge:
    """Judges at one revision, or what is staged; a file in a submodule at the commit that is named there.

    Files have the line ends that a checkout here would give them. A bare repository has no checkout: there a
    blob also counts as unchanged that has the recorded bytes with CRLF, unless git kept it with those then.
    """

    def __init__(self, revision: str | Side, *, index_file: Path | None = None) -> None:
        self.gated = False
        self.at: str | None = revision.value if isinstance(revision, Side) else revision
        self.revision = revision
        self._repositories = Repositories(index_file)
        self._places: dict[Path, Place] = {}
        self._hashes: dict[Path, dict[str, str | None]] = {}
        self._unread: dict[Path, dict[str, UnverifiableFile]] = {}

    def repository(self, root: Path) -> Place:
        """The repository of a root. Raises UsageError that says what is missing."""
        if root not in self._places:
            try:
                opened = self._repositories.at(root)
                if isinstance(self.revision, str):
                    opened.revisions.resolve(self.revision)
                elif opened.revisions.bare:
                    opened.revisions.staged(())
            except (NoRepository, RevisionUnknown, GitFailed) as error:
                raise self._refused(root, error) from None
            self._places[root] = opened
        return self._places[root]

    def located(self, root: Path, path: str) -> Located:
        """The repository that has a file at the revision, and that revision there. Raises UsageError."""
        place, at = self.repository(root), self.revision
        below = ""
        try:
            while (held := place.revisions.submodule_of(at, place.inside(path))) is not None:
                folder, commit = held
                below = f"{place.outside(folder) or folder}/"
                inner = self._repositories.of(root / below) if (root / below / ".git").exists() else None
                if inner is None:
                    return Located(None, commit)
                place, at = Place(inner.revisions, below=below), commit
            if isinstance(at, str):
                place.revisions.resolve(at)
        except RevisionUnknown as error:
            if below:
                return Located(None, at)
            raise self._refused(root, error) from None
        except GitFailed as error:
            raise self._refused(root, error) from None
        return Located(place, at)

    def read(self, root: Path, files: Iterable[RecordedState]) -> None:
        """Hash files as the revision has them; some megabytes at a time. Raises UsageError."""
        known = self._hashes.setdefault(root, {})
        unread = self._unread.setdefault(root, {})
        new = {state.path: state for state in files if state.path not in known}
        for batch in _batches(list(new.values())):
            for path, data in self.contents(root, [state.path for state in batch]).items():
                if data is None:
                    known[path] = None
                    reason = self._why_unread(root, path)
                    if reason is not None:
                        unread[path] = reason
                    continue
                known[path] = self._known_again(root, new[path], data) or hashlib.sha256(data).hexdigest()

    def judge(self, root: Path, files: Iterable[RecordedState]) -> Verdict:
        """As `Judge.judge`. Raises UsageError for a root or revision that git does not know."""
        states = list(files)
        self.read(root, states)
        hashes, unread = self._hashes[root], self._unread[root]
        return Verdict(
            changed=tuple(s.path for s in states if hashes[s.path] not in (None, s.sha256)),
            missing=tuple(s.path for s in states if hashes[s.path] is None and s.path not in unread),
            unverifiable=tuple(unread[s.path] for s in states if s.path in unread),
        )

    def contents(self, root: Path, paths: Sequence[str]) -> dict[str, bytes | None]:
        """The bytes of files as a checkout would have them. Raises UsageError."""
        outer = self.repository(root)
        found = self._read(root, Located(outer, self.revision), paths)
        inner: dict[tuple[int, str | Side], tuple[Located, list[str]]] = {}
        for path in [path for path, data in found.items() if data is None]:
            held = self.located(root, path)
            if held.place is not None and held.place.below:
                key = (id(held.place.revisions), held.at)
                inner.setdefault(key, (held, []))[1].append(path)
        for held, lost in inner.values():
            found |= self._read(root, held, lost)
        return found

    def sha256(self, root: Path, path: str) -> str | None:
        """The hash of a file that was judged, with the line ends of a checkout."""
        return self._hashes.get(root, {}).get(path)

    def _read(self, root: Path, held: Located, paths: Sequence[str]) -> dict[str, bytes | None]:
        place = held.place
        assert place is not None
        inside = {place.inside(path): path for path in paths}
        try:
            if isinstance(held.at, Side):
                found = place.revisions.staged(inside, limit_bytes=MAX_SOURCE_BYTES)
            else:
                found = place.revisions.read(held.at, inside, limit_bytes=MAX_SOURCE_BYTES)
            there = {path: data for path, data in found.items() if data is not None}
            converted = place.revisions.checked_out(there)
        except (RevisionUnknown, GitFailed) as error:
            raise self._refused(root, error) from None
        return {path: converted.get(name) for name, path in inside.items()}

    def _why_unread(self, root: Path, path: str) -> UnverifiableFile | None:
        """Why a file that is there could not be read; None for one that is not there."""
        held = self.located(root, path)
        if held.place is None:
            return UnverifiableFile(path=path, reason="unreadable")
        try:
            large = held.place.revisions.is_too_large(held.at, held.place.inside(path), MAX_SOURCE_BYTES)
        except (RevisionUnknown, GitFailed) as error:
            raise self._refused(root, error) from None
        return UnverifiableFile(path=path, reason="too_large") if large else None

    def _known_again(self, root: Path, state: RecordedState, data: bytes) -> str | None:
        """The recorded hash, where a bare repository has a blob of which some checkout has that."""
        place = self.repository(root)
        if not place.revisions.bare or b"\r" in data:
            return None
        if all(hashlib.sha256(variant).hexdigest() != state.sha256 for variant in line_end_variants(data)):
            return None
        if hashlib.sha256(data).hexdigest() == state.sha256 or not isinstance(self.revision, str):
            return state.sha256
        return None if self._was_kept_so(place, state) else state.sha256

    def _was_kept_so(self, place: Place, state: RecordedState) -> bool:
        """Whether git had the recorded bytes themselves: then no checkout had converted them."""
        kept = place.revisions.find_blob(place.inside(state.path), state.size, state.sha256, as_it_is=True)
        return kept is not None

    def _refused(self, root: Path, error: Exception) -> UsageError:
        return UsageError(f"{root} can't be judged at {self.at}: {error}")


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
