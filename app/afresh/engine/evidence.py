"""What a run found: every memory once, in one ranking over all its searches."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from afresh.engine.core import Engine
from afresh.store import memories
from afresh.store.memory_records import Memory
from afresh.text import bridges
from afresh.text.bridges import Bridge, Question, Scored
from afresh.text.corpus import Hit
from afresh.text.leads import Leads


class Evidence:
    """Grows with each search; the ranking is made anew when asked for.

    Planning by bridges needs texts alone, and each look into the store costs as much as a search, so rows are
    read once, when somebody wants the memories themselves.
    """

    def __init__(self, engine: Engine, ids: NDArray[np.int64], query: str) -> None:
        """Over the memories with these ids, sorted: what the run may see."""
        self._engine = engine
        self._weights = bridges.DEFAULT
        self.question = Question(query, Leads(engine.corpora["memory"].view(ids)), self._texts)
        self._scores: dict[int, float] = {}
        self._memories: dict[int, Memory] = {}
        self._ranked: list[Scored] | None = None
        self._bridges: list[Bridge] = []

    def __len__(self) -> int:
        return len(self._scores)

    def __contains__(self, id_: int) -> bool:
        return id_ in self._scores

    def add(self, hits: Sequence[Hit], share: float = 1.0) -> list[int]:
        """Take in what one search found, whose scores count by a share; the ids that were new, best first."""
        fresh = [hit.doc_id for hit in hits if hit.doc_id not in self._scores]
        for hit in hits:
            # Hits are relevant from 0.5 on.
            score = share * (hit.score - 0.5) * 2
            self._scores[hit.doc_id] = max(self._scores.get(hit.doc_id, 0.0), score)
        self._ranked = None
        return fresh

    def bridges(self) -> list[Bridge]:
        """The names that lead on from the best, strongest first; too weak ones are left out."""
        self._fuse()
        return [bridge for bridge in self._bridges if bridge.strength >= self._weights.least]

    def passages(self) -> list[Scored]:
        """All texts, best first."""
        return self._fuse()

    def ranked(self) -> list[Memory]:
        """All memories, best first."""
        return [memory for memory, _ in self.scored()]

    def scored(self) -> list[tuple[Memory, float]]:
        """All memories with their place in the ranking as a score, 0..1, best first.

        One that was deleted while the run went on is left out.
        """
        order = self._fuse()
        missing = [item.passage.id for item in order if item.passage.id not in self._memories]
        if missing:
            with self._engine.store.read() as cursor:
                self._memories |= {memory.id: memory for memory in memories.get(cursor, missing)}
        scale = 1.0 / max(1.0, *(item.score for item in order)) if order else 1.0
        return [
            (self._memories[item.passage.id], round(min(max(item.score * scale, 0.0), 1.0), 6))
            for item in order
            if item.passage.id in self._memories
        ]

    def _fuse(self) -> list[Scored]:
        if self._ranked is None:
            passages = self.question.passages(self._scores)
            found = [Scored(passage, self._scores[id_]) for id_, passage in passages.items()]
            self._ranked, self._bridges = bridges.linked(self.question, found, self._weights)
        return self._ranked

    def _texts(self, ids: Collection[int]) -> Mapping[int, str]:
        return self._engine.texts(np.array(sorted(ids), np.int64))
