"""Which paths under a root count, by the rules that its developers already wrote for git.

git itself decides, in the repository of the root or, where there is none, in an empty one lent to it: the
same program as in `git status`, so that the two can't disagree, but for the files that people write for
agents: these count although git ignores them (`agent_files`). `.afreshignore` files, in the same syntax and
at every level, leave out more, also files that git tracks; they take nothing back in. In a folder that git
ignores only a tracked one is read.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from afresh_indexer.agent_files import is_agent_file
from afresh_indexer.git_tree import RULE_FILE, GitTree, empty_repository
from afresh_indexer.ignore_without_git import FolderRules
from afresh_indexer.own_rules import OwnRules
from afresh_indexer.repository import git_available, marker_above, probe
from afresh_indexer.work_trees import WorkTrees, ancestors, folders_of, is_link, lent_to

SOURCE_GIT = "git"
SOURCE_LENT = "git (no repository)"
SOURCE_PATHSPEC = "pathspec (git is not installed)"


@dataclass(frozen=True, slots=True)
class Listing:
    """What a root holds, by its rules."""

    paths: list[str]
    """Files and links, POSIX, relative to the root. A tracked file that was deleted is among them."""
    bad_names: tuple[str, ...] = ()
    """Names that are not UTF-8, with the offending bytes as `\\xNN`."""
    unreadable: tuple[str, ...] = ()
    """Folders that could not be looked into."""
    other_checkouts: tuple[str, ...] = ()
    """Worktrees of the root's own repository below it: the same project again, so not part of this one."""
    left_out: int = 0
    """Files that only `.afreshignore` leaves out."""
    problems: tuple[str, ...] = ()
    """Repositories below the root that git refuses to open, listed without their index."""


