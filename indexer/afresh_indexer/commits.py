"""Reads what the commits of a repository say, newest first. Nothing is ever written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from afresh_indexer.errors import GitFailed
from afresh_indexer.repository import run_git, said

_FORMAT = "%H%x00%aN%x00%at%x00%B"
_FIELDS = 4


@dataclass(frozen=True, slots=True)
class CommitMessage:
    """What one commit says."""

    id: str
    """40 hexadecimal digits, or 64."""
    author: str
    written: datetime
    """When its author made it, aware."""
    message: str
    """Subject and body, without white space around them; never empty."""


def head_commit(folder: Path) -> str | None:
    """The commit that is checked out, None before the first. Raises GitFailed without a repository."""
    result = run_git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], cwd=folder)
    if result.returncode == 0:
        return result.stdout.decode("ascii").strip()
    inside = run_git(["rev-parse", "--git-dir"], cwd=folder)
    if inside.returncode != 0:
        raise GitFailed(f"{folder} has no history to read: {said(inside)}")
    return None


def recent_commits(folder: Path, count: int) -> list[CommitMessage]:
    """The last `count` commits that touched what is in `folder`, newest first.

    Merges are left out: what they bring in says more. So are commits without a message. Raises GitFailed.
    """
    if not count or head_commit(folder) is None:
        return []
    command = ["log", "-z", f"--max-count={count}", "--no-merges", "--no-color", "--no-show-signature"]
    command += ["--no-patch", "--encoding=UTF-8", f"--format={_FORMAT}%x00", "HEAD"]
    if run_git(["rev-parse", "--show-prefix"], cwd=folder).stdout.strip():
        command += ["--", "."]
    result = run_git(command, cwd=folder)
    if result.returncode != 0:
        raise GitFailed(f"git could not read the history of {folder}: {said(result)}")
    fields = result.stdout.decode("utf-8", "replace").split("\0")
    step = _FIELDS + 1
    found = [fields[start : start + _FIELDS] for start in range(0, len(fields) - _FIELDS, step)]
    return [
        CommitMessage(id_, author, _moment(written), message.strip())
        for id_, author, written, message in found
        if message.strip()
    ]


def unreachable(folder: Path, ids: Iterable[str]) -> set[str]:
    """Those of some commits that no branch, no tag and no HEAD leads to any more, as after an amendment.

    Raises GitFailed.
    """
    wanted = set(ids)
    if not wanted:
        return set()
    result = run_git(["rev-list", "--all", "HEAD"], cwd=folder)
    if result.returncode != 0:
        raise GitFailed(f"git could not list the commits of {folder}: {said(result)}")
    return wanted.difference(result.stdout.decode("ascii").split())


def _moment(seconds: str) -> datetime:
    """A commit can claim any date; one outside of the calendar is given as its nearest end."""
    try:
        return datetime.fromtimestamp(0, UTC) + timedelta(seconds=int(seconds or "0"))
    except OverflowError:
        return (datetime.min if seconds.startswith("-") else datetime.max).replace(tzinfo=UTC)
