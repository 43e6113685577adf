"""A repository of real packages with notes about its files and definitions, half of which are then deleted.

The notes stand in CLAUDE.md and in saved memories, in turns; the deletions are edits of the real files.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from tests.benchmarks.dead_claims import Planted, outlines, planted

from afresh_indexer.languages import language_of
from afresh_indexer.outline import outline

_TITLE = "# Notes\n"


class Asked(Protocol):
    """The verbs, as a client asks them."""

    def call(self, verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]: ...


@dataclass(frozen=True)
class Place:
    """Where a note stands: a line of CLAUDE.md, or a memory."""

    line: int | None
    memory: int | None


def copy_packages(packages: Path, root: Path, files: int) -> None:
    """A repository with whole packages of a folder, in their order, until it has so many Python files."""
    taken = 0
    for package in sorted(path for path in packages.iterdir() if (path / "__init__.py").is_file()):
        for source in sorted(package.rglob("*.py")):
            target = root / source.relative_to(packages)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            taken += 1
        if taken >= files:
            break
    commit(root)


def commit(root: Path) -> None:
    """Everything in one first commit."""
    identity = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
    for command in (["init", "-q"], ["add", "-f", "."], [*identity, "commit", "-q", "-m", "start"]):
        subprocess.run(["git", *command], cwd=root, check=True)


def notes_about(root: Path, count: int, seed: int) -> list[Planted]:
    """Notes about the files below a root and their definitions; every second thing is to be deleted."""
    paths = sorted(file.relative_to(root).as_posix() for file in root.rglob("*.py"))
    return planted(outlines(root, paths), count, seed)


def write_notes(root: Path, notes: Sequence[Planted], client: Asked) -> list[Place]:
    """Put the notes into CLAUDE.md and into saved memories, two here and two there; where each one is.

    Pairs, so that dead and living files and definitions come into both.
    """
    text = _TITLE
    places: list[Place] = []
    for number, note in enumerate(notes):
        if number // 4 % 2:
            places.append(Place(None, client.call("memory_save", {"content": note.note})["id"]))
        else:
            text += f"\n{note.note}\n"
            places.append(Place(text.count("\n"), None))
    (root / "CLAUDE.md").write_text(text, encoding="utf-8")
    return places


def delete(root: Path, notes: Iterable[Planted]) -> list[str]:
    """Delete the files and the definitions of the notes that are to be dead; the paths that changed."""
    touched = []
    for note in notes:
        if not note.is_dead:
            continue
        touched.append(note.path)
        if note.symbol is None:
            (root / note.path).unlink()
        else:
            _cut(root / note.path, note.symbol)
    return touched


def _cut(path: Path, name: str) -> None:
    """Put `pass` in the place of every definition of that name."""
    while spans := _spans(path.read_bytes(), path.name, name):
        data = path.read_bytes()
        for start, end in reversed(spans):
            data = data[:start] + b"pass" + data[end:]
        path.write_bytes(data)


def _spans(data: bytes, file: str, name: str) -> list[tuple[int, int]]:
    """Where the definitions stand; one that is bound again shows only when the first is cut."""
    found = outline(file, data, language_of(file, data[:200])).symbols
    return sorted((s.start_byte, s.end_byte) for s in found if s.qualified_name == name)


def judged(
    result: Mapping[str, Any], notes: Sequence[Planted], places: Sequence[Place]
) -> tuple[list[Planted], list[Planted]]:
    """The dead that the answer lacks, and the living that it calls dead."""
    called = {
        Place(claim["line"], None) if claim["source_path"] else Place(None, claim["memory"])
        for claim in result["dead"]
    }
    both = list(zip(notes, places, strict=True))
    missed = [note for note, place in both if note.is_dead and place not in called]
    alarms = [note for note, place in both if not note.is_dead and place in called]
    return missed, alarms
