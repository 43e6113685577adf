"""Times the outlines of a tree against tree-sitter's own parsing of the same bytes over all cores.

    python tests/benchmarks/outline_speed.py FOLDER [--files 5000]

Prints both times and their ratio. Parsing alone is spread over as many processes as outlining, and the two
take turns, so that a busy machine slows both alike; the median of the repetitions counts.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
import time
from pathlib import Path

from afresh_indexer.languages import HEAD_BYTES, has_grammar, language_of
from afresh_indexer.outline_worker import Answer, OutlineJob, serve
from afresh_indexer.parsing import MAX_BYTES, parse
from afresh_indexer.pool import outlines


def parse_only(job: OutlineJob) -> Answer:
    """Read and parse a file, and nothing else."""
    parse(Path(job.file).read_bytes(), job.language, path=job.path)
    return job.path, job.sha256, [], None


def jobs_below(folder: Path, limit: int) -> tuple[list[OutlineJob], int]:
    """Jobs for the files that have a grammar, spread over the tree, and their bytes."""
    found: list[OutlineJob] = []
    size = 0
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    for path in paths:
        data = path.read_bytes()
        language = language_of(path.name, data[:HEAD_BYTES])
        if language is not None and has_grammar(language) and len(data) <= MAX_BYTES and b"\0" not in data:
            found.append(OutlineJob(str(path), str(path), hashlib.sha256(data).hexdigest(), language))
    step = max(1, len(found) // limit)
    found = found[::step][:limit]
    size = sum(Path(job.file).stat().st_size for job in found)
    return found, size


def timed(jobs: list[OutlineJob], workers: int, command: tuple[str, ...] | None) -> tuple[float, int]:
    """Seconds for all jobs, and how many symbols they gave."""
    start = time.perf_counter()
    if command is None:
        stream = outlines(jobs, workers=workers, inline=0)
    else:
        stream = outlines(jobs, workers=workers, inline=0, command=command)
    symbols = sum(len(outline.symbols) for outline in stream)
    return time.perf_counter() - start, symbols


def main() -> int:
    """Run from the command line; fails where the ratio is over the bound."""
    parser = argparse.ArgumentParser(description="Time outlines against parsing alone.")
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--bound", type=float, default=2.5)
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.worker:
        serve(parse_only)
        return 0
    if arguments.folder is None:
        parser.error("name a folder of sources")
    workers = os.cpu_count() or 1
    jobs, size = jobs_below(arguments.folder, arguments.files)
    parsing = (sys.executable, str(Path(__file__).resolve()), "--worker")
    pairs = [(timed(jobs, workers, parsing)[0], timed(jobs, workers, None)) for _ in range(arguments.repeat)]
    pairs.sort(key=lambda pair: pair[1][0] / pair[0])
    parse_seconds, (outline_seconds, symbols) = pairs[(len(pairs) - 1) // 2]
    ratio = outline_seconds / parse_seconds
    each = ", ".join(f"{pair[1][0] / pair[0]:.2f}" for pair in pairs)
    print(
        f"{len(jobs)} files, {size / 1e6:.1f} MB, {symbols} symbols, {workers} workers: parsing "
        f"{parse_seconds:.2f} s, outlines {outline_seconds:.2f} s, ratio {ratio:.2f} (all: {each})"
    )
    return 0 if ratio <= arguments.bound else 1


if __name__ == "__main__":
    sys.exit(main())
