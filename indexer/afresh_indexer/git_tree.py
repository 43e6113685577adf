"""One work tree as git sees it: which of its paths count, which are ignored, and by which rule.

Paths here are relative to the folder that was asked about. Nested repositories and submodules are named,
not entered: they have rules of their own.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess

from afresh_indexer.agent_files import is_agent_file, may_be_let_through, taken_back_in
from afresh_indexer.errors import GitFailed
from afresh_indexer.repository import run_git, said

_UNREADABLE_FOLDER = re.compile(
    rb"^warning: could not open directory '(.*?)/?': Permission denied$", re.MULTILINE
)

RULE_FILE = ".afreshignore"
_RULE_FILE = RULE_FILE.encode()
_AGENT_FILES = tuple(f"--exclude={pattern}" for pattern in taken_back_in())


@dataclass(frozen=True, slots=True)
class TreeListing:
    """What one work tree holds."""

    names: list[bytes]
    """Tracked files, whether or not they are still there, untracked ones that no rule ignores, and agents'
    files whatever the rules say."""
    nested: list[bytes]
    """Folders that are repositories of their own, submodules among them."""
    rule_files: list[bytes]
    """The `.afreshignore` files, also those that git ignores: some keep their own rules out of sight.

    git doesn't look into a folder that it ignores, and so an untracked one in there doesn't count.
    """
    unreadable: list[str]
    """Folders that git could not open."""


@dataclass(frozen=True, slots=True)
class IgnoreMatch:
    """The rule that decides about a path."""

    source: str
    """The file that the rule stands in, as git names it."""
    line: str
    pattern: str

    @property
    def ignores(self) -> bool:
        """False for a rule that takes a path back in."""
        return not self.pattern.startswith("!")


@dataclass(frozen=True, slots=True)
class GitTree:
    """A folder and the variables by which git finds the repository to ask about it."""

    folder: str
    """Absolute, free of links."""
    top: str
    """The work tree's top, at or above the folder; git names some things from there."""
    variables: Mapping[str, str]
    options: tuple[str, ...] = ()

    def listing(self, under: Collection[str] | None = None) -> TreeListing:
        """All paths of the tree, or those at and below `under`. Raises GitFailed."""
        command = ["ls-files", "-t", "--stage", "--cached", "--others", "--exclude-standard", "-z"]
        # Rules from the command line come before all others.
        command += [f"--exclude=!{RULE_FILE}", *_AGENT_FILES]
        if under is not None:
            command = ["--literal-pathspecs", *command, "--", *under]
        result = self._run(command)
        others, files, gitlinks = _split_listing(self._checked(result, "list the files of"))
        nested = [name for name in gitlinks if os.path.lexists(f"{self.folder}/{os.fsdecode(name)}/.git")]
        nested += [name[:-1] for name in others if name.endswith(b"/")]
        others = [name for name in others if not name.endswith(b"/")]
        rule_files: list[bytes] = []
        if _RULE_FILE in result.stdout:
            rule_files = [name for name in files + others if _is_rule_file(name)]
        # What the command line's rules let through, a folder of such a name too, is judged without them.
        doubtful = [name for name in others if _RULE_FILE in name or may_be_let_through(name)]
        nested_doubtful = [name for name in nested if may_be_let_through(name)]
        ignored = self.matched([os.fsdecode(name) for name in doubtful + nested_doubtful])
        ignored = {name for name in ignored if not is_agent_file(name)}
        if ignored:
            others = [name for name in others if os.fsdecode(name) not in ignored]
            nested = [name for name in nested if os.fsdecode(name) not in ignored or name in gitlinks]
        return TreeListing(files + others, nested, rule_files, self._unreadable(result.stderr))

    def tracked(self) -> set[str]:
        """The paths in the index. Raises GitFailed."""
        output = self._checked(self._run(["ls-files", "-z"]), "list the files of")
        return set(os.fsdecode(output).split("\0")) - {""}

    def matched(self, paths: Collection[str]) -> set[str]:
        """Those of `paths` that an ignore rule matches, tracked or not. Raises GitFailed."""
        if not paths:
            return set()
        output = self._check_ignore([], paths)
        return {path[2:] for path in output.split("\0") if path}

    def match(self, path: str) -> IgnoreMatch | None:
        """The last rule that matches `path`, whichever way it decides. Raises GitFailed."""
        fields = self._check_ignore(["--verbose"], [path]).split("\0")
        return IgnoreMatch(fields[0], fields[1], fields[2]) if len(fields) > 3 else None

    def ignored_entries(self) -> list[str]:
        """What the rules leave out; a folder left out whole is one entry with a slash. Raises GitFailed.

        Agents' files, and the folders that are looked into for them, are not among it.
        """
        command = ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"]
        output = self._checked(self._run([*command, *_AGENT_FILES]), "list what is ignored in")
        return [os.fsdecode(name) for name in output.split(b"\0") if name]

    def _unreadable(self, warnings: bytes) -> list[str]:
        folders = [f"{self.top}/{os.fsdecode(name)}" for name in _UNREADABLE_FOLDER.findall(warnings)]
        return [os.path.relpath(folder, self.folder).replace(os.path.sep, "/") for folder in folders]

    def _run(self, arguments: Sequence[str], stdin: bytes = b"") -> CompletedProcess[bytes]:
        return run_git([*self.options, *arguments], cwd=self.folder, stdin=stdin, variables=self.variables)

    def _checked(self, result: CompletedProcess[bytes], purpose: str) -> bytes:
        if result.returncode != 0:
            raise GitFailed(f"git could not {purpose} {self.folder}: {said(result)}")
        return result.stdout

    def _check_ignore(self, options: Sequence[str], paths: Collection[str]) -> str:
        # A leading colon would be read as pathspec magic, which this command can't be told to leave alone.
        stdin = b"".join(b"./" + os.fsencode(path) + b"\0" for path in paths)
        result = self._run(["check-ignore", "--no-index", "--stdin", "-z", *options], stdin)
        # 1 says that nothing is ignored.
        if result.returncode not in (0, 1):
            raise GitFailed(f"git could not judge paths in {self.folder}: {said(result)}")
        return os.fsdecode(result.stdout)


