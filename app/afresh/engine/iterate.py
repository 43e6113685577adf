"""memory_recall_iterative: a question in several searches, planned between them, ended honestly.

How a run ended is one of six, and none stands for another: a planner that is down is never `converged`, a
search that fails is never `max_iters`, and what was found before either is kept.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from afresh.contracts import (
    Ending,
    EvidenceItem,
    IterateArguments,
    IterateResult,
    Iteration,
    Origin,
    PlannerUsed,
    Provenance,
)
from afresh.engine import workspaces
from afresh.engine.bridging import BridgePlanner
from afresh.engine.calls import Call
from afresh.engine.core import Engine, Redactor
from afresh.engine.evidence import Evidence
from afresh.engine.llm_access import CONFIGURED
from afresh.engine.memory import source_of
from afresh.engine.planning import LlmPlanner, Planner, Seen
from afresh.engine.references import References
from afresh.engine.workspaces import Workspace
from afresh.errors import AfreshError, CancelledCallError, LlmError, LlmModelMissingError, LlmOutputError
from afresh.store import projects, runs
from afresh.store.cursor import Cursor
from afresh.store.memory_filter import MemoryFilter, filter_ids
from afresh.store.runs import Found, Run, RunStep
from afresh.text.corpus import Hit
from afresh.text.tokens import has_word, terms

_LOG = logging.getLogger(__name__)
_LONGEST_SEARCH = 8000
"""Characters of a search, as `recall` bounds them."""
_STALE_SEARCHES = 2
"""So many searches running that bring nothing new end a run."""
_SHOWN = 80
"""Characters of a sub-query in a progress message."""

SearchOnce = Callable[[str], Sequence[Hit]]
"""One search: the relevant hits of a sub-query, best first."""


@dataclass(slots=True)
class _Course:
    """One run on its way."""

    started_at: datetime
    began: float
    steps: list[RunStep] = field(default_factory=list)
    sub_queries: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    ending: Ending = "max_iters"
    error: str | None = None

    def end(self, ending: Ending, error: str | None = None) -> None:
        self.ending, self.error = ending, error


def iterate(engine: Engine, arguments: IterateArguments, call: Call) -> IterateResult:
    """Answer one call, and store how it went.

    Raises UnknownProjectError; InvalidArgumentError and LlmModelMissingError for a model that was named and
    is not there; CancelledCallError.
    """
    return run(engine, arguments, call)


def run(
    engine: Engine,
    arguments: IterateArguments,
    call: Call,
    *,
    replay_of: int | None = None,
    search: SearchOnce | None = None,
) -> IterateResult:
    """As `iterate`; `replay_of` is the earlier run that this one repeats, `search` another way to search."""
    with engine.store.read() as cursor:
        workspace = workspaces.reading(engine, cursor, arguments.project, call)
        ids = _visible(engine, cursor, workspace)
    course = _Course(engine.clock(), time.perf_counter())
    evidence = Evidence(engine, ids, arguments.query)
    planner, note = _planner(engine, arguments, workspace, evidence, call)
    search = search or _searching(engine, ids, arguments.k_per_iter, planner)
    _go(arguments, call, planner, search, evidence, course)
    return _finished(engine, arguments, workspace, planner, note, evidence, course, replay_of)


def _planner(
    engine: Engine, arguments: IterateArguments, workspace: Workspace | None, evidence: Evidence, call: Call
) -> tuple[Planner, str | None]:
    asker = engine.llm.asker(arguments.llm_model, calls=1 + 2 * arguments.max_iters, cancelled=call.cancelled)
    if asker is not None:
        return LlmPlanner(asker, engine.llm.context_tokens), None
    configured = arguments.llm_model == CONFIGURED
    note = "no language model is configured; planned by bridge terms" if configured else None
    references = References(engine.store, workspace.checkout if workspace else None)
    return BridgePlanner(evidence, references), note


def _visible(engine: Engine, cursor: Cursor, workspace: Workspace | None) -> NDArray[np.int64]:
    """The memories that the run may see; the same for all its searches."""
    ids, _ = filter_ids(
        cursor,
        MemoryFilter(
            project_id=workspace.project.id if workspace else None,
            checkout_id=workspace.checkout.id if workspace and workspace.checkout else None,
            now=engine.clock(),
        ),
    )
    return ids


def _searching(engine: Engine, ids: NDArray[np.int64], k: int, planner: Planner) -> SearchOnce:
    """What `recall` does with a topic, without a window of time.

    A step on the way to an answer may lie outside of what the question names.
    """

    def search(query: str) -> Sequence[Hit]:
        topic = query[:_LONGEST_SEARCH]
        embedder = None if planner.by_words(query) else engine.model.embedder
        found = engine.corpora["memory"].search(
            topic,
            embedder.query(topic) if embedder else None,
            mask_ids=ids,
            k=k,
            exact=engine.exact("memory") if embedder else None,
            texts=engine.texts if embedder else None,
        )
        return found.hits[: found.relevant]

    return search


def _go(
    arguments: IterateArguments,
    call: Call,
    planner: Planner,
    search: SearchOnce,
    evidence: Evidence,
    course: _Course,
) -> None:
    """Take the course to its end."""
    frontier: deque[tuple[str, Origin]] = deque()
    asked: dict[tuple[str, ...], str] = {}
    stale = 0
    call.check()
    try:
        parts = planner.decompose(arguments.query)
    except LlmModelMissingError as error:
        if arguments.llm_model != CONFIGURED:
            raise
        return course.end("planner_error", error.message)
    except LlmError as error:
        return course.end("planner_error", error.message)
    course.sub_queries, course.prompts = parts.sub_queries, parts.prompts
    call.emit({"kind": "decomposition", "sub_queries": list(parts.sub_queries)})
    frontier.extend((query, "decomposer") for query in parts.sub_queries)
    if not any(has_word(query) for query, _ in frontier):
        return course.end("decomposer_empty")
    while True:
        call.check()
        following = _unasked(frontier, asked)
        if following is None:
            return course.end("no_progress")
        if len(course.steps) == arguments.max_iters:
            return course.end("max_iters")
        query, origin = following
        asked[_key(query)] = query
        step, failure = _step(query, origin, len(frontier), call, planner, search, evidence, course, asked)
        course.steps.append(step)
        call.emit(_progress(step, arguments.max_iters))
        if failure is not None:
            return course.end(*failure)
        if step.planner_done:
            return course.end("converged" if len(evidence) else "no_progress")
        stale = 0 if step.new_evidence else stale + 1
        if stale == _STALE_SEARCHES:
            return course.end("no_progress")
        if step.planner_next_query is not None:
            frontier.appendleft((step.planner_next_query, "planner"))


def _step(
    query: str,
    origin: Origin,
    waiting: int,
    call: Call,
    planner: Planner,
    search: SearchOnce,
    evidence: Evidence,
    course: _Course,
    asked: dict[tuple[str, ...], str],
) -> tuple[RunStep, tuple[Ending, str] | None]:
    """Search and plan once; the step, and how the run ends where one of them failed."""
    began = time.perf_counter()
    step = RunStep(
        iteration=len(course.steps) + 1,
        sub_query=query,
        origin=origin,
        hits=(),
        new_evidence=(),
        partial_answer="",
        planner_done=False,
        planner_next_query=None,
        planner_parse_attempts=0,
        planner_error=None,
        prompts=(),
        search_ms=0.0,
        planner_ms=0.0,
        elapsed_ms=0.0,
    )
    try:
        hits = search(query)
        new = evidence.add(hits, planner.share(query))
    except CancelledCallError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever fails in a search, what was found before is kept
        _LOG.warning("the search for iteration %d failed", step.iteration, exc_info=True)
        told = error.message if isinstance(error, AfreshError) else f"{type(error).__name__}: {error}"
        elapsed = _ms(began)
        return replace(step, search_ms=elapsed, elapsed_ms=elapsed), ("search_error", told)
    searched = time.perf_counter()
    step = replace(
        step,
        hits=tuple(Found(hit.doc_id, hit.score) for hit in hits),
        new_evidence=tuple(new),
        search_ms=_ms(began),
    )
    call.check()
    calls = planner.calls
    try:
        planned = planner.plan(
            Seen(evidence.question.text, list(asked.values()), evidence.ranked, new, waiting)
        )
    except LlmError as error:
        step = replace(
            step,
            planner_error=error.message,
            planner_parse_attempts=planner.calls - calls if isinstance(error, LlmOutputError) else 0,
            planner_ms=_ms(searched),
            elapsed_ms=_ms(began),
        )
        return step, ("planner_error", error.message)
    step = replace(
        step,
        partial_answer=planned.partial_answer,
        planner_done=planned.done,
        planner_next_query=planned.next_query,
        planner_parse_attempts=planned.attempts,
        prompts=planned.prompts,
        planner_ms=_ms(searched),
        elapsed_ms=_ms(began),
    )
    return step, None


def _unasked(
    frontier: deque[tuple[str, Origin]], asked: dict[tuple[str, ...], str]
) -> tuple[str, Origin] | None:
    """The first of the frontier that was not asked yet, taken off it; what was asked is dropped."""
    while frontier:
        query, origin = frontier.popleft()
        if has_word(query) and _key(query) not in asked:
            return query, origin
    return None


def _key(query: str) -> tuple[str, ...]:
    """What makes two searches the same: their terms, in whatever order."""
    return tuple(sorted(set(terms(query))))


def _progress(step: RunStep, most: int) -> dict[str, object]:
    query = step.sub_query if len(step.sub_query) <= _SHOWN else f"{step.sub_query[: _SHOWN - 1]}…"
    return {
        "kind": "iteration",
        "done": step.iteration,
        "total": most,
        "message": f"{step.iteration} of {most}: {query} ({len(step.new_evidence)} new)",
        "step": _iteration(step).model_dump(mode="json"),
    }


def _ms(since: float) -> float:
    return round((time.perf_counter() - since) * 1000, 3)


# --- what is left of a run ----------------------------------------------------------------------------


def _finished(
    engine: Engine,
    arguments: IterateArguments,
    workspace: Workspace | None,
    planner: Planner,
    note: str | None,
    evidence: Evidence,
    course: _Course,
    replay_of: int | None,
) -> IterateResult:
    scored = evidence.scored()
    redact = Redactor()
    project_id = workspace.project.id if workspace else None
    with engine.store.read() as cursor:
        names = {project.id: project.name for project in projects.list_projects(cursor)}
        state = runs.index_state(cursor, project_id, engine.corpora["memory"].generation)
    elapsed = _ms(course.began)
    with engine.write() as tx:
        run_id = runs.next_id(tx)
        runs.put(
            tx,
            Run(
                id=run_id,
                project_id=project_id,
                query=redact(arguments.query),
                max_iters=arguments.max_iters,
                k_per_iter=arguments.k_per_iter,
                llm_model=arguments.llm_model,
                planner=planner.kind,
                model=planner.model,
                sub_queries=tuple(map(redact, course.sub_queries)),
                terminated_reason=course.ending,
                error=None if course.error is None else redact(course.error),
                evidence=tuple(Found(memory.id, score, memory.content_sha256) for memory, score in scored),
                llm_calls=planner.calls,
                prompts=course.prompts,
                index_state=state,
                started_at=course.started_at,
                elapsed_ms=elapsed,
                replay_of=replay_of,
                steps=tuple(_redacted(step, redact) for step in course.steps),
            ),
        )
        # A record of a search changes nothing that can be found.
        tx.leave_caches()
    return IterateResult(
        query=arguments.query,
        iterations_used=len(course.steps),
        terminated_reason=course.ending,
        sub_queries=list(course.sub_queries),
        partial_answers=[step.partial_answer for step in course.steps if step.partial_answer],
        evidence_count=len(scored),
        evidence=[
            EvidenceItem(
                id=memory.id,
                type=memory.type,
                project=names[memory.project_id],
                content=memory.content,
                score=score,
                created_at=memory.created_at,
                event_time=memory.event_time,
                source=source_of(memory),
            )
            for memory, score in scored
        ],
        provenance=Provenance(
            run_id=run_id,
            planner=PlannerUsed(kind=planner.kind, model=planner.model, note=note),
            iters=[_iteration(step) for step in course.steps],
            elapsed_ms=elapsed,
            evidence_count=len(scored),
            llm_calls=planner.calls,
            error=course.error,
        ),
    )


def _iteration(step: RunStep) -> Iteration:
    return Iteration(
        iter=step.iteration,
        sub_query=step.sub_query,
        origin="planner" if step.origin == "planner" else "decomposer",
        hits_returned=len(step.hits),
        new_evidence_ids=list(step.new_evidence),
        partial_answer=step.partial_answer,
        planner_done=step.planner_done,
        planner_next_query=step.planner_next_query,
        planner_parse_attempts=step.planner_parse_attempts,
        planner_error=step.planner_error,
        elapsed_ms=step.elapsed_ms,
    )


def _redacted(step: RunStep, redact: Redactor) -> RunStep:
    return replace(
        step,
        sub_query=redact(step.sub_query),
        partial_answer=redact(step.partial_answer),
        planner_next_query=None if step.planner_next_query is None else redact(step.planner_next_query),
        planner_error=None if step.planner_error is None else redact(step.planner_error),
    )
