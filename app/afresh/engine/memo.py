"""One conclusion: shown, its diff, and what is said of it: it holds still, it is retired, that is undone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from afresh.contracts import CitedFile, VerifyArguments, VerifyResult
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.diffs import file_diffs
from afresh.engine.freshness import DiskJudge, Judge, Verdict
from afresh.engine.impact import Assessment, Assessor, detail
from afresh.engine.judged_root import JudgedRoot
from afresh.engine.record import root_of
from afresh.engine.revision_judge import RevisionJudge
from afresh.engine.sources import read_sources, recorded_file, snapshots_of
from afresh.errors import InvalidArgumentError, NotFoundError, SourceFilesError, StoreError
from afresh.store import memos, projects, snapshots
from afresh.store.citations import FileCitation
from afresh.store.cursor import Cursor
from afresh.store.memos import Memo
from afresh.text.redact import redact
from afresh.verbs import MemoArguments, MemoDiffResult, MemoHistory, MemoResult
from afresh_indexer.verdicts import SpanDrift

COMMITS_S = 5.0
"""Seconds that may be spent on who changed something, for somebody who asks about just that."""


def memo(engine: Engine, arguments: MemoArguments, call: Call) -> MemoResult:
    """Show one conclusion whole, judged now or at a revision, with its history."""
    seen = _seen(engine, arguments.id, arguments.root, arguments.at, call)
    found = seen.memo
    with engine.store.read() as cursor:
        history = memos.history(cursor, found.id)
    assessment = seen.assess(engine)
    return MemoResult(
        id=found.id,
        project=seen.project,
        root=str(seen.root),
        question=found.question,
        conclusion=found.conclusion,
        status=seen.verdict.status,
        retired_at=found.retired_at,
        recorded_at=found.recorded_at,
        updated_at=found.updated_at,
        files=[recorded_file(file) for file in found.files],
        changed_files=list(seen.verdict.changed),
        missing_files=list(seen.verdict.missing),
        unverifiable_files=list(seen.verdict.unverifiable),
        impact=assessment.impact,
        details=[detail(file) for file in assessment.files] or None,
        history=[
            MemoHistory(
                version=item.version,
                conclusion=item.conclusion,
                changed_at=item.changed_at,
                action=item.action,
                note=item.note,
            )
            for item in history
        ],
    )


def memo_diff(engine: Engine, arguments: MemoArguments, call: Call) -> MemoDiffResult:
    """What changed in the files of one conclusion since it was recorded, as lines."""
    seen = _seen(engine, arguments.id, arguments.root, arguments.at, call)
    assessor = Assessor(engine.store, engine.drifts, seen.judge, commits_s=COMMITS_S)
    assessment = assessor.assess(seen.root, seen.memo.files, seen.verdict, seen.memo.updated_at)
    return MemoDiffResult(
        id=seen.memo.id,
        project=seen.project,
        root=str(seen.root),
        question=seen.memo.question,
        conclusion=seen.memo.conclusion,
        status=seen.verdict.status,
        impact=assessment.impact,
        details=[detail(file) for file in assessment.files],
        files=[diff for file in assessment.files for diff in file_diffs(assessor, seen.root, file)],
    )


def verify(engine: Engine, arguments: VerifyArguments, call: Call) -> VerifyResult:
    """Say that a conclusion holds as of now, retire it, or take the last change back.

    Raises NotFoundError, InvalidArgumentError for a retired one, and SourceFilesError where what it rests on
    is gone: then nothing is changed.
    """
    note = redact(arguments.note).text
    if arguments.action == "verify":
        _verified(engine, arguments.id, note, call)
    else:
        with engine.write() as tx:
            existing(tx, arguments.id)
            if arguments.action == "retire":
                memos.set_retired(tx, arguments.id, retired=True, note=note, now=engine.clock())
            else:
                memos.undo(tx, arguments.id, note=note, now=engine.clock())
    seen = _seen(engine, arguments.id, None, None, call)
    return VerifyResult(
        id=seen.memo.id,
        action=arguments.action,
        status=seen.verdict.status,
        updated_at=seen.memo.updated_at,
        files=[recorded_file(file) for file in seen.memo.files],
        retired=seen.memo.retired_at is not None,
    )


def existing(cursor: Cursor, id_: int) -> Memo:
    """The memo with that id. Raises NotFoundError that says where ids come from."""
    found = memos.get(cursor, id_)
    if found is None:
        raise NotFoundError(f"there is no memo {id_}; ids come from memory_exploration_recall")
    return found


@dataclass(frozen=True, slots=True)
class _Seen:
    """A memo and what one judge says of it."""

    memo: Memo
    project: str
    root: Path
    judge: Judge
    verdict: Verdict

    def assess(self, engine: Engine) -> Assessment:
        assessor = Assessor(engine.store, engine.drifts, self.judge, commits_s=COMMITS_S)
        return assessor.assess(self.root, self.memo.files, self.verdict, self.memo.updated_at)


def _seen(engine: Engine, id_: int, root: str | None, at: str | None, call: Call) -> _Seen:
    sent = root_of(root, call) if root is not None else None
    with engine.store.read() as cursor:
        found = existing(cursor, id_)
        project = projects.project_by_id(cursor, found.project_id)
        place = JudgedRoot(cursor, project, sent, call).of(found.root)
    judge: Judge = DiskJudge() if at is None else RevisionJudge(at)
    return _Seen(found, project.name, place, judge, judge.judge(place, found.files))


def _verified(engine: Engine, id_: int, note: str, call: Call) -> None:
    seen = _seen(engine, id_, None, None, call)
    if seen.memo.retired_at is not None:
        raise InvalidArgumentError(f"memo {id_} is retired; undo that first, or record its question again")
    assessor = Assessor(engine.store, engine.drifts, seen.judge, commits_s=0.0)
    assessment = assessor.assess(seen.root, seen.memo.files, seen.verdict, seen.memo.updated_at)
    sources = read_sources(seen.root, _cited_now(seen, assessment), seen.memo.conclusion)
    with engine.write() as tx:
        if existing(tx, id_).version != seen.memo.version:
            raise StoreError(f"memo {id_} was changed while it was being verified; look at it and try again")
        files = [source.citation for source in sources]
        memos.verify(tx, id_, files, root=str(seen.root), note=note, now=engine.clock())
        snapshots.put(
            tx, snapshots_of(sources), limit_bytes=engine.preferences.snapshot_bytes, now=engine.clock()
        )


def _cited_now(seen: _Seen, assessment: Assessment) -> list[CitedFile]:
    """What the memo cites, where it stands now. Raises SourceFilesError that names what is gone."""
    assessed = {item.citation.path: item for item in assessment.files}
    cited: list[CitedFile] = []
    gone: list[str] = []
    for file in seen.memo.files:
        item = assessed.get(file.path)
        if item is None:
            cited += _as_recorded(file)
            continue
        if not any(not span.derived for span in file.spans):
            place = item.drift.moved_to.path if item.drift.moved_to is not None else file.path
            if item.drift.moved_to is None and file.path in seen.verdict.missing:
                gone.append(file.path)
            else:
                cited.append(_cite(place))
            continue
        for drifted in item.drift.spans:
            if drifted.span.derived:
                continue
            if drifted.start_line is None or drifted.now == "gone":
                gone.append(_told(file.path, drifted))
            else:
                cited.append(_moved_span(file.path, drifted))
    if gone:
        raise SourceFilesError(
            f"memo {seen.memo.id} can't be verified, because what it rests on is gone: {'; '.join(gone)}. "
            "Record its question again with the files that answer it now, or retire it. Nothing was changed."
        )
    return cited


def _as_recorded(file: FileCitation) -> Iterator[CitedFile]:
    given = [span for span in file.spans if not span.derived]
    if not given:
        yield _cite(file.path)
    for span in given:
        if span.quote is not None:
            yield _cite(file.path, quote=span.quote)
        elif span.symbol is not None:
            yield _cite(file.path, symbol=span.symbol)
        else:
            yield _cite(file.path, start_line=span.start_line, end_line=span.end_line)


def _moved_span(path: str, drifted: SpanDrift) -> CitedFile:
    """One cited span where it stands now."""
    span, to = drifted.span, drifted.moved_to
    place = path if to is None else to.path
    if span.quote is not None and drifted.now in ("unchanged", "eol_only"):
        return _cite(place, quote=span.quote)
    symbol = span.symbol if to is None else to.symbol
    if span.symbol is not None and symbol is not None and span.quote is None:
        return _cite(place, symbol=symbol)
    assert drifted.start_line is not None and drifted.end_line is not None
    return _cite(place, start_line=drifted.start_line, end_line=max(drifted.start_line, drifted.end_line))


def _cite(path: str, **part: str | int) -> CitedFile:
    return CitedFile.model_validate({"path": path, **part})


def _told(path: str, drifted: SpanDrift) -> str:
    span = drifted.span
    return f"{path} {span.symbol or f'lines {span.start_line} to {span.end_line}'}"
