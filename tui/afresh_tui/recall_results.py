"""What a search found, or all memories in stretches that are read when they are seen. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from afresh_tui.memory_rows import Row

if TYPE_CHECKING:
    from afresh.contracts import ExplainedHit, ExplainStep, Recall, RecalledMemory, Window
    from afresh.verbs import BrowseResult

STRETCH = 100
"""So many memories are read at once where all are shown."""


@dataclass
class Results:
    """Rows by their index; some may not have been read yet."""

    query: str = ""
    total: int = 0
    window: Window | None = None
    retrieval: str = ""
    retrieval_note: str = ""
    nothing_relevant: bool = False
    explained: Mapping[int, ExplainedHit] = field(default_factory=dict)
    steps: Sequence[ExplainStep] = ()
    _rows: dict[int, Row] = field(default_factory=dict)

    @classmethod
    def found(cls, recall: Recall) -> Results:
        """Of a search: what is relevant, or the nearest where nothing is."""
        near = not recall.memories
        memories = recall.nearest if near else recall.memories
        scored = recall.mode == "topic"
        return cls(
            query=recall.query,
            total=len(memories),
            window=recall.window,
            retrieval=recall.retrieval,
            retrieval_note=recall.retrieval_note or "",
            nothing_relevant=near,
            explained={hit.id: hit for hit in recall.explain.hits} if recall.explain else {},
            steps=recall.explain.steps if recall.explain else (),
            _rows={at: Row(memory, scored, near) for at, memory in enumerate(memories)},
        )

    @classmethod
    def all_of(cls, browsed: BrowseResult) -> Results:
        """Of all memories: the stretch that was read first."""
        results = cls(total=browsed.total, window=browsed.window)
        results.add(browsed.offset, browsed.memories)
        return results

    def add(self, offset: int, memories: Sequence[RecalledMemory]) -> None:
        """Another stretch was read."""
        for at, memory in enumerate(memories, offset):
            self._rows[at] = Row(memory, scored=False)

    def row(self, index: int) -> Row | None:
        """A row; None where it wasn't read yet."""
        return self._rows.get(index)

    def index_of(self, id_: int) -> int | None:
        """Where a memory stands, among the rows that were read."""
        return next((at for at, row in self._rows.items() if row.memory.id == id_), None)

    def unread(self, seen: range) -> int | None:
        """The offset of the stretch that is wanted for the rows that are seen; None where all were read."""
        missing = next((at for at in seen if at not in self._rows), None)
        return None if missing is None else missing - missing % STRETCH
