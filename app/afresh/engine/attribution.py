"""Who changed what a conclusion cites: the last commit since the recording, or the work tree itself."""

from __future__ import annotations

import time
from pathlib import Path

from afresh.engine.freshness import Judge
from afresh.engine.old_bytes import recorded_at
from afresh.store.citations import FileCitation
from afresh_indexer.last_change import LastChange, Lines
from afresh_indexer.verdicts import FileDrift, SpanDrift

_ALL_LINES = (1, 1 << 40)
"""Of a file in which no lines can be told apart, such as a binary one."""
_LEAST_S = 0.02
"""With less left git is not started any more."""


class Attribution:
    """Asks git as long as one call's time lasts; a commit is a kindness, and nobody waits long for it."""

    def __init__(self, judge: Judge, seconds: float) -> None:
        self._judge = judge
        self._left = seconds

    def of(self, root: Path, file: FileCitation, drifted: FileDrift) -> LastChange | None:
        """The change of the gravest cited span; None where it was not looked for, or there is no git."""
        if self._left < _LEAST_S or drifted.change == "unchanged":
            return None
        began = time.monotonic()
        located = self._judge.located(root, file.path)
        if located.place is None:
            return None
        found = located.place.revisions.last_changes(
            located.place.inside(file.path),
            [_lines(drifted)],
            since=recorded_at(file),
            recorded_sha256=file.sha256,
            at=located.at,
            timeout_s=max(self._left, 0.1),
        )
        self._left -= time.monotonic() - began
        return found[0]


def _lines(drifted: FileDrift) -> Lines:
    """The lines, of the file as it is now, whose last change is asked for.

    Where a definition ends can't be told while its file does not parse, as amid a conflict: the lines that
    stand in the place of the old ones count too, where both meet.
    """
    gravest: SpanDrift = max(drifted.spans, key=lambda span: span.gravity)
    placed: Lines | None = None
    if drifted.line_map is not None:
        placed = drifted.line_map.project(gravest.span.start_line, gravest.span.end_line)
    moved_away = gravest.moved_to is not None and gravest.moved_to.path != drifted.path
    if gravest.start_line is None or gravest.end_line is None or moved_away:
        return placed or _ALL_LINES
    start, end = gravest.start_line, gravest.end_line
    if placed is not None and placed[0] <= end and start <= placed[1]:
        return min(start, placed[0]), max(end, placed[1])
    return start, end
