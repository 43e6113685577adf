"""The same rules where git is not installed, by pathspec, folder by folder.

It is an approximation: it knows neither an index nor git's settings, and in odd corners of the syntax it
decides otherwise than git. Whoever shows a listing made this way says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from afresh_indexer.agent_files import is_agent_file, may_hold_agent_files
from afresh_indexer.git_tree import RULE_FILE

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

_RULE_FILES = (".gitignore", RULE_FILE)


@dataclass(frozen=True, slots=True)
class PlainListing:
    """What a walk found."""

    paths: list[str]
    bad_names: tuple[str, ...]
    unreadable: tuple[str, ...]


@dataclass(slots=True)
class _Walk:
    paths: list[str] = field(default_factory=list)
    bad_names: list[str] = field(default_factory=list)
    unreadable: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Rules:
    """One rule file: the folder that its patterns are relative to, and the lines as they stand in it."""

    folder: str
    name: str
    lines: tuple[str, ...]
    spec: GitIgnoreSpec


class FolderRules:
    """The rule files below a root, read anew with every call."""

    def __init__(self, root: str) -> None:
        self._root = root

    def listing(self) -> PlainListing:
        """All files and links that no rule leaves out."""
        walk = self._walk()
        return PlainListing(walk.paths, tuple(walk.bad_names), tuple(walk.unreadable))

    def ignored_entries(self) -> list[str]:
        """What the rules leave out, folders with a slash at their end."""
        return self._walk().ignored

    def explain(self, path: str) -> str | None:
        """The rule that leaves `path` or a folder above it out, as `file:line: pattern`."""
        parts = path.split("/")
        rules: list[_Rules] = list(self._rules_of(""))
        hidden: str | None = None
        for depth in range(1, len(parts) + 1):
            name = "/".join(parts[:depth])
            is_folder = depth < len(parts) or Path(self._root, name).is_dir()
            reason, hidden = _judge(name, is_folder, rules, hidden)
            if reason is not None:
                return reason
            if is_folder:
                rules += self._rules_of(name)
        return None

    def _walk(self) -> _Walk:
        found = _Walk()
        waiting: list[tuple[str, list[_Rules], str | None]] = [("", [], None)]
        while waiting:
            folder, above, hidden = waiting.pop()
            rules = [*above, *self._rules_of(folder)]
            try:
                with os.scandir(f"{self._root}/{folder}") as scan:
                    entries = sorted(scan, key=lambda entry: entry.name)
            except OSError:
                found.unreadable.append(folder)
                continue
            for entry in entries:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.name == ".git":
                    continue
                try:
                    path.encode("utf-8")
                except UnicodeEncodeError:
                    found.bad_names.append(os.fsencode(path).decode("utf-8", "backslashreplace"))
                    continue
                is_folder = entry.is_dir(follow_symlinks=False)
                if not is_folder and not entry.is_file(follow_symlinks=False) and not entry.is_symlink():
                    continue
                reason, hides = _judge(path, is_folder, rules, hidden)
                if reason is not None:
                    found.ignored.append(path + "/" if is_folder else path)
                elif is_folder:
                    waiting.append((path, rules, hides))
                else:
                    found.paths.append(path)
        return found

    def _rules_of(self, folder: str) -> Iterator[_Rules]:
        names = [*_RULE_FILES, ".git/info/exclude"] if not folder else _RULE_FILES
        for name in names:
            file = Path(self._root, folder, name)
            if file.is_symlink():
                continue
            try:
                lines = file.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
            except OSError:
                continue
            # Where there is git this is never needed, and it takes a tenth of a second to import.
            from pathspec import GitIgnoreSpec

            spec = GitIgnoreSpec.from_lines(lines)
            yield _Rules(folder, name, tuple(lines), spec)


def _judge(
    path: str, is_folder: bool, rules: list[_Rules], hidden: str | None
) -> tuple[str | None, str | None]:
    """The rule that leaves a path out, and the one that hides a folder which is entered for agents' files.

    `hidden` is that of the folder above.
    """
    named = path + "/" if is_folder else path
    if not (may_hold_agent_files(path) if is_folder else is_agent_file(path)):
        return _decide(named, rules) or hidden, None
    own = _decide(named, [rule for rule in rules if rule.name == RULE_FILE])
    return own, _decide(named, rules) or hidden if is_folder else None


def _decide(path: str, rules: list[_Rules]) -> str | None:
    """The rule that leaves `path` out: of each kind of rule file the deepest that says anything decides."""
    decided: set[str] = set()
    for rule in reversed(rules):
        kind = "own" if rule.name == RULE_FILE else "git"
        if kind in decided:
            continue
        inside = path[len(rule.folder) + 1 :] if rule.folder else path
        result = rule.spec.check_file(inside)
        if result.include is None:
            continue
        decided.add(kind)
        if result.include and result.index is not None:
            source = f"{rule.folder}/{rule.name}" if rule.folder else rule.name
            return f"{source}:{result.index + 1}: {rule.lines[result.index]}"
    return None
