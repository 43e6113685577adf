"""Scans a generated tree and compares with what git and sha256sum take for the same; prints ratios.

    python tests/benchmarks/scan_speed.py [FILES …]

Each figure is the median of several rounds in which both sides run in turn, so that a busy machine slows
both. The processor time beside it counts the whole of both sides, children included.
"""

from __future__ import annotations

import hashlib
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from afresh_indexer.fingerprint import hash_many
from afresh_indexer.ignore import IgnoreRules
from afresh_indexer.records import FileRecord
from afresh_indexer.scan import scan

ROUNDS = 9
LAST_YEAR_S = 31_536_000


def build(root: Path, count: int) -> None:
    """Files of about 10 KB, six to a folder, as source trees have them, last changed a year ago."""
    chance = random.Random(count)
    then = time.time() - LAST_YEAR_S
    for number in range(count):
        folder = root / f"package{number // 600}" / f"module{number // 60 % 10}" / f"part{number // 6 % 10}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = (f"value_{chance.random()} = {chance.random()}\n" for _ in range(chance.randint(20, 420)))
        file = folder / f"file_{number}.py"
        file.write_text("".join(lines), encoding="utf-8")
        os.utime(file, (then, then))
    run(root, ["git", "init", "-q"])
    run(root, ["git", "add", "."])
    run(root, ["git", "status"])


def run(root: Path, command: list[str]) -> None:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0" if command[1] == "status" else "1"}
    subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, check=True, env=environment)


def processor_s() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds by the wall clock, and of processor time."""
    wall, processor = time.perf_counter(), processor_s()
    work()
    return time.perf_counter() - wall, processor_s() - processor


def compare(what: str, ours: Callable[[], object], theirs: Callable[[], object], bound: float) -> None:
    rounds = [(measured(theirs), measured(ours)) for _ in range(ROUNDS)]
    wall = statistics.median(our[0] / their[0] for their, our in rounds)
    processor = statistics.median(our[1] / their[1] for their, our in rounds)
    their_ms = statistics.median(their[0] for their, _ in rounds) * 1000
    our_ms = statistics.median(our[0] for _, our in rounds) * 1000
    print(
        f"{what}: {our_ms:.0f} ms against {their_ms:.0f} ms: "
        f"{wall:.2f} x by the clock, {processor:.2f} x in processor time (bound {bound} x)"
    )


def measure(base: Path, count: int) -> None:
    root = base / f"tree-{count}"
    build(root, count)
    rules = IgnoreRules.for_root(root, base / "home")
    known: dict[str, FileRecord] = {}

    def once(before: dict[str, FileRecord]) -> dict[str, FileRecord]:
        found = dict(before)
        for batch in scan(
            root,
            before,
            {},
            rules=rules,
            max_bytes=32 << 20,
            clock_ns=time.time_ns,
            language_of=lambda path, head: "python",
        ):
            found.update((record.path, record) for record in batch.changed)
        return found

    def sums() -> None:
        with subprocess.Popen(["git", "ls-files", "-z"], cwd=root, stdout=subprocess.PIPE) as listing:
            command = ["xargs", "-0", "sha256sum"]
            subprocess.run(command, cwd=root, stdin=listing.stdout, stdout=subprocess.DEVNULL, check=True)

    compare(f"{count:,} files, first scan against sha256sum", lambda: once({}), sums, 4)
    known = once({})
    bound = 1.5 if count <= 5000 else 2
    status = ["git", "status", "--porcelain"]
    compare(
        f"{count:,} files, nothing changed, against git status",
        lambda: once(known),
        lambda: run(root, status),
        bound,
    )
    paths = list(known)[:500]

    def plainly() -> None:
        for path in paths:
            hashlib.sha256((root / path).read_bytes()).hexdigest()

    average = sum(known[path].size for path in paths) // len(paths)
    compare(
        f"{len(paths)} files of {average:,} bytes judged by hash, against the standard library file by file",
        lambda: hash_many(root, paths, limit_bytes=32 << 20),
        plainly,
        1,
    )


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="afresh-scan-") as folder:
        for count in [int(argument) for argument in sys.argv[1:]] or [5000, 20000]:
            measure(Path(os.path.realpath(folder)), count)


if __name__ == "__main__":
    main()
