"""The notes of a workspace's documents as memories, which follow their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, time

from afresh.engine.core import Engine, Indexed
from afresh.engine.note_heirs import heirs_of
from afresh.engine.save import content_hash
from afresh.store import documents, memories
from afresh.store.cursor import Transaction
from afresh.store.memory_records import Memory, NewMemory
from afresh.store.projects import Checkout, Project
from afresh.text.phrases import document_terms
from afresh.text.redact import redact
from afresh.text.tokens import count_terms
from afresh_indexer.decisions import superseded
from afresh_indexer.note_files import ReadDocument
from afresh_indexer.notes import RULES
from afresh_indexer.records import Note

_GONE = "its text is gone from the file"
_STANDS = "no other decision takes its place any more"
_TYPES = {"agent_file": ("convention", "procedural"), "decision": ("decision", "semantic")}


@dataclass(slots=True)
class NoteChanges:
    """What a step does to notes, gathered for the corpus, which must hear of it after the commit."""

    added: dict[int, Indexed] = field(default_factory=dict)
    back: dict[int, str] = field(default_factory=dict)
    """Texts that stood in their file before and do again, as after a branch switch."""
    gone: list[int] = field(default_factory=list)
    dated: list[int] = field(default_factory=list)
    """Notes whose text stayed and which happened at another time than was said before."""
    superseded: int = 0

    def show(self, engine: Engine) -> None:
        """Make recall find what there is now. Call inside `exclusive`, after the transaction."""
        for id_ in self.gone:
            engine.corpora["memory"].remove(id_)
        engine.find_again("memory", self.back)
        engine.search_index("memory", self.added)
        engine.place_again(self.dated)


def apply_documents(
    engine: Engine, project: Project, checkout: Checkout, read: Sequence[ReadDocument]
) -> NoteChanges:
    """Make the notes of these documents what they hold now, in one transaction.

    A note whose text changed is superseded by its new text; one that is gone becomes a tombstone.
    """
    changes = NoteChanges()
    with engine.exclusive():
        with engine.write() as tx:
            known = memories.notes_of(tx, checkout.id, [item.path for item in read])
            for item in read:
                if item.document.notes or item.path in known:
                    step = _Step(engine, tx, project, checkout, changes)
                    step.apply(known.get(item.path, ()), item.document.notes)
            said = [item.document.decision for item in read if item.document.decision is not None]
            contents = {item.path: item.sha256 for item in read}
            if documents.put(tx, checkout.id, contents, said, rules=RULES):
                _follow_decisions(tx, checkout, engine.clock(), changes)
            engine.store_index(tx, "memory", changes.added)
        changes.show(engine)
    return changes


def remove_documents(
    engine: Engine, tx: Transaction, checkout: Checkout, paths: Sequence[str], changes: NoteChanges
) -> None:
    """Let the notes of files that are gone be tombstones, in the transaction that takes the files out."""
    if not paths:
        return
    known = memories.notes_of(tx, checkout.id, paths)
    living = [memory.id for notes in known.values() for memory in _standing(notes)]
    if living:
        memories.tombstone(tx, living, "its file is gone", engine.clock())
        changes.gone += living
    if documents.forget(tx, checkout.id, paths):
        _follow_decisions(tx, checkout, engine.clock(), changes)


def note_content(note: Note) -> str:
    """A note as a memory's content: where it stands in the document, then its text."""
    trail = " > ".join((note.path, *note.headings))
    context = f"{note.context}\n" if note.context else ""
    return f"{trail}\n\n{context}{note.text}"


