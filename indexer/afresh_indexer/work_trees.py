"""The work trees at and below a root: its own, and the repositories and submodules nested in it.

Each is asked through its own git, because each has rules of its own; where one begins, the outer git decides.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from afresh_indexer.errors import GitFailed
from afresh_indexer.git_tree import GitTree, TreeListing
from afresh_indexer.repository import probe

_MANY_PATHS = 64
"""Beyond this, listing everything is cheaper than having git compare each name with each path."""


@dataclass(frozen=True, slots=True)
class WorkTree:
    """One work tree at or below the root."""

    prefix: str
    """Relative to the root, with a slash at its end, or empty."""
    tree: GitTree
    problem: str = ""
    """Why git won't open its repository, so that it is listed without one."""


@dataclass(slots=True)
class Found:
    """What a listing gathers from one work tree after the other; all paths are relative to the root."""

    paths: list[str] = field(default_factory=list)
    bad_names: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    other_checkouts: list[str] = field(default_factory=list)
    rule_files: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def add(self, place: WorkTree, listed: TreeListing) -> None:
        """Take in a work tree's listing, its names as text."""
        if place.problem:
            self.problems.append(place.problem)
        self.unreadable += [place.prefix + folder for folder in listed.unreadable]
        self.rule_files += [place.prefix + os.fsdecode(name) for name in listed.rule_files]
        try:
            # One decoding for all: names that are not UTF-8 are rare.
            names = b"\0".join(listed.names).decode("utf-8").split("\0") if listed.names else []
        except UnicodeDecodeError:
            names = []
            for name in listed.names:
                try:
                    names.append(name.decode("utf-8"))
                except UnicodeDecodeError:
                    self.bad_names.append(place.prefix + name.decode("utf-8", "backslashreplace"))
        self.paths += [place.prefix + name for name in names] if place.prefix else names


class WorkTrees:
    """Asks the git of the root and those below it as one."""

    def __init__(self, root: str, outermost: GitTree, common_dir: Path | None, lender: Path) -> None:
        self._root = root
        self._outermost = WorkTree("", outermost)
        self._common_dir = common_dir
        self._lender = lender

    def listing(self, under: Collection[str] | None) -> Found:
        """Everything, or what is at and below `under` and perhaps more. Raises GitFailed.

        None of `under` may lie below another of it.
        """
        found = Found()
        self._collect(self._outermost, under, found)
        return found

    def ignored(self, paths: Collection[str]) -> set[str]:
        """Those of `paths` that git's rules, or the nesting of repositories, leave out. Raises GitFailed."""
        return self._ignored(self._outermost, paths)

    def ignored_entries(self) -> list[str]:
        """What is ignored, a folder that is so as a whole with a slash at its end. Raises GitFailed."""
        entries: list[str] = []
        waiting = [self._outermost]
        while waiting:
            place = waiting.pop()
            entries += [place.prefix + entry for entry in place.tree.ignored_entries()]
            for name in place.tree.listing().nested:
                nested = self._open(place.prefix + os.fsdecode(name))
                if nested is not None:
                    waiting.append(nested)
        return entries

    def explain(self, path: str) -> str | None:
        """The rule of git's that leaves `path` out, or the checkout that it belongs to. Raises GitFailed."""
        place: WorkTree | None = self._outermost
        while place is not None:
            folder = self._repository_above(place, path, {})
            asked = path if folder is None else folder
            match = place.tree.match(asked)
            if match is not None and match.ignores and not _holds(place.tree.tracked(), asked):
                return f"{match.source}:{match.line}: {match.pattern}"
            if folder is None:
                return None
            prefix = place.prefix + folder
            place = self._open(prefix)
            if place is None:
                return f"{prefix} is another checkout of the same repository"
            path = path[len(folder) + 1 :]
            if not path:
                return None
        return None

    def _collect(self, place: WorkTree, under: Collection[str] | None, found: Found) -> None:
        """List a work tree and what is nested in it; `under` is relative to the place."""
        if under is not None and len(under) > _MANY_PATHS:
            under = None
        outer, inner = _split(place, under)
        try:
            listed = place.tree.listing(outer)
        except GitFailed:
            # A path that git won't take as a limit, such as one in a submodule that isn't checked out.
            if outer is None:
                raise
            listed = place.tree.listing()
        found.add(place, listed)
        for name in listed.nested:
            folder = name.decode("utf-8", "backslashreplace")
            if folder != os.fsdecode(name):
                found.bad_names.append(place.prefix + folder)
                continue
            nested = self._open(place.prefix + folder)
            if nested is None:
                found.other_checkouts.append(place.prefix + folder)
            else:
                self._collect(nested, inner.get(folder), found)

    def _open(self, folder: str) -> WorkTree | None:
        """The work tree in a folder below the root; None for another checkout of the root's repository."""
        full = f"{self._root}/{folder}"
        # Without a ceiling, a broken repository would be taken for a part of the one around it.
        ceiling = {"GIT_CEILING_DIRECTORIES": str(Path(full).parent)}
        checkout = probe(Path(full), variables=ceiling)
        if checkout.toplevel is None:
            lent = GitTree(full, full, lent_to(full, self._lender))
            return WorkTree(folder + "/", lent, checkout.problem)
        if checkout.common_dir == self._common_dir:
            return None
        return WorkTree(folder + "/", GitTree(full, full, ceiling))

    def _ignored(self, place: WorkTree, paths: Collection[str]) -> set[str]:
        """As `ignored`, for paths relative to the root and inside the place."""
        own: dict[str, str] = {}
        inner: dict[str, list[str]] = {}
        decided: dict[str, bool] = {}
        for path in paths:
            rest = path[len(place.prefix) :]
            folder = self._repository_above(place, rest, decided)
            if folder is None:
                own[rest] = path
            else:
                inner.setdefault(folder, []).append(path)
        matched = place.tree.matched(own)
        if matched:
            tracked = place.tree.tracked()
            matched -= folders_of(tracked) | tracked
        out = {own[rest] for rest in matched}
        for folder, below in inner.items():
            nested = self._open(place.prefix + folder)
            if nested is None:
                out |= set(below)
            else:
                out |= self._ignored(nested, [path for path in below if path != place.prefix + folder])
        return out

    def _repository_above(self, place: WorkTree, path: str, decided: dict[str, bool]) -> str | None:
        """The first folder on the way down to `path` that git takes for a repository of its own."""
        for folder in _markers(place, path):
            if folder not in decided:
                decided[folder] = os.fsencode(folder) in place.tree.listing([folder]).nested
            if decided[folder]:
                return folder
        return None


