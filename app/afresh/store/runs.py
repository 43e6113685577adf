"""Runs: iterative recalls as they went, so that one can be read, replayed and compared.

Texts arrive redacted. Evidence is an id, a score and the hash of what the memory said; its text is read anew,
so that a record never shows what was deleted since.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from afresh.errors import NotFoundError
from afresh.store.columns import aware, stored
from afresh.store.cursor import Column, Constant, Cursor, Transaction


@dataclass(frozen=True, slots=True)
class Found:
    """A memory as a search or a run found it."""

    id: int
    score: float
    """0..1."""
    content_sha256: str = ""
    """Of its content then; empty for a hit of a single search."""


@dataclass(frozen=True, slots=True)
class IndexState:
    """What the index held, to tell whether a replay searches the same."""

    generation: int
    """Of the index in memory; counts from 0 for each process."""
    memories: int
    """Of the project, deleted ones left out."""
    latest_change: str
    """When one of them was last changed, RFC 3339; empty where there is none."""


@dataclass(frozen=True, slots=True)
class RunStep:
    """One iteration. Times are milliseconds."""

    iteration: int
    """From 1."""
    sub_query: str
    origin: str
    """decomposer or planner."""
    hits: tuple[Found, ...]
    """Best first."""
    new_evidence: tuple[int, ...]
    partial_answer: str
    planner_done: bool
    planner_next_query: str | None
    planner_parse_attempts: int
    planner_error: str | None
    prompts: tuple[str, ...]
    """SHA-256 of each prompt that was sent."""
    search_ms: float
    planner_ms: float
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class Run:
    """One iterative recall. Times are aware, in UTC."""

    id: int
    project_id: int | None
    """None: it was over all projects."""
    query: str
    max_iters: int
    k_per_iter: int
    llm_model: str
    """As the caller sent it."""
    planner: str
    """llm or bridge."""
    model: str | None
    sub_queries: tuple[str, ...]
    terminated_reason: str
    error: str | None
    evidence: tuple[Found, ...]
    """Best first."""
    llm_calls: int
    prompts: tuple[str, ...]
    """SHA-256 of the prompts of the decomposition."""
    index_state: IndexState
    started_at: datetime
    elapsed_ms: float
    replay_of: int | None
    steps: tuple[RunStep, ...] = ()


@dataclass(frozen=True, slots=True)
class ListedRun:
    """A run without its steps and its evidence."""

    id: int
    project_id: int | None
    query: str
    planner: str
    model: str | None
    terminated_reason: str
    steps: int
    evidence: int
    """How many pieces."""
    llm_calls: int
    started_at: datetime
    elapsed_ms: float
    replay_of: int | None


_COLUMNS = (
    "id, project_id, query, max_iters, k_per_iter, llm_model, planner, model, sub_queries, "
    "terminated_reason, error, evidence, llm_calls, prompts, index_state, started_at, elapsed_ms, replay_of"
)
_STEP_TYPES = {
    "iteration": "INTEGER",
    "sub_query": "VARCHAR",
    "origin": "VARCHAR",
    "hits": "VARCHAR",
    "new_evidence": "BIGINT[]",
    "partial_answer": "VARCHAR",
    "planner_done": "BOOLEAN",
    "planner_next_query": "VARCHAR",
    "planner_parse_attempts": "INTEGER",
    "planner_error": "VARCHAR",
    "prompts": "VARCHAR[]",
    "search_ms": "DOUBLE",
    "planner_ms": "DOUBLE",
    "elapsed_ms": "DOUBLE",
}


def next_id(tx: Transaction) -> int:
    """An id for a run that is about to be stored."""
    row = tx.execute("SELECT nextval('run_ids')").one()
    assert row is not None
    return int(row[0])


def put(tx: Transaction, run: Run) -> None:
    """Store a run with its steps, under the id that it has."""
    tx.execute(
        f"INSERT INTO runs ({_COLUMNS}) VALUES ({', '.join('?' * 18)})",
        [
            run.id,
            run.project_id,
            run.query,
            run.max_iters,
            run.k_per_iter,
            run.llm_model,
            run.planner,
            run.model,
            list(run.sub_queries),
            run.terminated_reason,
            run.error,
            _dump(run.evidence),
            run.llm_calls,
            list(run.prompts),
            json.dumps(asdict(run.index_state)),
            stored(run.started_at),
            run.elapsed_ms,
            run.replay_of,
        ],
    )
    if run.steps:
        values = {name: [_value(step, name) for step in run.steps] for name in _STEP_TYPES}
        tx.insert(
            "run_steps",
            {name: Column(kind, values[name]) for name, kind in _STEP_TYPES.items()},
            {"run_id": Constant("BIGINT", run.id)},
        )


def index_state(cur: Cursor, project_id: int | None, generation: int) -> IndexState:
    """What a project holds now, or all of them where it is None."""
    row = cur.execute(
        "SELECT count(*), max(updated_at) FROM memories WHERE deleted_at IS NULL "
        "AND (?::BIGINT IS NULL OR project_id = ?)",
        [project_id, project_id],
    ).one()
    count, latest = row if row is not None else (0, None)
    return IndexState(generation, int(count), "" if latest is None else f"{latest.isoformat()}Z")


def get(cur: Cursor, id: int) -> Run:
    """The run with that id and its steps.

    Raises NotFoundError.
    """
    found = _runs(cur, "id = ?", [id])
    if not found:
        raise NotFoundError(f"there is no run {id}")
    return found[0]


def of_project(cur: Cursor, project_id: int | None) -> list[Run]:
    """The runs of a project, or those over all projects where it is None, by id."""
    return _runs(cur, "project_id IS NOT DISTINCT FROM ?", [project_id])


def listed(
    cur: Cursor, project_id: int | None, *, before: int | None, after: int | None, limit: int
) -> list[ListedRun]:
    """The newest runs with ids between two others: of a project and over all, or of all projects (None)."""
    rows = cur.execute(
        "SELECT id, project_id, query, planner, model, terminated_reason, "
        "(SELECT count(*) FROM run_steps WHERE run_id = runs.id), evidence, llm_calls, started_at, "
        "elapsed_ms, replay_of FROM runs WHERE (?::BIGINT IS NULL OR project_id IS NULL OR project_id = ?) "
        "AND (?::BIGINT IS NULL OR id < ?) AND (?::BIGINT IS NULL OR id > ?) ORDER BY id DESC LIMIT ?",
        [project_id, project_id, before, before, after, after, limit],
    ).rows()
    found: list[ListedRun] = []
    for id_, project, query, planner, model, reason, steps, evidence, calls, started, ms, earlier in rows:
        about = (id_, project, query, planner, model, reason)
        found.append(ListedRun(*about, steps, len(_load(evidence)), calls, aware(started), ms, earlier))
    return found


def _runs(cur: Cursor, condition: str, params: Sequence[object]) -> list[Run]:
    rows = cur.execute(f"SELECT {_COLUMNS} FROM runs WHERE {condition} ORDER BY id", params).rows()
    if not rows:
        return []
    steps: dict[int, list[RunStep]] = {}
    names = ", ".join(_STEP_TYPES)
    for run_id, *values in cur.execute(
        f"SELECT run_id, {names} FROM run_steps WHERE run_id IN (SELECT unnest(?::BIGINT[])) "
        "ORDER BY run_id, iteration",
        [[row[0] for row in rows]],
    ).rows():
        steps.setdefault(run_id, []).append(_step(values))
    return [_run(row, steps.get(row[0], ())) for row in rows]


def _run(row: Sequence[Any], steps: Iterable[RunStep]) -> Run:
    values = list(row)
    values[8], values[13] = tuple(values[8]), tuple(values[13])
    values[11] = _load(values[11])
    values[14] = IndexState(**json.loads(values[14]))
    values[15] = aware(values[15])
    named = dict(zip(_COLUMNS.split(", "), values, strict=True))
    return Run(**named, steps=tuple(steps))


def _step(values: Sequence[Any]) -> RunStep:
    named = dict(zip(_STEP_TYPES, values, strict=True))
    named["hits"] = _load(named["hits"])
    named["new_evidence"], named["prompts"] = tuple(named["new_evidence"]), tuple(named["prompts"])
    return RunStep(**named)


def _value(step: RunStep, name: str) -> object:
    value = getattr(step, name)
    if name == "hits":
        return _dump(value)
    return list(value) if isinstance(value, tuple) else value


def _dump(found: Iterable[Found]) -> str:
    return json.dumps([[item.id, item.score, item.content_sha256] for item in found], separators=(",", ":"))


def _load(text: str) -> tuple[Found, ...]:
    return tuple(Found(id_, score, sha) for id_, score, sha in json.loads(text))
