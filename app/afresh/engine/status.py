"""workspace_status: what is known of a project, and how it is being kept current."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from afresh.activity_verbs import ExcludedArguments, ExcludedFile, ExcludedResult
from afresh.contracts import (
    FileCounts,
    LlmStatus,
    MemoCounts,
    MemoryCounts,
    ModelStatus,
    Readiness,
    StatusArguments,
    StatusResult,
)
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.engine.freshness import DiskJudge
from afresh.engine.judged_root import JudgedRoot
from afresh.errors import AfreshError, InvalidArgumentError, UnknownProjectError
from afresh.store import files, memories, memos, projects, symbols, vectors
from afresh.store.cursor import Cursor
from afresh.verbs import NoArguments, ProjectInfo, ProjectsResult
from afresh_indexer.languages import OUTLINED

_NOT_FAULTS = ("binary", "too_large", "link", "outside_root", "not_regular")
"""Reasons to leave a file out that are no error."""
_LLM_S = 0.5
"""So long a status waits for the language model's server."""


def status(engine: Engine, arguments: StatusArguments, call: Call) -> StatusResult:
    """The state of the named project, else of the one at `root` or the working directory."""
    with engine.store.read() as cursor:
        workspace = asked_about(engine, cursor, arguments.project, arguments.root, call)
        project = workspace.project if workspace else None
        checkout = workspace.checkout if workspace else None
        counts = files.counts(cursor, checkout.id) if checkout else None
        by_type = memories.count_by_type(cursor, project.id) if project else {}
        base = JudgedRoot(cursor, project, None, call) if project else None
        definitions = sum(symbols.counts(cursor, checkout.id).values()) if checkout else 0
        names = [known.name for known in projects.list_projects(cursor)]
        pending = vectors.pending(cursor, project.id if project else None)
        outlines = files.outlines_missing(cursor, checkout.id, OUTLINED) if checkout else 0
    kept = list(engine.memos_of(project.id).values()) if project else []
    judge = DiskJudge()
    stale = sum(judge.judge(base.of(memo.root), memo.files).status == "stale" for memo in kept) if base else 0
    root = checkout.root if checkout else None
    excluded = counts.excluded if counts else {}
    indexed = counts.files if counts else 0
    total = sum(by_type.values())
    return StatusResult(
        project=project.name if project else None,
        root=root,
        readiness_state=_readiness(engine, root, indexed, total, len(kept), pending),
        files=FileCounts(
            indexed=indexed,
            pending=outlines,
            excluded=sum(excluded.values()),
            errors=sum(count for reason, count in excluded.items() if reason not in _NOT_FAULTS),
        ),
        memories=MemoryCounts(total=total, by_type=by_type),
        memos=MemoCounts(fresh=len(kept) - stale, stale=stale),
        watch=engine.surroundings.watch_status(root),
        model=ModelStatus(id=engine.model.id, source=engine.model.source, vectors_pending=pending),
        llm=_llm(engine),
        keeper=engine.surroundings.keeper_status(),
        languages=dict(counts.languages) if counts else {},
        symbols=definitions,
        excluded_by_reason=dict(excluded),
        projects=names,
    )


def list_projects(engine: Engine, arguments: NoArguments, call: Call) -> ProjectsResult:
    """Every project with its roots."""
    with engine.store.read() as cursor:
        return ProjectsResult(
            projects=[
                ProjectInfo(
                    name=project.name,
                    roots=[checkout.root for checkout in projects.checkouts(cursor, project.id)],
                    memories=sum(memories.count_by_type(cursor, project.id).values()),
                    memos=len(memos.of_project(cursor, project.id)),
                )
                for project in projects.list_projects(cursor)
            ]
        )


def excluded(engine: Engine, arguments: ExcludedArguments, call: Call) -> ExcludedResult:
    """The files that the index of a workspace leaves out, and why."""
    with engine.store.read() as cursor:
        workspace = asked_about(engine, cursor, arguments.project, arguments.root, call)
        checkout = workspace.checkout if workspace else None
        found = files.excluded(cursor, checkout.id) if checkout else {}
    everything = sorted(found.values(), key=lambda item: item.path)
    wanted = [item for item in everything if arguments.reason in (None, item.reason.value)]
    return ExcludedResult(
        project=workspace.project.name if workspace else None,
        root=checkout.root if checkout else None,
        files=[
            ExcludedFile(path=item.path, reason=item.reason.value, detail=item.detail)
            for item in wanted[arguments.offset : arguments.offset + arguments.limit]
        ],
        total=len(wanted),
        by_reason=dict(Counter(item.reason.value for item in everything)),
    )


def asked_about(
    engine: Engine, cursor: Cursor, project: str | None, root: str | None, call: Call
) -> workspaces.Workspace | None:
    """The named workspace, else the one at a root or at the working directory; None where that is in none.

    Raises UnknownProjectError, and InvalidArgumentError for a root that isn't absolute.
    """
    if project is not None:
        return workspaces.reading(engine, cursor, project, call)
    if root is not None:
        if not Path(root).is_absolute():
            raise InvalidArgumentError(f"root: must be an absolute path; got {root!r}")
        found = workspaces.at(cursor, Path(root))
        if found is None:
            raise UnknownProjectError(f"{root} is in no known project. {workspaces.known_projects(cursor)}")
        return found
    return workspaces.at(cursor, call.caller.cwd) if call.caller.cwd else None


def _llm(engine: Engine) -> LlmStatus:
    """The configured language model, and whether its server answers now."""
    try:
        provider = engine.llm.provider
    except AfreshError:
        # Settings that don't suffice are told by the verbs that need the model, and by the doctor.
        return LlmStatus(provider=None, model=None, reachable=False)
    if provider is None:
        return LlmStatus(provider=None, model=None, reachable=None)
    return LlmStatus(provider=provider.name, model=provider.model, reachable=provider.reachable(_LLM_S))


def _readiness(
    engine: Engine, root: str | None, indexed: int, memories_kept: int, memos_kept: int, pending: int
) -> Readiness:
    if engine.surroundings.indexing_root(root):
        return "indexing"
    if not indexed and not memories_kept and not memos_kept:
        return "empty"
    return "ready_rich" if engine.model.embedder is not None and not pending else "ready_sparse"
