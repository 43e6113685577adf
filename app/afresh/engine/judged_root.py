"""Where cited files are looked at for one caller: in its own checkout, at the place of the recording."""

from __future__ import annotations

from pathlib import Path

from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.store import projects
from afresh.store.cursor import Cursor
from afresh.store.projects import Project
from afresh_indexer.repository import marker_above


class JudgedRoot:
    """The folders in which conclusions are judged: in the caller's checkout, else where they were recorded.

    What was recorded below a checkout's top is judged at the same place below the caller's, also in another
    clone that is named by its top, and in a bare one.
    """

    def __init__(self, cursor: Cursor, project: Project, sent: Path | None, call: Call) -> None:
        self._tops = [checkout.root for checkout in projects.checkouts(cursor, project.id)]
        self._sent = sent
        self.root = self._sent or call.caller.cwd or Path("/")
        self._here = self._top_for(project, self.root) if sent or call.caller.cwd else None

    def of(self, root: str) -> Path:
        """The folder under which the paths of something that was recorded at `root` are looked at."""
        recorded = Path(root)
        if self._sent is not None and self._sent == recorded:
            return recorded
        recorded_top = self._checkout_of(recorded)
        if self._here is not None and recorded_top is not None:
            return Path(self._here) / recorded.relative_to(recorded_top)
        if self._here is not None and not recorded.exists():
            # Recorded in a clone that is not on this machine: its top stands for ours.
            return Path(self._here)
        return self._sent or recorded

    def _top_for(self, project: Project, here: Path) -> str | None:
        """The checkout that the caller works in; None where that is not of this project."""
        known = self._checkout_of(here)
        nearest = marker_above(here)
        if known is not None and (nearest is None or Path(known).is_relative_to(nearest)):
            return known
        # There is a repository below the known checkout, or outside of all: a worktree, a clone, another one.
        top = workspaces.repository_of(here) if here.is_dir() else None
        if top is not None and workspaces.identity_of(top) == project.identity:
            return str(top)
        if top is not None and known is None and project.identity == workspaces.name_only(project.name):
            # What was imported has no checkout yet; the one that asks is as good as any.
            return str(top)
        if known is not None or self._sent is None:
            return known
        return str(here) if top == here or _is_git_folder(here) else None

    def _checkout_of(self, path: Path) -> str | None:
        """The deepest known checkout of the project that holds a path."""
        held = [top for top in self._tops if path.is_relative_to(top)]
        return max(held, key=len) if held else None


def _is_git_folder(path: Path) -> bool:
    """Whether a folder is a repository's own, as that of a bare one is."""
    return all((path / name).exists() for name in ("HEAD", "objects", "refs"))
