"""Finds the last commit that changed given lines of a file, and whether the work tree has changed them since.

The commits that touched the file are walked back from the newest, and the lines are carried through the diff
of each: the commit that does not let them through is the one. Unlike a blame of the lines that are there,
this finds who removed lines, and all spans of a file share one listing and the same diffs.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from afresh_indexer.fingerprint import read_regular
from afresh_indexer.git_objects import GitObjects
from afresh_indexer.hunks import LineMap, diff
from afresh_indexer.old_versions import line_end_variants

Lines = tuple[int, int]
"""The first and last line of a span, from 1; the end is before the start for a place between two lines."""

FILE_LIMIT = 32 * 1024 * 1024
"""Bytes of the largest file whose lines are followed."""
COMMITS = 200
"""How many commits that touched one file are looked at."""
RENAMES = 10
"""How many renames of one file are followed."""

_LFS = b"version https://git-lfs.github.com/spec/"


@dataclass(frozen=True, slots=True)
class Commit:
    """A commit, as it is shown beside what it did."""

    id: str
    author: str
    """The name, by the repository's mailmap; bytes that are no text are shown as replacement characters."""
    date: datetime
    """When it was written, in UTC; a rebase keeps it."""
    subject: str
    committed: datetime
    """When it was made what it is, in UTC; a rebase or an amendment moves it."""


@dataclass(frozen=True, slots=True)
class LastChange:
    """Who changed some lines last."""

    commit: Commit | None
    """None where no commit did, or none can be named."""
    uncommitted: bool
    """The work tree differs from HEAD in these lines."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A file as it is in the work tree or staged, not committed yet."""

    data: bytes | None
    """None where there is none that can be read."""
    is_gone: bool
    """Nothing is there any more, or a folder; otherwise it may just not be readable."""


