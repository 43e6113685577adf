"""What can become of a cited file and of each cited span, as frozen records, and how grave each is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from afresh_indexer.hunks import Hunk, LineMap

State = Literal["unchanged", "eol_only", "elsewhere", "cosmetic", "docs_only", "moved", "edited", "gone"]
"""In the order of their gravity; `elsewhere` is only said of a file, the others of spans too."""

Content = Literal["identical", "cosmetic", "changed"]
"""How what moved differs from what it was."""

_GRAVITY: dict[State, int] = {
    "unchanged": 0,
    "eol_only": 1,
    "elsewhere": 2,
    "cosmetic": 3,
    "docs_only": 4,
    "moved": 5,
    "edited": 6,
    "gone": 7,
}


@dataclass(frozen=True, slots=True)
class CitedSpan:
    """A part of a file that a conclusion rests on, as it was recorded."""

    start_line: int
    end_line: int
    """Lines count from 1, both ends included."""
    symbol: str | None = None
    """The qualified name that was cited, or of the definition around the cited lines."""
    quote: str | None = None
    source_sha256: str | None = None
    """Of the definition's own bytes where a symbol was cited, else of the whole lines."""
    tokens_sha256: str | None = None
    derived: bool = False
    """It was not cited but found, by `derive.derive_spans` or around a citation."""


@dataclass(frozen=True, slots=True)
class MovedTo:
    """Where something is now that left its file or its name."""

    path: str
    symbol: str | None
    """None where it is no definition: lines, or a whole file."""
    start_line: int
    end_line: int
    content: Content


@dataclass(frozen=True, slots=True)
class SpanDrift:
    """What became of one cited span."""

    span: CitedSpan
    now: State
    start_line: int | None
    """The first of its lines in the new text; None where it is gone. Where the file is new, lines of that."""
    end_line: int | None
    likeness: float
    """From 0 to 1: how much of it is left, by its lines or its tokens; 1 for everything that is only form."""
    moved_to: MovedTo | None = None

    @property
    def gravity(self) -> int:
        """For the order of verdicts; what moved and changed counts as edited."""
        if self.moved_to is not None and self.moved_to.content == "changed":
            return _GRAVITY["edited"]
        return _GRAVITY[self.now]


@dataclass(frozen=True, slots=True)
class FileDrift:
    """What became of one cited file and of its spans. It holds line numbers and no text."""

    path: str
    change: State
    """The worst of its spans; `elsewhere` where all of these survive; `unchanged` for equal bytes."""
    spans: tuple[SpanDrift, ...]
    line_map: LineMap | None
    """None where there is nothing to compare by lines: the file is gone, or one side is no text."""
    moved_to: MovedTo | None = None
    """Where the file is now, if it was judged at another path."""

    @property
    def hunks(self) -> tuple[Hunk, ...]:
        """What changed, by lines without their ends."""
        return () if self.line_map is None else self.line_map.hunks


def state_of(gravity: int) -> State:
    """The verdict of this gravity."""
    return next(state for state, rank in _GRAVITY.items() if rank == gravity)


def worst(states: Iterable[State]) -> State:
    """The gravest of some verdicts; `unchanged` for none."""
    return max(states, key=_GRAVITY.__getitem__, default="unchanged")
