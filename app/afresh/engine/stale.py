"""What is stale, gravest first: on the disk, in the index or at a revision, all of it or since a base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.diffs import file_diffs
from afresh.engine.freshness import DiskJudge, Judge
from afresh.engine.impact import Assessment, Assessor, detail, rank
from afresh.engine.judged_root import JudgedRoot
from afresh.engine.memo import COMMITS_S
from afresh.engine.record import root_of
from afresh.engine.revision_judge import RevisionJudge
from afresh.errors import UsageError
from afresh.store import citations, memories
from afresh.store.citations import FileCitation
from afresh.store.cursor import Cursor
from afresh.store.projects import Project
from afresh.verbs import Repository, Skipped, StaleArguments, StaleItem, StaleResult
from afresh_indexer.errors import IndexerError
from afresh_indexer.history import Revisions, Side
from afresh_indexer.repository import head_branch, origin_uri


@dataclass(frozen=True, slots=True)
class _Learned:
    """A conclusion or a memory, as far as it can go stale."""

    kind: Literal["memo", "memory"]
    id: int
    title: str
    text: str
    root: str
    files: tuple[FileCitation, ...]
    updated_at: datetime


def stale(engine: Engine, arguments: StaleArguments, call: Call) -> StaleResult:
    """Judge everything that a project knows about code, and list what does not stand.

    With a base only what went stale, or staler, since: `check` before a commit or a merge. Raises UsageError
    for a revision that git does not know.
    """
    if arguments.staged and arguments.at is not None:
        raise UsageError("staged and at exclude each other: judge what is staged, or a revision")
    sent = root_of(arguments.root, call) if arguments.root is not None else None
    with engine.store.read() as cursor:
        project = _project(engine, cursor, arguments.project, sent, call)
        base_root = JudgedRoot(cursor, project, sent, call)
        learned = list(_learned(engine, cursor, project))
    top = Path(workspaces.top_of(base_root.root))
    index_file = Path(arguments.index_file) if arguments.index_file else None
    judge: Judge = DiskJudge()
    if arguments.staged or arguments.at is not None:
        judge = RevisionJudge(arguments.at or Side.INDEX, index_file=index_file)
    base = _base(arguments, top)
    if isinstance(judge, RevisionJudge) or base is not None:
        # A revision that does not exist is an error also where there is nothing to judge.
        (judge if isinstance(judge, RevisionJudge) else RevisionJudge(base or "HEAD")).repository(top)
    before = RevisionJudge(base) if base is not None else None
    earlier_assessor = Assessor(engine.store, engine.drifts, before, commits_s=0.0) if before else None
    assessor = Assessor(engine.store, engine.drifts, judge, commits_s=COMMITS_S)
    items: list[StaleItem] = []
    skipped: list[Skipped] = []
    fresh = already = 0
    for number, item in enumerate(learned):
        call.check()
        call.emit({"kind": "progress", "phase": "judge", "done": number, "total": len(learned)})
        root = base_root.of(item.root)
        try:
            verdict = judge.judge(root, item.files)
            if verdict.status == "fresh":
                fresh += 1
                continue
            assessment = assessor.assess(root, item.files, verdict, item.updated_at)
            earlier = _at_base(before, earlier_assessor, root, item)
        except UsageError as error:
            skipped.append(Skipped(kind=item.kind, id=item.id, reason=str(error)))
            continue
        if before is not None and rank(assessment.impact) <= rank(earlier.impact):
            already += 1
            continue
        assert assessment.impact is not None
        items.append(
            StaleItem(
                kind=item.kind,
                id=item.id,
                title=item.title,
                text=item.text,
                root=str(root),
                files=[file.path for file in item.files],
                impact=assessment.impact,
                impact_at_base=earlier.impact,
                changed_files=list(verdict.changed),
                missing_files=list(verdict.missing),
                unverifiable_files=list(verdict.unverifiable),
                details=[detail(file) for file in assessment.files],
                diffs=[diff for file in assessment.files for diff in file_diffs(assessor, root, file)]
                if arguments.diff
                else None,
                updated_at=item.updated_at,
            )
        )
    items.sort(key=lambda item: (-rank(item.impact), item.kind, item.id))
    return StaleResult(
        project=project.name,
        root=str(top),
        repository=_repository(top, arguments.at),
        at=judge.at,
        base=base,
        judged=len(learned),
        fresh=fresh,
        already_stale=already,
        items=items,
        skipped=skipped,
    )


def _project(engine: Engine, cursor: Cursor, named: str | None, sent: Path | None, call: Call) -> Project:
    if named is None and sent is not None:
        found = workspaces.at(cursor, sent)
        if found is not None:
            return found.project
    workspace = workspaces.reading(engine, cursor, named, call)
    if workspace is None:
        raise UsageError("project: '%' means all projects, and freshness is judged in one checkout; name one")
    return workspace.project


def _learned(engine: Engine, cursor: Cursor, project: Project) -> Iterator[_Learned]:
    for memo in engine.memos_of(project.id).values():
        text = memo.question, memo.conclusion
        yield _Learned("memo", memo.id, *text, memo.root, memo.files, memo.updated_at)
    cited = citations.of_memories(cursor, project.id, engine.clock())
    for memory in memories.get(cursor, list(cited)):
        citation = cited[memory.id]
        title = next((line.strip() for line in memory.content.splitlines() if line.strip()), "")
        yield _Learned(
            "memory", memory.id, title, memory.content, citation.root, citation.files, memory.updated_at
        )


def _base(arguments: StaleArguments, top: Path) -> str | None:
    """The commit to compare with: where the base and what is judged went apart. Raises UsageError."""
    wanted = arguments.base or ("HEAD" if arguments.staged else None)
    if wanted is None:
        return None
    try:
        repository = Revisions.open(top)
        if wanted == "HEAD" and arguments.base is None and not repository.has_head():
            return None
        return repository.merge_base(wanted, arguments.at or "HEAD") or repository.resolve(wanted)
    except IndexerError as error:
        raise UsageError(f"{top} can't be compared with {wanted}: {error}") from None


def _repository(top: Path, at: str | None) -> Repository | None:
    """What is judged as version control names it; None where there is none."""
    try:
        revisions = Revisions.open(top)
        commit = revisions.resolve(at or "HEAD") if at or revisions.has_head() else None
    except IndexerError:
        return None
    return Repository(uri=origin_uri(top), commit=commit, branch=None if at else head_branch(top))


def _at_base(
    before: RevisionJudge | None, assessor: Assessor | None, root: Path, item: _Learned
) -> Assessment:
    if before is None or assessor is None:
        return Assessment(None, ())
    verdict = before.judge(root, item.files)
    if verdict.status == "fresh":
        return Assessment(None, ())
    return assessor.assess(root, item.files, verdict, item.updated_at)
