"""Which project and which checkout a call is about.

A project is a repository (all its worktrees) or a folder; a checkout is one root of it on this disk.
"The workspace's" project is the one whose checkout holds the caller's working directory.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.errors import NotFoundError, RootRefusedError, UnknownProjectError, UsageError
from afresh.store import projects
from afresh.store.cursor import Cursor, Transaction
from afresh.store.importing import NAME_ONLY
from afresh.store.projects import Checkout, Project
from afresh_indexer.errors import RootRefused
from afresh_indexer.repository import git_common_dir, git_toplevel, head_branch, marker_above
from afresh_indexer.walk import check_root

ALL = "%"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A project, and the checkout of it that the caller works in, if any."""

    project: Project
    checkout: Checkout | None


def top_of(path: Path) -> Path:
    """The root that a folder belongs to: its repository's top, else the folder itself."""
    return git_toplevel(path) or path


def reading(engine: Engine, cursor: Cursor, named: str | None, call: Call) -> Workspace | None:
    """The workspace that a read is about; None for `%`.

    Raises UnknownProjectError, with the known ones, for a name that doesn't exist, and where nothing is
    named and the working directory is in no project.
    """
    if named == ALL:
        return None
    here = _here(cursor, call)
    if named is None:
        if here is None:
            raise UnknownProjectError(
                f"{call.caller.cwd or 'the working directory'} is in no known project; "
                f"name one with `project`, or index it first. {known_projects(cursor)}"
            )
        return here
    project = projects.project_by_name(cursor, named)
    if project is None:
        raise UnknownProjectError(f"there is no project {named!r}. {known_projects(cursor)}")
    return _within(cursor, project, here)


def writing(engine: Engine, tx: Transaction, named: str | None, call: Call) -> Workspace:
    """The workspace that a write is about; a project that doesn't exist yet is created.

    Raises UsageError where nothing is named and the working directory can't be a project's root.
    """
    here = _here(tx, call)
    if named == ALL:
        raise UsageError("project: '%' means all projects and can't be written to; name one")
    if named is None:
        if here is not None and here.checkout is not None:
            return here
        if call.caller.cwd is None:
            raise UsageError("no project is named and the working directory isn't known; name a project")
        return register(engine, tx, top_of(call.caller.cwd), name=None, force=False)
    project = projects.project_by_name(tx, named)
    if project is None:
        project = projects.create_project(tx, named, name_only(named), engine.clock())
    return _within(tx, project, here)


def register(engine: Engine, tx: Transaction, root: Path, *, name: str | None, force: bool) -> Workspace:
    """The workspace with this root, created where it isn't known.

    Raises RootRefusedError for a root that can't or shouldn't be one.
    """
    root = checked_root(root, force=force)
    identity = str(git_common_dir(root) or root)
    known = projects.project_by_identity(tx, identity)
    if known is not None and name is not None and known.name != name:
        if projects.project_by_name(tx, name) is not None:
            raise UsageError(
                f"{root} belongs to the project {known.name!r}, and {name!r} is another project; "
                f"leave the name out or choose one that is free"
            )
        known = projects.rename_project(tx, known.id, name)
    if known is None and name is not None:
        named = projects.project_by_name(tx, name)
        if named is not None and named.identity == name_only(name):
            known = projects.adopt_identity(tx, named.id, identity)
    if known is None:
        known = projects.create_project(tx, name or root.name or "root", identity, engine.clock())
    checkout = projects.add_checkout(tx, known.id, str(root), engine.clock())
    return Workspace(known, checkout)


def checked_root(root: Path, *, force: bool) -> Path:
    """A root that may be indexed, absolute.

    Raises RootRefusedError that names the path and what to do.
    """
    try:
        return check_root(root, force=force, home=Path.home())
    except RootRefused as error:
        raise RootRefusedError(str(error)) from None


def holding(cursor: Cursor, path: Path) -> Workspace | None:
    """The known workspace that a path lies in: the deepest root that holds it."""
    found = projects.checkout_holding(cursor, os.path.realpath(path))
    return Workspace(*found) if found else None


def known_projects(cursor: Cursor) -> str:
    """A sentence that lists the known projects."""
    names = [project.name for project in projects.list_projects(cursor)]
    if not names:
        return "None is known yet: `afresh index` makes one."
    shown = ", ".join(names[:20])
    return f"Known: {shown}{' …' if len(names) > 20 else ''}."


def name_of(cursor: Cursor, project_id: int | None, what: str) -> str:
    """The name of the project that something stored is of, `%` for what is over all projects.

    Raises NotFoundError, which names `what`, where the project is gone.
    """
    if project_id is None:
        return ALL
    names = {project.id: project.name for project in projects.list_projects(cursor)}
    if project_id not in names:
        raise NotFoundError(f"the project of {what} is gone")
    return names[project_id]


def branch_of(workspace: Workspace) -> str | None:
    """The branch that the caller's checkout is on."""
    return head_branch(Path(workspace.checkout.root)) if workspace.checkout else None


def _here(cursor: Cursor, call: Call) -> Workspace | None:
    """The caller's workspace."""
    return at(cursor, call.caller.cwd) if call.caller.cwd else None


def at(cursor: Cursor, path: Path) -> Workspace | None:
    """The workspace at a path; a worktree that nobody indexed yet belongs to its repository's project."""
    held = holding(cursor, path)
    if held is not None:
        return held
    # Only where there can be a repository is git asked: its process costs more than the call.
    common = git_common_dir(path) if marker_above(path) or (path / "HEAD").exists() else None
    project = projects.project_by_identity(cursor, str(common)) if common else None
    return Workspace(project, None) if project else None


def _within(cursor: Cursor, project: Project, here: Workspace | None) -> Workspace:
    """A named project, with the caller's checkout if that is one of its, else its first."""
    if here is not None and here.project.id == project.id:
        return here
    own = projects.checkouts(cursor, project.id)
    return Workspace(project, own[0] if own else None)


def repository_of(path: Path) -> Path | None:
    """The top of the repository that a folder lies in, if any."""
    return git_toplevel(path)


def identity_of(root: Path) -> str:
    """What makes two checkouts the same project: git's common directory, else the folder itself."""
    return str(git_common_dir(root) or top_of(root))


def name_only(name: str) -> str:
    """The identity of a project that so far is no repository and no folder, just its name."""
    return f"{NAME_ONLY}{name}"
