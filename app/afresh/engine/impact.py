"""What a change did to a conclusion: per file and cited span what happened, where it went, and who did it.

Status is decided before, by bytes alone; nothing here makes a stale conclusion fresh. Of each file the old
bytes and the new ones are compared, one file after the other, so that memory stays flat however many files
a conclusion rests on.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import cast

from afresh.contracts import Commit, FileDetail, Freshness, Impact, MovedTo, SpanDetail
from afresh.engine.attribution import Attribution, Changed
from afresh.engine.drift_cache import Compared, DriftCache
from afresh.engine.freshness import Judge, Verdict
from afresh.engine.old_bytes import OldBytes, recorded_at
from afresh.engine.relocations import Relocations
from afresh.store.citations import FileCitation
from afresh.store.database import Store
from afresh_indexer.changes_since import blob_ids
from afresh_indexer.drift import drift
from afresh_indexer.fingerprint import eol_free, hash_bytes
from afresh_indexer.hunks import ShownHunk, diff, lines_of, shown_hunks, unified
from afresh_indexer.languages import language_of
from afresh_indexer.last_change import LastChange
from afresh_indexer.source import Source
from afresh_indexer.verdicts import CitedSpan, FileDrift, SpanDrift, State, state_of
from afresh_indexer.verdicts import MovedTo as Moved

_IMPACTS: tuple[Impact, ...] = ("eol_only", "elsewhere", "cosmetic", "docs_only", "moved", "edited", "gone")


@dataclass(frozen=True, slots=True)
class AssessedFile:
    """What became of one cited file that is not what it was."""

    citation: FileCitation
    drift: FileDrift
    change: LastChange | None
    """None where it was not looked for."""
    note: str | None = None
    is_readable: bool = True
    """Whether its content can be looked into, if there is any."""
    compared: Compared | None = None
    """The two versions that were compared; None where the file is gone, or its old bytes are."""

    @property
    def impact(self) -> Impact:
        return self.drift.change if self.drift.change != "unchanged" else "eol_only"


@dataclass(frozen=True, slots=True)
class Assessment:
    """What became of everything that a conclusion rests on."""

    impact: Impact | None
    """None for a fresh one."""
    files: tuple[AssessedFile, ...]


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of one change."""

    hunks: tuple[ShownHunk, ...]
    unified: str
    note: str | None = None
    """Why there is none."""