def empty_repository(home: Path) -> Path:
    """An empty bare repository in `home`, made where missing, for git to stand in where a folder has none.

    Several processes may make it at once: each makes one of its own, and the first to rename it wins.
    """
    repository = home / "ignore-rules.git"
    if (repository / "HEAD").is_file():
        return repository
    making = home / f"ignore-rules.{os.getpid()}.{os.urandom(4).hex()}.git"
    try:
        home.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise GitFailed(f"the folder {home} can't be made: {error.strerror}") from error
    result = run_git(["init", "--quiet", "--bare", "--template=", str(making)], cwd=home)
    if result.returncode != 0:
        raise GitFailed(f"git could not make an empty repository in {home}: {said(result)}")
    try:
        making.rename(repository)
    except OSError:
        if not (repository / "HEAD").is_file():
            raise GitFailed(f"{repository} is in the way and no repository; move it away") from None
        shutil.rmtree(making)
    return repository


def _is_rule_file(name: bytes) -> bool:
    return name == _RULE_FILE or name.endswith(b"/" + _RULE_FILE)


def _split_listing(output: bytes) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """Untracked names, tracked files and gitlinks of `ls-files -t --stage -z`.

    A tag says which is which, and all names of tracked ones start at one column.
    """
    entries = output.split(b"\0")
    entries.pop()
    others: list[bytes] = []
    if b"? " in output:
        others = [entry[2:] for entry in entries if entry.startswith(b"? ")]
        if others:
            entries = [entry for entry in entries if not entry.startswith(b"? ")]
    if not entries:
        return others, [], []
    start = entries[0].index(b"\t") + 1
    if b" 160000 " in output:
        gitlinks = [entry[start:] for entry in entries if entry.startswith(b"160000 ", 2)]
        return others, [entry[start:] for entry in entries if not entry.startswith(b"160000 ", 2)], gitlinks
    return others, [entry[start:] for entry in entries], []
