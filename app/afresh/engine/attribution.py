"""Who changed what conclusions cite: the last commit since the recording, or the work tree itself."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from afresh.engine.drift_cache import DriftCache
from afresh.engine.freshness import Judge, Located
from afresh.engine.old_bytes import first_recorded, recorded_at
from afresh.store.citations import FileCitation
from afresh_indexer.changes_since import Asked
from afresh_indexer.errors import IndexerError
from afresh_indexer.history import Revisions
from afresh_indexer.last_change import LastChange, Lines
from afresh_indexer.verdicts import FileDrift, SpanDrift

_ALL_LINES = (1, 1 << 40)
"""Of a file in which no lines can be told apart, such as a binary one."""
_LEAST_S = 0.02
"""With less left git is not started any more."""


@dataclass(frozen=True, slots=True)
class Changed:
    """A file of which it is asked who changed it."""

    root: Path
    file: FileCitation
    drift: FileDrift
    recorded: frozenset[str] = frozenset()
    """The ids under which git may have the recorded version; none where its bytes are not known."""
    now: frozenset[str] = frozenset()
    """The same of the version that is judged; none where the file is gone."""


class Attribution:
    """Asks git as long as one call's time lasts; a commit is a kindness, and nobody waits long for it.

    All files of a repository are asked for at once; what that leaves open is asked file by file.
    """

    def __init__(self, judge: Judge, cache: DriftCache, seconds: float) -> None:
        self._judge = judge
        self._cache = cache
        self._left = seconds

    def of(self, changed: Sequence[Changed]) -> list[LastChange | None]:
        """Who changed each, the most important ones first; None where it was not looked for, or in vain."""
        found: list[LastChange | None] = [None] * len(changed)
        groups: dict[tuple[int, object], tuple[Located, list[int]]] = {}
        for number, one in enumerate(changed):
            if self._left >= _LEAST_S and one.drift.change not in ("unchanged", "elsewhere"):
                began = time.monotonic()
                located = self._judge.located(one.root, one.file.path)
                self._left -= time.monotonic() - began
                if located.place is not None:
                    key = (id(located.place.revisions), located.at)
                    groups.setdefault(key, (located, []))[1].append(number)
        for located, numbers in groups.values():
            began = time.monotonic()
            answers = self._asked([changed[number] for number in numbers], located)
            self._left -= time.monotonic() - began
            for number, answer in zip(numbers, answers, strict=True):
                found[number] = answer
        return found

    def _asked(self, changed: Sequence[Changed], located: Located) -> list[LastChange | None]:
        until = time.monotonic() + self._left
        place = located.place
        assert place is not None
        revisions = place.revisions
        head = _head(revisions, located)
        lines = [_lines(one.drift) for one in changed]
        keys = [
            (revisions.objects.folder, head, one.file.path, one.file.sha256, one.now, at, located.at)
            for one, at in zip(changed, lines, strict=True)
        ]
        found = [self._cache.changes.get(key) for key in keys]
        at_once = [
            number
            for number, one in enumerate(changed)
            if found[number] is None and recorded_at(one.file) and (one.recorded or not one.now)
        ]
        since = first_recorded(changed[number].file for number in at_once)
        if since is not None and head is not None and until - time.monotonic() > _LEAST_S:
            asked = [self._as_asked(changed[number], located, lines[number]) for number in at_once]
            answers = revisions.changes_since(
                asked, since, at=located.at, timeout_s=max(until - time.monotonic(), 0.1)
            )
            for number, answer in zip(at_once, answers, strict=True):
                found[number] = answer
        for number, one in enumerate(changed):
            if found[number] is None and until - time.monotonic() > _LEAST_S:
                found[number] = revisions.last_changes(
                    place.inside(one.file.path),
                    [lines[number]],
                    since=recorded_at(one.file),
                    recorded_sha256=one.file.sha256,
                    at=located.at,
                    timeout_s=max(until - time.monotonic(), 0.1),
                )[0]
        for key, answer in zip(keys, found, strict=True):
            if answer is not None and (answer.commit is not None or answer.uncommitted):
                self._cache.changes.put(key, answer)
        return found

    def _as_asked(self, one: Changed, located: Located, lines: Lines) -> Asked:
        assert located.place is not None

        def content() -> bytes | None:
            return self._judge.contents(one.root, [one.file.path])[one.file.path]

        return Asked(located.place.inside(one.file.path), lines, one.recorded, one.now, content)


def _head(revisions: Revisions, located: Located) -> str | None:
    """The commit that is judged, or compared with."""
    try:
        return revisions.resolve(located.at if isinstance(located.at, str) else "HEAD")
    except IndexerError:
        return None


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
