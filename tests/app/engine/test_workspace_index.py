"""Batches of the indexer in the store: files, notes as memories, and what happens when they change."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from afresh.engine import workspaces
from afresh.engine.workspace_index import apply_batch
from afresh.engine.workspace_notes import apply_documents
from afresh.store import files, memories
from afresh_indexer.decisions import Decision
from afresh_indexer.note_files import ReadDocument
from afresh_indexer.notes import Document
from afresh_indexer.records import Batch, FileRecord, Note


@pytest.fixture
def workspace_row(desk):
    with desk.engine.write() as tx:
        return workspaces.register(desk.engine, tx, desk.root, name=None, force=False)


def record(path, sha):
    return FileRecord(path, 10, 1, 1, 1, sha * 64, sha * 64, "markdown", 2)


def note(text, *headings, line=1):
    return Note("CLAUDE.md", headings, text, line, line + 1, kind="agent_file")


def apply(desk, workspace, *notes, sha="a", path="CLAUDE.md", decision=None):
    apply_batch(desk.engine, workspace.checkout, Batch(changed=(record(path, sha),)))
    read = ReadDocument(path, sha * 64, Document(tuple(notes), decision))
    return apply_documents(desk.engine, workspace.project, workspace.checkout, [read])


def remove(desk, workspace, path):
    apply_batch(desk.engine, workspace.checkout, Batch(removed=(path,)))


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
    remove(desk, workspace_row, "CLAUDE.md")
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


def notes_of(desk, workspace, path="CLAUDE.md"):
    with desk.engine.store.read() as cursor:
        found = memories.notes_of(cursor, workspace.checkout.id, [path]).get(path, [])
    return {note.content.split("\n\n", 1)[1]: note for note in found}


def test_each_changed_rule_is_superseded_by_its_own_new_text(desk, workspace_row):
    rules = [
        "- Use tabs in every Makefile of ours.",
        "- Deploy from the main branch on Tuesdays.",
        "- Ask before a table is dropped.",
    ]
    apply(desk, workspace_row, *(note(rule, "Rules", line=n) for n, rule in enumerate(rules, 3)))
    changed = [
        rules[0],
        "- Ask twice before a table is dropped.",
        "- Deploy from release tags on Tuesdays.",
        "- Nothing is like this one.",
    ]
    apply(desk, workspace_row, *(note(rule, "Rules", line=n) for n, rule in enumerate(changed, 3)), sha="b")
    now = notes_of(desk, workspace_row)
    assert now[rules[0]].superseded_by is None
    assert now[rules[1]].superseded_by == now[changed[2]].id
    assert now[rules[2]].superseded_by == now[changed[1]].id
    assert all(now[rule].superseded_by is None and now[rule].deleted_at is None for rule in changed)


def test_a_rule_that_is_struck_out_is_gone_and_no_other_takes_its_place(desk, workspace_row):
    kept, struck = "- Use tabs in every Makefile of ours.", "- Never push on Fridays."
    apply(desk, workspace_row, note(kept, "Rules", line=3), note(struck, "Rules", line=4))
    apply(desk, workspace_row, note("- Use tabs in all Makefiles of ours.", "Rules", line=3), sha="b")
    now = notes_of(desk, workspace_row)
    assert now[kept].superseded_by is not None
    assert now[struck].deleted_at is not None and now[struck].superseded_by is None


def test_a_text_under_a_renamed_heading_takes_the_place_of_itself(desk, workspace_row):
    apply(desk, workspace_row, note("Run ruff before a commit.", "Lint"))
    (before,) = recall(desk, "ruff before commit")
    apply(desk, workspace_row, note("Run ruff before a commit.", "Checks"), sha="b")
    (after,) = recall(desk, "ruff before commit")
    assert notes_and_heirs(desk, workspace_row)[before.id] == after.id


def notes_and_heirs(desk, workspace, path="CLAUDE.md"):
    with desk.engine.store.read() as cursor:
        found = memories.notes_of(cursor, workspace.checkout.id, [path])[path]
    return {memory.id: memory.superseded_by for memory in found}


def test_new_front_matter_changes_the_tags_and_keeps_the_former_in_history(desk, workspace_row):
    apply(desk, workspace_row, replace(note("Run ruff.", "Lint"), tags=("a",)))
    apply(desk, workspace_row, replace(note("Run ruff.", "Lint"), tags=("b",)), sha="b")
    (memory,) = recall(desk, "run ruff")
    assert memory.tags == ["b"]
    got = desk.ask("memory_get", ids=[memory.id], history=True).memories[0]
    assert [version.tags for version in got.history] == [["a"]]


def test_a_note_that_a_saved_memory_replaced_stays_so_while_its_text_stands(desk, workspace_row):
    apply(desk, workspace_row, note("Deploy from the main branch.", "Deploys"))
    (old,) = recall(desk, "deploy from branch")
    saved = desk.ask("memory_save", content="Deploys come from tags since May.", supersedes=old.id)
    apply(desk, workspace_row, note("Deploy from the main branch.", "Deploys", line=9), sha="b")
    assert notes_and_heirs(desk, workspace_row) == {old.id: saved.id}


DAY = date(2024, 3, 5)


def decided(desk, workspace, number, said, sha, **about):
    path = f"docs/adr/000{number}-storage.md"
    status = (f"status:{about['status']}",) if "status" in about else ()
    texts = [
        Note(
            path,
            ("Storage", part),
            f"{part}: {said}",
            line,
            line,
            "decision",
            status,
            decided=date(2024, 3, 5),
        )
        for line, part in ((5, "Context"), (9, "Decision"))
    ]
    apply(desk, workspace, *texts, sha=sha, path=path, decision=Decision(path, number, **about))
    return path


def test_a_decision_that_was_dated_anew_is_found_by_its_new_date_at_once(desk, workspace_row):
    def note_of(day):
        return Note("docs/adr/1.md", ("Storage",), "Rows are kept in files.", 5, 5, "decision", decided=day)

    apply(desk, workspace_row, note_of(date(2024, 3, 5)), path="docs/adr/1.md")
    apply(desk, workspace_row, note_of(date(2024, 4, 7)), path="docs/adr/1.md", sha="b")
    corpus = desk.engine.corpora["memory"]
    (day,) = corpus.view(None).days.tolist()
    assert date.fromordinal(day) == date(2024, 4, 7)


def standing(desk, query):
    return sorted({memory.path for memory in recall(desk, query, limit=20)})


def test_a_replaced_decision_is_superseded_by_the_decision_in_its_place(desk, workspace_row):
    old = decided(desk, workspace_row, 1, "rows are kept in SQLite files", "a", status="accepted")
    (first, *_) = recall(desk, "rows are kept in SQLite files")
    assert (first.type, first.tags, str(first.event_time)[:10]) == (
        "decision",
        ["status:accepted"],
        "2024-03-05",
    )
    new = decided(
        desk, workspace_row, 2, "rows are kept in DuckDB files", "b", status="accepted", supersedes=("1",)
    )
    assert standing(desk, "where rows are kept in files") == [new]
    heir = notes_of(desk, workspace_row, new)["Decision: rows are kept in DuckDB files"].id
    assert set(notes_and_heirs(desk, workspace_row, old).values()) == {heir}


def test_a_decision_counts_again_when_the_one_in_its_place_goes_or_is_withdrawn(desk, workspace_row):
    old = decided(desk, workspace_row, 1, "rows are kept in SQLite files", "a", superseded_by=("2",))
    assert standing(desk, "where rows are kept in files") == [old]
    new = decided(desk, workspace_row, 2, "rows are kept in DuckDB files", "b", status="accepted")
    assert standing(desk, "where rows are kept in files") == [new]
    remove(desk, workspace_row, new)
    assert standing(desk, "where rows are kept in files") == [old]
    decided(desk, workspace_row, 2, "rows are kept in DuckDB files", "b", status="accepted")
    assert standing(desk, "where rows are kept in files") == [new]
    decided(desk, workspace_row, 1, "rows are kept in SQLite files", "c", status="accepted")
    assert standing(desk, "where rows are kept in files") == [old, new]


def test_an_edit_of_either_decision_leaves_the_replaced_one_replaced(desk, workspace_row):
    old = decided(desk, workspace_row, 1, "rows are kept in SQLite files", "a", superseded_by=("2",))
    new = decided(desk, workspace_row, 2, "rows are kept in DuckDB files", "b")
    decided(desk, workspace_row, 2, "rows are kept in two DuckDB files", "c")
    decided(desk, workspace_row, 1, "rows are kept in ten SQLite files", "d", superseded_by=("2",))
    assert standing(desk, "where rows are kept in files") == [new]
    heir = notes_of(desk, workspace_row, new)["Decision: rows are kept in two DuckDB files"].id
    current = notes_of(desk, workspace_row, old)
    assert current["Decision: rows are kept in ten SQLite files"].superseded_by == heir


def test_a_deleted_decision_is_out_of_recall_and_still_in_history(desk, workspace_row):
    path = decided(desk, workspace_row, 1, "rows are kept in SQLite files", "a", status="accepted")
    (found, *_) = recall(desk, "rows are kept in SQLite files")
    remove(desk, workspace_row, path)
    assert recall(desk, "rows are kept in SQLite files", include_superseded=True) == []
    with desk.engine.store.read() as cursor:
        (before,) = memories.history(cursor, found.id)
        (now,) = memories.get(cursor, [found.id], include_deleted=True)
    assert (before.action, before.reason, before.content) == ("delete", "its file is gone", found.content)
    assert now.deleted_at is not None
