"""What a run found: every memory once, in one ranking over all its searches."""

from __future__ import annotations

from collections.abc import Sequence

from afresh.engine.core import Engine
from afresh.engine.workspaces import Workspace
from afresh.store import memories
from afresh.store.memory_filter import MemoryFilter, filter_ids
from afresh.store.memory_records import Memory
from afresh.text import bridges
from afresh.text.bridges import Bridge, Passage, Question, Scored
from afresh.text.corpus import Hit
from afresh.text.leads import Leads


class Evidence:
    """Grows with each search; the ranking is made anew when asked for."""

    def __init__(self, engine: Engine, workspace: Workspace | None, query: str) -> None:
        self._engine = engine
        with engine.store.read() as cursor:
            ids, _ = filter_ids(
                cursor,
                MemoryFilter(
                    project_id=workspace.project.id if workspace else None,
                    checkout_id=workspace.checkout.id if workspace and workspace.checkout else None,
                    now=engine.clock(),
                ),
            )
        self.question = Question(query, Leads(engine.corpora["memory"].view(ids)))
        self._weights = bridges.DEFAULT
        self._memories: dict[int, Memory] = {}
        self._passages: dict[int, Passage] = {}
        self._scores: dict[int, float] = {}
        self._searches = 0
        self._ranked: list[Scored] | None = None
        self._bridges: list[Bridge] = []

    def __len__(self) -> int:
        return len(self._memories)

    def add(self, hits: Sequence[Hit]) -> list[int]:
        """Take in what one search found; the ids that were new, best first."""
        share = self._weights.later if self._searches else 1.0
        self._searches += 1
        fresh = [hit.doc_id for hit in hits if hit.doc_id not in self._memories]
        with self._engine.store.read() as cursor:
            read = {memory.id: memory for memory in memories.get(cursor, fresh)}
        for hit in hits:
            if hit.doc_id in read:
                self._memories[hit.doc_id] = read[hit.doc_id]
                self._passages[hit.doc_id] = Passage(hit.doc_id, read[hit.doc_id].content)
            if hit.doc_id in self._memories:
                # Hits are relevant from 0.5 on.
                score = share * (hit.score - 0.5) * 2
                self._scores[hit.doc_id] = max(self._scores.get(hit.doc_id, 0.0), score)
        self._ranked = None
        return [id_ for id_ in fresh if id_ in read]

    def bridges(self) -> list[Bridge]:
        """The names that lead on from the best, strongest first."""
        self._fuse()
        return self._bridges

    def passages(self) -> list[Scored]:
        """All texts, best first."""
        return self._fuse()

    def ranked(self) -> list[Memory]:
        """All memories, best first."""
        return [self._memories[item.passage.id] for item in self._fuse()]

    def scored(self) -> list[tuple[Memory, float]]:
        """All memories with their place in the ranking as a score, 0..1, best first."""
        order = self._fuse()
        highest = max((item.score for item in order), default=0.0)
        scale = 1.0 / max(highest, 1.0)
        return [
            (self._memories[item.passage.id], round(min(max(item.score * scale, 0.0), 1.0), 6))
            for item in order
        ]

    def _fuse(self) -> list[Scored]:
        if self._ranked is None:
            order = [Scored(self._passages[id_], score) for id_, score in self._scores.items()]
            order.sort(key=lambda item: (-item.score, -item.passage.id))
            self._bridges = bridges.bridges(self.question, order, self._weights)
            self._ranked = bridges.fused(self.question, order, self._bridges, self._weights)
        return self._ranked
