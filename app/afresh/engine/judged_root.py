"""Where cited files are looked at for one caller: in its own checkout, at the place of the recording."""

from __future__ import annotations

from pathlib import Path

from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.store import projects
from afresh.store.cursor import Cursor
from afresh.store.projects import Project


class JudgedRoot:
    """The folders in which conclusions are judged: in the caller's checkout, else where they were recorded.

    What was recorded below a checkout's top is judged at the same place below the caller's.
    """

    def __init__(self, cursor: Cursor, project: Project, sent: Path | None, call: Call) -> None:
        self._tops = [checkout.root for checkout in projects.checkouts(cursor, project.id)]
        self._sent = sent
        self.root = self._sent or call.caller.cwd or Path("/")
        here = self._sent or call.caller.cwd
        self._here = (self._checkout_of(here) or _worktree_of(project, here)) if here else None

    def of(self, root: str) -> Path:
        """The folder under which the paths of something that was recorded at `root` are looked at."""
        recorded = Path(root)
        if self._sent is not None and self._sent == recorded:
            return recorded
        recorded_top = self._checkout_of(recorded)
        if self._here is not None and recorded_top is not None:
            return Path(self._here) / recorded.relative_to(recorded_top)
        return self._sent or recorded

    def _checkout_of(self, path: Path) -> str | None:
        """The deepest known checkout of the project that holds a path."""
        held = [top for top in self._tops if path.is_relative_to(top)]
        return max(held, key=len) if held else None


def _worktree_of(project: Project, path: Path) -> str | None:
    """The top of a worktree that nobody indexed yet, if it is one of this project's repository."""
    top = workspaces.repository_of(path) if path.is_dir() else None
    return str(top) if top is not None and workspaces.identity_of(top) == project.identity else None
