"""Finds who changed many files since they were recorded, with one listing of the history for all of them.

A file's versions must form a chain, each commit's old blob the next one's new blob, from what is judged back
to the very version that was recorded: then the answer is proven, whatever the dates say and however the
branches ran. Files without such a chain are left to `last_change`, which walks one history at a time.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from afresh_indexer.fingerprint import eol_free
from afresh_indexer.git_objects import GitObjects
from afresh_indexer.hunks import diff
from afresh_indexer.last_change import Commit, LastChange, Lines, carry, commit_of

COMMITS = 5000
"""How many commits are listed at most."""
EARLIER = timedelta(days=14)
"""Commits that were made so long before the recording are listed too: they may have been merged after it."""
READ_BYTES = 16 * 1024 * 1024
"""Of the versions between, in which lines are followed."""

_FACTS = re.compile(rb"\n?:(?:100\d+|0+) (?:100\d+|0+) ([0-9a-f]+) ([0-9a-f]+) [A-Z]\d*")
_OTHER = re.compile(rb"\n?:\d+ \d+ [0-9a-f]+ [0-9a-f]+ [A-Z]\d*")
"""A change that makes a link or a submodule of a file, or the other way round."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A file that is not what it was recorded as."""

    path: str
    lines: Lines
    """Of the file now: those whose last change is asked for."""
    recorded: frozenset[str]
    """`blob_ids` of the recorded version."""
    now: frozenset[str]
    """The same of the version that is judged; none where the file is gone."""
    content: Callable[[], bytes | None]
    """The version that is judged, read where its lines have to be followed."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One commit's change of one file."""

    commit: Commit
    old: str
    new: str


def blob_ids(data: bytes) -> frozenset[str]:
    """The ids under which git may keep some bytes: as they are, and with LF line ends."""
    return frozenset(_blob_id(variant) for variant in ({data, eol_free(data)} if b"\r" in data else (data,)))


def changes_since(
    objects: GitObjects, head: str, asked: Sequence[Asked], since: datetime, *, pending: bool
) -> list[LastChange | None]:
    """Who changed each file last; None where that is not proven. Raises GitFailed.

    `since` is when the first of them was recorded. With `pending`, the work tree or the index is judged, and
    may differ from `head`; otherwise `head` itself is.
    """
    committed = objects.ids([os.fsencode(f"{head}:{objects.prefix}{one.path}") for one in asked])
    steps = _steps(objects, head, [one.path for one in asked], since)
    chains = [
        _chain(steps.get(f"{objects.prefix}{one.path}", ()), blob, one)
        for one, blob in zip(asked, committed, strict=True)
    ]
    found: list[LastChange | None] = []
    to_follow: list[int] = []
    for number, (one, blob, chain) in enumerate(zip(asked, committed, chains, strict=True)):
        answer, is_simple = _simple(one, blob, chain, pending=pending)
        found.append(answer)
        if not is_simple and chain is not None:
            to_follow.append(number)
    # Most often the newest commit did it; what is older is read where it did not.
    for most in (1, COMMITS):
        wanted = [(committed[number], (chains[number] or ())[:most]) for number in to_follow]
        contents = _contents(objects, wanted)
        left: list[int] = []
        for number in to_follow:
            try:
                found[number] = _followed(asked[number], committed[number], chains[number] or (), contents)
            except KeyError:
                left.append(number)
        to_follow = left
    return found


def _simple(
    one: Asked, blob: str | None, chain: Sequence[_Step] | None, *, pending: bool
) -> tuple[LastChange | None, bool]:
    """The answer where no lines have to be followed for it, and whether there is no need to."""
    if not one.now:
        if blob is not None:
            return LastChange(None, uncommitted=pending), True
        return (LastChange(chain[0].commit, uncommitted=False) if chain else None), True
    if blob is None or chain is None:
        return None, True
    if not chain:
        # Nothing was committed since.
        return LastChange(None, uncommitted=blob not in one.now), True
    if len(chain) == 1 and blob in one.now:
        return LastChange(chain[0].commit, uncommitted=False), True
    return None, False


