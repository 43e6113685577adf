"""What changed in cited files, as lines: of each file, and of each part that went elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from afresh.engine.impact import AssessedFile, Assessor, FileText
from afresh.text.redact import redact
from afresh.verbs import DiffHunk, DiffLine, FileDiff
from afresh_indexer.cited_hunks import cut
from afresh_indexer.hunks import ShownHunk
from afresh_indexer.verdicts import SpanDrift


def file_diffs(assessor: Assessor, root: Path, file: AssessedFile) -> list[FileDiff]:
    """The changed lines of one assessed file; a secret in them is redacted as everywhere.

    A part that went elsewhere follows by itself, compared with what stands there: in the diff of its file it
    is only removed.
    """
    text = assessor.text(root, file)
    moved = file.drift.moved_to
    left = [span for span in file.drift.spans if _has_left(file, span)]
    whole = FileDiff(
        path=file.citation.path,
        new_path=None if file.drift.change == "gone" else (moved.path if moved else file.citation.path),
        change=file.impact,
        hunks=_hunks(text.hunks, [span for span in file.drift.spans if span not in left], bool(left)),
        unified=redact(text.unified).text,
        note=file.note or text.note,
    )
    return [whole, *(_part(file, span, assessor.moved_text(root, file, span)) for span in left)]


def _has_left(file: AssessedFile, span: SpanDrift) -> bool:
    """Whether a part is somewhere else than its file."""
    if span.moved_to is None or not file.is_readable:
        return False
    return file.drift.moved_to is None or file.drift.moved_to.path != span.moved_to.path


def _part(file: AssessedFile, span: SpanDrift, text: FileText) -> FileDiff:
    to = span.moved_to
    assert to is not None
    cited = span.span
    return FileDiff(
        path=file.citation.path,
        new_path=to.path,
        part=cited.symbol or f"{cited.start_line}-{cited.end_line}",
        change="edited" if to.content == "changed" else "moved",
        hunks=_hunks(text.hunks, (), False),
        unified=redact(text.unified).text,
        note=text.note,
    )


def _hunks(shown: Sequence[ShownHunk], spans: Sequence[SpanDrift], elsewhere: bool) -> list[DiffHunk]:
    """Hunks as results give them, cut where a cited part ends in a long one.

    Where no part is cited, the file is, and so is each of its changes.
    """
    pieces = (
        piece for hunk in shown for piece in (cut(hunk, spans) if spans or elsewhere else ((hunk, True),))
    )
    return [
        DiffHunk(
            old_start=hunk.range.old_start,
            old_lines=hunk.range.old_lines,
            new_start=hunk.range.new_start,
            new_lines=hunk.range.new_lines,
            lines=[DiffLine(kind=line.kind, text=redact(line.text).text) for line in hunk.lines],
            cited=is_cited,
        )
        for hunk, is_cited in pieces
    ]
