"""Paths that two states of a tree differ in, as git lists them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from afresh_indexer.git_objects import GitObjects


@dataclass(frozen=True, slots=True)
class ChangedPath:
    """A path that two states of a tree differ in."""

    path: str
    """On the newer side; for a deletion the path that is gone."""
    status: str
    """`A` added, `M` modified, `D` deleted, `R` renamed, `T` of another kind, `U` in conflict."""
    old_path: str | None = None
    """For a renamed file: where it was."""


def compared(objects: GitObjects, sides: Sequence[str]) -> list[ChangedPath]:
    """What two sides of `git diff` differ in. Raises GitFailed."""
    command = ["diff", "--name-status", "-z", "-M", "--relative", "--no-ext-diff", "--no-textconv"]
    command += ["--no-color", "--ignore-submodules=dirty", *sides, "--"]
    return _parse_status(objects.output(command, f"compare {' and '.join(sides)}"))


def compared_with_disk(objects: GitObjects, commit: str) -> list[ChangedPath]:
    """What the work tree has other than a commit; files that git does not know are added ones.

    This comparison refreshes the index and writes it, also with optional locks off: it gets a copy. Without
    the refresh every file whose stamps alone have changed would count as modified. Raises GitFailed.
    """
    found = objects.output(["rev-parse", "--git-path", "index"], "find the index")
    index = objects.folder / os.fsdecode(found.removesuffix(b"\n"))
    with TemporaryDirectory(prefix="afresh-index-") as folder:
        copy = Path(folder) / "index"
        if index.exists():
            shutil.copyfile(index, copy)
        changed = compared(replace(objects, index_file=copy), [commit])
    others = objects.output(["ls-files", "-o", "--exclude-standard", "-z"], "list new files")
    return changed + [ChangedPath(os.fsdecode(name), "A") for name in others.split(b"\0") if name]


def _parse_status(output: bytes) -> list[ChangedPath]:
    fields = [os.fsdecode(name) for name in output.split(b"\0")[:-1]]
    changed: list[ChangedPath] = []
    while fields:
        status = fields.pop(0)[:1]
        if status in ("R", "C"):
            old, new = fields.pop(0), fields.pop(0)
            changed.append(ChangedPath(new, status, old))
        else:
            changed.append(ChangedPath(fields.pop(0), status))
    return changed