class IgnoreRules:
    """The rules of one root. It keeps no listing: every answer is from the disk at the moment of the call."""

    def __init__(self, root: str, source: str, note: str, deciding: _ByGit | FolderRules) -> None:
        self.root = root
        self.source = source
        """`git`, `git (no repository)` or `pathspec (git is not installed)`."""
        self.note = note
        """Why the source is not the root's own repository, where one is there; else empty."""
        self._deciding = deciding

    @classmethod
    def for_root(cls, root: Path, git_dir_home: Path) -> IgnoreRules:
        """Find out who decides for `root`.

        `git_dir_home` is a folder of ours for an empty repository. Raises GitFailed where git breaks off.
        """
        real = os.path.realpath(root)
        if not git_available():
            return cls(real, SOURCE_PATHSPEC, "", FolderRules(real))
        lender = empty_repository(git_dir_home)
        checkout = probe(Path(real))
        note = checkout.problem
        if checkout.toplevel is not None:
            top = str(checkout.toplevel)
            tree = GitTree(real, top, {})
            if not _hides(tree):
                trees = WorkTrees(real, tree, checkout.common_dir, lender)
                return cls(real, SOURCE_GIT, "", _ByGit(trees, OwnRules(top, _prefix(real, top), lender)))
            note = f"the repository at {top} ignores {real}"
        marker = marker_above(Path(real)) if checkout.problem else None
        top = real if marker is None else str(marker)
        trees = WorkTrees(real, GitTree(real, top, lent_to(top, lender)), None, lender)
        return cls(real, SOURCE_LENT, note, _ByGit(trees, OwnRules(top, _prefix(real, top), lender)))

    def list_paths(self) -> list[str]:
        """The files and links that count, relative to the root. Raises GitFailed."""
        return self.listing().paths

    def listing(self, under: Collection[str] | None = None) -> Listing:
        """What counts in the whole root, or at and below the paths `under`. Raises GitFailed."""
        if isinstance(self._deciding, FolderRules):
            walked = self._deciding.listing()
            paths = walked.paths if under is None else _at_or_below(walked.paths, under)
            return Listing(paths, bad_names=walked.bad_names, unreadable=walked.unreadable)
        wanted = (
            None if under is None else [path for path in _topmost(under) if not self._beyond_a_link(path)]
        )
        if wanted is not None and not wanted:
            return Listing([])
        found = self._deciding.trees.listing(None if wanted is None else [*wanted, *_rule_files(wanted)])
        paths = list(dict.fromkeys(found.paths))
        if wanted is not None:
            paths = _at_or_below(paths, wanted)
        linked = self._linked(folders_of(paths))
        if linked:
            paths = [path for path in paths if linked.isdisjoint(ancestors(path))]
        left_out = self._deciding.own.ignored(paths, found.rule_files, files_only=True)
        if left_out:
            paths = [path for path in paths if path not in left_out]
        return Listing(
            paths,
            bad_names=tuple(found.bad_names),
            unreadable=tuple(found.unreadable),
            other_checkouts=tuple(found.other_checkouts),
            left_out=len(left_out),
            problems=tuple(found.problems),
        )

    def ignored(self, paths: Collection[str]) -> set[str]:
        """Those of `paths`, files or folders, that don't count. Raises GitFailed.

        A folder is ignored when nothing below it can count: one that a rule matches but that holds tracked
        files is not. It agrees with `list_paths` on every file that is there.
        """
        if isinstance(self._deciding, FolderRules):
            rules = self._deciding
            return {path for path in paths if _in_git_folder(path) or rules.explain(path) is not None}
        out = {path for path in paths if _in_git_folder(path) or self._beyond_a_link(path)}
        out |= self._left_out([path for path in paths if path not in out])
        rest = [path for path in paths if path not in out]
        if not rest:
            return out
        rule_files = self._deciding.trees.listing(_rule_files(rest)).rule_files
        return out | self._deciding.own.ignored(rest, rule_files)

    def ignored_entries(self) -> list[str]:
        """What git's rules leave out, a folder that is left out whole as one entry with a slash at its end.

        It is what a summary counts and a watch need not look at. Raises GitFailed.
        """
        deciding = self._deciding
        return (deciding if isinstance(deciding, FolderRules) else deciding.trees).ignored_entries()

    def ignored_folders(self) -> frozenset[str]:
        """The folders that are left out whole. Raises GitFailed."""
        return frozenset(entry[:-1] for entry in self.ignored_entries() if entry.endswith("/"))

    def explain(self, path: str) -> str | None:
        """Which rule leaves `path` out, as `file:line: pattern`; None where it counts. Raises GitFailed."""
        if _in_git_folder(path):
            return "it is part of git's own folder"
        if isinstance(self._deciding, FolderRules):
            return self._deciding.explain(path)
        if self._beyond_a_link(path):
            return "it lies beyond a symbolic link"
        reason = self._deciding.trees.explain(path)
        if reason is not None and self._left_out([path]):
            return reason
        own = self._deciding.own.match(path, self._deciding.trees.listing(_rule_files([path])).rule_files)
        return f"{own.source}:{own.line}: {own.pattern}" if own is not None and own.ignores else None

    def _left_out(self, paths: Collection[str]) -> set[str]:
        """Those of `paths` that git's rules leave out, agents' files only where git doesn't look at all."""
        assert isinstance(self._deciding, _ByGit)
        out = self._deciding.trees.ignored(paths)
        agents = [path for path in out if is_agent_file(path)]
        return out.difference(self._deciding.trees.listing(agents).paths) if agents else out

    def _beyond_a_link(self, path: str) -> bool:
        return any(is_link(f"{self.root}/{folder}") for folder in ancestors(path))

    def _linked(self, folders: Collection[str]) -> set[str]:
        """The folders that are links: git goes on listing a tracked file when a link replaces its folder."""
        return {folder for folder in folders if folder and is_link(f"{self.root}/{folder}")}


@dataclass(frozen=True, slots=True)
class _ByGit:
    """git decides, and leaves the last word to our own rule files."""

    trees: WorkTrees
    own: OwnRules


def _prefix(folder: str, top: str) -> str:
    return "" if folder == top else Path(os.path.relpath(folder, top)).as_posix() + "/"


def _hides(tree: GitTree) -> bool:
    """Whether the repository around the root ignores it, as one that keeps a home folder may."""
    if tree.folder == tree.top:
        return False
    around = GitTree(tree.top, tree.top, {})
    return bool(around.matched([_prefix(tree.folder, tree.top)[:-1]])) and not tree.tracked()


def _rule_files(paths: Collection[str]) -> list[str]:
    """Where `.afreshignore` files that concern `paths` may stand."""
    return [f"{folder}/{RULE_FILE}" if folder else RULE_FILE for folder in folders_of(paths)]


def _topmost(paths: Collection[str]) -> list[str]:
    """The paths without those that lie below another of them."""
    tops = set(paths)
    return [path for path in tops if tops.isdisjoint(ancestors(path))]


def _in_git_folder(path: str) -> bool:
    return ".git" in path.split("/")


def _at_or_below(paths: list[str], tops: Collection[str]) -> list[str]:
    wanted = set(tops)
    return [path for path in paths if path in wanted or not wanted.isdisjoint(ancestors(path))]
