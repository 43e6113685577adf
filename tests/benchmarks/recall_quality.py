"""How well one search finds the evidence, on public question sets that lie in a folder of your own.

    python tests/benchmarks/recall_quality.py DATA --set locomo --runs OUT

DATA holds `locomo/{turns,questions}.jsonl` and `multihop/NAME/{corpus,questions}.jsonl`. For each set one
line is printed a way (words, vectors, both), and with --runs a file for each way is written that a scorer
reads: {"id": question, "ranked": [documents, best first], "ms": time of the search without embedding}.
Vectors are kept beside the runs, since embedding takes most of the time by far. What lies below the floor is
ranked too; `recall_data.py` goes the whole way, through a keeper and its client, where it isn't.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from afresh.text.corpus import Corpus, Places
from afresh.text.embedding import Embedder, load_bundled
from afresh.text.phrases import document_terms

WAYS = ("lexical", "dense", "hybrid")
DEEPEST = 20


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """Documents, and questions with the ids of those that answer them."""

    name: str
    ids: list[str]
    texts: list[str]
    questions: list[dict[str, Any]]
    places: Places | None = None
    """Of turns: those of a session follow one another."""

    def texts_of(self, rows: NDArray[np.int64]) -> dict[int, str]:
        """The texts of some documents, by row."""
        return {int(row): self.texts[row] for row in rows}


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _sets(data: Path, name: str) -> Iterator[QuestionSet]:
    if name == "locomo":
        turns, questions = _read(data / "locomo" / "turns.jsonl"), _read(data / "locomo" / "questions.jsonl")
        for conversation in dict.fromkeys(turn["conversation"] for turn in turns):
            own = [turn for turn in turns if turn["conversation"] == conversation]
            said = [f"{turn['speaker']}: {turn['text']}" for turn in own]
            asked = [q for q in questions if q["conversation"] == conversation and q["gold_ids"]]
            times = [datetime.fromisoformat(f"{turn['time']}+00:00").timestamp() for turn in own]
            places = (
                np.arange(len(own), dtype=np.int64),
                np.array([turn["session"] for turn in own], np.int64),
                np.array([int(time) * 1_000_000 for time in times], np.int64),
            )
            yield QuestionSet(conversation, [turn["id"] for turn in own], said, asked, places)
        return
    corpus, questions = (
        _read(data / "multihop" / name / f"{kind}.jsonl") for kind in ("corpus", "questions")
    )
    published = [q for q in questions if q.get("set") == "hipporag1000"]
    if published:
        corpus = [row for row in corpus if row.get("src") == "hipporag6119"]
    texts = [f"{row['title']}. {row['text']}" for row in corpus]
    yield QuestionSet(name, [row["id"] for row in corpus], texts, published or questions)


def _vectors(embedder: Embedder, texts: Sequence[str], kept: Path | None) -> NDArray[np.float32]:
    if kept is not None and kept.is_file():
        stored: NDArray[np.float32] = np.load(kept)
        return stored
    found = embedder.passages(texts)
    if kept is not None:
        np.save(kept, found)
    return found


def _corpus(found: QuestionSet, vectors: NDArray[np.float32] | None, dim: int) -> Corpus:
    texts = found.texts
    counts = [document_terms(text) for text in texts]
    corpus = Corpus(dim)
    corpus.load(
        np.concatenate([c.hashes for c in counts]),
        np.repeat(np.arange(len(texts), dtype=np.int64), [len(c.hashes) for c in counts]),
        np.concatenate([c.frequencies for c in counts]),
        [] if vectors is None else [(np.arange(len(texts), dtype=np.int64), vectors)],
        found.places,
    )
    return corpus


def _run(
    way: str, found: QuestionSet, vectors: NDArray[np.float32], embedder: Embedder
) -> list[dict[str, Any]]:
    corpus = _corpus(found, vectors if way == "hybrid" else None, embedder.dim)
    rows = []
    for question in found.questions:
        vector = embedder.query(question["question"])
        started = time.perf_counter()
        if way == "dense":
            ranked = np.argsort(-(vectors @ vector))[:DEEPEST].tolist()
        else:
            asked = vector if way == "hybrid" else None
            hits = corpus.search(question["question"], asked, k=DEEPEST, texts=found.texts_of).hits
            ranked = [hit.doc_id for hit in hits]
        elapsed = (time.perf_counter() - started) * 1000
        rows.append({"id": question["id"], "ranked": [found.ids[i] for i in ranked], "ms": round(elapsed, 2)})
    return rows


def _recall(rows: Sequence[dict[str, Any]], gold: dict[str, set[str]], depth: int) -> float:
    return sum(len(gold[r["id"]] & set(r["ranked"][:depth])) / len(gold[r["id"]]) for r in rows) / len(rows)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--set", default="locomo", help="locomo, or a folder of DATA/multihop")
    parser.add_argument("--runs", type=Path, help="a folder for the runs and the vectors")
    parser.add_argument("--models", type=Path, default=Path.home() / ".cache" / "afresh-benchmark")
    options = parser.parse_args()
    if options.runs:
        options.runs.mkdir(parents=True, exist_ok=True)
    embedder = load_bundled(options.models)
    results: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
    gold: dict[str, set[str]] = {}
    for found in _sets(options.data, options.set):
        kept = options.runs / f"{found.name}.npy" if options.runs else None
        vectors = _vectors(embedder, found.texts, kept)
        gold.update({q["id"]: set(q["gold_ids"]) for q in found.questions})
        for way in WAYS:
            results[way] += _run(way, found, vectors, embedder)
    for way, rows in results.items():
        times = sorted(row["ms"] for row in rows)
        sys.stdout.write(
            f"{options.set} {way}: {len(rows)} questions  R@5 {_recall(rows, gold, 5):.3f}  "
            f"R@10 {_recall(rows, gold, 10):.3f}  p50 {times[len(times) // 2]:.1f} ms\n"
        )
        if options.runs:
            (options.runs / f"{options.set}-{way}.jsonl").write_text(
                "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
            )


if __name__ == "__main__":
    main()
