"""Reads a repository at any revision: what a tree held, which bytes a file had, and what changed since.

    IndexerError
    ├── GitFailed
    │   └── NoRepository    there is none, or git refuses it
    └── RevisionUnknown     a name that stands for no commit

Paths are relative to the folder that was opened, also where that lies below the top of its work tree. Nothing
is ever written: no object, no index, no reference.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from pathlib import Path
from subprocess import CompletedProcess

from afresh_indexer.changed_paths import ChangedPath, compared, compared_with_disk
from afresh_indexer.changes_since import Asked, changes_since
from afresh_indexer.checkout_line_ends import CheckoutLineEnds
from afresh_indexer.errors import GitFailed, IndexerError
from afresh_indexer.git_objects import Blob, GitObjects, follow
from afresh_indexer.head_log import heads_at
from afresh_indexer.last_change import LastChange, Lines, Pending, last_changes, on_disk
from afresh_indexer.old_versions import find_blob, line_end_variants
from afresh_indexer.repository import GIT_TIMEOUT_S, git_available, marker_above, run_git, said

READ_LIMIT = 32 * 1024 * 1024
"""Bytes of the largest blob that is read."""

CHANGE_TIMEOUT_S = 5.0
"""Seconds that git may take, a call, to find who changed something: nobody waits longer for a name."""


class NoRepository(GitFailed):
    """A folder without a repository that git would open; the text says what to do."""


class RevisionUnknown(IndexerError):
    """A name that stands for no commit of the repository; the text names it."""


class Side(Enum):
    """What is not a commit yet; no string, so that a branch may have any name."""

    INDEX = "index"
    WORKTREE = "worktree"


@dataclass(frozen=True, slots=True)
class Revisions:
    """The revisions of the repository that a folder belongs to."""

    objects: GitObjects
    bare: bool
    shallow: bool
    """The history ends early: what lies before is neither known nor an error."""
    shallow_commits: frozenset[str]
    """The commits whose parents a shallow clone lacks."""
    _trees: dict[str, dict[str, Blob]] = field(default_factory=dict, repr=False, compare=False)
    _commits: dict[str, str] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def open(
        cls, path: Path, *, index_file: Path | None = None, timeout_s: float = GIT_TIMEOUT_S
    ) -> Revisions:
        """Open the checkout, worktree or bare repository at `path`, or above it.

        `index_file` is for hooks: git commits some paths alone through an index of its own, named in the
        hook's GIT_INDEX_FILE. Raises NoRepository, or GitFailed where git can't be run.
        """
        if not path.is_dir():
            raise NoRepository(f"{path} is no folder; name one that is inside a git repository")
        asked = [
            "--is-bare-repository",
            "--is-shallow-repository",
            "--is-inside-work-tree",
            "--git-common-dir",
        ]
        try:
            result = run_git(["rev-parse", *asked], cwd=path, timeout_s=timeout_s)
        except GitFailed as error:
            if git_available():
                raise
            raise NoRepository(f"git is needed to read history and could not be run: {error}") from error
        if result.returncode != 0:
            raise NoRepository(_refusal(path, result))
        bare, shallow, inside, common = os.fsdecode(result.stdout.removesuffix(b"\n")).split("\n", 3)
        prefix = ""
        if inside == "true":
            shown = run_git(["rev-parse", "--show-prefix"], cwd=path, timeout_s=timeout_s).stdout
            prefix = os.fsdecode(shown.removesuffix(b"\n"))
        elif bare != "true":
            raise NoRepository(f"{path} is inside a repository's own data; name the checkout instead")
        objects = GitObjects(path, prefix, timeout_s, index_file)
        ends = _shallow_commits(path / common) if shallow == "true" else frozenset()
        return cls(objects, bare == "true", shallow == "true", ends)

    def resolve(self, revision: str) -> str:
        """The id of the commit that a name stands for, the same however often it is asked for.

        Raises RevisionUnknown.
        """
        if revision in self._commits:
            return self._commits[revision]
        if "\0" in revision or not revision:
            raise RevisionUnknown(f"{revision!r} is no revision; name a branch, a tag or a commit")
        peeled = self._verified(f"{revision}^{{commit}}")
        if peeled is None and (named := self._verified(revision)) is not None:
            peeled = self._verified(f"{named}^{{commit}}")
            if peeled is None:
                raise RevisionUnknown(
                    f"{revision!r} names no commit but another object of {self.objects.folder}"
                )
        if peeled is None:
            raise RevisionUnknown(
                f"{revision!r} is no revision of {self.objects.folder}; "
                f"name a branch, a tag or a commit{self._short()}"
            )
        self._commits[revision] = peeled
        return peeled

    def has_head(self) -> bool:
        """Whether there is a commit yet."""
        return self._verified("HEAD^{commit}") is not None

    def merge_base(self, one: str, other: str) -> str | None:
        """The commit from which two revisions went apart; None where they share none that is known.

        What a branch changed is what differs from there, not from where the other branch is now.
        """
        ids = [self.resolve(one), self.resolve(other)]
        result = self.objects.run(["merge-base", *ids])
        return result.stdout.decode("ascii").strip() or None

    def commit_before(self, moment: datetime, revision: str = "HEAD") -> str | None:
        """The newest commit of a revision's history that was made before a moment.

        git keeps whole seconds: one that was made in the moment's own second does not count. Where all are
        younger it is the first one, and None where there is none at all.
        """
        head = self._verified(f"{revision}^{{commit}}")
        if head is None:
            return None
        before = f"--before={(moment.replace(microsecond=0) - timedelta(seconds=1)).isoformat()}"
        for options in (["--max-count=1", before], ["--max-parents=0"]):
            found = self.objects.run(["rev-list", *options, head])
            if found.returncode == 0 and found.stdout:
                return found.stdout.decode("ascii").split()[0]
        return None

    def commit_of_recording(
        self, moment: datetime, path: str, sha256: str, revision: str = "HEAD"
    ) -> str | None:
        """The commit that was checked out when a file was read and had this hash, as far as can be told.

        That is the newest one before the moment, if the file was so in it. Otherwise another branch may have
        been checked out then, which the log of HEAD tells where there is one: what such a branch has and this
        one hasn't was made before, and changed for the reader all the same. None as `commit_before`.
        """
        newest = self.commit_before(moment, revision)
        if newest is None or self._has(newest, path, sha256):
            return newest
        stood = list(heads_at(self.objects, moment))
        # Where none has it, it was read with changes that were not committed: then the log decides alone.
        return next((commit for commit in stood if self._has(commit, path, sha256)), (stood or [newest])[-1])

    def _has(self, commit: str, path: str, sha256: str) -> bool:
        data = self.objects.named([os.fsencode(f"{commit}:{self.objects.prefix}{path}")])[0]
        return data is not None and any(
            hashlib.sha256(variant).hexdigest() == sha256 for variant in line_end_variants(data)
        )

    def tree(self, revision: str, prefix: str = "") -> Mapping[str, Blob]:
        """What is at and below a folder at a revision: files, links and submodules by path.

        Raises RevisionUnknown and GitFailed.
        """
        entries = self._tree(self.resolve(revision))
        below = prefix.rstrip("/")
        if not below:
            return dict(entries)
        return {path: blob for path, blob in entries.items() if path == below or path.startswith(f"{below}/")}

    def read(
        self, revision: str, paths: Iterable[str], *, limit_bytes: int = READ_LIMIT
    ) -> dict[str, bytes | None]:
        """The bytes of files at a revision, all read by one process, as git stores them.

        Links are followed inside the folder. None for a path that isn't there, is a folder or a submodule,
        leads out, or has more than `limit_bytes`. A file that Git LFS keeps elsewhere is its pointer.
        Raises RevisionUnknown and GitFailed.
        """
        return self._contents(self._tree(self.resolve(revision)), list(paths), limit_bytes)

    def staged(self, paths: Iterable[str], *, limit_bytes: int = READ_LIMIT) -> dict[str, bytes | None]:
        """The bytes of files as the index has them, as `read` gives them; None also for one in conflict.

        Raises GitFailed, also in a bare repository, which has no index.
        """
        self._trees.pop(_INDEX, None)
        return self._contents(self._entries(Side.INDEX), list(paths), limit_bytes)

    def submodule_of(self, at: str | Side, path: str) -> tuple[str, str] | None:
        """The submodule that a path lies in, and the commit of it that a revision or the index names.

        Raises RevisionUnknown and GitFailed.
        """
        entries = self._entries(at)
        parts = path.split("/")
        for count in range(1, len(parts)):
            folder = "/".join(parts[:count])
            blob = entries.get(folder)
            if blob is not None and blob.kind == "submodule":
                return folder, blob.oid
        return None

    def is_too_large(self, at: str | Side, path: str, limit_bytes: int = READ_LIMIT) -> bool:
        """Whether a path has bytes that `read` or `staged` leave out for their number."""
        entries = self._entries(at)
        blob = entries.get(self._followed(entries, path), _NOTHING)
        size = self.objects.sizes([blob.oid])[0] if blob.kind == "file" else None
        return size is not None and size > limit_bytes

    def checked_out(self, contents: dict[str, bytes]) -> dict[str, bytes]:
        """Blobs by their path, with the line ends that this checkout gives them; in a bare one as they are.

        By the checkout's settings and attributes as they are now. Raises GitFailed.
        """
        return contents if self.bare else CheckoutLineEnds(self.objects).checked_out(contents)

    def paths(self, at: str | Side = Side.WORKTREE) -> list[str]:
        """The files at a revision, staged or in the work tree, ignored ones left out.

        Raises RevisionUnknown and GitFailed.
        """
        if at is not Side.WORKTREE:
            return [path for path, blob in self._entries(at).items() if blob.kind != "submodule"]
        listed = self.objects.output(["ls-files", "-co", "--exclude-standard", "-z"], "list files")
        return [os.fsdecode(name) for name in listed.split(b"\0") if name]

    def changed_paths(self, base: str, to: str | Side = Side.WORKTREE) -> list[ChangedPath]:
        """What differs between a revision and another one, the index or the work tree, renames found.

        Files that git does not track count as added to the work tree, unless they are ignored. Raises
        RevisionUnknown and GitFailed.
        """
        commit = self.resolve(base)
        match to:
            case Side.INDEX:
                changed = compared(self.objects, ["--cached", commit])
            case Side.WORKTREE:
                changed = compared_with_disk(self.objects, commit)
            case str():
                changed = compared(self.objects, [commit, self.resolve(to)])
        return sorted(changed, key=lambda change: change.path)

    def paths_once(self, *, commits: int = 20_000) -> frozenset[str]:
        """Paths that were in the folder at some commit and were deleted or renamed since, on any branch.

        A note that names one of them was right once. Only the last `commits` commits are read; nothing where
        there is none. Raises GitFailed.
        """
        command = ["log", "--all", "--no-renames", "--diff-filter=D", "--name-only", "--format=", "-z", "-m"]
        command += ["--relative", "--no-show-signature", "--no-ext-diff", f"--max-count={commits}"]
        names = self.objects.output(command, "list the paths of its history").split(b"\0")
        return frozenset(os.fsdecode(name.lstrip(b"\n")) for name in names if name.strip(b"\n"))

    def has_commit(self, id: str) -> bool | None:
        """Whether a commit whose id begins like this is there; None where the history is cut short."""
        if not re.fullmatch(r"[0-9a-f]{4,64}", id):
            return False
        found = self.objects.run(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{id}^{{commit}}"])
        return True if found.returncode == 0 else None if self.shallow else False

    def find_blob(
        self,
        path: str,
        size: int | None,
        sha256: str,
        recorded_at: datetime | None = None,
        *,
        as_it_is: bool = False,
        commits: int = 500,
    ) -> bytes | None:
        """The bytes with this hash, and this size if it is known, that a file had in the work tree.

        A second source of old bytes. Renames are followed; versions that were committed near `recorded_at`
        are tried first; branches, stashes and what an amended commit left behind come last. Line ends are
        converted where that makes the hash, unless a blob is wanted `as_it_is`. None where no version fits,
        and where git can't say.
        """
        if not _proper(path):
            return None
        try:
            return find_blob(self.objects, path, size, sha256, recorded_at, commits, as_it_is=as_it_is)
        except GitFailed:
            return None

    def last_changes(
        self,
        path: str,
        spans: Sequence[Lines],
        *,
        since: datetime | None = None,
        recorded_sha256: str | None = None,
        at: str | Side = Side.WORKTREE,
        timeout_s: float = CHANGE_TIMEOUT_S,
    ) -> list[LastChange]:
        """For each span of lines of one file, the last commit that changed it since it was recorded.

        Lines are those of the file in the work tree now, as it is staged, or at the revision `at`; an empty
        span (its end before its start) asks who removed what stood there. For a file that is gone, each span
        gets the commit that removed it. A commit from before `since` is no answer, unless the version with
        `recorded_sha256` lies behind it: then it was made earlier and merged later. Where git can't say, or
        not within `timeout_s` a call, there is no commit: never an error.
        """
        nothing = [LastChange(None, uncommitted=False) for _ in spans]
        if not _proper(path):
            return nothing
        objects = GitObjects(self.objects.folder, self.objects.prefix, timeout_s, self.objects.index_file)
        try:
            head = self._verified(f"{at if isinstance(at, str) else 'HEAD'}^{{commit}}")
            pending: Pending | None = None
            if isinstance(at, str):
                path = path if head is None else self._followed(self._tree(head), path)
            elif at is Side.INDEX:
                data = self.staged([path])[path]
                pending = Pending(data, data is None)
            elif not self.bare:
                path, pending = on_disk(self.objects.folder, path)
            return last_changes(
                objects, self.shallow_commits, head, path, spans, since, recorded_sha256, pending
            )
        except GitFailed:
            return nothing

    def changes_since(
        self,
        asked: Sequence[Asked],
        since: datetime,
        *,
        at: str | Side = Side.WORKTREE,
        timeout_s: float = CHANGE_TIMEOUT_S,
    ) -> list[LastChange | None]:
        """Who changed each of many files since a moment, by one listing; None where that is not proven.

        `last_changes` is for those. Never an error.
        """
        objects = GitObjects(self.objects.folder, self.objects.prefix, timeout_s, self.objects.index_file)
        try:
            head = self.resolve(at if isinstance(at, str) else "HEAD")
            return changes_since(objects, head, asked, since, pending=isinstance(at, Side))
        except (GitFailed, RevisionUnknown):
            return [None for _ in asked]

    def last_change(
        self,
        path: str,
        start_line: int,
        end_line: int,
        *,
        since: datetime | None = None,
        recorded_sha256: str | None = None,
        at: str | Side = Side.WORKTREE,
    ) -> LastChange:
        """`last_changes` of one span."""
        spans = [(start_line, end_line)]
        return self.last_changes(path, spans, since=since, recorded_sha256=recorded_sha256, at=at)[0]

    def _verified(self, revision: str) -> str | None:
        if "\0" in revision:
            return None
        result = self.objects.run(["rev-parse", "--verify", "--quiet", "--end-of-options", revision])
        return result.stdout.decode("ascii").strip() if result.returncode == 0 else None

    def _short(self) -> str:
        if not self.shallow:
            return ""
        return ". The clone is shallow: what was not fetched is unknown to it (git fetch --unshallow gets it)"

    def _entries(self, at: str | Side) -> dict[str, Blob]:
        """What a revision or the index holds."""
        if isinstance(at, str):
            return self._tree(self.resolve(at))
        if self.bare:
            raise NoRepository(f"{self.objects.folder} is a bare repository: nothing can be staged in it")
        if _INDEX in self._trees:
            return self._trees[_INDEX]
        output = self.objects.output(["ls-files", "--stage", "-z"], "read the index")
        entries = self._trees[_INDEX] = {}
        for entry in output.split(b"\0")[:-1]:
            facts, _, name = entry.partition(b"\t")
            mode, oid, stage = facts.decode("ascii").split()
            if stage == "0":
                entries[os.fsdecode(name)] = Blob(oid, 0, mode)
        return entries

    def _tree(self, commit: str) -> dict[str, Blob]:
        """Commits never change, so that the last few trees are kept."""
        known = self._trees.get(commit)
        if known is None:
            prefix = self.objects.prefix
            listed = self.objects.tree(commit, prefix)
            known = {path.removeprefix(prefix): blob for path, blob in listed.items()}
            if len(self._trees) > 2:
                self._trees.clear()
            self._trees[commit] = known
        return known

    def _followed(self, entries: Mapping[str, Blob], path: str) -> str:
        """The path of what a path stands for in a tree, links followed; itself where it leads nowhere."""
        if entries.get(path, _NOTHING).kind == "file":
            return path
        links = self.objects.blobs(blob.oid for blob in entries.values() if blob.kind == "link")
        return (follow(entries, links, path) if links else None) or path

    def _contents(self, entries: Mapping[str, Blob], paths: list[str], limit: int) -> dict[str, bytes | None]:
        places = {path: path if entries.get(path, _NOTHING).kind == "file" else None for path in paths}
        lost = [path for path, place in places.items() if place is None and _proper(path)]
        if lost:
            links = self.objects.blobs(blob.oid for blob in entries.values() if blob.kind == "link")
            places |= {path: follow(entries, links, path) for path in lost} if links else {}
        oids = {path: entries[place].oid for path, place in places.items() if place is not None}
        unique = list(dict.fromkeys(oids.values()))
        sizes = dict(zip(unique, self.objects.sizes(unique), strict=True))
        small = [oid for oid, size in sizes.items() if size is not None and size <= limit]
        contents = self.objects.blobs(small)
        return {path: contents.get(oids.get(path, "")) for path in paths}


_NOTHING = Blob("", 0, "160000")
_INDEX = ":"
"""Where the index is kept among the trees: no commit is named so."""


def _proper(path: str) -> bool:
    """Whether a path is one that a record can have: relative, POSIX, and going nowhere but down."""
    return "\0" not in path and all(part not in ("", ".", "..") for part in path.split("/"))


def _shallow_commits(common_dir: Path) -> frozenset[str]:
    try:
        return frozenset((common_dir / "shallow").read_text(encoding="ascii").split())
    except OSError:
        return frozenset()


def _refusal(path: Path, result: CompletedProcess[bytes]) -> str:
    stderr = result.stderr.decode("utf-8", "replace")
    top = marker_above(path) or path
    if "dubious ownership" in stderr or "unsafe repository" in stderr:
        return (
            f"the repository at {top} belongs to another user and git refuses to open it; "
            f"if you trust it: git config --global --add safe.directory '{top}'"
        )
    if "not a git repository" in stderr and marker_above(path) is None:
        return f"{path} is in no git repository, so that it has no revisions"
    return f"git refuses the repository at {top}: {said(result)}"
