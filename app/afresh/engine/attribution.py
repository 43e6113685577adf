"""Who changed what a conclusion cites: the last commit since the recording, or the work tree itself."""

from __future__ import annotations

import time
from pathlib import Path

from afresh.engine.freshness import Judge
from afresh.engine.old_bytes import OldBytes, recorded_at
from afresh.engine.revision_judge import RevisionJudge
from afresh.store.citations import FileCitation
from afresh_indexer.last_change import LastChange, Lines
from afresh_indexer.verdicts import FileDrift, SpanDrift

_LEAST_S = 0.02
"""With less left git is not started any more."""


class Attribution:
    """Asks git as long as one call's time lasts; a commit is a kindness, and nobody waits long for it."""

    def __init__(self, old_bytes: OldBytes, judge: Judge, seconds: float) -> None:
        self._old_bytes = old_bytes
        self._judge = judge
        self._left = seconds

    def of(self, root: Path, file: FileCitation, drifted: FileDrift) -> LastChange | None:
        """The change of the gravest cited span; None where it was not looked for, or there is no git."""
        if self._left < _LEAST_S or drifted.change == "unchanged":
            return None
        repository = self._old_bytes.repository(root)
        if repository is None:
            return None
        # For what is staged the work tree is asked: a commit did it, or it is not committed.
        revision = self._judge.revision if isinstance(self._judge, RevisionJudge) else None
        began = time.monotonic()
        found = repository.last_changes(
            file.path,
            [_lines(drifted)],
            since=recorded_at(file),
            recorded_sha256=file.sha256,
            at=revision if isinstance(revision, str) else None,
            timeout_s=max(self._left, 0.1),
        )
        self._left -= time.monotonic() - began
        return found[0]


def _lines(drifted: FileDrift) -> Lines:
    """The lines, of the file as it is now, whose last change is asked for."""
    gravest: SpanDrift = max(drifted.spans, key=lambda span: span.gravity)
    moved_away = gravest.moved_to is not None and gravest.moved_to.path != drifted.path
    if gravest.start_line is not None and gravest.end_line is not None and not moved_away:
        return gravest.start_line, gravest.end_line
    if drifted.line_map is None:
        return 1, 1
    return drifted.line_map.project(gravest.span.start_line, gravest.span.end_line)
