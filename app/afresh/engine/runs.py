"""Stored runs: read one as it went, or run it again and compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import cast

from afresh.contracts import Ending, IterateArguments, Origin
from afresh.engine import iterate, workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.store import memories, projects, runs
from afresh.store.runs import RunStep
from afresh.verbs import (
    ComparedStep,
    ListedRun,
    ReplayResult,
    RunArguments,
    RunHit,
    RunResult,
    RunsArguments,
    RunsResult,
    StoredEvidence,
    StoredIndex,
    StoredStep,
)


def run(engine: Engine, arguments: RunArguments, call: Call) -> RunResult:
    """Show one run. Its evidence reads as it does now, and what was deleted since stays unread.

    Raises NotFoundError.
    """
    with engine.store.read() as cursor:
        found = runs.get(cursor, arguments.id)
        read = {memory.id: memory for memory in memories.get(cursor, [item.id for item in found.evidence])}
        project = workspaces.name_of(cursor, found.project_id, f"run {found.id}")
    living = {id_: memory for id_, memory in read.items() if memory.deleted_at is None}
    return RunResult(
        id=found.id,
        project=project,
        query=found.query,
        max_iters=found.max_iters,
        k_per_iter=found.k_per_iter,
        llm_model=found.llm_model,
        planner="llm" if found.planner == "llm" else "bridge",
        model=found.model,
        sub_queries=list(found.sub_queries),
        terminated_reason=cast(Ending, found.terminated_reason),
        error=found.error,
        iterations=[_step(step) for step in found.steps],
        evidence=[
            StoredEvidence(
                id=item.id,
                score=item.score,
                content=living[item.id].content if item.id in living else None,
                changed=item.id in living and living[item.id].content_sha256 != item.content_sha256,
            )
            for item in found.evidence
        ],
        llm_calls=found.llm_calls,
        prompt_hashes=list(found.prompts),
        index=StoredIndex(
            generation=found.index_state.generation,
            memories=found.index_state.memories,
            latest_change=found.index_state.latest_change,
        ),
        started_at=found.started_at,
        elapsed_ms=found.elapsed_ms,
        replay_of=found.replay_of,
    )


def runs_of(engine: Engine, arguments: RunsArguments, call: Call) -> RunsResult:
    """List runs, the newest first: a project's, and those over all projects, which belong to none alone.

    Raises UnknownProjectError.
    """
    with engine.store.read() as cursor:
        workspace = workspaces.reading(engine, cursor, arguments.project, call)
        found = runs.listed(
            cursor,
            None if workspace is None else workspace.project.id,
            before=arguments.before,
            after=arguments.after,
            limit=arguments.limit + 1,
        )
        names = {project.id: project.name for project in projects.list_projects(cursor)}
    return RunsResult(
        runs=[
            ListedRun(
                id=item.id,
                project=workspaces.ALL if item.project_id is None else names.get(item.project_id, ""),
                query=item.query,
                planner="llm" if item.planner == "llm" else "bridge",
                model=item.model,
                terminated_reason=cast(Ending, item.terminated_reason),
                iterations=item.steps,
                evidence_count=item.evidence,
                llm_calls=item.llm_calls,
                started_at=item.started_at,
                elapsed_ms=item.elapsed_ms,
                replay_of=item.replay_of,
            )
            for item in found[: arguments.limit]
        ],
        more=len(found) > arguments.limit,
    )


def replay(engine: Engine, arguments: RunArguments, call: Call) -> ReplayResult:
    """Run one again, which is stored as a run of its own, and say what is different.

    Raises NotFoundError, and what `iterate.run` raises.
    """
    with engine.store.read() as cursor:
        before = runs.get(cursor, arguments.id)
        project = workspaces.name_of(cursor, before.project_id, f"run {before.id}")
    again = iterate.run(
        engine,
        IterateArguments.model_validate(
            {
                "query": before.query,
                "project": project,
                "max_iters": before.max_iters,
                "k_per_iter": before.k_per_iter,
                "llm_model": before.llm_model,
            }
        ),
        call,
        replay_of=before.id,
    )
    with engine.store.read() as cursor:
        now = runs.get(cursor, again.provenance.run_id)
    steps = [
        _compared(number, old, new)
        for number, (old, new) in enumerate(zip_longest(before.steps, now.steps), start=1)
    ]
    had, has = [item.id for item in before.evidence], [item.id for item in now.evidence]
    hashes = {item.id: item.content_sha256 for item in before.evidence}
    lost, new_ids = _without(had, has), _without(has, had)
    same_order = [id_ for id_ in had if id_ in has] == [id_ for id_ in has if id_ in had]
    changed = [
        item.id for item in now.evidence if hashes.get(item.id, item.content_sha256) != item.content_sha256
    ]
    same_ending = before.terminated_reason == now.terminated_reason
    return ReplayResult(
        id=before.id,
        replay_id=now.id,
        same=same_ending and same_order and not (lost or new_ids) and all(step.same for step in steps),
        terminated_reason=cast(Ending, before.terminated_reason),
        terminated_reason_now=cast(Ending, now.terminated_reason),
        iterations=steps,
        lost_evidence=lost,
        new_evidence=new_ids,
        same_order=same_order,
        same_index=replace(before.index_state, generation=0) == replace(now.index_state, generation=0),
        changed_evidence=changed,
    )


def _compared(number: int, old: RunStep | None, new: RunStep | None) -> ComparedStep:
    had = [hit.id for hit in old.hits] if old is not None else []
    has = [hit.id for hit in new.hits] if new is not None else []
    same_prompts = old is not None and new is not None and old.prompts == new.prompts
    return ComparedStep(
        iter=number,
        same=old is not None and new is not None and old.sub_query == new.sub_query and had == has,
        sub_query=None if old is None else old.sub_query,
        sub_query_now=None if new is None else new.sub_query,
        lost_hits=_without(had, has),
        new_hits=_without(has, had),
        same_prompts=same_prompts,
    )


def _without(ids: Sequence[int], others: Sequence[int]) -> list[int]:
    known = set(others)
    return [id_ for id_ in ids if id_ not in known]


def _step(step: RunStep) -> StoredStep:
    return StoredStep(
        iter=step.iteration,
        sub_query=step.sub_query,
        origin=cast(Origin, step.origin),
        hits=[RunHit(id=hit.id, score=hit.score) for hit in step.hits],
        new_evidence_ids=list(step.new_evidence),
        partial_answer=step.partial_answer,
        planner_done=step.planner_done,
        planner_next_query=step.planner_next_query,
        planner_parse_attempts=step.planner_parse_attempts,
        planner_error=step.planner_error,
        prompt_hashes=list(step.prompts),
        search_ms=step.search_ms,
        planner_ms=step.planner_ms,
        elapsed_ms=step.elapsed_ms,
    )
