"""Finds dead claims in real instruction files, and in notes about a tree whose halves are deleted.

    python -m tests.benchmarks.dead_claims --data FOLDER
    python -m tests.benchmarks.dead_claims --planted FOLDER [--count 200] [--seed 1 2 3] [--files 1500]

`--data` takes a folder of OWNER+REPO folders, each with its instruction files and TREE.txt, every path of
that repository at that moment. It prints each claim that is called dead with its line, for a reader to judge.

`--planted` takes a folder of packages (site-packages will do). It copies some into a repository, picks files
and definitions in it, writes a note about each into CLAUDE.md or a saved memory, has a keeper index it all,
deletes every second thing, and prints how many of the dead `claims` finds and how many of the living it calls
dead.
"""

from __future__ import annotations

import argparse
import itertools
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from afresh_indexer.claim_world import PathIndex, World, ends_of
from afresh_indexer.claims import claims
from afresh_indexer.dead_claims import DeadClaim, dead
from afresh_indexer.languages import language_of
from afresh_indexer.outline import outline

PATH_SENTENCES = (
    "The retry policy lives in `{path}`; read it before you touch timeouts.",
    "Connection pooling is implemented in {path}.",
    "See [the parser]({path}) for how tokens are joined.",
    "- `{path}`: the only place that knows about time zones",
    "We decided to keep all validation in `{path}` rather than in the callers.",
    "When the build fails on macOS, look at {path} first.",
    "`{path}:12-40` holds the loop that was too slow.",
    "Never import anything heavy in `{path}`: it is loaded at start.",
    "| `{path}` | formats what is printed |",
    "Root cause: {path} swallowed the exception, so the worker never restarted.",
    "Add new error codes to `{path}` and nowhere else.",
    "The tests assume that `{path}` is read once. Do not edit `{path}` by hand.",
    "(lesson) the flaky test came from a global in {path}, fixed by passing the clock in",
    "Run it with `python {path} --verbose` to see each step.",
    "**{path}** has the defaults; everything else overrides them.",
)
SYMBOL_SENTENCES = (
    "`{symbol}` retries three times before it gives up.",
    "`{symbol}()` must be called with the lock held.",
    "The cache is filled by `{symbol}` in `{path}`.",
    "Use `{symbol}` from `{path}` for this, not the private copy.",
    "`{path}` defines `{symbol}`, which every caller goes through.",
    "Decision: `{symbol}` returns None for an unknown key instead of raising.",
    "- `{symbol}`: normalises its input, also for empty text",
    "We found that {symbol}() leaks a descriptor when the peer hangs up.",
    "The function `{symbol}` is pure; call it from any thread.",
    "Gotcha: `{symbol}` (in {path}) mutates its argument.",
    "`{path}::{symbol}` is the slow one.",
    "Callers rely on `{symbol}` being idempotent.",
)


@dataclass(frozen=True)
class Planted:
    """A note about something that was in the tree."""

    note: str
    path: str
    symbol: str | None
    is_dead: bool


def judged(folder: Path) -> Iterator[tuple[str, str, list[str], list[DeadClaim]]]:
    """For each instruction file: its repository, its path, its lines, and what is called dead in it."""
    for tree in sorted(folder.glob("*/TREE.txt")):
        paths = tree.read_text(encoding="utf-8").splitlines()
        world = World(
            paths=PathIndex(path for path in paths if path), name=tree.parent.name.partition("+")[2]
        )
        for file in sorted(tree.parent.rglob("*.md")):
            source = file.relative_to(tree.parent).as_posix()
            text = file.read_text(encoding="utf-8")
            found = dead(claims(text, source_path=source), world, source_path=source)
            yield tree.parent.name, source, text.split("\n"), found


def outlines(root: Path, paths: Sequence[str]) -> dict[str, list[str]]:
    """The qualified names of the definitions of each file."""
    names: dict[str, list[str]] = {}
    for path in paths:
        data = (root / path).read_bytes()
        found = outline(path, data, language_of(path, data[:200]))
        names[path] = [symbol.qualified_name for symbol in found.symbols]
    return names


