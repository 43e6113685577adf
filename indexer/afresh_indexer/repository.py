"""Asks git about a checkout, and never writes into it.

Every call runs with optional locks off, so that not even the index is refreshed, and with file system
monitors off: `core.fsmonitor` names a program that a repository from a stranger could have git start.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

from afresh_indexer.errors import GitFailed

GIT_TIMEOUT_S = 120.0
"""Seconds that one call of git may take; a million files on a cold disk are listed well within it."""

_REPOSITORY_VARIABLES = frozenset(
    {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR",
        "GIT_DIR",
        "GIT_GLOB_PATHSPECS",
        "GIT_GRAFT_FILE",
        "GIT_ICASE_PATHSPECS",
        "GIT_IMPLICIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_INTERNAL_SUPER_PREFIX",
        "GIT_LITERAL_PATHSPECS",
        "GIT_NAMESPACE",
        "GIT_NOGLOB_PATHSPECS",
        "GIT_NO_REPLACE_OBJECTS",
        "GIT_OBJECT_DIRECTORY",
        "GIT_PREFIX",
        "GIT_QUARANTINE_PATH",
        "GIT_REPLACE_REF_BASE",
        "GIT_SHALLOW_FILE",
        "GIT_WORK_TREE",
    }
)
"""A hook inherits these from the git that runs it; they would point ours at another repository or index."""

_SHORT_SSH = re.compile(r"(?:[^@/:]+@)?(?P<host>[^/:]{2,}):(?P<path>(?!//).+)")
"""`user@host:path`; a single letter before the colon is a drive."""


@dataclass(frozen=True, slots=True)
class Checkout:
    """What git says of a folder."""

    toplevel: Path | None
    """The work tree's top, with links resolved; None where there is no work tree that git would open."""
    common_dir: Path | None
    """The folder that all worktrees of the repository share, with links resolved: its identity."""
    problem: str = ""
    """Why git refuses a repository that is there, and what to do; empty where it does not."""


def run_git(
    arguments: Sequence[str],
    *,
    cwd: str | Path,
    stdin: bytes = b"",
    variables: Mapping[str, str] | None = None,
    timeout_s: float = GIT_TIMEOUT_S,
) -> subprocess.CompletedProcess[bytes]:
    """Run git in `cwd` and return what it said, whatever its exit code.

    Raises GitFailed where it can't be started or takes longer than `timeout_s` seconds.
    """
    environment = {name: value for name, value in os.environ.items() if name not in _REPOSITORY_VARIABLES}
    environment |= {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "LANGUAGE": "C"}
    environment |= variables or {}
    command = ["git", "-c", "core.fsmonitor=false", *arguments]
    try:
        return subprocess.run(
            command,
            cwd=cwd,
            input=stdin,
            env=environment,
            capture_output=True,
            timeout=timeout_s,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise GitFailed(
            f"git took longer than {timeout_s:g} seconds in {cwd} and was stopped; "
            "is the disk or network share that holds it reachable?"
        ) from error
    except OSError as error:
        raise GitFailed(f"git could not be started in {cwd}: {error.strerror or error}") from error


def said(result: subprocess.CompletedProcess[bytes]) -> str:
    """The last line that git wrote to its error stream, where it names the cause."""
    lines = result.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("fatal: ") if lines else f"exit code {result.returncode}"


def git_available() -> bool:
    """Whether a git that runs is on the PATH: on macOS a placeholder may stand there that doesn't."""
    if shutil.which("git") is None:
        return False
    try:
        return run_git(["--version"], cwd=os.path.sep, timeout_s=10.0).returncode == 0
    except GitFailed:
        return False


def probe(path: Path, *, variables: Mapping[str, str] | None = None) -> Checkout:
    """Ask git which checkout `path` is in, telling "none" from "one that git refuses".

    Raises GitFailed where git can't be run.
    """
    if not path.is_dir():
        return Checkout(None, None)
    top = run_git(["rev-parse", "--show-toplevel"], cwd=path, variables=variables)
    if top.returncode != 0:
        return Checkout(None, None, _refusal(path, top))
    common = run_git(["rev-parse", "--git-common-dir"], cwd=path, variables=variables)
    if common.returncode != 0:
        return Checkout(None, None, _refusal(path, common))
    return Checkout(
        toplevel=Path(os.path.realpath(_one_line(top.stdout))),
        common_dir=Path(os.path.realpath(path / _one_line(common.stdout))),
    )


def git_toplevel(path: Path) -> Path | None:
    """The top of the work tree that `path` is in, or None."""
    return probe(path).toplevel


def git_common_dir(path: Path) -> Path | None:
    """The folder shared by all worktrees of `path`'s repository, links resolved, or None."""
    return probe(path).common_dir


def first_commits(path: Path) -> tuple[str, ...]:
    """The ids of the commits without parents that HEAD descends from: what all clones have in common.

    Empty where there is no repository or no commit yet. In a shallow clone they are those where it ends.
    """
    try:
        result = run_git(["rev-list", "--max-parents=0", "HEAD", "--"], cwd=path) if path.is_dir() else None
    except GitFailed:
        return ()
    if result is None or result.returncode != 0:
        return ()
    return tuple(sorted(result.stdout.decode("ascii", "replace").split()))


def origin_uri(path: Path) -> str | None:
    """Where a checkout was cloned from, as a URI without user names and passwords; None where it wasn't.

    A path and the short form `host:path` of SSH are written out.
    """
    try:
        result = run_git(["config", "--get", "remote.origin.url"], cwd=path)
    except GitFailed:
        return None
    url = _one_line(result.stdout)
    if result.returncode != 0 or not url:
        return None
    short = _SHORT_SSH.fullmatch(url)
    if short is not None:
        return f"ssh://{short['host']}/{quote(short['path'].lstrip('/'))}"
    if "://" not in url:
        return Path(os.path.abspath(path / url)).as_uri()  # noqa: PTH100 - as git was told it, links kept
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment=""))


