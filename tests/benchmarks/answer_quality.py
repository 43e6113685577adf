"""How honest answers without a language model are, on LoCoMo, through the keeper and its client.

    python -m tests.benchmarks.answer_quality DATA --runs OUT [--conversation conv-26 …]

DATA holds `locomo/{turns,questions}.jsonl`; each conversation is a project of its own. Of the questions of a
conversation, of its adversarial ones (which nothing in it answers) and of questions of other conversations it
prints how many end as `supported`, `partial` and `insufficient`, and of the supported ones how many cite a
turn that answers. OUT gets a line for each question.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks.recall_data import load, sets
from tests.benchmarks.sandboxes import home

from afresh import client as clients

_STATUSES = ("supported", "partial", "insufficient")


def _ask(client: clients.Client, project: str, question: dict[str, Any], kind: str) -> dict[str, Any]:
    started = time.perf_counter()
    result = client.call("memory_answer", {"query": question["question"], "project": project})
    elapsed = (time.perf_counter() - started) * 1000
    turns = {item["id"]: item["source"]["external_id"] for item in result["evidence"]}
    contents = {item["id"]: item["content"] for item in result["evidence"]}
    cited = [citation for claim in result["draft"]["claims"] for citation in claim["citations"]]
    for citation in cited:
        if contents[citation["source_id"]][citation["start"] : citation["end"]] != citation["quote"]:
            raise SystemExit(f"a quote does not stand: {question['question']!r}, {citation}")
    return {
        "project": project,
        "kind": kind,
        "category": question["category"],
        "question": question["question"],
        "status": result["draft"]["status"],
        "cited": [turns[citation["source_id"]] for citation in cited],
        "gold": question["gold_ids"] if kind != "of another conversation" else [],
        "decision": (result["negative"] or {}).get("decision"),
        "searches": result["search_calls"],
        "ms": round(elapsed, 1),
    }


def _told(name: str, rows: Sequence[dict[str, Any]]) -> str:
    counted = Counter(row["status"] for row in rows)
    shares = "  ".join(f"{status} {counted[status] / len(rows):.3f}" for status in _STATUSES)
    line = f"{name}: {len(rows)} questions  {shares}"
    right = [bool(set(row["cited"]) & set(row["gold"])) for row in rows if row["status"] == "supported"]
    if rows[0]["gold"] and right:
        line += f"  supported that cite a gold turn {sum(right) / len(right):.3f}"
    return line


def main() -> None:
    """Print a line for each kind of question, and for each category of the answerable ones."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--conversation", action="append", help="only this one; may be repeated")
    options = parser.parse_args()
    options.runs.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, Any]] = []
    with (
        home() as settings,
        clients.connect(settings, cwd=settings.home, client="bench", kind="cli") as client,
    ):
        for asked in sets(options.data, "locomo"):
            if options.conversation and asked.project.removeprefix("locomo-") not in options.conversation:
                continue
            load(client, asked.rows)
            for question in asked.questions:
                kind = "adversarial" if question["category"] == "adversarial" else "answerable"
                rows.append(_ask(client, asked.project, question, kind))
            rows += [
                _ask(client, asked.project, question, "of another conversation") for question in asked.foreign
            ]
    (options.runs / "answers.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[row["kind"]].append(row)
        if row["kind"] == "answerable":
            groups[f"  {row['category']}"].append(row)
    for name, group in groups.items():
        sys.stdout.write(_told(name, group) + "\n")
    times = sorted(row["ms"] for row in rows)
    sys.stdout.write(f"p50 {times[len(times) // 2]:.0f} ms  p95 {times[int(len(times) * 0.95)]:.0f} ms\n")


if __name__ == "__main__":
    main()
