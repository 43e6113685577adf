"""What the indexer found, put into the store: files, outlines, and notes as memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from afresh.engine.core import Engine, Indexed
from afresh.engine.save import content_hash
from afresh.store import files, memories, symbols
from afresh.store.cursor import Transaction
from afresh.store.memory_records import Memory, NewMemory
from afresh.store.projects import Checkout, Project
from afresh.text.redact import redact
from afresh.text.tokens import count_terms
from afresh_indexer.records import Batch, Note, Outline


@dataclass(frozen=True, slots=True)
class Applied:
    """What one batch did to the notes."""

    notes_added: int
    notes_removed: int


def apply_batch(engine: Engine, project: Project, checkout: Checkout, batch: Batch) -> Applied:
    """Make the tables say what the batch says: one transaction for its files and its notes.

    A note whose text changed is superseded by its new text; one that is gone becomes a tombstone.
    """
    touched = {path: batch.notes.get(path, ()) for path in _paths_with_notes(batch)}
    step = _Notes()
    with engine.exclusive():
        with engine.write() as tx:
            files.apply(
                tx,
                checkout.id,
                changed=batch.changed,
                removed=batch.removed,
                excluded=batch.excluded,
                included_again=batch.included_again,
                now=engine.clock(),
            )
            known = memories.notes_of(tx, checkout.id, list(touched)) if touched else {}
            for path, notes in touched.items():
                if notes or path in known:
                    _apply_notes(engine, tx, project, checkout, known.get(path, ()), notes, step)
            engine.store_index(tx, "memory", step.added)
        for id_ in step.gone:
            engine.corpora["memory"].remove(id_)
        engine.find_again("memory", step.back)
        engine.search_index("memory", step.added)
    return Applied(len(step.added) + len(step.back), len(step.gone) + step.superseded)


@dataclass(slots=True)
class _Notes:
    """What a batch does to notes, gathered for the corpus."""

    added: dict[int, Indexed] = field(default_factory=dict)
    back: dict[int, str] = field(default_factory=dict)
    """Texts that stood in their file before and do again, as after a branch switch."""
    gone: list[int] = field(default_factory=list)
    superseded: int = 0


def put_outlines(engine: Engine, outlines: Sequence[Outline], languages: Mapping[str, str]) -> None:
    """Store outlines, by content."""
    with engine.write() as tx:
        symbols.put_outlines(tx, outlines, languages)


def _paths_with_notes(batch: Batch) -> Iterable[str]:
    yield from (record.path for record in batch.changed)
    yield from batch.removed


def _apply_notes(
    engine: Engine,
    tx: Transaction,
    project: Project,
    checkout: Checkout,
    known: Sequence[Memory],
    notes: Sequence[Note],
    step: _Notes,
) -> None:
    """Bring one file's notes up to date; `known` holds its former ones too, newest first."""
    now = engine.clock()
    living = {memory.id: memory for memory in known if memory.deleted_at is None and not memory.superseded_by}
    by_hash: dict[str, list[Memory]] = {}
    for memory in sorted(known, key=lambda memory: memory.id not in living):
        by_hash.setdefault(memory.content_sha256, []).append(memory)
    fresh: list[NewMemory] = []
    heirs: dict[str, int] = {}
    for note in notes:
        text = redact(note_content(note)).text
        same = by_hash.get(content_hash(text))
        if not same:
            fresh.append(_new_note(project, checkout, note, text))
            continue
        memory = same.pop(0)
        if (memory.source_line, memory.source_end_line) != (note.start_line, note.end_line):
            memories.move_note(tx, memory.id, note.start_line, note.end_line)
        if living.pop(memory.id, None) is None:
            memories.revive_note(tx, memory.id, now)
            step.back[memory.id] = text
            heirs.setdefault(_trail(text), memory.id)
    ids = memories.insert(tx, fresh, now) if fresh else []
    for id_, new in zip(ids, fresh, strict=True):
        step.added[id_] = Indexed(count_terms(new.content), None)
        heirs.setdefault(_trail(new.content), id_)
    gone: list[int] = []
    for memory in living.values():
        heir = heirs.get(_trail(memory.content))
        if heir is None:
            gone.append(memory.id)
        else:
            memories.supersede(tx, memory.id, heir, now)
            step.superseded += 1
    if gone:
        memories.tombstone(tx, gone, "its text is gone from the file", now)
        step.gone += gone


def note_content(note: Note) -> str:
    """A note as a memory's content: where it stands in the document, then its text."""
    trail = " > ".join((note.path, *note.headings))
    return f"{trail}\n\n{note.text}"


def _trail(content: str) -> str:
    return content.partition("\n")[0]


def _new_note(project: Project, checkout: Checkout, note: Note, text: str) -> NewMemory:
    agents = note.kind == "agent_file"
    return NewMemory(
        project_id=project.id,
        checkout_id=checkout.id,
        content=text,
        content_sha256=content_hash(text),
        type="convention" if agents else "fact",
        memory_type="procedural" if agents else "semantic",
        path=note.path,
        tags=note.tags,
        source_kind="file",
        source_path=note.path,
        source_line=note.start_line,
        source_end_line=note.end_line,
        term_count=count_terms(text).length,
    )
