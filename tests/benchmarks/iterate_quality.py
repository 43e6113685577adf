"""How well iterative recall finds the evidence of public question sets, beside one pass, through the keeper.

    python -m tests.benchmarks.iterate_quality DATA --runs OUT [--set 2wiki …]
    python -m tests.benchmarks.iterate_quality DATA --runs OUT --llm http://127.0.0.1:11434 MODEL --only 10

DATA is as `recall_data` reads it. Each question is asked twice of the same store: once by `recall`, once by
`memory_recall_iterative` with its defaults. The paired bootstrap resamples the questions 10,000 times; p is
two-sided. The planner's settings were chosen on every second question of the three multi-hop sets and of
LoCoMo, so the others are reported by themselves. With a model its name, its calls and its seconds are
printed. OUT gets two runs a set for a scorer, NAME-one.jsonl and NAME-iterative.jsonl; the second has each
run's ending, searches and calls too.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.benchmarks import recall_data
from tests.benchmarks.sandboxes import home

from afresh import client as clients

DEPTH = 5
_RESAMPLED = 10_000


@dataclass(frozen=True, slots=True)
class Answered:
    """One question, asked in both ways."""

    question: dict[str, Any]
    one: list[str]
    """What one pass found relevant, best first."""
    one_ms: float
    evidence: list[str]
    result: dict[str, Any]
    ms: float

    def share(self, ranked: Sequence[str]) -> float:
        """Of the gold, what is among the first."""
        gold = set(self.question["gold_ids"])
        return len(gold & set(ranked[:DEPTH])) / len(gold)


def _answered(
    client: clients.Client, project: str, question: dict[str, Any], arguments: dict[str, Any]
) -> Answered:
    one, one_ms = recall_data.ask(client, project, question["question"])
    started = time.perf_counter()
    result = client.call(
        "memory_recall_iterative", {"query": question["question"], "project": project, **arguments}
    )
    elapsed = (time.perf_counter() - started) * 1000
    evidence = [item["source"]["external_id"] for item in result["evidence"]]
    return Answered(question, one, one_ms, evidence, result, elapsed)


def bootstrap(differences: Sequence[float], seed: int = 1) -> float:
    """The two-sided p of a mean difference being nought, by resampling pairs."""
    values = np.array(differences)
    chance = np.random.default_rng(seed)
    means = values[chance.integers(0, len(values), (_RESAMPLED, len(values)))].mean(axis=1)
    return float(min(1.0, 2 * min((means <= 0).mean(), (means >= 0).mean())))


def _told(name: str, asked: Sequence[Answered]) -> str:
    if not asked:
        return ""
    one = [item.share(item.one) for item in asked]
    iterative = [item.share(item.evidence) for item in asked]
    p = bootstrap([after - before for before, after in zip(one, iterative, strict=True)])
    return (
        f"{name}: {len(asked)} questions  one pass {statistics.mean(one):.3f}  "
        f"iterative {statistics.mean(iterative):.3f}  p {p:.4f}  "
        f"median {statistics.median(item.one_ms for item in asked):.1f} / "
        f"{statistics.median(item.ms for item in asked):.1f} ms\n"
    )


def _spent(name: str, asked: Sequence[Answered]) -> str:
    endings = Counter(item.result["terminated_reason"] for item in asked)
    searches = statistics.mean(item.result["iterations_used"] for item in asked)
    calls = statistics.mean(item.result["provenance"]["llm_calls"] for item in asked)
    seconds = statistics.mean(item.ms / 1000 for item in asked)
    return (
        f"{name}: {searches:.1f} searches, {calls:.1f} calls, {seconds:.2f} s a question; "
        f"{', '.join(f'{ending} {count}' for ending, count in endings.most_common())}\n"
    )


def _write(folder: Path, name: str, asked: Sequence[Answered]) -> None:
    one = [{"id": item.question["id"], "ranked": item.one, "ms": round(item.one_ms, 2)} for item in asked]
    iterative = [
        {
            "id": item.question["id"],
            "ranked": item.evidence,
            "ms": round(item.ms, 2),
            "question": item.question["question"],
            "sub_queries": item.result["sub_queries"],
            "terminated_reason": item.result["terminated_reason"],
            "provenance": item.result["provenance"],
        }
        for item in asked
    ]
    for kind, rows in (("one", one), ("iterative", iterative)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}-{kind}.jsonl").write_text(text, encoding="utf-8")


def main() -> None:
    """Print the figures of each set, and write its runs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--set", action="append", choices=recall_data.SETS, help="may be repeated")
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--store", type=Path, help="a data folder that is kept, so that it is loaded once")
    parser.add_argument("--llm", nargs=2, metavar=("HOST", "MODEL"), help="an Ollama server; default: none")
    parser.add_argument("--category", help="only LoCoMo's questions of this one, such as single-hop")
    parser.add_argument("--only", type=int, help="so many questions of each set, evenly spread")
    options = parser.parse_args()
    options.runs.mkdir(parents=True, exist_ok=True)
    environ = {}
    arguments = {"llm_model": "none"}
    if options.llm:
        host, model = options.llm
        environ = {"AFRESH_LLM_PROVIDER": "ollama", "AFRESH_LLM_HOST": host, "AFRESH_LLM_MODEL": model}
        arguments = {"llm_model": "configured"}
    for name in options.set or recall_data.SETS:
        asked: list[Answered] = []
        with (
            home(options.store, **environ) as settings,
            clients.connect(settings, cwd=settings.home, client="bench", kind="cli") as client,
        ):
            for part in recall_data.sets(options.data, name):
                recall_data.load_once(client, part)
                some = [q for q in part.questions if options.category in (None, q.get("category"))]
                step = max(1, len(some) // options.only) if options.only else 1
                chosen = some[::step][: options.only]
                asked += [_answered(client, part.project, question, arguments) for question in chosen]
        _write(options.runs, name, asked)
        sys.stdout.write(_told(f"{name}, all", asked) + _spent(name, asked))
        if not options.only:
            kinds = {"": asked}
            if name == "locomo":
                kinds = {
                    f", {kind}": [item for item in asked if item.question["category"] == kind]
                    for kind in dict.fromkeys(item.question["category"] for item in asked)
                }
            for kind, some in kinds.items():
                sys.stdout.write(_told(f"{name}{kind}, chosen on", some[::2]))
                sys.stdout.write(_told(f"{name}{kind}, the others", some[1::2]))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