class Assessor:
    """Assesses the stale ones of one call, as one judge sees the files."""

    def __init__(
        self,
        store: Store,
        cache: DriftCache,
        judge: Judge,
        *,
        commits_s: float,
        old_bytes_s: float = math.inf,
    ) -> None:
        """`commits_s` are the seconds that may be spent on finding who changed something.

        `old_bytes_s` are those for finding what has no snapshot in git.
        """
        self._judge = judge
        self._cache = cache
        self._old_bytes = OldBytes(store, judge, old_bytes_s)
        self._relocations = Relocations(store, judge)
        self._attribution = Attribution(judge, cache, commits_s)

    def assess(
        self,
        root: Path,
        files: Sequence[FileCitation],
        verdict: Verdict,
        recorded: datetime | None = None,
    ) -> Assessment:
        """What became of the files that a verdict calls changed, missing or not to be read.

        `recorded` is when the conclusion was, for files that were imported without their stamps.
        """
        return self.assess_all([(root, files, verdict, recorded)])[0]

    def assess_all(
        self, judged: Sequence[tuple[Path, Sequence[FileCitation], Verdict, datetime | None]]
    ) -> list[Assessment]:
        """As `assess`, for many conclusions: who changed their files is asked for all of them at once."""
        self._old_bytes.prepare(
            file for _, files, verdict, _ in judged for file in files if file.path in verdict.changed
        )
        found = [self._found(*one) for one in judged]
        attributed = iter(
            self._attributed(
                [(root, item) for (root, *_), items in zip(judged, found, strict=True) for item in items]
            )
        )
        assessments: list[Assessment] = []
        for items in found:
            done = tuple(next(attributed) for _ in items)
            impact = max((item.impact for item in done), key=rank, default=None)
            assessments.append(Assessment(impact, done))
        return assessments

    def _found(
        self, root: Path, files: Sequence[FileCitation], verdict: Verdict, recorded: datetime | None
    ) -> list[AssessedFile]:
        changed, missing = set(verdict.changed), set(verdict.missing)
        unverifiable = {item.path: item for item in verdict.unverifiable}
        found: list[AssessedFile] = []
        for file in _known_better(files, recorded):
            if file.path in changed:
                found.append(self._changed(root, file))
            elif file.path in missing:
                found.append(self._missing(root, file))
            elif file.path in unverifiable:
                found.append(_unverifiable(file, unverifiable[file.path].reason))
        return found

    def text(self, root: Path, assessed: AssessedFile, context: int = 3) -> FileText:
        """What changed in one file, as lines."""
        file = assessed.citation
        path = file.path if assessed.drift.moved_to is None else assessed.drift.moved_to.path
        if not assessed.is_readable:
            return FileText((), "", assessed.note)
        new = self._judge.contents(root, [path])[path]
        old = self._old_bytes.of(root, file)
        if old is None:
            return FileText((), "", self._old_bytes.why_none)
        if b"\0" in old[:8000] or (new is not None and b"\0" in new[:8000]):
            return FileText((), "", "it is no text")
        now = b"" if new is None else self._as_checked_out(root, file.path, old, new)
        line_map = diff(old, now)
        note = None
        if not line_map.hunks:
            note = "only line ends differ" if old != now else None
        shown = tuple(shown_hunks(old, now, line_map, context))
        return FileText(shown, unified(old, now, line_map, path, context, file.path), note)

    def moved_text(self, root: Path, assessed: AssessedFile, span: SpanDrift, context: int = 3) -> FileText:
        """What is different about a cited part where it went to, with the line numbers of both places."""
        to = span.moved_to
        old = self._old_bytes.of(root, assessed.citation)
        new = self._judge.contents(root, [to.path])[to.path] if to is not None else None
        if to is None or old is None or new is None:
            return FileText((), "", self._old_bytes.why_none if old is None else None)
        cited = span.span
        before = _lines(old, cited.start_line, cited.end_line)
        now = self._as_checked_out(root, to.path, old, new)
        after = _lines(now, to.start_line, to.end_line)
        line_map = diff(before, after)
        if not line_map.hunks:
            return FileText((), "", "line for line the same there")
        moved_by = cited.start_line - 1, to.start_line - 1
        shown = tuple(shown_hunks(before, after, line_map, context, moved_by))
        paths = assessed.citation.path, to.path
        return FileText(shown, unified(before, after, line_map, paths[1], context, paths[0], moved_by))

    def _changed(self, root: Path, file: FileCitation) -> AssessedFile:
        now = self._judge.sha256(root, file.path)
        key = (file.sha256, now, file.path, file.language, file.spans, self._judge.at is None)
        compared = self._cache.verdicts.get(key) if now is not None else None
        if compared is None:
            new = self._judge.contents(root, [file.path])[file.path]
            if new is None:
                return self._missing(root, file)
            old = self._old_bytes.of(root, file)
            if old is None:
                return AssessedFile(file, _by_hashes(file, new), None, self._old_bytes.why_none)
            drifted = drift(
                old, self._as_checked_out(root, file.path, old, new), file.language, file.spans, file.path
            )
            compared = Compared(drifted, blob_ids(old), blob_ids(new))
            # Between the judgement and the reading it may have become another file.
            if hashlib.sha256(new).hexdigest() == now:
                self._cache.verdicts.put(key, compared)
        drifted = compared.drift
        if any(span.now == "gone" for span in drifted.spans):
            drifted = self._relocated(root, file, drifted)
        return AssessedFile(file, drifted, None, compared=compared)

    def _missing(self, root: Path, file: FileCitation) -> AssessedFile:
        old = self._old_bytes.of(root, file)
        cited = file.spans or (CitedSpan(1, 1),)
        if old is None:
            gone = tuple(SpanDrift(span, "gone", None, None, 0.0) for span in cited)
            return AssessedFile(
                file, FileDrift(file.path, "gone", gone, None), None, self._old_bytes.why_none
            )
        since = recorded_at(file)
        became = self._relocations.of_file(root, file, since).file(old, file.language, file.path)
        if became is None:
            drifted = drift(old, None, file.language, file.spans, file.path)
        else:
            place = became.moved_to.path
            new = self._judge.contents(root, [place])[place]
            new = None if new is None else self._as_checked_out(root, file.path, old, new)
            drifted = drift(old, new, file.language, file.spans, file.path, new_path=place)
        if file.spans and any(span.now == "gone" for span in drifted.spans):
            drifted = self._relocated(root, file, drifted)
        return AssessedFile(file, drifted, None)

    def _relocated(self, root: Path, file: FileCitation, drifted: FileDrift) -> FileDrift:
        """The verdict, with what left the file looked for in others."""
        old = self._old_bytes.of(root, file)
        if old is None:
            return drifted
        relocator = self._relocations.of_spans(root, file, recorded_at(file))
        spans: list[SpanDrift] = []
        for span in drifted.spans:
            found = relocator.span(old, file.language, file.path, span.span) if span.now == "gone" else None
            if found is not None:
                to = found.moved_to
                span = SpanDrift(span.span, "moved", to.start_line, to.end_line, found.likeness, to)  # noqa: PLW2901
            spans.append(span)
        change = state_of(max(span.gravity for span in spans))
        if change in ("unchanged", "eol_only") and drifted.change not in ("unchanged", "eol_only"):
            change = "elsewhere"
        return replace(drifted, change=change, spans=tuple(spans))

    def _as_checked_out(self, root: Path, path: str, old: bytes, new: bytes) -> bytes:
        """A blob of a bare repository with the line ends that a work tree had, where git converts them."""
        is_crlf = b"\r\n" in old and b"\n" not in old.replace(b"\r\n", b"")
        if self._judge.at is None or not is_crlf or b"\r" in new:
            return new
        place = self._judge.located(root, path).place
        if place is None or not place.revisions.bare:
            return new
        converted = new.replace(b"\n", b"\r\n")
        # It was judged as changed: then a commit did change the line ends.
        return new if converted == old else converted

    def _attributed(self, found: Sequence[tuple[Path, AssessedFile]]) -> list[AssessedFile]:
        """With the commits that did it, the gravest first as long as the time lasts."""
        order = sorted(range(len(found)), key=lambda number: -rank(found[number][1].impact))
        changes = self._attribution.of([_changed(*found[number]) for number in order])
        named = dict(zip(order, changes, strict=True))
        return [replace(item, change=named[number]) for number, (_, item) in enumerate(found)]