def _chain(steps: Sequence[_Step], blob: str | None, one: Asked) -> Sequence[_Step] | None:
    """The commits from the recorded version to that of the head, newest first; None where there is a gap."""
    if blob is None:
        is_removed = bool(steps) and steps[0].new != "" and not steps[0].new.strip("0")
        return steps[:1] if is_removed and not one.now else None
    at = blob
    for number, step in enumerate(steps):
        if at in one.recorded:
            return steps[:number]
        if step.new != at:
            return None
        at = step.old
    return steps if at in one.recorded else None


def _followed(
    one: Asked, blob: str | None, chain: Sequence[_Step], contents: Mapping[str, bytes]
) -> LastChange | None:
    """Carries the lines back, commit by commit, to the one that made them.

    Raises KeyError where a version is needed that is not among the contents.
    """
    head = contents[blob or ""]
    lines = one.lines
    if blob not in one.now:
        now = one.content()
        at_head = None if now is None else carry(diff(now, head), lines, loose=False)
        if at_head is None:
            return None if now is None else LastChange(None, uncommitted=True)
        lines = at_head
    for loose in (False, True):
        place, content = lines, head
        for step in chain:
            old = contents[step.old]
            there: Lines | None = None
            if _stands_in(old, content, place):
                there = carry(diff(content, old), place, loose=loose)
            if there is None:
                return LastChange(step.commit, uncommitted=False)
            place, content = there, old
    return None


def _stands_in(old: bytes, content: bytes, lines: Lines) -> bool:
    """Whether some lines stand somewhere in another version: where not, there is no need to compare."""
    start, end = lines
    text = b"\n".join(eol_free(content).split(b"\n")[max(0, start - 1) : max(0, end)])
    return text in eol_free(old)


def _contents(objects: GitObjects, wanted: Sequence[tuple[str | None, Sequence[_Step]]]) -> dict[str, bytes]:
    """The versions of some chains, as many as there is memory for."""
    oids = list(
        dict.fromkeys(oid for blob, chain in wanted for oid in (blob, *(step.old for step in chain)) if oid)
    )
    left = READ_BYTES
    read: list[str] = []
    for oid, size in zip(oids, objects.sizes(oids), strict=True):
        if size is not None and size <= left:
            left -= size
            read.append(oid)
    return objects.blobs(read)


def _steps(objects: GitObjects, head: str, paths: Sequence[str], since: datetime) -> dict[str, list[_Step]]:
    """What the commits since changed of some files, by path from the top, newest first."""
    start = (since - EARLIER).replace(microsecond=0).isoformat()
    command = ["log", "--raw", "--no-abbrev", "-z", "--no-renames", "--no-show-signature", "--no-color"]
    command += ["--encoding=UTF-8", "--format=%x01%H%x00%P%x00%aN%x00%aE%x00%at%x00%ct%x00%s"]
    command += [f"--since={start}", f"--max-count={COMMITS}", "--stdin"]
    stdin = b"".join(os.fsencode(line) + b"\n" for line in (head, "--", *paths))
    pieces = iter(objects.output(command, "read the history", stdin).split(b"\0"))
    found: dict[str, list[_Step]] = {}
    commit: Commit | None = None
    for piece in pieces:
        if piece.lstrip(b"\n").startswith(b"\x01"):
            id_ = piece.lstrip(b"\n")[1:].decode("ascii")
            commit = commit_of(id_, [next(pieces, b"") for _ in range(6)][1:])
        elif (facts := _FACTS.fullmatch(piece)) and commit is not None:
            step = _Step(commit, facts[1].decode("ascii"), facts[2].decode("ascii"))
            found.setdefault(os.fsdecode(next(pieces, b"")), []).append(step)
        elif _OTHER.fullmatch(piece) and commit is not None:
            found.setdefault(os.fsdecode(next(pieces, b"")), []).append(_Step(commit, "", ""))
    return found


def _blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
