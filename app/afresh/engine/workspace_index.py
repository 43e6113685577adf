"""What the indexer found, put into the store: files, and outlines of their contents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from afresh.engine.core import Engine
from afresh.engine.workspace_notes import NoteChanges, remove_documents
from afresh.store import files, once, symbols
from afresh.store.projects import Checkout
from afresh_indexer.records import Batch, Outline


def apply_batch(engine: Engine, checkout: Checkout, batch: Batch) -> NoteChanges:
    """Make the tables say what the batch says: its files, and the notes of those that went, in one step.

    The notes of those that changed follow when they are read (`workspace_notes.apply_documents`).
    """
    changes = NoteChanges()
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
            remove_documents(engine, tx, checkout, batch.removed, changes)
        changes.show(engine)
    return changes


def put_outlines(engine: Engine, outlines: Sequence[Outline], languages: Mapping[str, str]) -> None:
    """Store outlines, by content."""
    with engine.write() as tx:
        symbols.put_outlines(tx, outlines, languages)


def settle_once(engine: Engine, checkout: Checkout, *, from_contents: int) -> None:
    """Take out what contents that went had defined, once so many of them wait: later than any batch."""
    with engine.store.read() as cursor:
        waiting = once.unsettled(cursor, checkout.id)
    if waiting >= from_contents:
        with engine.write() as tx:
            once.settle(tx, checkout.id)
