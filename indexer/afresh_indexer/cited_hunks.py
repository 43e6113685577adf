"""Cuts hunks at the cited parts: of a rewritten file, a reader wants the lines that a conclusion rests on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from afresh_indexer.hunks import Hunk, HunkLine, ShownHunk
from afresh_indexer.verdicts import SpanDrift

AROUND = 3
"""Lines before and after a cited part that are shown with it."""
SHORTEST = 6
"""Up to so many lines beside a cited part, a hunk stays whole: a cut would hide less than it takes."""


def cut(hunk: ShownHunk, spans: Sequence[SpanDrift]) -> Iterator[tuple[ShownHunk, bool]]:
    """The pieces of a hunk in their order, each with whether it belongs to a cited part; often just one.

    A removed line belongs to a part by where that stood, an added one by where it stands now.
    """
    near = _near(hunk, spans)
    for start, end in _runs(near):
        if not near[start] and end - start <= SHORTEST and any(near):
            near[start:end] = [True] * (end - start)
    old, new = hunk.range.old_start, hunk.range.new_start
    for start, end in _runs(near):
        lines = hunk.lines[start:end]
        place = Hunk(old, _count(lines, "+"), new, _count(lines, "-"))
        yield ShownHunk(place, lines), near[start]
        old, new = old + place.old_lines, new + place.new_lines


def _near(hunk: ShownHunk, spans: Sequence[SpanDrift]) -> list[bool]:
    stood = [(drift.span.start_line, drift.span.end_line) for drift in spans]
    stand = [
        (drift.start_line, drift.end_line)
        for drift in spans
        if drift.start_line is not None and drift.end_line is not None
    ]
    old, new = hunk.range.old_start, hunk.range.new_start
    near: list[bool] = []
    for line in hunk.lines:
        in_old = line.kind != "+" and _is_near(stood, old)
        near.append(in_old or (line.kind != "-" and _is_near(stand, new)))
        old, new = old + (line.kind != "+"), new + (line.kind != "-")
    return near


def _is_near(parts: Sequence[tuple[int, int]], number: int) -> bool:
    return any(start - AROUND <= number <= end + AROUND for start, end in parts)


def _runs(flags: Sequence[bool]) -> list[tuple[int, int]]:
    """Where each run of equal flags begins, and where it is over."""
    edges = [at for at in range(len(flags)) if not at or flags[at] != flags[at - 1]]
    return list(zip(edges, [*edges[1:], len(flags)], strict=True))


def _count(lines: Sequence[HunkLine], other: str) -> int:
    """How many of some lines are on one side."""
    return sum(line.kind != other for line in lines)
