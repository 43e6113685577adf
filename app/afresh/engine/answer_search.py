"""The searches of one answer, over one project, kind and branch, and the records that they bring."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from afresh.contracts import AnswerArguments
from afresh.engine import workspaces
from afresh.engine.calls import Call
from afresh.engine.core import Engine
from afresh.store import memories, projects
from afresh.store.memory_filter import MemoryFilter, filter_ids
from afresh.store.memory_records import Memory
from afresh.text.corpus import Hit
from afresh.text.coverage import Coverage
from afresh.text.leads import Leads
from afresh.text.tokens import terms

LONGEST_SEARCH = 8000
"""Characters of a search, as `recall` bounds them."""

Origin = Literal["search", "negative", "followup", "replaced"]


@dataclass(frozen=True, slots=True)
class Record:
    """A memory as a search of this answer found it."""

    memory: Memory
    project: str
    score: float
    """0..1, of the search that found it; 0 for one that was only replaced by another."""
    origin: Origin

    @property
    def id(self) -> int:
        return self.memory.id

    @property
    def moment(self) -> datetime:
        """When it happened, else when it was saved."""
        return self.memory.event_time or self.memory.created_at

    @property
    def day(self) -> str:
        """The day of its moment, in UTC."""
        return self.moment.astimezone(UTC).date().isoformat()

    @property
    def age(self) -> tuple[datetime, int]:
        """Sorts records from the oldest to the newest."""
        return self.moment, self.id


class Searching:
    """Searches, and counts how often."""

    def __init__(self, engine: Engine, arguments: AnswerArguments, call: Call) -> None:
        """Raises UnknownProjectError."""
        self._engine, self._call = engine, call
        self._limit = arguments.limit
        self.calls = 0
        with engine.store.read() as cursor:
            self.workspace = workspaces.reading(engine, cursor, arguments.project, call)
            self._names: Mapping[int, str] = {
                project.id: project.name for project in projects.list_projects(cursor)
            }
            held = self.workspace
            self.ids, _ = filter_ids(
                cursor,
                MemoryFilter(
                    project_id=held.project.id if held else None,
                    checkout_id=held.checkout.id if held and held.checkout else None,
                    types=() if arguments.type == "all" else (arguments.type,),
                    branch=arguments.branch,
                    now=engine.clock(),
                ),
            )

    def find(self, query: str, origin: Origin) -> tuple[list[Record], list[Hit]]:
        """The relevant records, best first, and the hits behind them."""
        self.calls += 1
        self._call.check()
        topic = query[:LONGEST_SEARCH]
        embedder = self._engine.model.embedder
        ranking = self._engine.corpora["memory"].search(
            topic,
            embedder.query(topic) if embedder else None,
            mask_ids=self.ids,
            k=self._limit,
            exact=self._engine.exact("memory"),
            texts=self._engine.texts,
        )
        hits = list(ranking.hits[: ranking.relevant])
        self._call.check()
        with self._engine.store.read() as cursor:
            found = {memory.id: memory for memory in memories.get(cursor, [hit.doc_id for hit in hits])}
        return [
            Record(found[hit.doc_id], self._names[found[hit.doc_id].project_id], hit.score, origin)
            for hit in hits
            if hit.doc_id in found
        ], hits

    def replaced(self, records: Sequence[Record], known: Collection[int]) -> dict[int, Record]:
        """What records replaced by name, the newest of each, by the id of the one that replaced it.

        A note's earlier text is no record of its own.
        """
        with self._engine.store.read() as cursor:
            found = memories.replaced_by(cursor, [record.id for record in records])
        before: dict[int, Record] = {}
        for memory in found:
            if memory.source_kind == "file" or memory.superseded_by is None or memory.id in known:
                continue
            record = Record(memory, self._names[memory.project_id], 0.0, "replaced")
            held = before.get(memory.superseded_by)
            if held is None or held.age < record.age:
                before[memory.superseded_by] = record
        return before

    def coverage(self, question: str) -> Coverage:
        """The question with the weights that its words have in what can be searched."""
        leads = Leads(self._engine.corpora["memory"].view(self.ids))
        return Coverage(question, leads.weights(dict.fromkeys(terms(question))))
