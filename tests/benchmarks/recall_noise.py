"""How much of the evidence is still found as memories grow around it, through the keeper and its client.

    python -m tests.benchmarks.recall_noise DATA --runs OUT [--sizes 1000 10000 100000]

DATA is as `recall_data` reads it. One project holds the gold passages of hotpot and musique and all turns
of one conversation of LoCoMo; around them grows noise, and their questions are asked at each size. The
noise is, in an order drawn once, the passages of 2wiki and the turns of the other conversations, about
9,000 texts; beyond those it is made of them: a sentence of a passage about another passage's subject with
other years, and the half of one turn after the half of another. So it is of the same kind as the gold, in
style and in subject.

A hundred thousand texts take the keeper an hour or two to embed, so their vectors are made beforehand, by
the same model and over the same chunks, kept in OUT, and put into the store between two runs of the keeper.
OUT gets a run a set and size for a scorer.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import statistics
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.benchmarks import recall_data
from tests.benchmarks.sandboxes import home

from afresh import client as clients
from afresh.settings import Settings
from afresh.store import vectors
from afresh.store.database import Store
from afresh.text.chunks import chunks
from afresh.text.embedding import Embedder, load_bundled

PROJECT = "noise"
GOLD = ("hotpot", "musique")
NOISE = "2wiki"
DEPTH = 5
_SESSION = 20
_BLOCK = 1_000
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_YEAR = re.compile(r"\b1[0-9]{3}\b|\b20[0-2][0-9]\b")

Row = dict[str, Any]


def gold(data: Path) -> tuple[list[Row], dict[str, list[Row]], list[Row]]:
    """The memories that answer, the questions by set, and the conversations that are noise."""
    rows: list[Row] = []
    questions: dict[str, list[Row]] = {}
    for name in GOLD:
        (asked,) = recall_data.sets(data, name)
        wanted = {id_ for question in asked.questions for id_ in question["gold_ids"]}
        rows += [row for row in asked.rows if row["external_id"] in wanted]
        questions[name] = asked.questions
    first, *others = recall_data.sets(data, "locomo")
    rows += first.rows
    questions["locomo"] = [q for q in first.questions if q["category"] != "adversarial"]
    return rows, questions, [row for other in others for row in other.rows]


def noise(data: Path, turns: Sequence[Row], known: Sequence[Row], seed: int = 5) -> Iterator[Row]:
    """Real texts first, then made ones, without an end; none has the title of one that is known already."""
    chance = random.Random(seed)
    (asked,) = recall_data.sets(data, NOISE)
    titles = {_title(row) for row in known}
    passages = [row for row in asked.rows if _title(row) not in titles]
    # The turns of a session stay together, as they would be said.
    sessions: dict[str, list[Row]] = {}
    for turn in turns:
        sessions.setdefault(turn["session_id"], []).append(turn)
    blocks = [[row] for row in passages] + list(sessions.values())
    chance.shuffle(blocks)
    yield from (row for block in blocks for row in block)
    subjects = [_title(row) for row in passages]
    bodies = [_SENTENCE.split(row["content"].split("\n\n", 1)[1]) for row in passages]
    said = [turn["content"].split(": ", 1) for turn in turns]
    made = 0
    while True:
        for _ in range(_SESSION):
            yield _row(made, _fact(subjects, bodies, chance))
            made += 1
        session = f"made-{made}"
        day = f"20{chance.randint(18, 23)}-{chance.randint(1, 12):02d}-{chance.randint(1, 28):02d}"
        speakers = chance.sample(sorted({speaker for speaker, _ in said}), 2)
        for minute in range(_SESSION):
            speaker = speakers[minute % 2]
            yield _row(made, f"{speaker}: {_turn(said, chance)}") | {
                "memory_type": "episodic",
                "agent_id": speaker,
                "session_id": session,
                "event_time": f"{day}T10:{minute:02d}:00Z",
            }
            made += 1


def _title(row: Row) -> str:
    return str(row["content"]).splitlines()[0].removeprefix("# ")


def _row(number: int, content: str) -> Row:
    id_ = f"made-{number}"
    return {"kind": "memory", "project": PROJECT, "external_id": id_, "path": id_, "content": content}


def _fact(subjects: Sequence[str], bodies: Sequence[Sequence[str]], chance: random.Random) -> str:
    at, subject = chance.randrange(len(subjects)), chance.choice(subjects)
    start = chance.randrange(len(bodies[at]))
    text = bodies[at][start]
    bare = subjects[at].split(" (")[0]
    text = text.replace(bare, subject.split(" (")[0])
    text = _YEAR.sub(lambda year: str(int(year.group()) + chance.randint(-30, 30)), text)
    return f"# {subject}\n\n{text}"


def _turn(said: Sequence[Sequence[str]], chance: random.Random) -> str:
    halves = []
    for part in (0, 1):
        sentences = _SENTENCE.split(chance.choice(said)[1])
        middle = (len(sentences) + 1) // 2
        halves += sentences[:middle] if part == 0 else sentences[-middle:]
    return " ".join(halves)


def embedded(texts: Sequence[str], embedder: Embedder, kept: Path) -> list[NDArray[np.float32]]:
    """The vectors of each text's chunks; made in blocks that are kept, so that it can be broken off."""
    kept.mkdir(parents=True, exist_ok=True)
    found: list[NDArray[np.float32]] = []
    for start in range(0, len(texts), _BLOCK):
        block = texts[start : start + _BLOCK]
        file = kept / f"{start:06d}-{len(block)}.npz"
        if not file.is_file():
            parts = [[text[first:last] for first, last in chunks(text)] for text in block]
            flat = embedder.passages([part for own in parts for part in own])
            np.savez(file, vectors=flat, ends=np.cumsum([len(own) for own in parts]))
        with np.load(file) as stored:
            found += np.split(stored["vectors"], stored["ends"][:-1])
    return found


