"""Notes about a real tree of which every second file and definition is deleted: who is found, who is not."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
import rich
from tests.benchmarks.dead_claims import left, outlines, planted, score

from afresh_indexer.claim_world import PathIndex, World


@pytest.fixture(scope="module")
def symbols() -> dict[str, list[str]]:
    """The outlines of two packages that are installed with this one."""
    found: dict[str, list[str]] = {}
    for package in (click, rich):
        root = Path(str(package.__file__)).parent
        paths = sorted(file.relative_to(root.parent).as_posix() for file in root.rglob("*.py"))
        found |= outlines(root.parent, paths)
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_dead_are_found_and_none_of_the_living_is_called_dead(
    symbols: dict[str, list[str]], seed: int
) -> None:
    notes = planted(symbols, 40, seed)
    now = left(symbols, notes)
    world = World(paths=PathIndex(now), once_paths=PathIndex(symbols), symbols=now, once_symbols=symbols)
    missed, alarms = score(notes, world)
    assert alarms == []
    dying = sum(note.is_dead for note in notes)
    assert len(notes) == 40 and dying >= 18
    assert len(missed) <= dying // 10
    # The check itself can fail: in the tree as it was, nothing is dead.
    assert score(notes, World(paths=PathIndex(symbols), symbols=symbols, once_symbols=symbols))[1] == []
