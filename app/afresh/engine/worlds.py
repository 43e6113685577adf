"""What is known of a checkout when the claims of its notes are judged, kept until something changes.

Whatever is not known counts as there: a file whose definitions could not be read has those that it had, a
name that another checkout lacks is no business of this one.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from afresh.store import files, once, symbols
from afresh.store.cursor import Cursor
from afresh.store.database import Store
from afresh.store.projects import Checkout
from afresh_indexer.claim_world import PathIndex, World
from afresh_indexer.errors import GitFailed, IndexerError
from afresh_indexer.history import NoRepository, Revisions, RevisionUnknown
from afresh_indexer.repository import marker_above
from afresh_indexer.runners import is_runner_file, runners

if TYPE_CHECKING:
    from afresh_indexer.claims import Claim

HISTORY_TIMEOUT_S = 20.0
"""Seconds that git may take to list what was there once; claims are judged without it then."""
TEXTS_AT_MOST = 20_000
"""Texts whose claims are kept."""
_RUNNER_FILES_AT_MOST = 500
_RUNNER_FILE_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class KnownWorld:
    """A checkout as far as it is known."""

    world: World
    files: int
    """How many files its index has; where there are none, nothing can be judged."""
    note: str
    """What was not read of its history and why; empty where nothing was left out."""


@dataclass(frozen=True, slots=True)
class _Past:
    """What git tells of a root at a commit."""

    root: str
    head: str
    paths: frozenset[str]
    note: str


class Readings:
    """The claims of the texts that were read last: a text claims the same wherever it is judged."""

    def __init__(self, at_most: int = TEXTS_AT_MOST) -> None:
        self._at_most = at_most
        self._lock = threading.Lock()
        self._kept: dict[tuple[bytes, bool], Sequence[Claim]] = {}

    def of(self, text: str, source_path: str | None) -> Sequence[Claim]:
        """What a text claims; whether it is a file's counts, which file it is does not."""
        key = (hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest(), source_path is not None)
        kept = self._kept.get(key)
        if kept is None:
            # Imported with the first text: its patterns take longer to compile than a keeper to start.
            from afresh_indexer.claims import claims

            kept = tuple(claims(text, source_path=source_path))
            with self._lock:
                self._kept[key] = kept
                while len(self._kept) > self._at_most:
                    del self._kept[next(iter(self._kept))]
        return kept


@dataclass(frozen=True, slots=True)
class _Kept:
    """A world, and the state that it is the world of."""

    checkout: Checkout
    head: str
    stamp: tuple[object, ...]
    known: KnownWorld


class Worlds:
    """The world of the checkout that was asked about last. Safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: _Kept | None = None
        self._generation = -1
        self._past: _Past | None = None

    def of(self, store: Store, checkout: Checkout) -> KnownWorld:
        """The world of a checkout, read again when its index has changed or HEAD has moved."""
        with self._lock:
            revisions, note = _revisions(Path(checkout.root))
            head = _head(revisions)
            kept = self._kept
            if kept is None or (kept.checkout, kept.head) != (checkout, head):
                kept = None
            # Taken before the reading begins: what is written meanwhile makes the next call look again.
            generation = store.generation
            if kept is None or generation != self._generation:
                with store.read() as cursor:
                    stamp = files.stamp(cursor, checkout.id)
                    if kept is None or kept.stamp != stamp:
                        past = self._past_of(checkout.root, head, revisions, note)
                        kept = _Kept(checkout, head, stamp, _known(cursor, checkout, past, revisions))
                self._kept, self._generation = kept, generation
            return kept.known

    def _past_of(self, root: str, head: str, revisions: Revisions | None, note: str) -> _Past:
        """What git tells of the past, listed once for each commit: of a long history that takes a second."""
        past = self._past
        if past is None or (past.root, past.head) != (root, head) or revisions is None:
            past = self._past = _past(root, head, revisions, note)
        return past


def _revisions(root: Path) -> tuple[Revisions | None, str]:
    """The repository of a folder; None, with the reason if there is one that git refuses."""
    try:
        return Revisions.open(root, timeout_s=HISTORY_TIMEOUT_S), ""
    except NoRepository as error:
        return None, str(error) if marker_above(root) is not None else ""
    except GitFailed as error:
        return None, str(error)


def _head(revisions: Revisions | None) -> str:
    """The commit that is checked out; empty where there is none yet."""
    try:
        return revisions.resolve("HEAD") if revisions is not None else ""
    except (RevisionUnknown, GitFailed):
        return ""


def _past(root: str, head: str, revisions: Revisions | None, note: str) -> _Past:
    if revisions is None:
        return _Past(root, head, frozenset(), note)
    try:
        return _Past(root, head, revisions.paths_once(), note)
    except IndexerError as error:
        return _Past(root, head, frozenset(), str(error))


def _known(cursor: Cursor, checkout: Checkout, past: _Past, revisions: Revisions | None) -> KnownWorld:
    root = Path(checkout.root)
    here = files.paths(cursor, checkout.id)
    left_out = files.excluded(cursor, checkout.id)
    defined: dict[str, Collection[str]] = dict(symbols.names_by_path(cursor, checkout.id))
    once_paths = once.paths(cursor, checkout.id)
    once_names = once.names(cursor, checkout.id)

    def exists(path: str) -> bool:
        return os.path.lexists(root / path)

    known_files = {*here, *(path for path in left_out if exists(path))}
    for path, names in once_names.items():
        if path not in defined and (path in known_files or exists(path)):
            defined[path] = names
    world = World(
        paths=PathIndex(known_files),
        exists=exists,
        once_paths=PathIndex(past.paths | once_paths),
        symbols=defined,
        once_symbols=once_names,
        commands=_commands(root, here),
        commit=_Commits(revisions).has if revisions is not None else _no_commits,
        name=root.name,
    )
    return KnownWorld(world, len(here), past.note)


class _Commits:
    """Looks commits up; one that was there once is not looked up again."""

    def __init__(self, revisions: Revisions) -> None:
        self._has: Callable[[str], bool | None] = revisions.has_commit
        self._found: set[str] = set()

    def has(self, commit: str) -> bool | None:
        if commit in self._found:
            return True
        try:
            there = self._has(commit)
        except GitFailed:
            return None
        if there:
            self._found.add(commit)
        return there


def _no_commits(_: str) -> bool | None:
    return None


def _commands(root: Path, paths: Collection[str]) -> Mapping[str, Collection[str]]:
    """What the workspace's own files can run; nothing where one of them could not be read."""
    wanted = [path for path in paths if is_runner_file(path)]
    if len(wanted) > _RUNNER_FILES_AT_MOST:
        return {}
    contents: dict[str, bytes] = {}
    for path in wanted:
        try:
            with (root / path).open("rb") as file:
                contents[path] = file.read(_RUNNER_FILE_BYTES + 1)
        except OSError:
            return {}
        if len(contents[path]) > _RUNNER_FILE_BYTES:
            return {}
    return runners(contents)
