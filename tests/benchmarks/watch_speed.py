"""From a saved file to its row being current, with the whole keeper between; and big changes as one."""

from __future__ import annotations

import queue
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.benchmarks.figures import Figure, p50, p95
from tests.benchmarks.sandboxes import home, source_tree

from afresh import client as clients

EDITS = 60


def run(data: Path | None) -> Iterator[Figure]:
    """Over a generated repository of 2,000 files."""
    with tempfile.TemporaryDirectory() as folder, home() as settings:
        root = Path(folder) / "tree"
        source_tree(root, 2_000)
        events: queue.Queue[Mapping[str, object]] = queue.Queue()
        client = clients.connect(settings, cwd=root, client="bench", kind="cli", attach=True)
        watcher = clients.connect(settings, cwd=root, client="bench", kind="cli")
        threading.Thread(
            target=lambda: watcher.call("watch", {"path": str(root)}, on_event=events.put), daemon=True
        ).start()
        while events.get(timeout=60).get("mode") != "native":
            pass
        path = root / "package000" / "module1.py"
        seconds = []
        for n in range(EDITS):
            started = time.perf_counter()
            path.write_text(f"VALUE = {n}\n", encoding="utf-8")
            _until(events, "module1.py")
            seconds.append(time.perf_counter() - started)
        yield Figure("a saved file to its row being current, p50", 1000 * p50(seconds), "ms")
        yield Figure("a saved file to its row being current, p95", 1000 * p95(seconds), "ms", 200)
        started = time.perf_counter()
        (root / "package001").rename(root / "renamed")
        _until(events, "package001")
        yield Figure(
            "a folder of 50 files renamed, to the first event", 1000 * (time.perf_counter() - started), "ms"
        )
        _git(root, "add", "-A")
        _git(root, "commit", "-q", "-m", "edits")
        _git(root, "checkout", "-q", "-b", "other")
        for n in range(1_000):
            (root / f"package{n // 50 + 10:03d}" / f"module{n + 500}.py").write_text(
                f"N = {n}\n", encoding="utf-8"
            )
        _git(root, "commit", "-q", "-a", "-m", "a thousand")
        _drain(events)
        started = time.perf_counter()
        _git(root, "checkout", "-q", "-")
        batches = changed = 0
        while changed < 1_000:
            event = events.get(timeout=60)
            if event.get("kind") == "change":
                batches += 1
                changed += int(str(event["changed"]))
        yield Figure(
            "a checkout of 1,000 files, until all rows are current",
            1000 * (time.perf_counter() - started),
            "ms",
            note=f"{batches} change event(s)",
        )
        client.close()
        watcher.close()
        shutil.rmtree(root, ignore_errors=True)


def _until(events: queue.Queue[Mapping[str, object]], part: str) -> None:
    while True:
        event = events.get(timeout=30)
        if event.get("kind") == "change" and any(part in str(path) for path in event["paths"]):  # type: ignore[attr-defined]
            return


def _drain(events: queue.Queue[Mapping[str, object]]) -> None:
    try:
        while True:
            events.get(timeout=3)
    except queue.Empty:
        return


def _git(root: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    subprocess.run(["git", *identity, *arguments], cwd=root, check=True, capture_output=True)