def marker_above(path: Path) -> Path | None:
    """The nearest folder at or above `path` that holds a `.git`, good or not."""
    for folder in (path, *path.parents):
        if os.path.lexists(folder / ".git"):
            return folder
    return None


def head_branch(path: Path) -> str | None:
    """The branch that is checked out at `path`, also one without commits; None if detached or no repository.

    It reads HEAD itself: this runs with every save, where a process would cost more than the save.
    """
    top = marker_above(path)
    if top is None:
        return None
    try:
        git_dir = _git_dir_of(top)
        head = (git_dir / "HEAD").read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return None
    if not head.startswith("ref: refs/heads/"):
        return None
    branch = head.removeprefix("ref: refs/heads/")
    return _branch_from_git(path) if branch == ".invalid" else branch


def _git_dir_of(top: Path) -> Path:
    marker = top / ".git"
    if marker.is_dir():
        return marker
    text = marker.read_text(encoding="utf-8", errors="surrogateescape")
    return top / text.removeprefix("gitdir:").strip()


def _branch_from_git(path: Path) -> str | None:
    """For the reftable format, whose HEAD file is a placeholder."""
    try:
        result = run_git(["symbolic-ref", "--short", "--quiet", "HEAD"], cwd=path)
    except GitFailed:
        return None
    return os.fsdecode(_one_line(result.stdout)) if result.returncode == 0 else None


def _one_line(output: bytes) -> str:
    """A path may itself end in white space: only git's own newline is taken off."""
    return os.fsdecode(output.removesuffix(b"\n"))


def _refusal(path: Path, result: subprocess.CompletedProcess[bytes]) -> str:
    stderr = result.stderr.decode("utf-8", "replace")
    if "must be run in a work tree" in stderr or "not a git repository (or any" in stderr:
        return ""
    top = marker_above(path) or path
    if "dubious ownership" in stderr or "unsafe repository" in stderr:
        return (
            f"the repository at {top} belongs to another user and git refuses to open it; "
            f"if you trust it: git config --global --add safe.directory '{top}'"
        )
    return f"git refuses the repository at {top}: {said(result)}"
