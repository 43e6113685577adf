"""Fifty memos over five hundred files of 10 KB: every file hashed at each look-up."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure, p50, p95, timed
from tests.benchmarks.sandboxes import home

from afresh import client as clients


def run(data: Path | None) -> Iterator[Figure]:
    """Time through the client, over the keeper's socket."""
    with home() as settings, tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for n in range(500):
            (root / f"file{n}.txt").write_text(f"{n:09d}\n" * 1000, encoding="utf-8")
        with clients.connect(settings, cwd=root, client="bench", kind="cli") as client:
            client.call("embed", {})
            for n in range(50):
                arguments = {
                    "question": f"How does part {n} of the system work?",
                    "conclusion": "It works.",
                    "project": "memos",
                    "root": folder,
                    "files": [f"file{m}.txt" for m in range(n * 10, n * 10 + 10)],
                }
                client.call("memory_exploration_record", arguments)
            ask = {
                "question": "How does part 7 of the system work?",
                "project": "memos",
                "root": folder,
                "limit": 50,
            }
            found = client.call("memory_exploration_recall", ask)
            taken = timed(lambda: client.call("memory_exploration_recall", ask), 40, warm=3)
            count = len(found["results"])
            yield Figure(f"memo look-up, {count} memos judged, p50", 1000 * p50(taken), "ms", 30)
            yield Figure("the same, p95", 1000 * p95(taken), "ms")