class _Step:
    """Brings one file's notes up to date."""

    def __init__(
        self, engine: Engine, tx: Transaction, project: Project, checkout: Checkout, changes: NoteChanges
    ) -> None:
        self._tx = tx
        self._project = project
        self._checkout = checkout
        self._changes = changes
        self._now = engine.clock()

    def apply(self, known: Sequence[Memory], notes: Sequence[Note]) -> None:
        """Keep, move, revive, add, supersede; `known` holds the file's former notes too, newest first."""
        standing = {memory.id: memory for memory in _standing(known)}
        by_hash: dict[str, list[Memory]] = {}
        for memory in sorted(known, key=lambda memory: memory.id not in standing):
            by_hash.setdefault(memory.content_sha256, []).append(memory)
        fresh: list[NewMemory] = []
        came: dict[int, tuple[str, int]] = {}
        for note in notes:
            new = _new_note(self._project, self._checkout, note)
            same = by_hash.get(new.content_sha256)
            if not same:
                fresh.append(new)
                continue
            memory = same.pop(0)
            if standing.pop(memory.id, None) is None:
                memories.revive_note(self._tx, memory.id, self._now)
                self._changes.back[memory.id] = new.content
                came[memory.id] = (new.content, note.start_line)
            self._keep(memory, new)
        for id_, new in zip(memories.insert(self._tx, fresh, self._now), fresh, strict=True):
            self._changes.added[id_] = Indexed(document_terms(new.content), None)
            came[id_] = (new.content, new.source_line or 0)
        self._replace(standing, came)

    def _keep(self, memory: Memory, new: NewMemory) -> None:
        """A note whose text stayed: its lines may have moved, and what is said of its file changed."""
        if (memory.source_line, memory.source_end_line) != (new.source_line, new.source_end_line):
            memories.move_note(self._tx, memory.id, new.source_line or 0, new.source_end_line or 0)
        said = {name: getattr(new, name) for name in ("type", "memory_type", "tags", "event_time")}
        changed = {name: value for name, value in said.items() if getattr(memory, name) != value}
        if changed:
            memories.change(self._tx, memory.id, changed, "its file says so now", self._now)
        if "event_time" in changed:
            self._changes.dated.append(memory.id)

    def _replace(self, left: Mapping[int, Memory], came: Mapping[int, tuple[str, int]]) -> None:
        """Notes whose text is no more there: superseded by what stands in their place, or gone."""
        heirs = heirs_of({id_: (m.content, m.source_line or 0) for id_, m in left.items()}, came)
        for old, heir in heirs.items():
            memories.supersede(self._tx, old, heir, self._now)
        self._changes.superseded += len(heirs)
        gone = [id_ for id_ in left if id_ not in heirs]
        if gone:
            memories.tombstone(self._tx, gone, _GONE, self._now)
            self._changes.gone += gone


def _standing(known: Sequence[Memory]) -> list[Memory]:
    """Those of a file's notes whose text is in it, as far as known: not replaced by another of its own."""
    own = {memory.id for memory in known}
    return [memory for memory in known if memory.deleted_at is None and memory.superseded_by not in own]


def _follow_decisions(tx: Transaction, checkout: Checkout, now: datetime, changes: NoteChanges) -> None:
    """Let the notes of every replaced decision record be superseded by the one that took its place."""
    heirs = superseded(documents.decisions(tx, checkout.id))
    linked = documents.superseded_by_others(tx, checkout.id)
    paths = sorted({*heirs, *heirs.values(), *linked.values()})
    notes = {path: _standing(known) for path, known in memories.notes_of(tx, checkout.id, paths).items()}
    for path in sorted({*heirs, *linked.values()}):
        heir = _speaker(notes.get(heirs.get(path, ""), ()))
        for note in notes.get(path, ()):
            if (
                heir is not None
                and note.superseded_by != heir
                and (note.superseded_by is None or note.id in linked)
            ):
                memories.supersede(tx, note.id, heir, now)
                changes.superseded += 1
            elif heir is None and note.id in linked:
                memories.revive_note(tx, note.id, now, _STANDS)
                changes.back[note.id] = note.content


def _speaker(notes: Sequence[Memory]) -> int | None:
    """The note that stands for a whole decision record: the decision itself, else its first."""
    ordered = sorted(notes, key=lambda note: note.source_line or 0)
    heading = (
        note for note in ordered if "decision" in note.content.partition("\n")[0].rpartition(" > ")[2].lower()
    )
    chosen = next(heading, next(iter(ordered), None))
    return None if chosen is None else chosen.id


def _new_note(project: Project, checkout: Checkout, note: Note) -> NewMemory:
    text = redact(note_content(note)).text
    kind, memory_type = _TYPES.get(note.kind, ("fact", "semantic"))
    return NewMemory(
        project_id=project.id,
        checkout_id=checkout.id,
        content=text,
        content_sha256=content_hash(text),
        type=kind,
        memory_type=memory_type,
        path=note.path,
        tags=tuple(redact(tag).text for tag in note.tags),
        event_time=datetime.combine(note.decided, time(), UTC) if note.decided else None,
        source_kind="file",
        source_path=note.path,
        source_line=note.start_line,
        source_end_line=note.end_line,
        term_count=count_terms(text).length,
    )
