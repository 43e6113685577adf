"""recall: search by meaning and by words, with a floor below which nothing is an answer."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from afresh.contracts import (
    MEMORY_TYPES,
    SAVE_TYPES,
    Explain,
    ExplainedHit,
    ExplainStep,
    Recall,
    RecallArguments,
    RecalledMemory,
    RecallResult,
    Window,
)
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.cited_freshness import CitedFreshness
from afresh.engine.core import Engine
from afresh.engine.memory import source_of
from afresh.engine.workspaces import Workspace
from afresh.store import citations, memories, projects
from afresh.store.memory_filter import MemoryFilter, filter_ids
from afresh.text.corpus import Hit, Ranking
from afresh.text.kinds import memory_type_asked_for
from afresh.text.tokens import latin_share

_NEAREST_SHOWN = 3
"""How many come back in `nearest` when nothing is relevant."""


class Steps:
    """Times the steps of one recall for `explain`."""

    def __init__(self) -> None:
        self.taken: list[ExplainStep] = []
        self._since = time.perf_counter()

    def done(self, step: str, detail: str) -> None:
        now = time.perf_counter()
        self.taken.append(
            ExplainStep(step=step, detail=detail, elapsed_ms=round((now - self._since) * 1000, 3))
        )
        self._since = now


def recall(engine: Engine, arguments: RecallArguments, call: Call) -> RecallResult:
    """Answer one recall. Reads only, and gives the same answer to the same question."""
    steps = Steps()
    with engine.store.read() as cursor:
        workspace = workspaces.reading(engine, cursor, arguments.project, call)
        wanted = _filter(engine, arguments, workspace)
        ids, _ = filter_ids(cursor, wanted)
    steps.done("filter", f"{len(ids)} memories may be returned")
    call.check()
    embedder = engine.model.embedder
    vector = embedder.query(arguments.query) if embedder else None
    steps.done("embed", engine.model.id or engine.model.note or "")
    ranking = engine.corpora["memory"].search(
        arguments.query,
        vector,
        mask_ids=ids,
        k=arguments.limit,
        exact=engine.exact("memory"),
        explain=arguments.explain,
    )
    steps.done(
        "rank",
        f"{ranking.retrieval}; {ranking.relevant} of the first {len(ranking.hits)} are above the floor",
    )
    call.check()
    relevant = ranking.hits[: ranking.relevant][: arguments.limit]
    nearest = () if relevant else ranking.nearest[:_NEAREST_SHOWN]
    found = recalled(engine, [*relevant, *nearest], call)
    steps.done("read", f"{len(found)} memories read and their files judged")
    given = [found[hit.doc_id] for hit in relevant if hit.doc_id in found]
    return RecallResult(
        result=Recall(
            query=arguments.query,
            count=len(given),
            memories=given,
            nothing_relevant=not given,
            nearest=[found[hit.doc_id] for hit in nearest if hit.doc_id in found],
            window=Window(),
            mode="topic",
            order="relevance",
            next_cursor=None,
            retrieval=ranking.retrieval,
            retrieval_note=_note(engine, arguments.query, ranking),
            explain=_explained(relevant or nearest, steps) if arguments.explain else None,
        )
    )


def recalled(engine: Engine, hits: Sequence[Hit], call: Call) -> Mapping[int, RecalledMemory]:
    """The memories behind hits, by id, with the freshness of what they cite."""
    judge = CitedFreshness(engine, call)
    now = engine.clock()
    ids = [hit.doc_id for hit in hits]
    scores = {hit.doc_id: hit.score for hit in hits}
    with engine.store.read() as cursor:
        found = memories.get(cursor, ids)
        cited = citations.of(cursor, ids)
        names = {project.id: project.name for project in projects.list_projects(cursor)}
    return {
        memory.id: RecalledMemory(
            id=memory.id,
            type=memory.type,
            memory_type=memory.memory_type,
            project=names[memory.project_id],
            path=memory.path,
            content=memory.content,
            score=scores[memory.id],
            tags=list(memory.tags),
            agent_id=memory.agent_id,
            branch=memory.branch,
            created_at=memory.created_at,
            updated_at=memory.updated_at,
            event_time=memory.event_time,
            source=source_of(memory),
            superseded_by=memory.superseded_by,
            expired=memory.expires_at is not None and memory.expires_at <= now,
            freshness=judge.of(memory.project_id, cited.get(memory.id)),
        )
        for memory in found
    }


def _filter(engine: Engine, arguments: RecallArguments, workspace: Workspace | None) -> MemoryFilter:
    kind = arguments.memory_type
    if kind == "auto":
        kind = memory_type_asked_for(arguments.query) or "%"
    return MemoryFilter(
        project_id=workspace.project.id if workspace else None,
        checkout_id=workspace.checkout.id if workspace and workspace.checkout else None,
        types=(kind,) if kind in SAVE_TYPES else (),
        memory_types=(kind,) if kind in MEMORY_TYPES else (),
        path=arguments.path_filter,
        agent_id=arguments.agent_id if arguments.only_own else None,
        agent_instance_id=arguments.agent_instance_id if arguments.only_own else None,
        include_superseded=arguments.include_superseded,
        now=engine.clock(),
    )


def _note(engine: Engine, query: str, ranking: Ranking) -> str | None:
    """Why only words were matched, if so."""
    if engine.model.note is not None:
        return engine.model.note
    if ranking.retrieval == "hybrid":
        return None
    if latin_share(query) < 0.5:
        return "the model reads no other letters than Latin ones; only words were matched"
    return "no vectors are there yet; only words were matched"


def _explained(hits: Sequence[Hit], steps: Steps) -> Explain:
    return Explain(
        hits=[
            ExplainedHit(
                id=hit.doc_id,
                score=hit.score,
                parts=dict(hit.parts),
            )
            for hit in hits
        ],
        steps=steps.taken,
    )
