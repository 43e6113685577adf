"""A bulk import with its vectors, against the embedding model alone on the same texts."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.figures import Figure
from tests.benchmarks.sandboxes import home, texts

from afresh import client as clients
from afresh.text.embedding import load_bundled

COUNT = 1_500


def run(data: Path | None) -> Iterator[Figure]:
    """The model alone runs as the queue runs it: one background session, in one process."""
    corpus = texts(COUNT)
    with home() as settings:
        embedder = load_bundled(settings.models)
        embedder.passages(corpus[:16], background=True)
        started = time.perf_counter()
        embedder.passages(corpus, background=True)
        alone = time.perf_counter() - started
        with clients.connect(settings, cwd=settings.home, client="bench", kind="cli") as client:
            client.call("embed", {})
            lines = [json.dumps({"kind": "memory", "project": "bench", "content": text}) for text in corpus]
            started = time.perf_counter()
            client.call("import", {"lines": lines})
            found = time.perf_counter() - started
            client.call("embed", {})
            whole = time.perf_counter() - started
    yield Figure(f"{COUNT:,} memories imported, found by words after", found, "s")
    yield Figure(
        f"{COUNT:,} memories with vectors / the model alone",
        whole / alone,
        "x",
        1.15,
        f"{whole:.1f} s / {alone:.1f} s",
    )
