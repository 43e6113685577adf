"""Fifty conclusions over five hundred changed files, and one over large files: the time, and the memory."""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.app.engine.conftest import NoSurroundings
from tests.benchmarks.drift_speed import seconds, source
from tests.benchmarks.figures import Figure, p50
from tests.repositories import git

from afresh.contracts import ExploreArguments, RecordArguments
from afresh.engine.calls import Call, Caller
from afresh.engine.core import Engine, Model
from afresh.engine.explore import explore
from afresh.engine.record import record
from afresh.store.database import Store
from afresh.text.embedding import load_bundled
from afresh_indexer.parsing import parse

MEMOS = 50
FILES = 10
"""That each of them cites."""
NOMINAL_PARSE_S = 0.545
"""For these files, at the 8.4 MB a second at which tree-sitter parses on one core of a quiet machine."""
WHO = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]


def run(_data: Path | None) -> Iterator[Figure]:
    """Times inside the engine; of the memory only what a process of its own gains counts."""
    with tempfile.TemporaryDirectory() as folder:
        yield from speed(Path(folder))
    for at in ("disk", "revision"):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "tests.benchmarks.freshness_memory", folder, at]
            said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            for line in said.splitlines():
                what, megabytes = line.rsplit(" ", 1)
                yield Figure(what, float(megabytes), "MB", 200)


def speed(folder: Path) -> Iterator[Figure]:
    generator = random.Random(7)
    root = folder / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    files = {f"part_{n // 25}/file_{n}.py": source(generator) for n in range(MEMOS * FILES)}
    write(root, files)
    save(root, "start", "2024-01-01T00:00:00Z")
    engine = Engine(
        Store.open(folder / "afresh.duckdb", clock=now),
        clock=now,
        model=Model(source="bundled"),
        surroundings=NoSurroundings(),
    )
    engine.use_model(load_bundled(folder / "models"))
    call = Call(Caller(cwd=root, client="bench", kind="agent"))
    paths = list(files)
    for memo in range(MEMOS):
        cited = [{"path": path, "symbol": symbol_of(files[path])} for path in paths[memo::MEMOS]]
        arguments = {"question": question(memo), "conclusion": "It adds.", "project": "bench", "files": cited}
        record(engine, RecordArguments.model_validate(arguments), call)
    ask = ExploreArguments(question=question(7), project="bench", limit=50)

    def look() -> Any:
        return explore(engine, ask, call)

    once = seconds(lambda: [parse(data, "python") for data in files.values()])
    yield Figure("parsing each file once", 1000 * once, "ms", note="processor time, as for the ratios")
    yield from figures("nothing changed", look, 30, once)
    changed = {path: edited(data, 0) for path, data in files.items()}
    write(root, changed)
    yield from figures("all changed, not committed", look, 300, once, engine)
    save(root, "edit them all")
    yield from figures("all changed by one commit", look, 300, once, engine)
    for number in range(5):
        part = {path: edited(data, number + 1) for path, data in list(changed.items())[number::5]}
        changed |= part
        write(root, part)
        save(root, f"edit a fifth {number}")
    yield from figures("all changed by six commits", look, 300, once, engine)
    yield from figures("the same again", look, 300, once)


def figures(
    what: str, look: Callable[[], Any], bound: float, once: float, fresh: Engine | None = None
) -> Iterator[Figure]:
    """The median of some calls; each with an empty cache of verdicts where an engine is given."""
    walls: list[float] = []
    ratios: list[float] = []
    found = look()
    for _ in range(5):
        if fresh is not None:
            fresh.drifts.clear()
        started = time.perf_counter()
        ratios.append(seconds(look) / once)
        walls.append(1000 * (time.perf_counter() - started))
    details = [detail for memo in found.results for detail in memo.details or ()]
    named = sum(detail.commit is not None or detail.uncommitted for detail in details)
    yield Figure(what, p50(walls), "ms", bound, note=f"{named} of {len(details)} files with who did it")
    yield Figure(f"{what}, processor time", p50(ratios), "of a parse", bound / 1000 / NOMINAL_PARSE_S)


def question(number: int) -> str:
    return f"How does part {number} of the system add up its values?"


def symbol_of(data: bytes) -> str:
    """The name of a function in the middle of a file."""
    return data.split(b"def ")[14].partition(b"(")[0].decode()


def edited(data: bytes, number: int) -> bytes:
    """With one more statement in the function that is cited."""
    parts = data.split(b"def ")
    parts[14] = parts[14].replace(
        b"    return total", b"    total -= limit + %d\n    return total" % number, 1
    )
    return b"def ".join(parts)


def write(root: Path, files: dict[str, bytes]) -> None:
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)


def save(root: Path, subject: str, when: str | None = None) -> None:
    git(root, "add", "-A")
    git(root, *WHO, "commit", "-q", "-m", subject, when=when)


def now() -> datetime:
    return datetime.now(UTC)
