"""Recall and a save at 1,000 to 100,000 memories, through client and pump; the keeper's memory."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import psutil
from tests.benchmarks.figures import Figure, p50, p95, timed
from tests.benchmarks.sandboxes import home, texts

from afresh import client as clients
from afresh.settings import Settings
from afresh.text.embedding import load_bundled

SIZES = (1_000, 10_000, 100_000)
QUERIES = 60


def run(data: Path | None) -> Iterator[Figure]:
    """Saves in bulk without waiting for real vectors beyond 10,000: those are random, and cost the same."""
    chance = random.Random(11)
    for size in SIZES:
        with home() as settings:
            corpus = texts(size)
            embedder = load_bundled(settings.models)
            queries = [" ".join(chance.choice(corpus).split()[3:11]) for _ in range(QUERIES)]
            embed = timed_each(embedder.query, queries)
            product = _product(size, embedder.dim)
            fill(settings, corpus, embedder.model_id, embedder.dim)
            with clients.connect(settings, cwd=settings.home, client="bench", kind="cli") as client:
                client.call("embed", {})
                ask = [{"query": query, "project": "bench"} for query in queries]
                client.call("recall", ask[0])
                direct = timed_each(lambda arguments: client.call("recall", arguments), ask[1:])
                pumped = list(_through_the_pump(settings, ask[1:]))
                saves = timed_each(
                    lambda text: client.call("memory_save", {"content": text, "project": "bench"}),
                    [f"{text} (again {n})" for n, text in enumerate(corpus[:40])],
                )
                pid = client.call("keeper_status", {})["pid"]
                resident = psutil.Process(pid).memory_info().rss / 1024**2
            name = f"{size:,} memories"
            yield Figure(
                f"{name}: query embedding, p50 / p95 {1000 * p95(embed):.1f} ms", 1000 * p50(embed), "ms"
            )
            yield Figure(f"{name}: numpy product over the matrix, p50", 1000 * product, "ms")
            yield Figure(f"{name}: recall through the client, p50", 1000 * p50(direct), "ms")
            bound = 1000 * p95(embed) + 10 if size == 10_000 else None
            yield Figure(
                f"{name}: recall over stdio, p95", 1000 * p95(pumped), "ms", bound, "embed p95 + 10 ms"
            )
            if size == 100_000:
                twice = 2 * (1000 * p50(embed) + 1000 * product)
                yield Figure(
                    f"{name}: recall over stdio, p50",
                    1000 * p50(pumped),
                    "ms",
                    twice,
                    "2 x (embed + product)",
                )
                yield Figure(f"{name}: keeper's resident memory", resident, "MB", 500)
            else:
                yield Figure(f"{name}: recall over stdio, p50", 1000 * p50(pumped), "ms")
                yield Figure(f"{name}: keeper's resident memory", resident, "MB")
            yield Figure(f"{name}: one save through the client, p50", 1000 * p50(saves), "ms")


def timed_each(work, items: Sequence[object]) -> list[float]:
    """Seconds that each item took."""
    taken = []
    for item in items:
        started = time.perf_counter()
        work(item)
        taken.append(time.perf_counter() - started)
    return taken


def _product(size: int, dim: int) -> float:
    rng = np.random.default_rng(5)
    matrix = rng.standard_normal((size, dim), dtype=np.float32)
    vector = rng.standard_normal(dim, dtype=np.float32)
    return p50(timed(lambda: matrix @ vector, 20, warm=3))


def fill(settings: Settings, corpus: Sequence[str], model_id: str, dim: int) -> None:
    """Import the texts; where embedding would take an hour, give them random unit vectors instead."""
    with clients.connect(settings, cwd=settings.home, client="bench", kind="cli") as client:
        for start in range(0, len(corpus), 2_000):
            lines = [
                json.dumps(
                    {"kind": "memory", "project": "bench", "content": text, "external_id": f"b{start + n}"}
                )
                for n, text in enumerate(corpus[start : start + 2_000])
            ]
            client.call("import", {"lines": lines, "first_line": start + 1})
        if len(corpus) <= 1_000:
            return
        client.call("keeper_stop", {})
    _random_vectors(settings, model_id, dim)


def _random_vectors(settings: Settings, model_id: str, dim: int) -> None:
    code = (
        "import sys, numpy as np\n"
        "from datetime import datetime, UTC\n"
        "from pathlib import Path\n"
        "from afresh.store.database import Store\n"
        "from afresh.store import vectors\n"
        "from afresh.store.owners import Owner\n"
        "import time\n"
        "for _ in range(200):\n"
        "    try:\n"
        "        store = Store.open(Path(sys.argv[1]), clock=lambda: datetime.now(UTC)); break\n"
        "    except Exception as error:\n"
        "        last = error; time.sleep(0.1)\n"
        "else:\n"
        "    raise last\n"
        "rng = np.random.default_rng(1)\n"
        "with store.read() as cursor:\n"
        "    ids = [row[0] for row in cursor.execute('SELECT id FROM memories').rows()]\n"
        "for start in range(0, len(ids), 5000):\n"
        "    part = ids[start:start + 5000]\n"
        "    made = rng.standard_normal((len(part), int(sys.argv[3])), dtype=np.float32)\n"
        "    made /= np.linalg.norm(made, axis=1, keepdims=True)\n"
        "    with store.write() as tx:\n"
        "        vectors.put(tx, 'memory', sys.argv[2], {i: (v,) for i, v in zip(part, made)})\n"
        "        vectors.done(tx, 'memory', part)\n"
        "store.close()\n"
    )
    subprocess.run(
        [sys.executable, "-c", code, str(settings.database), model_id, str(dim)],
        check=True,
        env=dict(os.environ),
    )


def _through_the_pump(settings: Settings, ask: Sequence[dict[str, object]]) -> Iterator[float]:
    """Seconds of each recall over `afresh mcp`, as an agent's host would call it."""
    command = [str(Path(sys.executable).parent / "afresh"), "mcp"]
    with subprocess.Popen(
        command, cwd=settings.home, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=dict(os.environ)
    ) as pump:
        assert pump.stdin is not None and pump.stdout is not None

        def exchange(message: dict[str, object]) -> None:
            pump.stdin.write(json.dumps(message).encode() + b"\n")
            pump.stdin.flush()
            while "id" in message:
                if json.loads(pump.stdout.readline()).get("id") == message["id"]:
                    return

        info = {"name": "bench", "version": "1"}
        start = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info}
        exchange({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": start})
        exchange({"jsonrpc": "2.0", "method": "notifications/initialized"})
        for number, arguments in enumerate(ask, 1):
            message = {"name": "recall", "arguments": arguments}
            started = time.perf_counter()
            exchange({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": message})
            yield time.perf_counter() - started
        pump.stdin.close()
        pump.wait(timeout=20)
