"""Where the followers of conclusions see them: each in its own checkout.

A conclusion that was recorded in one worktree can be fresh there and stale in another, so what turns is told
to those who see it where it turned.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path

from afresh.engine.calls import Call, Caller
from afresh.engine.judged_root import JudgedRoot
from afresh.store import projects
from afresh.store.cursor import Cursor
from afresh.store.projects import Checkout, Project


class Views:
    """The folders in which conclusions are looked at, kept as long as the checkouts stay the same."""

    def __init__(self) -> None:
        self._projects: dict[int, Project] = {}
        self._checkouts: list[Checkout] = []
        self._judged: dict[tuple[Path | None, int], JudgedRoot] = {}

    def refresh(self, cursor: Cursor) -> bool:
        """Look which projects and checkouts there are; whether the projects are others than before."""
        known = {project.id: project for project in projects.list_projects(cursor)}
        checkouts = projects.checkouts(cursor)
        changed = known != self._projects
        if changed or checkouts != self._checkouts:
            self._projects, self._checkouts = known, checkouts
            self._judged.clear()
        return changed

    def project(self, project_id: int) -> Project:
        """A project of the last look."""
        return self._projects[project_id]

    def named(self, name: str) -> Project | None:
        """The project of that name, as of the last look."""
        return next((project for project in self._projects.values() if project.name == name), None)

    def home(self, caller: Caller) -> int | None:
        """The project in whose checkout a caller works: the deepest that holds it."""
        if caller.cwd is None:
            return None
        here = Path(os.path.realpath(caller.cwd))
        holding = [checkout for checkout in self._checkouts if here.is_relative_to(checkout.root)]
        deepest = max(holding, key=lambda checkout: len(Path(checkout.root).parts), default=None)
        return deepest.project_id if deepest is not None else None

    def of(self, cursor: Cursor, caller: Caller, project_id: int, root: str) -> Path:
        """Under which folder a caller sees what was recorded at `root`."""
        judged = self._judged.get((caller.cwd, project_id))
        if judged is None:
            judged = JudgedRoot(cursor, self._projects[project_id], None, Call(caller))
            self._judged[caller.cwd, project_id] = judged
        return judged.of(root)

    def all(self, project_id: int, root: str) -> set[Path]:
        """Every folder under which what was recorded at `root` can be seen: there, and in other checkouts."""
        recorded = Path(root)
        tops = [Path(item.root) for item in self._checkouts if item.project_id == project_id]
        holding = [top for top in tops if recorded.is_relative_to(top)]
        if not holding:
            return {recorded}
        below = recorded.relative_to(max(holding, key=lambda top: len(top.parts)))
        return {recorded, *(top / below for top in tops)}


def seen_from(view: Path, touched: Mapping[Path, Collection[str]]) -> set[str]:
    """Paths that were touched, as they are written under another folder.

    `touched` has paths by the root that they are relative to; what lies outside of `view` is left out.
    """
    seen: set[str] = set()
    for root, paths in touched.items():
        if root == view:
            seen.update(paths)
        elif view.is_relative_to(root):
            start = f"{view.relative_to(root).as_posix()}/"
            seen.update(path[len(start) :] for path in paths if path.startswith(start))
        elif root.is_relative_to(view):
            start = f"{root.relative_to(view).as_posix()}/"
            seen.update(start + path for path in paths)
    return seen
