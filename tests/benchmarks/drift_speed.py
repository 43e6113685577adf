"""How long it takes to say what happened to the spans of 500 changed files, against parsing them once."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
from tests.benchmarks.figures import Figure

from afresh_indexer.drift import drift
from afresh_indexer.outline import outline
from afresh_indexer.parsing import parse
from afresh_indexer.verdicts import CitedSpan

FILES = 500
FUNCTIONS = 28
"""A file of so many has about 10 KB."""
BOUND = 0.55
"""Of the time to parse each file once: 300 ms where tree-sitter parses 8.4 MB a second."""
LARGE_FILES = 200
LARGE_BYTES = 1_000_000


def run(_data: Path | None) -> Iterator[Figure]:
    """The figures, as ratios to parsing each file once; with other white space all of them are parsed."""
    generator = random.Random(5)
    files = [source(generator) for _ in range(FILES)]
    cited = [spans_of(generator, data) for data in files]
    drift(b"a = 1\n", b"a = 2\n", "python", [], "a.py")
    size = sum(map(len, files)) / len(files) / 1000
    once = 1000 * seconds(lambda: [parse(data, "python") for data in files])
    yield Figure("parsing each file once", once, "ms", note=f"{FILES} files of {size:.1f} KB")
    for name, change in CHANGES.items():
        changed = [change(generator, data) for data in files]
        for what, spans in (("two definitions cited", cited), ("the whole file cited", [[] for _ in files])):
            taken = 1000 * seconds(lambda spans=spans, changed=changed: judged(files, changed, spans))  # type: ignore[misc]
            bound = BOUND if name != "other white space" else None
            yield Figure(f"{name}, {what}", taken / once, "of a parse", bound, note=f"{taken:.0f} ms")
    yield from memory(generator)


def judged(old: list[bytes], new: list[bytes], spans: list[list[CitedSpan]]) -> None:
    for before, after, cited in zip(old, new, spans, strict=True):
        drift(before, after, "python", cited, "a.py")


def memory(generator: random.Random) -> Iterator[Figure]:
    """What the verdicts on many large files leave behind, all of them kept."""
    old = b"".join(source(generator) for _ in range(LARGE_BYTES // 10_000))
    symbol = outline("a.py", old, "python").symbols[-1]
    span = CitedSpan(symbol.start_line, symbol.end_line, symbol.qualified_name)
    process = psutil.Process()
    kept = []
    after_ten = 0.0
    for number in range(LARGE_FILES):
        new = old.replace(b"total", b"sum_%d" % number, 50) + b"# %d\n" % number
        kept.append(drift(old, new, "python", [span], "a.py"))
        if number == 10:
            after_ten = process.memory_info().rss / 1e6
    grown = process.memory_info().rss / 1e6 - after_ten
    yield Figure(f"memory gained from the 10th to the {len(kept)}th file of 1 MB", grown, "MB", 20.0)


def seconds(work: Callable[[], object]) -> float:
    """Processor time, since other processes share the machine."""
    started = time.process_time()
    work()
    return time.process_time() - started


def source(generator: random.Random) -> bytes:
    """A file of functions that differ."""
    parts = ['"""Values and what is made of them."""\n\nfrom __future__ import annotations\n']
    for number in range(FUNCTIONS):
        first, second = generator.randrange(10_000), generator.randrange(10_000)
        parts.append(
            f"""

def compute_{number}_{first}(values, limit={second}):
    \"\"\"Give the total of what is below the limit.\"\"\"
    total = {first}
    for value in values:
        # Large ones are counted by somebody else.
        if value.amount < limit and value.name != "none_{second}":
            total += value.amount * {first % 17} + len(value.name)
    return total
"""
        )
    return "".join(parts).encode()


def spans_of(generator: random.Random, data: bytes) -> list[CitedSpan]:
    return [
        CitedSpan(
            symbol.start_line,
            symbol.end_line,
            symbol.qualified_name,
            None,
            symbol.source_sha256,
            symbol.tokens_sha256,
        )
        for symbol in generator.sample(outline("a.py", data, "python").symbols, 2)
    ]


def edited(generator: random.Random, data: bytes) -> bytes:
    parts = data.split(b"    return total\n")
    at = generator.randrange(len(parts) - 1)
    parts[at] += b"    total -= limit\n"
    return b"    return total\n".join(parts)


def remarked(generator: random.Random, data: bytes) -> bytes:
    parts = data.split(b"somebody else")
    at = generator.randrange(len(parts) - 1)
    parts[at] += b"nobody or "
    return b"somebody else".join(parts)


CHANGES: dict[str, Callable[[random.Random, bytes], bytes]] = {
    "one function edited": edited,
    "one comment rewritten": remarked,
    "an import added": lambda _, data: data.replace(b"annotations\n", b"annotations\n\nimport os\n", 1),
    "a line at the end": lambda _, data: data + b"\n\nDONE = True\n",
    "other white space": lambda _, data: data.replace(b"total += ", b"total  +=  ", 3),
}
