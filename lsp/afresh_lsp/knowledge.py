"""What the engine knows of a file, as values: read from what it answers, without the protocol's types.

Lines count from 1 here, and columns are code points from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Lines:
    """A run of lines; its end is before its start where lines were only taken out in front of it."""

    start: int
    end: int

    def holds(self, line: int) -> bool:
        return self.start <= line <= max(self.end, self.start)


@dataclass(frozen=True, slots=True)
class Place:
    """A cited part of a file."""

    symbol: str | None
    lines: Lines | None
    """None where it is in this file no more."""
    now: str
    moved_to: str | None
    """Where it went, for a person."""


@dataclass(frozen=True, slots=True)
class Other:
    """Another file that the same conclusion rests on."""

    path: Path
    change: str | None
    line: int


@dataclass(frozen=True, slots=True)
class Item:
    """A conclusion, or a memory that cites files."""

    kind: Literal["memo", "memory"]
    id: int
    title: str
    text: str
    stale: bool
    impact: str | None
    date: str
    root: Path
    change: str | None
    """What became of the file at hand."""
    places: tuple[Place, ...]
    hunks: tuple[Lines, ...]
    others: tuple[Other, ...]

    @property
    def key(self) -> tuple[str, int]:
        return self.kind, self.id


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that a document names."""

    kind: str
    text: str
    line: int
    start: int
    end: int
    target: Path | None
    target_line: int | None
    target_symbol: str | None
    dead: str | None
    suggestion: str | None
    replacement: str | None


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Everything about one file."""

    project: str | None = None
    root: Path | None = None
    path: str | None = None
    """Relative to the root."""
    note_kind: str | None = None
    items: tuple[Item, ...] = ()
    claims: tuple[Claim, ...] = ()

    @property
    def keys(self) -> frozenset[tuple[str, int]]:
        return frozenset(item.key for item in self.items)

    def by_line(self) -> Mapping[int, Sequence[Item]]:
        """Items by the line at which a cited part of theirs begins, each once a line."""
        found: dict[int, dict[tuple[str, int], Item]] = {}
        for item in self.items:
            for place in item.places:
                if place.lines is not None:
                    found.setdefault(place.lines.start, {})[item.key] = item
        return {line: list(items.values()) for line, items in sorted(found.items())}


@dataclass(frozen=True, slots=True)
class Definition:
    """Where a name is defined."""

    path: Path
    name: str
    lines: Lines


def knowledge_of(answer: Mapping[str, Any]) -> Knowledge:
    """From what `file_knowledge` answers."""
    return Knowledge(
        project=answer["project"],
        root=Path(answer["root"]) if answer["root"] is not None else None,
        path=answer["path"],
        note_kind=answer["note_kind"],
        items=items_of(answer),
        claims=tuple(_claim(one) for one in answer["claims"]),
    )


def items_of(answer: Mapping[str, Any]) -> tuple[Item, ...]:
    """The conclusions and memories of an answer."""
    return tuple(_item(one) for one in answer["known"])


def definitions_of(answer: Mapping[str, Any]) -> tuple[Definition, ...]:
    """From what `symbol_knowledge` answers."""
    return tuple(
        Definition(Path(one["path"]), one["qualified_name"], Lines(one["start_line"], one["end_line"]))
        for one in answer["places"]
    )


def _item(sent: Mapping[str, Any]) -> Item:
    return Item(
        kind=sent["kind"],
        id=sent["id"],
        title=sent["title"],
        text=sent["text"],
        stale=sent["status"] == "stale",
        impact=sent["impact"],
        date=sent["updated_at"][:10],
        root=Path(sent["root"]),
        change=sent["change"],
        places=tuple(_place(one) for one in sent["places"]),
        hunks=tuple(Lines(one["start_line"], one["end_line"]) for one in sent["hunks"]),
        others=tuple(Other(Path(one["path"]), one["change"], one["line"]) for one in sent["others"]),
    )


def _place(sent: Mapping[str, Any]) -> Place:
    start, end, to = sent["start_line"], sent["end_line"], sent["moved_to"]
    moved = None
    if to is not None:
        moved = f"{to['path']}:{to['start_line']}" + (f" ({to['symbol']})" if to["symbol"] else "")
    lines = Lines(start, end) if start is not None and end is not None else None
    return Place(sent["symbol"], lines, sent["now"], moved)


def _claim(sent: Mapping[str, Any]) -> Claim:
    target = sent["target"]
    return Claim(
        kind=sent["kind"],
        text=sent["text"],
        line=sent["line"],
        start=sent["start_column"],
        end=sent["end_column"],
        target=Path(target) if target is not None else None,
        target_line=sent["target_line"],
        target_symbol=sent["target_symbol"],
        dead=sent["dead"],
        suggestion=sent["suggestion"],
        replacement=sent["replacement"],
    )
