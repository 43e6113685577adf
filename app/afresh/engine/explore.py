"""Conclusions about code: recorded with the files they were read from, judged from the disk when recalled."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from afresh.contracts import (
    ExploreArguments,
    ExploredMemo,
    ExploreResult,
    RecordArguments,
    RecordResult,
)
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine, Redactor
from afresh.engine.freshness import DiskJudge, Verdict
from afresh.engine.sources import SourceFile, read_sources, recorded_file
from afresh.errors import InvalidArgumentError, NotFoundError, UnknownProjectError, UsageError
from afresh.store import memos, projects, snapshots
from afresh.store.citations import FileCitation
from afresh.store.cursor import Cursor, Transaction
from afresh.store.memos import Memo, MemoHistory
from afresh.store.projects import Project
from afresh.text.corpus import Hit
from afresh.text.redact import redact
from afresh.verbs import MemoArguments, MemoResult
from afresh.verbs import MemoHistory as MemoHistoryResult

SNAPSHOT_LIMIT = 256 * 1024 * 1024
"""Compressed bytes that all snapshots together may take."""
_LIKE_AT_MOST = 0.99
"""The score of a question that is not the very same; that one alone has 1."""
_CLOSING = " \t\r\n?!.…。？！:;,"


def record(engine: Engine, arguments: RecordArguments, call: Call) -> RecordResult:
    """Record a conclusion, with its files hashed now; the same question in the project is the same memo.

    Raises SourceFilesError that names every file which can't be recorded; then nothing is stored.
    """
    if arguments.project == workspaces.ALL:
        raise UsageError("project: '%' means all projects and can't be written to; name one")
    redactor = Redactor()
    question = redactor(arguments.question).strip()
    conclusion = redactor(arguments.conclusion)
    if not question_key(question):
        raise InvalidArgumentError(f"question: must have a word in it; got {arguments.question[:40]!r}")
    if not conclusion.strip():
        raise InvalidArgumentError("conclusion: must have more than white space")
    root = workspaces.checked_root(_root(arguments.root, call), force=False)
    sources = read_sources(root, arguments.files)
    indexed = engine.index_text(question)
    kept = {source.citation.sha256: source.data for source in sources if _may_be_kept(source)}
    with engine.exclusive():
        with engine.write() as tx:
            now = engine.clock()
            project = _project_for(engine, tx, arguments.project, root)
            if arguments.supersedes is not None:
                _check_superseded(tx, project, arguments.supersedes)
            memo, replaced = memos.record(
                tx,
                project_id=project.id,
                root=str(root),
                question=question,
                question_key=question_key(question),
                conclusion=conclusion,
                files=[source.citation for source in sources],
                now=now,
            )
            if arguments.supersedes is not None and arguments.supersedes != memo.id:
                memos.supersede(tx, arguments.supersedes, memo.id, now)
            engine.drop_index(tx, "memo", [memo.id])
            engine.store_index(tx, "memo", {memo.id: indexed})
            snapshots.put(tx, kept, limit_bytes=SNAPSHOT_LIMIT, now=now)
        engine.corpora["memo"].remove(memo.id)
        engine.search_index("memo", {memo.id: indexed})
    return RecordResult(
        id=memo.id,
        project=project.name,
        root=str(root),
        question=question,
        recorded_at=memo.recorded_at,
        updated_at=memo.updated_at,
        files=[recorded_file(source.citation) for source in sources],
        replaced=replaced,
        semantic_index=indexed.vectors is not None,
        redacted=redactor.found,
    )


def explore(engine: Engine, arguments: ExploreArguments, call: Call) -> ExploreResult:
    """What was concluded before, most alike first, each judged from the disk now."""
    sent = _root(arguments.root, call) if arguments.root is not None else None
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
    judge = DiskJudge()
    by_root: dict[Path, list[FileCitation]] = {}
    for hit in hits[: arguments.limit]:
        by_root.setdefault(base.of(known[hit.doc_id]), []).extend(known[hit.doc_id].files)
    for root, files in by_root.items():
        judge.read(root, files)
    given: list[ExploredMemo] = []
    left_out = 0
    for hit in hits:
        if len(given) == arguments.limit:
            break
        memo = known[hit.doc_id]
        verdict = judge.judge(base.of(memo), memo.files)
        if verdict.status == "stale" and not arguments.include_stale:
            left_out += 1
            continue
        given.append(_explored(memo, verdict, hit.score))
    return ExploreResult(
        question=arguments.question,
        project=project.name,
        root=str(base.root),
        fresh=sum(memo.status == "fresh" for memo in given),
        stale=sum(memo.status == "stale" for memo in given),
        results=given,
        left_out=left_out,
        retrieval=retrieval,
        gated=judge.gated,
    )


def memo(engine: Engine, arguments: MemoArguments, call: Call) -> MemoResult:
    """Show one memo with its history, retire it, or take the retirement back."""
    note = redact(arguments.note).text
    sent = _root(arguments.root, call) if arguments.root is not None else None
    with engine.exclusive():
        if arguments.action != "show":
            with engine.write() as tx:
                _existing(tx, arguments.id)
                memos.set_retired(
                    tx, arguments.id, retired=arguments.action == "retire", note=note, now=engine.clock()
                )
        with engine.store.read() as cursor:
            found = _existing(cursor, arguments.id)
            project = projects.project_by_id(cursor, found.project_id)
            history = memos.history(cursor, found.id)
            root = JudgedRoot(cursor, project, sent, call).of(found)
    verdict = DiskJudge().judge(root, found.files)
    return MemoResult(
        id=found.id,
        project=project.name,
        root=str(root),
        question=found.question,
        conclusion=found.conclusion,
        status=verdict.status,
        retired_at=found.retired_at,
        recorded_at=found.recorded_at,
        updated_at=found.updated_at,
        files=[recorded_file(file) for file in found.files],
        changed_files=list(verdict.changed),
        missing_files=list(verdict.missing),
        unverifiable_files=list(verdict.unverifiable),
        history=[_history(item) for item in history],
    )


def question_key(question: str) -> str:
    """What makes two questions the same: case, white space and closing punctuation don't count."""
    folded = unicodedata.normalize("NFKC", question).casefold()
    return " ".join(folded.split()).rstrip(_CLOSING)


