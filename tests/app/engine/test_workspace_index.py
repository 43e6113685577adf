"""Batches of the indexer in the store: files, notes as memories, and what happens when they change."""

from __future__ import annotations

import pytest

from afresh.engine import workspaces
from afresh.engine.workspace_index import apply_batch
from afresh.store import files
from afresh_indexer.records import Batch, FileRecord, Note


@pytest.fixture
def workspace_row(desk):
    with desk.engine.write() as tx:
        return workspaces.register(desk.engine, tx, desk.root, name=None, force=False)


def record(path, sha):
    return FileRecord(path, 10, 1, 1, 1, sha * 64, sha * 64, "markdown", 2)


def note(text, *headings, line=1):
    return Note("CLAUDE.md", headings, text, line, line + 1, kind="agent_file")


def apply(desk, workspace, *notes, sha="a", path="CLAUDE.md"):
    batch = Batch(changed=(record(path, sha),), notes={path: tuple(notes)})
    return apply_batch(desk.engine, workspace.project, workspace.checkout, batch)


def recall(desk, query, **arguments):
    return desk.ask("recall", query=query, **arguments).result.memories


def test_a_note_is_recalled_with_its_file_and_line(desk, workspace_row):
    apply(desk, workspace_row, note("Use tabs in Makefiles.", "Style", line=7))
    (memory,) = recall(desk, "tabs in makefiles")
    assert (memory.source.kind, memory.source.path, memory.source.line) == ("file", "CLAUDE.md", 7)
    assert memory.memory_type == "procedural"


def test_a_changed_note_supersedes_its_former_text(desk, workspace_row):
    apply(desk, workspace_row, note("Deploy from the main branch.", "Deploys"))
    (old,) = recall(desk, "deploy branch")
    apply(desk, workspace_row, note("Deploy from release tags only.", "Deploys"), sha="b")
    assert [m.content.splitlines()[-1] for m in recall(desk, "deploy from")] == [
        "Deploy from release tags only."
    ]
    everything = {m.id: m for m in recall(desk, "deploy from", include_superseded=True)}
    assert everything[old.id].superseded_by in everything


def test_a_note_that_goes_leaves_recall_and_comes_back_with_its_text(desk, workspace_row):
    apply(desk, workspace_row, note("Run ruff before a commit.", "Lint"))
    (before,) = recall(desk, "ruff before commit")
    apply(desk, workspace_row, sha="b")
    assert recall(desk, "ruff before commit") == []
    apply(desk, workspace_row, note("Run ruff before a commit.", "Lint"))
    assert [m.id for m in recall(desk, "ruff before commit")] == [before.id]


def test_a_removed_file_takes_its_notes_along(desk, workspace_row):
    apply(desk, workspace_row, note("Run ruff before a commit.", "Lint"))
    apply_batch(desk.engine, workspace_row.project, workspace_row.checkout, Batch(removed=("CLAUDE.md",)))
    assert recall(desk, "ruff before commit") == []
    with desk.engine.store.read() as cursor:
        assert files.known(cursor, workspace_row.checkout.id) == {}


def test_a_note_that_only_moved_keeps_its_memory(desk, workspace_row):
    apply(desk, workspace_row, note("Run ruff before a commit.", "Lint", line=3))
    (before,) = recall(desk, "ruff before commit")
    apply(desk, workspace_row, note("Run ruff before a commit.", "Lint", line=40), sha="b")
    (after,) = recall(desk, "ruff before commit")
    assert (after.id, after.source.line, before.source.line) == (before.id, 40, 3)


def test_a_note_is_not_changed_by_hand(desk, workspace_row):
    apply(desk, workspace_row, note("Run ruff before a commit.", "Lint"))
    (memory,) = recall(desk, "ruff before commit")
    from afresh.errors import InvalidArgumentError

    with pytest.raises(InvalidArgumentError, match=r"read from CLAUDE\.md"):
        desk.ask("memory_update", id=memory.id, content="something else")
