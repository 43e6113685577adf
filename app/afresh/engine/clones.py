"""Which clone of a repository an import is for: one has other paths than the exporting machine's.

A repository is known again by its first commits, which every clone and fork of it has, wherever it lies
and whatever its folder is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.store import projects
from afresh.store.cursor import Cursor
from afresh_indexer.errors import GitFailed
from afresh_indexer.history import Revisions
from afresh_indexer.repository import first_commits

FIRST_COMMITS = "first_commits"
"""The key of an exported project under which they stand."""
_MOST = 100
"""A repository that was put together from others has many; one is enough to know it by."""


def described(cursor: Cursor, row: Mapping[str, Any]) -> dict[str, Any]:
    """An exported project with what its repository is known by, where git can tell."""
    project = projects.project_by_name(cursor, row["name"])
    assert project is not None
    for checkout in projects.checkouts(cursor, project.id):
        commits = first_commits(Path(checkout.root))
        if commits:
            return {**row, FIRST_COMMITS: list(commits[:_MOST])}
    return dict(row)


def asking(cursor: Cursor, row: Mapping[str, Any], call: Call) -> Path | None:
    """The top of the caller's checkout where it is a clone of an imported project's repository.

    None too where that very repository is known here already: then the rows are its own.
    """
    if row.get("identity") and projects.project_by_identity(cursor, row["identity"]):
        return None
    cwd = call.caller.cwd
    wanted = row.get(FIRST_COMMITS) or ()
    top = workspaces.repository_of(cwd) if cwd is not None and cwd.is_dir() and wanted else None
    if top is None:
        return None
    try:
        revisions = Revisions.open(top)
        return top if any(revisions.has_commit(commit) for commit in wanted) else None
    except GitFailed:
        return None