def lent_to(top: str, lender: Path) -> dict[str, str]:
    """The variables that let git work in a tree without a repository."""
    return {"GIT_DIR": str(lender), "GIT_WORK_TREE": top}


def folders_of(paths: Collection[str]) -> set[str]:
    """Every folder that holds one of `paths` (relative), the root as "" among them."""
    folders = {path.rpartition("/")[0] for path in paths}
    for folder in list(folders):
        parent = folder.rpartition("/")[0]
        while parent not in folders:
            folders.add(parent)
            parent = parent.rpartition("/")[0]
    folders.add("")
    return folders


def ancestors(path: str) -> Iterator[str]:
    """The folders on the way down to `path`, topmost first, without the root."""
    end = path.find("/")
    while end >= 0:
        yield path[:end]
        end = path.find("/", end + 1)


def is_link(path: str) -> bool:
    """Whether a symbolic link is there."""
    try:
        return stat.S_ISLNK(os.lstat(path).st_mode)
    except OSError:
        return False


def _split(
    place: WorkTree, under: Collection[str] | None
) -> tuple[Collection[str] | None, dict[str, list[str] | None]]:
    """The limits for the place itself, and for each repository nested in it those below that one."""
    if under is None:
        return None, {}
    outer: dict[str, None] = {}
    inner: dict[str, list[str] | None] = {}
    for path in under:
        folder = next(_markers(place, path), None)
        if folder is None:
            outer[path] = None
            continue
        outer[folder] = None
        if folder == path:
            inner[folder] = None
            continue
        limits = inner.setdefault(folder, [])
        if limits is not None:
            limits.append(path[len(folder) + 1 :])
    return list(outer), inner


def _markers(place: WorkTree, path: str) -> Iterator[str]:
    """The folders on the way from the place down to `path`, itself among them, that have a `.git`."""
    for folder in (*ancestors(path), path):
        if os.path.lexists(f"{place.tree.folder}/{folder}/.git"):
            yield folder


def _holds(tracked: set[str], path: str) -> bool:
    """Whether `path` is tracked, or a folder with something tracked below it."""
    return path in tracked or any(name.startswith(path + "/") for name in tracked)
