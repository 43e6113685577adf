"""How well recall finds the evidence of public question sets, through the keeper and its client.

    python -m tests.benchmarks.recall_data DATA --runs OUT [--set locomo --set hotpot …]

DATA holds `locomo/{turns,questions}.jsonl` and `multihop/NAME/{corpus,questions}.jsonl`. Each set goes into a
fresh store by import: a turn is an episode with its speaker, session and time, a passage a fact under its
title. OUT gets a run a set for a scorer: {"id": question, "ranked": [ids, best first], "ms": milliseconds of
the call}; what recall doesn't call relevant isn't ranked. For locomo a second figure tells how many questions
of other conversations end with nothing relevant, against how many of its own.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.sandboxes import home

from afresh import client as clients

SETS = ("locomo", "2wiki", "hotpot", "musique")
DEEPEST = 20
FOREIGN = 150
"""So many questions of other conversations are asked of each."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One project's memories, as rows of an import, and what is asked of them."""

    project: str
    rows: list[dict[str, Any]]
    questions: list[dict[str, Any]]
    foreign: list[dict[str, Any]]
    """Questions that these memories don't answer."""


def sets(data: Path, name: str) -> Iterator[Asked]:
    """The projects of a set."""
    if name != "locomo":
        folder = data / "multihop" / name
        corpus, questions = _read(folder / "corpus.jsonl"), _read(folder / "questions.jsonl")
        if published := [question for question in questions if question.get("set") == "hipporag1000"]:
            questions, corpus = published, [row for row in corpus if row.get("src") == "hipporag6119"]
        rows = [_row(name, row["id"], f"# {row['title']}\n\n{row['text']}") for row in corpus]
        yield Asked(name, rows, questions, [])
        return
    turns, questions = _read(data / "locomo" / "turns.jsonl"), _read(data / "locomo" / "questions.jsonl")
    chance = random.Random(3)
    for conversation in dict.fromkeys(turn["conversation"] for turn in turns):
        project = f"locomo-{conversation}"
        rows = [
            _row(project, turn["id"], f"{turn['speaker']}: {turn['text']}")
            | {
                "memory_type": "episodic",
                "agent_id": turn["speaker"],
                "session_id": f"{conversation}-{turn['session']}",
                "event_time": f"{turn['time']}:00Z",
            }
            for turn in turns
            if turn["conversation"] == conversation
        ]
        others = [
            question
            for question in questions
            if question["conversation"] != conversation and question["category"] != "adversarial"
        ]
        own = [
            question
            for question in questions
            if question["conversation"] == conversation and question["gold_ids"]
        ]
        yield Asked(project, rows, own, chance.sample(others, min(FOREIGN, len(others))))


def _row(project: str, id_: str, content: str) -> dict[str, Any]:
    return {"kind": "memory", "project": project, "external_id": id_, "path": id_, "content": content}


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def load_once(client: clients.Client, asked: Asked) -> None:
    """Import a project's rows, unless the store has it from before, and wait for their vectors."""
    known = client.call("projects", {})["projects"]
    if asked.project not in {project["name"] for project in known}:
        load(client, asked.rows)


def load(client: clients.Client, rows: Sequence[dict[str, Any]]) -> None:
    """Import rows and wait for their vectors."""
    for start in range(0, len(rows), 1_000):
        lines = [json.dumps(row) for row in rows[start : start + 1_000]]
        taken = client.call("import", {"lines": lines, "first_line": start + 1})
        if taken["bad"]:
            raise SystemExit(f"a row was refused: {taken['bad'][0]}")
    client.call("embed", {})


def ask(client: clients.Client, project: str, question: str) -> tuple[list[str], float]:
    """The ids of what is relevant, as they were imported, and milliseconds."""
    arguments = {"query": question, "project": project, "limit": DEEPEST, "query_mode": "topic"}
    started = time.perf_counter()
    result = client.call("recall", arguments)["result"]
    elapsed = (time.perf_counter() - started) * 1000
    return [memory["source"]["external_id"] for memory in result["memories"]], elapsed


def _figures(name: str, runs: Sequence[dict[str, Any]], questions: Sequence[dict[str, Any]]) -> str:
    gold = {question["id"]: set(question["gold_ids"]) for question in questions}
    shares = [
        sum(len(gold[run["id"]] & set(run["ranked"][:depth])) / len(gold[run["id"]]) for run in runs)
        for depth in (5, 10)
    ]
    times = sorted(run["ms"] for run in runs)
    return (
        f"{name}: {len(runs)} questions  R@5 {shares[0] / len(runs):.3f}  R@10 {shares[1] / len(runs):.3f}  "
        f"p50 {times[len(times) // 2]:.1f} ms  p95 {times[int(len(times) * 0.95)]:.1f} ms"
    )


def main() -> None:
    """Print a line for each set, and write its run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--set", action="append", choices=SETS, help="only this one; may be repeated")
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--store", type=Path, help="a data folder that is kept, so that it is loaded once")
    options = parser.parse_args()
    options.runs.mkdir(parents=True, exist_ok=True)
    for name in options.set or SETS:
        runs: list[dict[str, Any]] = []
        questions: list[dict[str, Any]] = []
        silent: dict[str, list[bool]] = {"answerable": [], "adversarial": [], "of another conversation": []}
        with (
            home(options.store) as settings,
            clients.connect(settings, cwd=settings.home, client="bench", kind="cli") as client,
        ):
            for asked in sets(options.data, name):
                load_once(client, asked)
                for question in asked.questions:
                    ranked, elapsed = ask(client, asked.project, question["question"])
                    runs.append({"id": question["id"], "ranked": ranked, "ms": round(elapsed, 2)})
                    adversarial = question.get("category") == "adversarial"
                    silent["adversarial" if adversarial else "answerable"].append(not ranked)
                questions += asked.questions
                for question in asked.foreign:
                    ranked, _ = ask(client, asked.project, question["question"])
                    silent["of another conversation"].append(not ranked)
        (options.runs / f"{name}.jsonl").write_text(
            "".join(json.dumps(run) + "\n" for run in runs), encoding="utf-8"
        )
        sys.stdout.write(_figures(name, runs, questions) + "\n")
        for kind, ends in silent.items():
            if ends:
                sys.stdout.write(f"{name}, {kind}: {sum(ends) / len(ends):.3f} of {len(ends)} silent\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
