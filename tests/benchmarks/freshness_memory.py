"""What a conclusion over many large files takes of memory: recorded, then judged with all of them changed.

Run in a process of its own: `python -m tests.benchmarks.freshness_memory FOLDER disk|revision`.
"""

from __future__ import annotations

import random
import resource
import sys
from pathlib import Path

from tests.app.engine.conftest import NoSurroundings
from tests.benchmarks.drift_speed import source
from tests.benchmarks.freshness_speed import now, save, symbol_of, write
from tests.repositories import git

from afresh.contracts import ExploreArguments, RecordArguments
from afresh.engine.calls import Call, Caller
from afresh.engine.core import Engine, Model, Preferences
from afresh.engine.explore import explore, explore_at
from afresh.engine.record import record
from afresh.store.database import Store
from afresh.verbs import ExploreAtArguments

LARGE_FILES = 200
LARGE_BYTES = 1_000_000


def main(folder: Path, at: str) -> None:
    """Print what recording and judging add to the process's largest size, in MB."""
    root = folder / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    large = [f"large_{number}.py" for number in range(LARGE_FILES)]
    for number, path in enumerate(large):
        write(root, {path: content(number)})
    save(root, "start", "2024-01-01T00:00:00Z")
    engine = Engine(
        Store.open(folder / "afresh.duckdb", clock=now),
        clock=now,
        model=Model(source="none"),
        surroundings=NoSurroundings(),
        preferences=Preferences(snapshot_bytes=1 << 30),
    )
    call = Call(Caller(cwd=root, client="bench", kind="agent"))
    small = {"tiny.py": content(0)[:2000]}
    write(root, small)
    warm = {"question": "What is tiny?", "conclusion": "It adds.", "project": "bench", "files": ["tiny.py"]}
    record(engine, RecordArguments.model_validate(warm), call)
    write(root, {"tiny.py": small["tiny.py"] + b"\n\nX = 1\n"})
    look(engine, "What is tiny?", None, call)
    before = peak()
    cited = [{"path": path, "symbol": symbol_of(content(number))} for number, path in enumerate(large)]
    arguments = {"question": "What is large?", "conclusion": "It adds.", "project": "bench", "files": cited}
    record(engine, RecordArguments.model_validate(arguments), call)
    recorded = peak()
    for number, path in enumerate(large):
        write(root, {path: content(number).replace(b"    return total", b"    total += 1\n    return total")})
    save(root, "change them all")
    look(engine, "What is large?", None if at == "disk" else "HEAD", call)
    sys.stdout.write(f"memory gained by recording {LARGE_FILES} files of 1 MB {recorded - before:.0f}\n")
    sys.stdout.write(f"and by judging them on the {at}, all changed {max(0.0, peak() - before):.0f}\n")


def look(engine: Engine, question: str, at: str | None, call: Call) -> None:
    ask = {"question": question, "project": "bench", "limit": 1}
    if at is None:
        found = explore(engine, ExploreArguments.model_validate(ask), call)
    else:
        found = explore_at(engine, ExploreAtArguments.model_validate(ask | {"at": at}), call)
    (memo,) = found.results
    assert memo.impact == "edited" or question == "What is tiny?"


def content(number: int) -> bytes:
    """The same for the same number, so that none of it has to be kept."""
    generator = random.Random(number)
    return b"".join(source(generator) for _ in range(LARGE_BYTES // 9_000))


def peak() -> float:
    """The largest resident size so far, in MB."""
    status = Path("/proc/self/status")
    if status.exists():
        # What getrusage says of a process begins with the size of the one that started it.
        line = next(line for line in status.read_text("utf-8").splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 1e3
    size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return size / 1e6 if sys.platform == "darwin" else size / 1e3


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
