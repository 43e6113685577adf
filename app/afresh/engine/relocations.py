"""Where code that left its file may be now: files that changed since it was recorded, ready for a search."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path, PurePosixPath

from afresh.engine.freshness import Judge
from afresh.engine.repositories import Place
from afresh.store import files, projects, symbols
from afresh.store.citations import FileCitation
from afresh.store.database import Store
from afresh_indexer.changed_paths import ChangedPath
from afresh_indexer.errors import IndexerError
from afresh_indexer.history import Side
from afresh_indexer.languages import HEAD_BYTES, language_of
from afresh_indexer.relocate import CandidateFile, Relocator

MOST_FILES = 400
MOST_BYTES = 3 * 1024 * 1024
"""Of the files in which one lost thing is looked for; nearest to its place first."""


class Relocations:
    """Makes relocators for one call; what was read for one lost thing serves the others.

    Where git has a commit from before the recording, the candidates are what changed since, each with what it
    was then, so that a copy that stood there all along is not taken for the place that something moved to.
    Elsewhere the index tells what it has read since, and the disk what was written since.
    """

    def __init__(self, store: Store, judge: Judge) -> None:
        self._store = store
        self._judge = judge
        self._changed: dict[tuple[Path, str, str], list[ChangedPath]] = {}
        self._made: dict[tuple[object, ...], Relocator] = {}
        self._standing: dict[tuple[Path, datetime], frozenset[str]] = {}

    def of_spans(self, root: Path, lost: FileCitation, since: datetime | None) -> Relocator:
        """Searches the files of the lost one's language, itself left out."""
        return self._relocator(root, lost, since, whole=False)

    def of_file(self, root: Path, lost: FileCitation, since: datetime | None) -> Relocator:
        """Searches the files that came into being since, for one that the lost one became."""
        return self._relocator(root, lost, since, whole=True)

    def _relocator(self, root: Path, lost: FileCitation, since: datetime | None, *, whole: bool) -> Relocator:
        key = (root, lost.path, lost.sha256, since, whole)
        if key not in self._made:
            self._made[key] = Relocator(self._candidates(root, lost, since, whole=whole))
        return self._made[key]

    def _candidates(
        self, root: Path, lost: FileCitation, since: datetime | None, *, whole: bool
    ) -> Iterable[CandidateFile]:
        located = self._judge.located(root, lost.path)
        place, at = located.place, located.at
        if place is None:
            return self._from_index(root, lost, since)
        head = at if isinstance(at, str) else "HEAD"
        base = self._base(place, lost, since, head) if since else None
        if base is not None:
            return self._from_git(root, place, base, at, lost, since, whole=whole)
        return self._without_base(root, place, at, lost, since)

    def _base(self, place: Place, lost: FileCitation, since: datetime, head: str) -> str | None:
        try:
            return place.revisions.commit_of_recording(since, place.inside(lost.path), lost.sha256, head)
        except IndexerError:
            return None

    def _from_git(
        self,
        root: Path,
        place: Place,
        base: str,
        at: str | Side,
        lost: FileCitation,
        since: datetime | None,
        *,
        whole: bool,
    ) -> list[CandidateFile]:
        changed: dict[str, ChangedPath] = {}
        for change in self._changes(root, place, base, at):
            path = place.outside(change.path)
            if (
                path is not None
                and path != lost.path
                and change.status not in ("D", "U")
                and _is_of_its_kind(path, lost)
                and (change.status in ("A", "R") or not whole)
            ):
                changed[path] = change
        nearest = sorted(changed, key=lambda path: _distance(path, lost.path))[:MOST_FILES]
        now = self._judge.contents(root, nearest)
        earlier = {
            path: changed[path].old_path or changed[path].path
            for path in nearest
            if changed[path].status != "A"
        }
        before = place.revisions.read(base, earlier.values()) if earlier and not whole else {}
        # What git didn't know yet may have stood there all the same.
        stood = self._stood(root, since) if len(earlier) < len(nearest) else frozenset()
        return _within_bounds(
            CandidateFile(
                path,
                data,
                language_of(path, data[:HEAD_BYTES]),
                before.get(earlier.get(path, "")),
                stood=path not in earlier and path in stood,
            )
            for path, data in now.items()
            if data is not None
        )

    def _stood(self, root: Path, since: datetime | None) -> frozenset[str]:
        """The files that the index had read before the recording, and not again since."""
        if since is None:
            return frozenset()
        if (root, since) not in self._standing:
            with self._store.read() as cursor:
                held = projects.checkout_holding(cursor, str(root))
                paths = files.indexed_until(cursor, held[1].id, since) if held is not None else set()
            below = "" if held is None else _prefix(Path(held[1].root), root)
            self._standing[root, since] = frozenset(
                path.removeprefix(below) for path in paths if path.startswith(below)
            )
        return self._standing[root, since]

    def _changes(self, root: Path, place: Place, base: str, at: str | Side) -> list[ChangedPath]:
        key = (root, place.below, base)
        if key not in self._changed:
            try:
                self._changed[key] = place.revisions.changed_paths(base, at)
            except IndexerError:
                self._changed[key] = []
        return self._changed[key]

    def _without_base(
        self, root: Path, place: Place, at: str | Side, lost: FileCitation, since: datetime | None
    ) -> list[CandidateFile]:
        """Of a repository that had no commit at the recording: everything in it."""
        try:
            paths = [place.outside(path) for path in place.revisions.paths(at)]
        except IndexerError:
            return []
        return self._new_ones(root, [path for path in paths if path is not None], lost, since)

    def _from_index(self, root: Path, lost: FileCitation, since: datetime | None) -> list[CandidateFile]:
        with self._store.read() as cursor:
            held = projects.checkout_holding(cursor, str(root))
            if held is None:
                return []
            checkout = held[1]
            found: dict[str, None] = {}
            for span in lost.spans:
                if span.source_sha256 is not None:
                    for path, _ in symbols.find(cursor, checkout.id, "source_sha256", span.source_sha256):
                        found[path] = None
                if span.symbol is not None:
                    name = span.symbol.rpartition(".")[2]
                    for path, _ in symbols.find(cursor, checkout.id, "name", name):
                        found[path] = None
            for path in files.with_content(cursor, checkout.id, lost.sha256):
                found[path] = None
            for path in files.indexed_since(cursor, checkout.id, since, MOST_FILES):
                found[path] = None
        below = Path(checkout.root)
        paths = [
            (below / path).relative_to(root).as_posix()
            for path in found
            if (below / path).is_relative_to(root)
        ]
        return self._new_ones(root, paths, lost, since)

    def _new_ones(
        self, root: Path, paths: Iterable[str], lost: FileCitation, since: datetime | None
    ) -> list[CandidateFile]:
        """Of some files those that became what they are since the recording, by the disk's own stamps."""
        kind = [path for path in paths if path != lost.path and _is_of_its_kind(path, lost)]
        new = [path for path in kind if since is None or _changed_since(root / path, since)]
        nearest = sorted(new, key=lambda path: _distance(path, lost.path))[:MOST_FILES]
        now = self._judge.contents(root, nearest)
        stood = self._stood(root, since)
        return _within_bounds(
            CandidateFile(path, data, language_of(path, data[:HEAD_BYTES]), stood=path in stood)
            for path, data in now.items()
            if data is not None
        )