class _Place:
    """One data folder, its keeper started as it is needed."""

    def __init__(self, settings: Settings, embedder: Embedder) -> None:
        self._settings = settings
        self._embedder = embedder

    def connect(self, *, model: str) -> clients.Client:
        """A client of a keeper that searches with `model`."""
        os.environ["AFRESH_EMBED_MODEL"] = model
        return clients.connect(self._settings, cwd=self._settings.home, client="bench", kind="cli")

    def load(self, rows: Sequence[Row], made: Sequence[NDArray[np.float32]]) -> None:
        """Import rows through a keeper without a model, and then give them their vectors."""
        with self.connect(model="none") as client:
            recall_data.load(client, rows)
            client.call("keeper_stop", {})
        by_name = {row["external_id"]: own for row, own in zip(rows, made, strict=True)}
        store = Store.open(self._settings.database, clock=lambda: datetime.now(UTC))
        try:
            with store.read() as cursor:
                known = cursor.execute("SELECT external_id, id FROM memories").rows()
            with store.write() as tx:
                found = {id_: by_name[name] for name, id_ in known if name in by_name}
                vectors.put(tx, "memory", self._embedder.model_id, found)
                vectors.done(tx, "memory", found)
        finally:
            store.close()


def main() -> None:
    """Print recall and time for each set and size, and write the runs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--runs", type=Path, required=True)
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--models", type=Path, default=Path.home() / ".cache" / "afresh-benchmark")
    options = parser.parse_args()
    options.runs.mkdir(parents=True, exist_ok=True)
    embedder = load_bundled(options.models)
    rows, questions, turns = gold(options.data)
    more = noise(options.data, turns, rows)
    loaded = [row | {"project": PROJECT} for row in rows]
    with home() as settings:
        place = _Place(settings, embedder)
        place.load(loaded, embedded(_texts(loaded), embedder, options.runs / "gold"))
        before = 0
        around: list[Row] = []
        for size in sorted(options.sizes):
            around += [next(more) | {"project": PROJECT} for _ in range(size - before)]
            made = embedded(_texts(around), embedder, options.runs / "around")
            place.load(around[before:], made[before:])
            before = size
            sys.stdout.write(f"{len(rows)} with gold, {size} around them\n")
            with place.connect(model="bundled") as client:
                client.call("embed", {})
                for name, asked in questions.items():
                    sys.stdout.write(_measured(client, name, asked, options.runs / f"{name}-{size}.jsonl"))
                    sys.stdout.flush()
                client.call("keeper_stop", {})


def _texts(rows: Sequence[Row]) -> list[str]:
    return [row["content"] for row in rows]


def _measured(client: clients.Client, name: str, asked: Sequence[Row], file: Path) -> str:
    runs = []
    for question in asked:
        ranked, elapsed = recall_data.ask(client, PROJECT, question["question"])
        runs.append({"id": question["id"], "ranked": ranked, "ms": round(elapsed, 2)})
    file.write_text("".join(json.dumps(run) + "\n" for run in runs), encoding="utf-8")
    shares = [
        len(set(q["gold_ids"]) & set(run["ranked"][:DEPTH])) / len(set(q["gold_ids"]))
        for q, run in zip(asked, runs, strict=True)
    ]
    return (
        f"  {name}: {len(runs)} questions  R@5 {statistics.mean(shares):.3f}  "
        f"silent {sum(not run['ranked'] for run in runs)}  "
        f"p50 {statistics.median(run['ms'] for run in runs):.0f} ms\n"
    )


if __name__ == "__main__":
    main()