def detail(item: AssessedFile) -> FileDetail:
    """One assessed file as results give it."""
    done = item.change
    commit = done.commit if done is not None else None
    return FileDetail(
        path=item.citation.path,
        change=item.impact,
        moved_to=_moved(item.drift.moved_to),
        spans=[_span(span) for span in item.drift.spans],
        commit=None
        if commit is None
        else Commit(id=commit.id, author=commit.author, date=commit.date, subject=commit.subject),
        uncommitted=done is not None and done.uncommitted,
        note=item.note,
    )


def freshness(verdict: Verdict, impact: Impact | None) -> Freshness:
    """The short form that a recalled memory carries."""
    return Freshness(
        status=verdict.status,
        impact=impact,
        changed_files=[*verdict.changed, *(item.path for item in verdict.unverifiable)],
        missing_files=list(verdict.missing),
    )


def rank(impact: Impact | None) -> int:
    """The place of an impact in the order of gravity; -1 for what is fresh."""
    return -1 if impact is None else _IMPACTS.index(impact)


def _span(span: SpanDrift) -> SpanDetail:
    cited = span.span
    return SpanDetail(
        start_line=cited.start_line,
        end_line=cited.end_line,
        symbol=cited.symbol,
        now=span.now,
        moved_to=_moved(span.moved_to),
        now_start_line=span.start_line,
        now_end_line=span.end_line,
        likeness=round(span.likeness, 3),
        derived=cited.derived,
    )