def _prefix(checkout: Path, root: Path) -> str:
    """What the paths of a checkout begin with that lie below a root in it."""
    below = root.relative_to(checkout).as_posix()
    return "" if below == "." else f"{below}/"


def _changed_since(path: Path, since: datetime) -> bool:
    """Whether a file was written, or came to its place, after a moment; also one that can't be asked."""
    try:
        stamps = path.lstat()
    except OSError:
        return True
    # A rename keeps the time of the content, and sets that of the entry.
    return max(stamps.st_mtime_ns, stamps.st_ctime_ns) >= int(since.timestamp() * 1e9)


def _is_of_its_kind(path: str, lost: FileCitation) -> bool:
    """Whether a file can be where another one's code is now: of its language, or at least of its ending."""
    if lost.language is not None:
        return language_of(path, b"") in (lost.language, None)
    return PurePosixPath(path).suffix == PurePosixPath(lost.path).suffix


def _distance(path: str, other: str) -> tuple[bool, int]:
    """The same name first, then by how many folders lie between."""
    one, two = PurePosixPath(path), PurePosixPath(other)
    shared = 0
    for here, there in zip(one.parent.parts, two.parent.parts, strict=False):
        if here != there:
            break
        shared += 1
    return one.name.lower() != two.name.lower(), len(one.parts) + len(two.parts) - 2 * shared


def _within_bounds(candidates: Iterable[CandidateFile]) -> list[CandidateFile]:
    found: list[CandidateFile] = []
    size = 0
    for candidate in candidates:
        size += len(candidate.data)
        if size > MOST_BYTES and found:
            break
        found.append(candidate)
    return found