def planted(symbols: dict[str, list[str]], count: int, seed: int) -> list[Planted]:
    """Notes about `count` files and definitions, in equal parts; every second thing is to be deleted."""
    chance = random.Random(seed)
    owners: Counter[str] = Counter()
    for names in symbols.values():
        owners.update(ends_of(names))
    notes: list[Planted] = []
    kinds = itertools.cycle((symbol, dead) for symbol in (True, False) for dead in (True, False))
    sentences = {True: itertools.cycle(SYMBOL_SENTENCES), False: itertools.cycle(PATH_SENTENCES)}
    for path in chance.sample(sorted(symbols), len(symbols)):
        wants_symbol, is_dead = next(kinds)
        sentence = next(sentences[wants_symbol])
        # Without its file a name that several files define does not say which is meant.
        unique = [name for name in symbols[path] if "{path}" in sentence or owners[name] == 1]
        names = [name for name in unique if not name.rpartition(".")[2].startswith("_") and len(name) > 2]
        symbol = chance.choice(names) if wants_symbol and names else None
        if wants_symbol and symbol is None:
            sentence = next(sentences[False])
        notes.append(Planted(sentence.format(path=path, symbol=symbol), path, symbol, is_dead))
        if len(notes) == count:
            break
    return notes


def left(symbols: dict[str, list[str]], notes: Sequence[Planted]) -> dict[str, list[str]]:
    """The definitions after the deletions: a definition goes with what is inside of it."""
    now = {path: list(names) for path, names in symbols.items()}
    for note in notes:
        if note.is_dead and note.symbol is None:
            del now[note.path]
        elif note.is_dead:
            inside = f"{note.symbol}."
            now[note.path] = [
                name for name in now[note.path] if name != note.symbol and not name.startswith(inside)
            ]
    return now


def score(notes: Sequence[Planted], world: World) -> tuple[list[Planted], list[Planted]]:
    """The dead that were missed and the living that were called dead."""
    missed: list[Planted] = []
    alarms: list[Planted] = []
    for note in notes:
        found = bool(dead(claims(note.note), world))
        if note.is_dead and not found:
            missed.append(note)
        elif not note.is_dead and found:
            alarms.append(note)
    return missed, alarms


def print_judged(folder: Path) -> None:
    """Each claim that is called dead, with its line."""
    total = 0
    for repository, source, lines, found in judged(folder):
        total += len(found)
        for item in found:
            line = lines[item.claim.line - 1].strip()
            print(f"{repository} {source}:{item.claim.line}: {item.claim.text} -> {item.suggestion}")
            print(f"    {line[:160]}")
    print(f"{total} claims called dead")


def print_planted(packages: Path, count: int, seed: int, files: int) -> None:
    """What a keeper's `claims` finds of planted notes, and how long it takes."""
    from tests.benchmarks import planted_claims
    from tests.benchmarks.sandboxes import home

    from afresh import client as clients

    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "planted"
        root.mkdir()
        planted_claims.copy_packages(packages, root, files)
        with (
            home(AFRESH_EMBED_MODEL="none") as settings,
            clients.connect(settings, cwd=root, client="bench", kind="cli") as client,
        ):
            notes = planted_claims.notes_about(root, count, seed)
            client.call("index", {"path": str(root)})
            places = planted_claims.write_notes(root, notes, client)
            before = client.call("claims", {})
            planted_claims.delete(root, notes)
            started = time.perf_counter()
            after = client.call("claims", {})
            taken = time.perf_counter() - started
            started = time.perf_counter()
            client.call("claims", {})
            again = time.perf_counter() - started
    missed, alarms = planted_claims.judged(after, notes, places)
    dying = sum(note.is_dead for note in notes)
    print(
        f"seed {seed}: {dying - len(missed)} of {dying} dead found, "
        f"{len(alarms)} of {len(notes) - dying} living called dead, "
        f"{len(before['dead'])} before the deletions; "
        f"{after['documents']} documents and {after['memories']} memories, {1000 * taken:.0f} ms with the "
        f"index of the deletions, {1000 * again:.0f} ms again"
    )
    for note in missed:
        print(f"    missed: {note.note}")
    for note in alarms:
        print(f"    alarm: {note.note}")


def main() -> None:
    """Print what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path)
    parser.add_argument("--planted", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, nargs="+", default=[1])
    parser.add_argument("--files", type=int, default=1500, help="Python files in the repository")
    options = parser.parse_args()
    if options.data is not None:
        print_judged(options.data)
    if options.planted is not None:
        for seed in options.seed:
            print_planted(options.planted, options.count, seed, options.files)


if __name__ == "__main__":
    main()
