"""A recall in several steps as a story: stored, or while it is on its way. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from afresh_tui.inert import inert, one_line

if TYPE_CHECKING:
    from afresh.verbs import RunResult, StoredStep

ENDINGS: Mapping[str, str] = {
    "converged": "enough was found",
    "max_iters": "no searches were left",
    "no_progress": "nothing new was left to ask or to find",
    "decomposer_empty": "there was nothing to ask",
    "search_error": "a search failed; what was found before is kept",
    "planner_error": "the planner failed; what was found before is kept",
    "cancelled": "you took it back, so nothing of it is stored",
    "failed": "it could not be run",
}
BRIDGE = "bridge terms"
"""The planner that asks no model."""
FAILED = ("search_error", "planner_error", "failed")
SIGNS: Mapping[str, str] = {"converged": "●", "cancelled": "○"} | dict.fromkeys(FAILED, "✗")
"""Of an ending; ◐ for those that ended before enough was found."""


@dataclass(frozen=True, slots=True)
class Hit:
    """A memory as one search found it."""

    id: int
    score: float


@dataclass(frozen=True, slots=True)
class Step:
    """One search and the planning after it. Times are milliseconds."""

    number: int
    query: str
    origin: str
    """decomposer or planner."""
    found: int
    hits: tuple[Hit, ...]
    """Best first; empty while the run is on its way, which tells how many there are and which are new."""
    new: tuple[int, ...]
    """Ids that no search before had found."""
    concluded: str
    is_done: bool
    """The planner had enough."""
    next_query: str | None
    error: str | None
    calls: int
    """Of a language model, to plan what follows: more than one where its answer could not be read."""
    elapsed_ms: float
    search_ms: float | None = None
    planner_ms: float | None = None


@dataclass(frozen=True, slots=True)
class Reached:
    """One search that found a piece of evidence."""

    search: int
    place: int
    """Among the search's hits, from 1."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A memory that the run rests on."""

    id: int
    score: float
    content: str | None
    """As it reads now; None where it was deleted."""
    is_changed: bool
    """Whether it reads otherwise than it did then."""
    reached: tuple[Reached, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """One run."""

    query: str
    max_iters: int
    id: int | None = None
    """None while it is on its way."""
    project: str = ""
    planner: str = ""
    """The model's name, or bridge terms; empty while it isn't known."""
    parts: tuple[str, ...] = ()
    """The questions that it was split into."""
    steps: tuple[Step, ...] = ()
    ending: str | None = None
    """None while it is on its way."""
    error: str | None = None
    evidence: tuple[Evidence, ...] = ()
    llm_calls: int = 0
    started_at: datetime | None = None
    elapsed_ms: float = 0.0
    replay_of: int | None = None
    index: tuple[int, str] = (0, "")
    """How many memories there were, and when one was last changed: the same for runs over the same."""


def story_of(run: RunResult) -> Story:
    """A stored run."""
    steps = tuple(_stored(step) for step in run.iterations)
    reached: dict[int, list[Reached]] = {}
    for step in steps:
        for place, hit in enumerate(step.hits, start=1):
            reached.setdefault(hit.id, []).append(Reached(step.number, place))
    return Story(
        query=inert(run.query),
        max_iters=run.max_iters,
        id=run.id,
        project=one_line(run.project),
        planner=one_line(run.model or "a language model") if run.planner == "llm" else BRIDGE,
        parts=tuple(one_line(part, 2000) for part in run.sub_queries),
        steps=steps,
        ending=run.terminated_reason,
        error=None if run.error is None else inert(run.error),
        evidence=tuple(
            Evidence(
                item.id,
                item.score,
                None if item.content is None else inert(item.content),
                item.changed,
                tuple(reached.get(item.id, ())),
            )
            for item in run.evidence
        ),
        llm_calls=run.llm_calls,
        started_at=run.started_at,
        elapsed_ms=run.elapsed_ms,
        replay_of=run.replay_of,
        index=(run.index.memories, run.index.latest_change),
    )


def begun(query: str, max_iters: int, now: datetime, *, replay_of: int | None = None) -> Story:
    """A run that was just asked for."""
    return Story(query=inert(query), max_iters=max_iters, started_at=now, replay_of=replay_of)


def told(story: Story, event: Mapping[str, Any]) -> Story:
    """A run after one more event of it; events of other kinds change nothing."""
    match event.get("kind"):
        case "decomposition":
            return replace(story, parts=tuple(one_line(part, 2000) for part in event["sub_queries"]))
        case "iteration":
            step = _live(event["step"])
            elapsed = sum(one.elapsed_ms for one in (*story.steps, step))
            return replace(story, steps=(*story.steps, step), max_iters=event["total"], elapsed_ms=elapsed)
        case _:
            return story


def origin_of(story: Story, step: Step) -> str:
    """Where a search's question came from, in words."""
    if step.origin == "planner":
        planned = [one for one in story.steps if one.number < step.number and one.next_query == step.query]
        return f"planned after search {planned[-1].number}" if planned else "planned"
    if len(story.parts) < 2:
        return "the question itself"
    if step.query in story.parts:
        return f"part {story.parts.index(step.query) + 1} of the question"
    return "part of the question"


def _stored(step: StoredStep) -> Step:
    return Step(
        number=step.iter,
        query=one_line(step.sub_query, 2000),
        origin=step.origin,
        found=len(step.hits),
        hits=tuple(Hit(hit.id, hit.score) for hit in step.hits),
        new=tuple(step.new_evidence_ids),
        concluded=inert(step.partial_answer).strip(),
        is_done=step.planner_done,
        next_query=None if step.planner_next_query is None else one_line(step.planner_next_query, 2000),
        error=None if step.planner_error is None else inert(step.planner_error),
        calls=step.planner_parse_attempts,
        elapsed_ms=step.elapsed_ms,
        search_ms=step.search_ms,
        planner_ms=step.planner_ms,
    )


def _live(step: Mapping[str, Any]) -> Step:
    following, error = step["planner_next_query"], step["planner_error"]
    return Step(
        number=step["iter"],
        query=one_line(step["sub_query"], 2000),
        origin=step["origin"],
        found=step["hits_returned"],
        hits=(),
        new=tuple(step["new_evidence_ids"]),
        concluded=inert(step["partial_answer"]).strip(),
        is_done=step["planner_done"],
        next_query=None if following is None else one_line(following, 2000),
        error=None if error is None else inert(error),
        calls=step["planner_parse_attempts"],
        elapsed_ms=step["elapsed_ms"],
    )
