"""Runs of recall in several steps in a workspace called shop, as the verbs tell them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from tests.tui.frozen import engine

from afresh_tui.scripted import ScriptedEngine

QUESTION = "Why does the ledger lock rows, and who decided that?"
CONTENTS = {
    12: "The ledger locks one row per account, because two transfers at once lost money in March.",
    15: "Quillfeather writes the ledger; it belongs to the team Saltmarsh.",
    20: "Saltmarsh decided for row locks on 2026-02-03: simple, and slow only where one account is hot.",
    31: "Row locks are taken in the order of account ids, so that two transfers can't block each other.",
    44: "A hot account waits up to 5 s for its lock.\nAfter that the transfer fails.\nIt is not tried "
    "again.\nWhoever called has to.",
}


def step(
    number: int,
    query: str,
    hits: Iterable[int],
    new: Iterable[int],
    *,
    origin: str = "decomposer",
    concluded: str = "",
    following: str | None = None,
    done: bool = False,
    **changes: Any,
) -> dict[str, Any]:
    """A `StoredStep`."""
    told: dict[str, Any] = {
        "iter": number,
        "sub_query": query,
        "origin": origin,
        "hits": [{"id": id_, "score": 0.9 - place / 20} for place, id_ in enumerate(hits)],
        "new_evidence_ids": list(new),
        "partial_answer": concluded,
        "planner_done": done,
        "planner_next_query": following,
        "planner_parse_attempts": 1,
        "planner_error": None,
        "prompt_hashes": [],
        "search_ms": 11.4,
        "planner_ms": 803.0,
        "elapsed_ms": 814.4,
    }
    return {**told, **changes}


STEPS = (
    step(
        1,
        "Why does the ledger lock rows?",
        [12, 31, 44],
        [12, 31, 44],
        concluded="Rows are locked because two transfers at once lost money; the order of ids prevents "
        "deadlocks.",
        following="who decided on row locks for the ledger",
    ),
    step(
        2,
        "who decided on row locks for the ledger",
        [20, 12],
        [20],
        origin="planner",
        concluded="Saltmarsh decided it on 2026-02-03.",
    ),
    step(
        3,
        "Who owns the ledger?",
        [15, 20, 12],
        [15],
        concluded="Saltmarsh owns Quillfeather, which writes the ledger, and decided for row locks.",
        done=True,
    ),
)


def run(id_: int = 8, steps: Iterable[Mapping[str, Any]] = STEPS, **changes: Any) -> dict[str, Any]:
    """A `RunResult`; its evidence is what its steps found."""
    found = list(steps)
    ids = list(dict.fromkeys(hit["id"] for one in found for hit in one["hits"]))
    told: dict[str, Any] = {
        "id": id_,
        "project": "shop",
        "query": QUESTION,
        "max_iters": 4,
        "k_per_iter": 10,
        "llm_model": "configured",
        "planner": "llm",
        "model": "qwen3:8b",
        "sub_queries": ["Why does the ledger lock rows?", "Who owns the ledger?"],
        "terminated_reason": "converged",
        "error": None,
        "iterations": found,
        "evidence": [
            {
                "id": one,
                "score": 0.95 - place / 10,
                "content": CONTENTS.get(one, f"Memory {one}."),
                "changed": one == 31,
            }
            for place, one in enumerate(ids)
        ],
        "llm_calls": 4,
        "prompt_hashes": [],
        "index": {"generation": 3, "memories": 1284, "latest_change": "2026-03-01T09:00:00Z"},
        "started_at": "2026-03-01T11:48:00Z",
        "elapsed_ms": 2443.0,
        "replay_of": None,
    }
    return {**told, **changes}


def listed(whole: Mapping[str, Any]) -> dict[str, Any]:
    """A run as the list has it."""
    names = ("id", "project", "query", "planner", "model", "terminated_reason", "llm_calls", "started_at")
    return {
        **{name: whole[name] for name in (*names, "elapsed_ms", "replay_of")},
        "iterations": len(whole["iterations"]),
        "evidence_count": len(whole["evidence"]),
    }


BRIDGED = run(
    7,
    [step(1, "How are invoices rounded?", [], [], planner_ms=0.3, elapsed_ms=12.0)],
    query="How are invoices rounded?",
    planner="bridge",
    model=None,
    sub_queries=["How are invoices rounded?"],
    terminated_reason="no_progress",
    llm_calls=0,
    started_at="2026-03-01T09:00:00Z",
    elapsed_ms=12.5,
)
FAILED = run(
    6,
    [
        step(
            1,
            "Which service talks to the bank?",
            [15],
            [15],
            planner_error="ollama at http://127.0.0.1:11434 doesn't answer: is `ollama serve` running?",
            planner_ms=60_000.0,
            elapsed_ms=60_011.0,
        )
    ],
    query="Which service talks to the bank, and when?",
    sub_queries=["Which service talks to the bank?"],
    terminated_reason="planner_error",
    error="ollama at http://127.0.0.1:11434 doesn't answer: is `ollama serve` running?",
    started_at="2026-02-28T15:00:00Z",
    elapsed_ms=60_012.0,
    llm_calls=2,
)
REPLAYED = run(
    9,
    [
        STEPS[0],
        step(
            2,
            "row locks decision ledger",
            [20, 51],
            [20, 51],
            origin="planner",
            concluded="Saltmarsh decided it, and wrote down why.",
            done=True,
        ),
    ],
    started_at="2026-03-01T11:59:30Z",
    replay_of=8,
    elapsed_ms=1629.0,
    index={"generation": 4, "memories": 1285, "latest_change": "2026-03-01T11:55:00Z"},
)
RUNS = (run(), BRIDGED, FAILED)


def runs(*whole: Mapping[str, Any], more: bool = False) -> dict[str, Any]:
    """A `RunsResult`."""
    return {"runs": [listed(one) for one in whole], "more": more}


def events(*steps: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What a run tells on its way."""
    told: list[dict[str, Any]] = [
        {"kind": "decomposition", "sub_queries": ["Why does the ledger lock rows?", "Who owns the ledger?"]}
    ]
    for one in steps:
        iteration = {name: value for name, value in one.items() if name not in ("hits", "prompt_hashes")}
        told.append(
            {
                "kind": "iteration",
                "done": one["iter"],
                "total": 4,
                "message": "",
                "step": {**iteration, "hits_returned": len(one["hits"])},
            }
        )
    return told


