"""Which repository knows a cited file: that of its root, or one inside it, such as a submodule."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from afresh_indexer.errors import GitFailed
from afresh_indexer.history import Revisions


@dataclass(frozen=True, slots=True)
class Place:
    """A repository, and how the paths of a root are named in it."""

    revisions: Revisions
    above: str = ""
    """The root, below the folder that the repository was opened at: where the root itself is gone."""
    below: str = ""
    """The folder of a repository inside the root, below that. Both end in a slash where they aren't empty."""

    def inside(self, path: str) -> str:
        """A path of the root as the repository has it."""
        return self.above + path.removeprefix(self.below)

    def outside(self, path: str) -> str | None:
        """A path of the repository as the root has it; None where it lies beside the root."""
        return self.below + path.removeprefix(self.above) if path.startswith(self.above) else None


class Repositories:
    """Opens the repositories of one call, each once."""

    def __init__(self, index_file: Path | None = None) -> None:
        """`index_file` is the index that git gave to a hook."""
        self._index_file = index_file
        self._places: dict[Path, Place | None] = {}
        self._nested: dict[tuple[Path, str], str] = {}

    def at(self, root: Path) -> Place:
        """The repository of a root, also of one that is gone from the disk. Raises GitFailed."""
        there = root
        while not there.is_dir() and there != there.parent:
            there = there.parent
        above = "" if there == root else f"{root.relative_to(there).as_posix()}/"
        return Place(Revisions.open(there, index_file=self._index_file), above=above)

    def of(self, root: Path) -> Place | None:
        """As `at`; None where there is none that git opens."""
        if root not in self._places:
            try:
                self._places[root] = self.at(root)
            except GitFailed:
                self._places[root] = None
        return self._places[root]

    def holding(self, root: Path, path: str) -> Place | None:
        """The repository that a file of the work tree belongs to: the nearest one above it."""
        below = self._nested_below(root, path.rpartition("/")[0])
        if not below:
            return self.of(root)
        inner = self.of(root / below)
        return None if inner is None else Place(inner.revisions, below=f"{below}/")

    def _nested_below(self, root: Path, folder: str) -> str:
        """The nearest folder, at or above one and below the root, with a repository of its own; or none."""
        if not folder:
            return ""
        key = (root, folder)
        if key not in self._nested:
            if os.path.lexists(root / folder / ".git"):
                self._nested[key] = folder
            else:
                self._nested[key] = self._nested_below(root, folder.rpartition("/")[0])
        return self._nested[key]