def _changed(root: Path, item: AssessedFile) -> Changed:
    """What is asked about who changed a file."""
    if item.compared is None:
        is_gone = item.note is None and item.is_readable
        # Of a file whose old bytes are not known neither version is named.
        now = frozenset() if is_gone else frozenset({""})
        return Changed(root, item.citation, item.drift, now=now)
    return Changed(root, item.citation, item.drift, item.compared.recorded, item.compared.now)


def _lines(data: bytes, start: int, end: int) -> bytes:
    """The lines of a text from one number to another, both included."""
    return b"".join(line + b"\n" for line in lines_of(data)[start - 1 : end])


def _moved(to: Moved | None) -> MovedTo | None:
    if to is None:
        return None
    return MovedTo(
        path=to.path, symbol=to.symbol, start_line=to.start_line, end_line=to.end_line, content=to.content
    )


def _known_better(files: Iterable[FileCitation], recorded: datetime | None) -> Iterator[FileCitation]:
    """Imported citations with what can be known of them: a time, and the language by the name."""
    for file in files:
        if file.hashed_at_ns or file.mtime_ns:
            yield file
        else:
            moment = int(recorded.timestamp() * 1e9) if recorded is not None else 0
            language = file.language or language_of(file.path, b"")
            yield replace(file, hashed_at_ns=moment, language=language)


def _unverifiable(file: FileCitation, reason: str) -> AssessedFile:
    """A file that is there and can't be looked into: its content may be anything."""
    cited = file.spans or (CitedSpan(1, 1),)
    spans = tuple(SpanDrift(span, "edited", None, None, 0.0) for span in cited)
    note = f"it can't be read: {reason.replace('_', ' ')}"
    return AssessedFile(file, FileDrift(file.path, "edited", spans, None), None, note, is_readable=False)


def _by_hashes(file: FileCitation, new: bytes) -> FileDrift:
    """What can be said without the old bytes: whether what was cited is there as its hashes say."""
    source = Source(new, file.language, file.path)
    end = max(1, source.line_count)
    if hash_bytes(new)[1] == file.eol_sha256:
        kept = file.spans or (CitedSpan(1, end),)
        spans = tuple(SpanDrift(span, "eol_only", span.start_line, span.end_line, 1.0) for span in kept)
        return FileDrift(file.path, "eol_only", spans, None)
    if not file.spans:
        whole = SpanDrift(CitedSpan(1, end), "edited", 1, end, 0.0)
        return FileDrift(file.path, "edited", (whole,), None)
    found = tuple(_span_by_hashes(span, source) for span in file.spans)
    change: State = state_of(max(span.gravity for span in found))
    return FileDrift(file.path, "elsewhere" if change == "unchanged" else change, found, None)


def _span_by_hashes(span: CitedSpan, source: Source) -> SpanDrift:
    if span.symbol is not None and span.quote is None:
        named = source.by_name.get(span.symbol, [])
        for now, hash_of in (("unchanged", "source_sha256"), ("cosmetic", "tokens_sha256")):
            wanted = getattr(span, hash_of)
            for symbol in named:
                if wanted is not None and getattr(symbol, hash_of) == wanted:
                    return SpanDrift(span, cast(State, now), symbol.start_line, symbol.end_line, 1.0)
        if not named:
            return SpanDrift(span, "gone", None, None, 0.0)
        return SpanDrift(span, "edited", named[0].start_line, named[0].end_line, 0.0)
    if span.quote is not None:
        wanted = eol_free(span.quote.encode()).strip(b"\n")
        at = eol_free(source.data).find(wanted)
        if at >= 0:
            start = eol_free(source.data).count(b"\n", 0, at) + 1
            return SpanDrift(span, "unchanged", start, start + wanted.count(b"\n"), 1.0)
    first, last = source.span(span.start_line, span.end_line)
    if span.source_sha256 is not None and hash_bytes(source.data[first:last])[0] == span.source_sha256:
        return SpanDrift(span, "unchanged", span.start_line, span.end_line, 1.0)
    start, end = source.clamp(span.start_line, span.end_line)
    return SpanDrift(span, "edited", start, max(start, end), 0.0)
