"""recall: search by meaning, by words and by time, with a floor below which nothing is an answer."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

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
    SearchArguments,
)
from afresh.engine import feed, workspaces
from afresh.engine.calls import Call
from afresh.engine.cited_freshness import CitedFreshness
from afresh.engine.core import Engine
from afresh.engine.memory import source_of
from afresh.engine.windows import Timing, timing
from afresh.engine.workspaces import Workspace
from afresh.errors import InvalidArgumentError
from afresh.store import citations, memories, projects
from afresh.store.memory_filter import MemoryFilter, filter_ids
from afresh.text.corpus import Hit, Ranking
from afresh.text.kinds import memory_type_asked_for
from afresh.text.tokens import latin_share

_NEAREST_SHOWN = 3
"""How many come back in `nearest` when nothing is relevant."""
_PREFERRED_FROM = 50
"""So many of the relevant ones are looked at for working memories to put first."""


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


@dataclass(frozen=True, slots=True)
class Searched:
    """What one search found, before its memories are read."""

    relevant: tuple[Hit, ...]
    """Best first; all of them, up to the number that was asked for."""
    nearest: tuple[Hit, ...]
    """What is below the floor."""
    ranking: Ranking
    timing: Timing


def recall(engine: Engine, arguments: RecallArguments, call: Call) -> RecallResult:
    """Answer one recall. Reads only, and gives the same answer to the same question."""
    steps = Steps()
    settled = timing(arguments, engine.clock(), engine.preferences.fiscal_month)
    if settled.mode == "activity_log":
        return _feed(engine, arguments, settled, call, steps)
    if arguments.cursor is not None:
        raise InvalidArgumentError(
            "cursor: only a feed has pages; send it with the query_mode, since and until of its first page"
        )
    count = max(arguments.limit, _PREFERRED_FROM) if arguments.prefer_working else arguments.limit
    searched = search(engine, arguments, settled, count, call, steps)
    relevant = searched.relevant
    nearest = () if relevant else searched.nearest[:_NEAREST_SHOWN]
    found = recalled(engine, [*relevant, *nearest], call)
    steps.done("read", f"{len(found)} memories read and their files judged")
    given = [found[hit.doc_id] for hit in relevant if hit.doc_id in found]
    if arguments.prefer_working:
        given = working_first(engine, given, arguments.session_id)[: arguments.limit]
    if arguments.time_order:
        given.sort(key=lambda memory: memory.id)
        given.sort(key=lambda memory: _moment(memory, settled), reverse=arguments.time_order == "desc")
    shown = {memory.id for memory in given}
    return RecallResult(
        result=Recall(
            query=arguments.query,
            count=len(given),
            memories=given,
            nothing_relevant=not given,
            nearest=[found[hit.doc_id] for hit in nearest if hit.doc_id in found],
            window=settled.window,
            mode="topic",
            order=arguments.time_order or "relevance",
            next_cursor=None,
            retrieval=searched.ranking.retrieval,
            retrieval_note=_note(engine, arguments.query, searched.ranking),
            explain=_explained([hit for hit in relevant if hit.doc_id in shown] or nearest, steps)
            if arguments.explain
            else None,
        )
    )


def search(
    engine: Engine, arguments: SearchArguments, settled: Timing, count: int, call: Call, steps: Steps
) -> Searched:
    """Rank what the arguments allow; `count` is how many relevant ones are wanted."""
    with engine.store.read() as cursor:
        workspace = workspaces.reading(engine, cursor, arguments.project, call)
        wanted = replace(
            _filter(engine, arguments, workspace),
            since=settled.window.since,
            until=settled.window.until,
            axis=settled.axis,
        )
        ids, _ = filter_ids(cursor, wanted)
    steps.done("filter", f"{len(ids)} memories may be returned")
    texts = [settled.topic, *([arguments.hypothetical_answer] if arguments.hypothetical_answer else [])]
    rankings: list[Ranking] = []
    for text in texts:
        call.check()
        embedder = engine.model.embedder
        vector = embedder.query(text) if embedder else None
        steps.done("embed", engine.model.id or engine.model.note or "")
        rankings.append(
            engine.corpora["memory"].search(
                text,
                vector,
                mask_ids=ids,
                said=arguments.query,
                k=count,
                exact=engine.exact("memory"),
                texts=engine.texts,
                explain=arguments.explain,
            )
        )
        last = rankings[-1]
        steps.done(
            "rank", f"{last.retrieval}; {last.relevant} of the first {len(last.hits)} are above the floor"
        )
    call.check()
    relevant = _best_of([ranking.hits[: ranking.relevant] for ranking in rankings])[:count]
    known = {hit.doc_id for hit in relevant}
    nearest = _best_of([ranking.nearest for ranking in rankings])
    return Searched(
        tuple(relevant), tuple(hit for hit in nearest if hit.doc_id not in known), rankings[0], settled
    )


def _best_of(found: Sequence[Sequence[Hit]]) -> list[Hit]:
    """The hits of several searches, each document once with its best score."""
    if len(found) == 1:
        return list(found[0])
    best: dict[int, Hit] = {}
    for hits in found:
        for hit in hits:
            if hit.doc_id not in best or hit.score > best[hit.doc_id].score:
                best[hit.doc_id] = hit
    return sorted(best.values(), key=lambda hit: (-hit.score, hit.doc_id))


def working_first(
    engine: Engine, found: Sequence[RecalledMemory], session_id: str | None
) -> list[RecalledMemory]:
    """Working memories before the others, and those of one session before other sessions'."""
    with engine.store.read() as cursor:
        sessions = {
            memory.id: memory.session_id for memory in memories.get(cursor, [memory.id for memory in found])
        }

    def place(memory: RecalledMemory) -> int:
        if memory.memory_type != "working":
            return 2
        return 0 if session_id is not None and sessions.get(memory.id) == session_id else 1

    return sorted(found, key=place)


def _moment(memory: RecalledMemory, settled: Timing) -> datetime:
    if settled.axis == "recorded" or memory.event_time is None:
        return memory.created_at
    return memory.event_time


def _feed(
    engine: Engine, arguments: RecallArguments, settled: Timing, call: Call, steps: Steps
) -> RecallResult:
    """One page of everything in the window."""
    direction: feed.Direction = arguments.time_order or "asc"
    with engine.store.read() as cursor:
        workspace = workspaces.reading(engine, cursor, arguments.project, call)
        wanted = _filter(engine, arguments, workspace)
        ids, following, settled = feed.page(
            cursor, wanted, settled, direction, arguments.limit, arguments.cursor
        )
    steps.done("filter", f"{len(ids)} memories on this page")
    hits = [Hit(id_, 1.0, {"window": 1.0}) for id_ in ids]
    found = recalled(engine, hits, call)
    steps.done("read", f"{len(found)} memories read and their files judged")
    given = [found[id_] for id_ in ids if id_ in found]
    return RecallResult(
        result=Recall(
            query=arguments.query,
            count=len(given),
            memories=given,
            nothing_relevant=not given,
            nearest=[],
            window=settled.window,
            mode="activity_log",
            order=direction,
            next_cursor=following,
            retrieval="hybrid" if engine.model.embedder else "lexical",
            retrieval_note=None,
            explain=_explained(hits, steps) if arguments.explain else None,
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


def _filter(engine: Engine, arguments: SearchArguments, workspace: Workspace | None) -> MemoryFilter:
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
