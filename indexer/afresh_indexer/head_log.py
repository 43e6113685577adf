"""Which commit a checkout stood at once, by the log that git keeps of its HEAD."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from afresh_indexer.git_objects import GitObjects


def heads_at(objects: GitObjects, moment: datetime) -> Iterator[str]:
    """The commits that HEAD may have stood at in a moment, the likelier first.

    git keeps whole seconds, so that a step in the moment's own second may have come after it. Nothing where
    the log doesn't reach back so far, and where there is none: a bare repository, a fresh clone.
    """
    command = ["log", "--walk-reflogs", "--date=unix", "--format=%H %gd", "--no-show-signature", "HEAD", "--"]
    listed = objects.run(command)
    if listed.returncode != 0:
        return
    second = int(moment.timestamp())
    for line in listed.stdout.decode("ascii", "replace").splitlines():
        commit, _, selector = line.partition(" ")
        stepped = selector.removeprefix("HEAD@{").removesuffix("}")
        if stepped.isdecimal() and int(stepped) <= second:
            yield commit
            if int(stepped) < second:
                return