def last_changes(
    objects: GitObjects,
    shallow_commits: frozenset[str],
    head: str | None,
    path: str,
    spans: Sequence[Lines],
    since: datetime | None,
    recorded_sha256: str | None,
    pending: Pending | None,
) -> list[LastChange]:
    """`Revisions.last_changes`, with the commit already resolved. Raises GitFailed."""
    full = f"{objects.prefix}{path}"
    committed = None if head is None else objects.named([os.fsencode(f"{head}:{full}")])[0]
    disk = None if pending is None else pending.data
    if pending is not None and (disk is None) != (committed is None):
        return [LastChange(None, uncommitted=disk is not None or pending.is_gone) for _ in spans]
    if head is None:
        return [LastChange(None, uncommitted=False) for _ in spans]
    search = _Search(objects, shallow_commits, since, recorded_sha256)
    if committed is None:
        # A folder and a submodule have no bytes either, and are there.
        stands = objects.run(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{head}:{full}"])
        ended = search.replacement if stands.returncode == 0 else search.removal
        return [LastChange(ended(head, full), uncommitted=False) for _ in spans]
    if committed.startswith(_LFS) or len(committed) > FILE_LIMIT:
        return [LastChange(None, uncommitted=False) for _ in spans]
    to_head = diff(committed if disk is None else disk, committed)
    found: list[LastChange] = []
    for lines in (_clamped(lines, to_head.old_count) for lines in spans):
        carried = carry(to_head, lines, loose=False)
        there = to_head.project(*lines) if carried is None else carried
        found.append(LastChange(search.change(head, full, committed, there), uncommitted=carried is None))
    return found


@dataclass(slots=True)
class _History:
    """The commits that touched one path, newest first, with the file as each left it."""

    objects: GitObjects
    path: str
    commits: dict[str, Commit]
    parents: dict[str, list[str]]
    """Of each commit, the nearest ones before it that touched the path."""
    contents: dict[str, bytes | None] = field(default_factory=dict)
    diffs: dict[tuple[str, str], LineMap] = field(default_factory=dict)
    batch: int = 4

    @property
    def tip(self) -> str | None:
        return next(iter(self.commits), None)

    def content(self, commit: str) -> bytes | None:
        """The file at a commit; the ones that come next are read with it, more each time."""
        if commit not in self.contents:
            order = [name for name in self._order() if name not in self.contents]
            start = order.index(commit) if commit in order else 0
            wanted = [commit, *(name for name in order[start : start + self.batch] if name != commit)]
            names = [os.fsencode(f"{name}:{self.path}") for name in wanted]
            self.contents.update(zip(wanted, self.objects.named(names), strict=True))
            self.batch = min(self.batch * 2, 32)
        return self.contents[commit]

    def line_map(self, commit: str, parent: str, new: bytes, old: bytes) -> LineMap:
        """From the lines at a commit to those at its parent."""
        known = self.diffs.get((commit, parent))
        if known is None:
            known = self.diffs[commit, parent] = diff(new, old)
        return known

    def _order(self) -> Iterator[str]:
        for commit, parents in self.parents.items():
            yield commit
            yield from (parent for parent in parents if parent not in self.parents)


@dataclass(slots=True)
class _Search:
    """Looks for the changes of one file, by what was asked about it."""

    objects: GitObjects
    shallow_commits: frozenset[str]
    since: datetime | None
    recorded_sha256: str | None
    histories: dict[tuple[str, str, bool], _History] = field(default_factory=dict)
    origins: dict[tuple[str, str], tuple[str, str] | None] = field(default_factory=dict)

    def removal(self, head: str, path: str) -> Commit | None:
        """The commit since which the path is gone."""
        for options in ([], ["--full-history", "-m", "--diff-filter=D"]):
            history = self._listed(head, path, [*options, "--max-count=1"])
            commit = None if history.tip is None else history.commits[history.tip]
            if commit is not None:
                return commit if commit.id not in self.shallow_commits and self._is_since(commit) else None
        return None

    def replacement(self, head: str, path: str) -> Commit | None:
        """The commit that put a folder, a submodule or the like in the place of a file."""
        command = ["log", "--full-history", "-m", "--no-renames", "--diff-filter=DT", "--raw", "-z"]
        command += ["--format=%x01%H", f"--max-count={COMMITS}", head, "--", self._relative(path)]
        output = self.objects.output(command, "look for a replaced file")
        entry = re.compile(rb":\d{6} \d{6} \w+ \w+ [DT]\0" + re.escape(os.fsencode(path)) + rb"\0")
        for block in output.split(b"\x01")[1:]:
            if entry.search(block):
                id_ = block.partition(b"\0")[0].decode("ascii").strip()
                commit = self._listed(id_, path, ["--full-history", "-m", "--max-count=1"]).commits.get(id_)
                kept = commit is not None and commit.id not in self.shallow_commits
                return commit if kept and commit is not None and self._is_since(commit) else None
        return None

    def change(self, head: str, path: str, content: bytes, lines: Lines) -> Commit | None:
        """The last commit since the recording that changed the lines of the path at `head`."""
        for recent in (True, False) if self.since is not None else (False,):
            if not recent and self.since is not None and self.recorded_sha256 is None:
                break
            for loose in (False, True):
                commit = self._walk(head, path, content, lines, loose=loose, recent=recent)
                if commit is not None:
                    return commit
        return None

    def _walk(
        self, head: str, path: str, content: bytes, lines: Lines, *, loose: bool, recent: bool
    ) -> Commit | None:
        for _ in range(RENAMES):
            history = self._history(head, path, recent)
            at = history.tip
            if at is None or history.content(at) != content:
                return None
            while parents := history.parents.get(at, []):
                if self._is_recorded(content):
                    return None
                step = self._step(history, at, content, parents, lines, loose)
                if step is None:
                    return self._accepted(history, at)
                at, content, lines = step
            if at not in history.parents or at in self.shallow_commits or self._is_recorded(content):
                return None
            origin = self._origin(at, path)
            old = None if origin is None else self.objects.named([os.fsencode(":".join(origin))])[0]
            if origin is None or old is None:
                return self._accepted(history, at)
            carried = carry(diff(content, old), lines, loose=loose)
            if carried is None:
                return self._accepted(history, at)
            head, path, content, lines = *origin, old, carried
        return None

    def _step(
        self, history: _History, at: str, content: bytes, parents: list[str], lines: Lines, loose: bool
    ) -> tuple[str, bytes, Lines] | None:
        """The parent that the lines came from, with its text and their place; None if they were made here."""
        for parent in parents:
            old = history.content(parent)
            if old is None:
                continue
            carried = carry(history.line_map(at, parent, content, old), lines, loose=loose)
            if carried is not None:
                return parent, old, carried
        return None

    def _accepted(self, history: _History, at: str) -> Commit | None:
        commit = history.commits[at]
        return commit if self._is_since(commit) or self._recorded_behind(history, at) else None

    def _is_since(self, commit: Commit) -> bool:
        # git keeps whole seconds: a commit right after the recording may carry the second that it began in.
        return self.since is None or commit.committed >= self.since.replace(microsecond=0)

    def _recorded_behind(self, history: _History, at: str) -> bool:
        """Whether the recorded version came before a commit, so that the commit was made on top of it."""
        if self.recorded_sha256 is None:
            return False
        pending, seen = list(history.parents.get(at, [])), {at}
        while pending:
            commit = pending.pop(0)
            if commit in seen:
                continue
            seen.add(commit)
            pending += history.parents.get(commit, [])
            data = history.content(commit)
            if data is not None and self._is_recorded(data):
                return True
        return False

    def _is_recorded(self, data: bytes) -> bool:
        """Whether this is the version that was recorded: what came before it is no change since."""
        return self.recorded_sha256 is not None and any(
            hashlib.sha256(variant).hexdigest() == self.recorded_sha256 for variant in line_end_variants(data)
        )

    def _history(self, head: str, path: str, recent: bool) -> _History:
        known = self.histories.get((head, path, recent))
        if known is None:
            options = [f"--max-count={COMMITS}"]
            if recent and self.since is not None:
                options.append(f"--since={self.since.replace(microsecond=0).isoformat()}")
            known = self.histories[head, path, recent] = self._listed(head, path, options)
        return known

    def _listed(self, head: str, path: str, options: list[str]) -> _History:
        command = ["log", "--parents", "--no-follow", "--no-show-signature", "--no-color", "--no-patch"]
        command += ["--encoding=UTF-8", "--format=%H%x00%P%x00%aN%x00%aE%x00%at%x00%ct%x00%s", *options]
        output = self.objects.output([*command, head, "--", self._relative(path)], "read the history")
        commits: dict[str, Commit] = {}
        parents: dict[str, list[str]] = {}
        for line in output.split(b"\n"):
            fields = line.split(b"\0", 6)
            if len(fields) == 7:
                id_ = fields[0].decode("ascii")
                commits[id_] = commit_of(id_, fields[2:])
                parents[id_] = fields[1].decode("ascii").split()
        return _History(self.objects, path, commits, parents)

    def _relative(self, path: str) -> str:
        """A path from the top, as git is told it: with literal pathspecs, from where git runs."""
        return os.path.relpath(path, self.objects.prefix or ".").replace(os.path.sep, "/")

    def _origin(self, commit: str, path: str) -> tuple[str, str] | None:
        """The parent and the path there that a commit renamed to `path`."""
        known = (commit, path)
        if known not in self.origins:
            command = ["diff-tree", "-r", "-m", "-M", "--diff-filter=R", "--name-status", "-z"]
            output = self.objects.output([*command, "--no-commit-id", commit], "look for renames")
            fields = [os.fsdecode(part) for part in output.split(b"\0")]
            renames = {new: old for _, old, new in zip(*[iter(fields)] * 3, strict=False)}
            self.origins[known] = (f"{commit}^", renames[path]) if path in renames else None
        return self.origins[known]


def commit_of(id: str, fields: Sequence[bytes]) -> Commit:
    """A commit from what git prints of it: `%aN`, `%aE`, `%at`, `%ct` and `%s`."""
    name, address, written, made, subject = (field.decode("utf-8", "replace") for field in fields)
    return Commit(id, name or address, _moment(written), subject, _moment(made))


def carry(line_map: LineMap, lines: Lines, *, loose: bool) -> Lines | None:
    """Where lines stand on the other side of a diff; None if it changes them.

    With `loose`, also lines that are missing right before or behind them count as a change.
    """
    start, end = lines
    if start > end:
        if line_map.touching(start, end):
            return None
        place = line_map.to_new(start)
        before = line_map.to_new(start - 1) or 0
        return (before + 1, before) if place is None else (place, place - 1)
    kept = line_map.kept(start, end)
    if kept is None:
        return None
    if loose and any(hunk.new_lines > hunk.old_lines for hunk in line_map.touching(start, end)):
        return None
    return kept, kept + end - start


def _clamped(lines: Lines, count: int) -> Lines:
    start = max(1, min(lines[0], count + 1))
    return start, max(start - 1, min(lines[1], count))


def _moment(seconds: str) -> datetime:
    """A commit can claim any date; one outside of the calendar is given as its nearest end."""
    try:
        return datetime.fromtimestamp(0, UTC) + timedelta(seconds=int(seconds or "0"))
    except OverflowError:
        return (datetime.min if seconds.startswith("-") else datetime.max).replace(tzinfo=UTC)


def on_disk(folder: Path, path: str) -> tuple[str, Pending]:
    """A file of the work tree, and the path that git knows it by: that of what links inside lead to."""
    top, real = os.path.realpath(folder), os.path.realpath(folder / path)
    inside = os.path.relpath(real, top).replace(os.path.sep, "/")
    if not inside.startswith("../") and inside != ".":
        path = inside
    place = folder / path
    try:
        content = read_regular(place, FILE_LIMIT)
    except OSError:
        return path, Pending(None, not os.path.lexists(place) or place.is_dir())
    return path, Pending(content.data if content.whole else None, is_gone=False)