class JudgedRoot:
    """Where a project's memos are judged for one caller: in its checkout, else where they were recorded.

    A memo that was recorded below a checkout's top is judged at the same place below the caller's.
    """

    def __init__(self, cursor: Cursor, project: Project, sent: Path | None, call: Call) -> None:
        self._tops = [checkout.root for checkout in projects.checkouts(cursor, project.id)]
        self._sent = sent
        self.root = self._sent or call.caller.cwd or Path("/")
        here = self._sent or call.caller.cwd
        self._here = (self._checkout_of(here) or _worktree_of(project, here)) if here else None

    def of(self, memo: Memo) -> Path:
        """The folder under which this memo's paths are looked at."""
        recorded = Path(memo.root)
        if self._sent is not None and self._sent == recorded:
            return recorded
        recorded_top = self._checkout_of(recorded)
        if self._here is not None and recorded_top is not None:
            return Path(self._here) / recorded.relative_to(recorded_top)
        return self._sent or recorded

    def _checkout_of(self, path: Path) -> str | None:
        """The deepest known checkout of the project that holds a path."""
        held = [top for top in self._tops if path.is_relative_to(top)]
        return max(held, key=len) if held else None


def _worktree_of(project: Project, path: Path) -> str | None:
    """The top of a worktree that nobody indexed yet, if it is one of this project's repository."""
    top = workspaces.repository_of(path) if path.is_dir() else None
    return str(top) if top and workspaces.identity_of(top) == project.identity else None


def _root(sent: str | None, call: Call) -> Path:
    if sent is None:
        if call.caller.cwd is None:
            raise InvalidArgumentError("root: the working directory isn't known; give an absolute path")
        return Path(os.path.realpath(call.caller.cwd))
    if "\0" in sent or not Path(sent).is_absolute():
        raise InvalidArgumentError(f"root: must be an absolute path; got {sent!r}")
    return Path(os.path.realpath(sent))


def _project_for(engine: Engine, tx: Transaction, name: str, root: Path) -> Project:
    """The named project, created with this root as its checkout where it is new."""
    found = projects.project_by_name(tx, name)
    held = workspaces.holding(tx, root)
    if found is None:
        identity = workspaces.identity_of(root)
        free = projects.project_by_identity(tx, identity) is None
        named = workspaces.name_only(name)
        found = projects.create_project(tx, name, identity if free else named, engine.clock())
    if held is None and found.identity in (workspaces.identity_of(root), workspaces.name_only(name)):
        projects.add_checkout(tx, found.id, str(workspaces.top_of(root)), engine.clock())
    return found


def _check_superseded(cursor: Cursor, project: Project, old: int) -> None:
    found = memos.get(cursor, old)
    if found is None or found.project_id != project.id:
        raise NotFoundError(f"supersedes: there is no memo {old} in the project {project.name!r}")


def _existing(cursor: Cursor, id_: int) -> Memo:
    found = memos.get(cursor, id_)
    if found is None:
        raise NotFoundError(f"there is no memo {id_}; ids come from memory_exploration_recall")
    return found


def _may_be_kept(source: SourceFile) -> bool:
    """Whether a snapshot may hold a file's bytes: none of them is a secret."""
    return not redact(source.data.decode("utf-8", errors="replace")).found


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


def _explored(memo: Memo, verdict: Verdict, score: float) -> ExploredMemo:
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
        impact=None,
        details=None,
    )


def _history(item: MemoHistory) -> MemoHistoryResult:
    return MemoHistoryResult(
        version=item.version,
        conclusion=item.conclusion,
        changed_at=item.changed_at,
        action=item.action,
        note=item.note,
    )