def finished(run_id: int) -> dict[str, Any]:
    """An `IterateResult`, as far as a screen reads it."""
    return {
        "query": QUESTION,
        "iterations_used": 3,
        "terminated_reason": "converged",
        "sub_queries": [],
        "partial_answers": [],
        "evidence_count": 0,
        "evidence": [],
        "provenance": {
            "run_id": run_id,
            "planner": {"kind": "llm", "model": "qwen3:8b", "note": None},
            "iters": [],
            "elapsed_ms": 2443.0,
            "evidence_count": 0,
            "llm_calls": 4,
            "error": None,
        },
    }


def over(*whole: Mapping[str, Any], **answers: Any) -> ScriptedEngine:
    """An engine that has these runs, or the three above."""
    kept = {one["id"]: one for one in (*(whole or RUNS), REPLAYED)}

    def page(arguments: Mapping[str, Any], _on_event: Callable[[Mapping[str, Any]], None]) -> dict[str, Any]:
        known = list(whole or RUNS) if "after" not in arguments else list(kept.values())
        fitting = [
            one for one in known if arguments.get("after", 0) < one["id"] < arguments.get("before", 1 << 40)
        ]
        return runs(*sorted(fitting, key=lambda one: -int(one["id"])))

    def one(arguments: Mapping[str, Any], _on_event: Callable[[Mapping[str, Any]], None]) -> dict[str, Any]:
        return kept[arguments["id"]]

    return engine({"runs": page, "run": one, **answers})
