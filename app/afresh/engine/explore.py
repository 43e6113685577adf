"""memory_exploration_recall: what was concluded before, and what became of the code behind it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from afresh.contracts import ExploreArguments, ExploredMemo, ExploreResult
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.freshness import DiskJudge, Judge, Verdict
from afresh.engine.impact import Assessment, Assessor, detail
from afresh.engine.judged_root import JudgedRoot
from afresh.engine.old_bytes import RECALL_S
from afresh.engine.record import question_key, root_of
from afresh.engine.revision_judge import RevisionJudge
from afresh.errors import UnknownProjectError
from afresh.store import projects
from afresh.store.citations import FileCitation
from afresh.store.memos import Memo
from afresh.text.corpus import Hit
from afresh.text.redact import redact
from afresh.verbs import ExploreAtArguments

COMMITS_S = 0.15
"""Seconds that an agent's recall may spend on finding who changed something."""
_LIKE_AT_MOST = 0.99
"""The score of a question that is not the very same; that one alone has 1."""


def explore(engine: Engine, arguments: ExploreArguments, call: Call) -> ExploreResult:
    """What was concluded before, most alike first, each judged from the disk now."""
    return _explore(engine, arguments, DiskJudge(), call)


def explore_at(engine: Engine, arguments: ExploreAtArguments, call: Call) -> ExploreResult:
    """The same, judged from what git has of a revision. Raises UsageError for one that it doesn't know."""
    return _explore(engine, arguments, RevisionJudge(arguments.at), call)


def _explore(engine: Engine, arguments: ExploreArguments, judge: Judge, call: Call) -> ExploreResult:
    sent = root_of(arguments.root, call) if arguments.root is not None else None
    with engine.store.read() as cursor:
        project = projects.project_by_name(cursor, arguments.project)
        if project is None:
            raise UnknownProjectError(
                f"there is no project {arguments.project!r}. {workspaces.known_projects(cursor)}"
            )
        base = JudgedRoot(cursor, project, sent, call)
    known = engine.memos_of(project.id)
    hits, retrieval = _ranked(engine, redact(arguments.question).text, known)
    call.check()
    by_root: dict[Path, list[FileCitation]] = {}
    for hit in hits[: arguments.limit]:
        by_root.setdefault(base.of(known[hit.doc_id].root), []).extend(known[hit.doc_id].files)
    for root, files in by_root.items():
        judge.read(root, files)
    given: list[tuple[Memo, Path, Verdict, float]] = []
    left_out = 0
    for hit in hits:
        if len(given) == arguments.limit:
            break
        memo = known[hit.doc_id]
        root = base.of(memo.root)
        verdict = judge.judge(root, memo.files)
        if verdict.status == "stale" and not arguments.include_stale:
            left_out += 1
            continue
        given.append((memo, root, verdict, hit.score))
    call.check()
    assessor = Assessor(engine.store, engine.drifts, judge, commits_s=COMMITS_S, old_bytes_s=RECALL_S)
    assessments = assessor.assess_all(
        [(root, memo.files, verdict, memo.updated_at) for memo, root, verdict, _ in given]
    )
    results = [
        _explored(memo, verdict, assessment, score)
        for (memo, _, verdict, score), assessment in zip(given, assessments, strict=True)
    ]
    return ExploreResult(
        question=arguments.question,
        project=project.name,
        root=str(base.root),
        fresh=sum(memo.status == "fresh" for memo in results),
        stale=sum(memo.status == "stale" for memo in results),
        results=results,
        left_out=left_out,
        retrieval=retrieval,
        gated=judge.gated,
        at=judge.at,
    )


def _ranked(
    engine: Engine, question: str, known: Mapping[int, Memo]
) -> tuple[Sequence[Hit], Literal["hybrid", "lexical"]]:
    import numpy as np

    embedder = engine.model.embedder
    vector = embedder.query(question) if embedder else None
    ids = np.fromiter(sorted(known), dtype=np.int64, count=len(known))
    ranking = engine.corpora["memo"].search(
        question, vector, mask_ids=ids, k=max(len(known), 1), exact=engine.exact("memo")
    )
    key = question_key(question)
    exact = [id_ for id_, memo in known.items() if memo.question_key == key]
    hits = [Hit(id_, 1.0, {"exact": 1.0}) for id_ in exact]
    hits += [
        replace(hit, score=min(hit.score, _LIKE_AT_MOST))
        for hit in ranking.hits[: ranking.relevant]
        if hit.doc_id not in exact
    ]
    return hits, ranking.retrieval


def _explored(memo: Memo, verdict: Verdict, assessment: Assessment, score: float) -> ExploredMemo:
    is_fresh = verdict.status == "fresh"
    return ExploredMemo(
        id=memo.id,
        question=memo.question,
        conclusion=memo.conclusion,
        status=verdict.status,
        files=[file.path for file in memo.files],
        recorded_at=memo.recorded_at,
        updated_at=memo.updated_at,
        changed_files=list(verdict.changed),
        missing_files=list(verdict.missing),
        unverifiable_files=list(verdict.unverifiable),
        score=round(score, 6),
        impact=assessment.impact,
        details=None if is_fresh else [detail(file) for file in assessment.files],
    )
