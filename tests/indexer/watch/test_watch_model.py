"""A reader that knows the tree only through the watch ends up with what is on the disk."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import stat
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from afresh_indexer.records import WatchEvent
from afresh_indexer.watch import WatchSettings

Watching = Callable[..., AbstractAsyncContextManager[Any]]
Seen = dict[str, tuple[int, int, int]]
STEPS = 150


def signatures(root: Path, top: str = "") -> Seen:
    """mtime_ns, size and inode of each file at or below a path of a tree that may be changing."""
    start = root / top
    paths = [start]
    for folder, _, names in os.walk(start):
        paths += [Path(folder, name) for name in names]
    found = {}
    for path in paths:
        with contextlib.suppress(OSError):
            seen = path.lstat()
            if stat.S_ISREG(seen.st_mode):
                found[path.relative_to(root).as_posix()] = (seen.st_mtime_ns, seen.st_size, seen.st_ino)
    return found


def apply(event: WatchEvent, known: Seen, root: Path) -> None:
    for top in [""] if event.rescan else event.paths:
        for path in [path for path in known if not top or path == top or path.startswith(f"{top}/")]:
            del known[path]
        known.update(signatures(root, top))


def change_something(chance: random.Random, root: Path, number: int) -> None:
    """One of the things that people, editors and build tools do to a tree."""
    folders = [root, *sorted(path for path in root.rglob("*") if path.is_dir())]
    files = sorted(path for path in root.rglob("*") if path.is_file() and path.name != "last.txt")
    folder = chance.choice(folders)
    match chance.choice(["write", "write", "make", "delete", "move file", "move folder", "remove", "swap"]):
        case "write":
            (folder / f"f{chance.randrange(5)}.txt").write_text("x" * number, encoding="utf-8")
        case "make":
            inner = folder / f"d{chance.randrange(4)}" / f"e{chance.randrange(4)}"
            inner.mkdir(parents=True, exist_ok=True)
            (inner / "made.txt").write_text("x" * number, encoding="utf-8")
        case "delete" if files:
            chance.choice(files).unlink()
        case "move file" if files:
            chance.choice(files).replace(folder / f"f{chance.randrange(5)}.txt")
        case "move folder" if folder != root and not (root / f"m{number % 7}").exists():
            folder.rename(root / f"m{number % 7}")
        case "remove" if folder != root and chance.random() < 0.5:
            shutil.rmtree(folder)
        case "swap" if folder != root:
            shutil.rmtree(folder)
            folder.mkdir()
            (folder / "again.txt").write_text("x" * number, encoding="utf-8")
        case _:
            pass


@pytest.mark.parametrize("seed", [1, 2])
def test_after_any_changes_the_events_lead_to_what_is_on_the_disk(
    tmp_path: Path, settings: WatchSettings, watching: Watching, seed: int
) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    chance = random.Random(seed)

    def work() -> None:
        for number in range(1, STEPS):
            change_something(chance, root, number)
        (root / "last.txt").write_text("done", encoding="utf-8")

    async def scenario() -> None:
        # Impatient, so that looks fall between the changes and watches are replaced amid them.
        impatient = replace(settings, debounce_ms=20, step_ms=5, burst=1_000_000)
        async with watching(root, impatient) as watched:
            known = signatures(root)
            async with anyio.create_task_group() as group:
                group.start_soon(to_thread.run_sync, work)
                # What is told after the last file was seen may still be about older ones.
                while "last.txt" not in known or known != signatures(root):
                    apply(await watched.until(lambda event: True), known, root)

    anyio.run(scenario)
