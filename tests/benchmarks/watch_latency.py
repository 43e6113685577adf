"""How soon the watch tells of an edit, and what it costs while nothing happens.

    python tests/benchmarks/watch_latency.py [--files 5000] [--edits 100] [--idle 10]

Builds a tree of its own in a temporary folder. The latency runs from just before the file is opened for
writing to the moment when the event reaches the caller's task; the cost is the processor time of the whole
process over an idle stretch. One JSON object a way of watching goes to stdout.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import anyio

from afresh_indexer.watch import WatchSettings, watch

FILES_A_FOLDER = 8


def build(root: Path, files: int) -> list[Path]:
    """A tree of small files, eight a folder, fifty folders a package."""
    paths = []
    for number in range(files):
        folder = number // FILES_A_FOLDER
        path = root / f"p{folder // 50}" / f"d{folder % 50}" / f"f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x = 1\n", encoding="utf-8")
        paths.append(path)
    return paths


def percentile(values: list[float], share: float) -> float:
    """The smallest value that this share of all values doesn't exceed."""
    return sorted(values)[max(math.ceil(share * len(values)) - 1, 0)]


async def measure(
    root: Path, paths: list[Path], settings: WatchSettings, edits: int, idle_s: float
) -> dict[str, object]:
    """Latencies in milliseconds and idle cost in per cent of one core."""
    stop = anyio.Event()
    opening = time.perf_counter()
    stream = watch(root, stop=stop, settings=settings, folders_ignored=tuple)
    state = (await anext(stream)).state
    opened_ms = (time.perf_counter() - opening) * 1000
    latencies = []
    for number in range(edits):
        path = paths[number * 37 % len(paths)]
        name = path.relative_to(root).as_posix()
        start = time.perf_counter()
        path.write_text(f"x = {number}\n" * (number + 1), encoding="utf-8")
        async for event in stream:
            if name in event.paths:
                break
        latencies.append((time.perf_counter() - start) * 1000)
    used = time.process_time()
    with anyio.move_on_after(idle_s):
        await anext(stream)
    idle = (time.process_time() - used) / idle_s * 100
    await stream.aclose()
    return {
        "mode": state.mode if state else "",
        "recursive": settings.recursive,
        "files": len(paths),
        "opened_ms": round(opened_ms, 1),
        "edits": edits,
        "p50_ms": round(percentile(latencies, 0.5), 1),
        "p95_ms": round(percentile(latencies, 0.95), 1),
        "max_ms": round(max(latencies), 1),
        "idle_percent_of_a_core": round(idle, 2),
    }


def main() -> None:
    """Measure native and polling watches of one tree."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--idle", type=float, default=10.0, help="seconds")
    arguments = parser.parse_args()
    native = WatchSettings(mode="native")
    ways = [(native, arguments.edits), (replace(native, mode="poll"), min(arguments.edits, 5))]
    if not native.recursive:
        ways.insert(1, (replace(native, recursive=True), arguments.edits))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        paths = build(root, arguments.files)
        for settings, edits in ways:
            result = anyio.run(measure, root, paths, settings, edits, arguments.idle)
            sys.stdout.write(json.dumps(result) + "\n")


if __name__ == "__main__":
    main()
