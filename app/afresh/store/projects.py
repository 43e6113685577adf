"""Projects and the checkouts of them.

A project is what memories belong to; its identity is git's common directory, or the root folder where there
is no git, so that all worktrees of a repository are one project. A checkout is one root folder on the disk,
against which freshness is judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath
from typing import Any

from afresh.errors import InvalidArgumentError, NotFoundError
from afresh.store.columns import aware, stored
from afresh.store.cursor import Cursor, Transaction


@dataclass(frozen=True, slots=True)
class Project:
    """What memories and memos belong to."""

    id: int
    name: str
    identity: str
    """Absolute path of git's common directory or of the root; `name:…` for one that so far is only a name."""
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Checkout:
    """One root folder of a project."""

    id: int
    project_id: int
    root: str
    """Absolute path."""


_PROJECT = "SELECT id, name, identity, created_at FROM projects"
_CHECKOUT = "SELECT id, project_id, root FROM checkouts"


def list_projects(cur: Cursor) -> list[Project]:
    """All projects, by name."""
    return list(
        cur.kept(
            "projects", lambda: [_project(row) for row in cur.execute(f"{_PROJECT} ORDER BY name").rows()]
        )
    )


def project_by_id(cur: Cursor, project_id: int) -> Project:
    """The project with that id.

    Raises NotFoundError.
    """
    found = next((project for project in list_projects(cur) if project.id == project_id), None)
    if found is None:
        raise NotFoundError(f"no project has the id {project_id}")
    return found


def project_by_name(cur: Cursor, name: str) -> Project | None:
    """The project with exactly that name."""
    return next((project for project in list_projects(cur) if project.name == name), None)


def project_by_identity(cur: Cursor, identity: str) -> Project | None:
    """The project of that common directory or root."""
    return next((project for project in list_projects(cur) if project.identity == identity), None)


def create_project(tx: Transaction, name: str, identity: str, now: datetime) -> Project:
    """The project of `identity`, made where there is none.

    A name that another identity has becomes `name-2`, `name-3` and so on.
    """
    known = project_by_identity(tx, identity)
    if known is not None:
        return known
    taken = {row[0] for row in tx.execute("SELECT name FROM projects").rows()}
    free, number = name, 1
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    row = tx.execute(
        "INSERT INTO projects SELECT nextval('project_ids'), ?, ?, ? "
        "RETURNING id, name, identity, created_at",
        [free, identity, stored(now)],
    ).one()
    return _project(_present(row))


def adopt_identity(tx: Transaction, project_id: int, identity: str) -> Project:
    """Give a project that so far was only a name the repository or folder that it is about.

    Raises NotFoundError, InvalidArgumentError where another project has that identity.
    """
    project = project_by_id(tx, project_id)
    other = project_by_identity(tx, identity)
    if other is not None and other.id != project_id:
        raise InvalidArgumentError(f"{identity} belongs to the project {other.name!r} already")
    tx.execute("UPDATE projects SET identity = ? WHERE id = ?", [identity, project_id])
    return Project(project.id, project.name, identity, project.created_at)


def rename_project(tx: Transaction, project_id: int, name: str) -> Project:
    """Give a project another name.

    Raises NotFoundError, InvalidArgumentError where another project has that name.
    """
    project = project_by_id(tx, project_id)
    other = project_by_name(tx, name)
    if other is not None and other.id != project_id:
        raise InvalidArgumentError(f"the name {name!r} belongs to another project ({other.identity})")
    tx.execute("UPDATE projects SET name = ? WHERE id = ?", [name, project_id])
    return Project(project.id, name, project.identity, project.created_at)


def add_checkout(tx: Transaction, project_id: int, root: str, now: datetime) -> Checkout:
    """The checkout at `root`, made where there is none.

    A root belongs to one project at a time: one that was another project's now belongs to this one.
    """
    known = _checkout_or_none(tx.execute(f"{_CHECKOUT} WHERE root = ?", [root]).one())
    if known is not None and known.project_id == project_id:
        return known
    if known is not None:
        tx.execute("UPDATE checkouts SET project_id = ? WHERE id = ?", [project_id, known.id])
        return Checkout(known.id, project_id, root)
    row = tx.execute(
        "INSERT INTO checkouts SELECT nextval('checkout_ids'), ?, ?, ? RETURNING id, project_id, root",
        [project_id, root, stored(now)],
    ).one()
    return Checkout(*_present(row))


def checkouts(cur: Cursor, project_id: int | None = None) -> list[Checkout]:
    """The checkouts of one project, or of all, by root."""
    known = cur.kept(
        "checkouts", lambda: [Checkout(*row) for row in cur.execute(f"{_CHECKOUT} ORDER BY root").rows()]
    )
    return [checkout for checkout in known if project_id in (None, checkout.project_id)]


def checkout_by_id(cur: Cursor, checkout_id: int) -> Checkout | None:
    """The checkout with that id."""
    return next((checkout for checkout in checkouts(cur) if checkout.id == checkout_id), None)


def checkout_holding(cur: Cursor, path: str) -> tuple[Project, Checkout] | None:
    """The checkout with the deepest root that is `path` or holds it, and its project.

    Compared by path components, so `/code/app` doesn't hold `/code/app-old`.
    """
    wanted = PurePath(path)
    holding = [checkout for checkout in checkouts(cur) if wanted.is_relative_to(checkout.root)]
    if not holding:
        return None
    deepest = max(holding, key=lambda checkout: len(PurePath(checkout.root).parts))
    return project_by_id(cur, deepest.project_id), deepest


def _project(row: tuple[Any, ...]) -> Project:
    return Project(row[0], row[1], row[2], aware(row[3]))


def _checkout_or_none(row: tuple[Any, ...] | None) -> Checkout | None:
    return None if row is None else Checkout(*row)


def _present(row: tuple[Any, ...] | None) -> tuple[Any, ...]:
    assert row is not None
    return row
