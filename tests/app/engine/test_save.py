"""memory_save, memory_update, memory_delete and memory_get."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from afresh.errors import InvalidArgumentError, NotFoundError, SourceFilesError, UsageError


def test_the_same_content_is_stored_once(desk):
    first = desk.ask("memory_save", content="Invoices are totalled in cents.", type="decision")
    again = desk.ask("memory_save", content="  Invoices are totalled in cents.\n", type="decision")
    assert (first.created, first.duplicate_of) == (True, None)
    assert (again.id, again.created, again.duplicate_of) == (first.id, False, first.id)


def test_the_same_content_of_another_type_is_another_memory(desk):
    fact = desk.ask("memory_save", content="Totals are in cents.", type="fact")
    lesson = desk.ask("memory_save", content="Totals are in cents.", type="lesson")
    assert fact.id != lesson.id and lesson.created


def test_eight_threads_that_save_the_same_thing_make_one_memory(desk):
    results = []
    start = threading.Barrier(8)

    def save():
        start.wait(timeout=10)
        results.append(desk.ask("memory_save", content="One thing only.", type="fact"))

    threads = [threading.Thread(target=save) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len({result.id for result in results}) == 1
    assert sum(result.created for result in results) == 1


def test_a_save_lands_in_the_project_of_the_working_directory_on_its_branch(desk):
    saved = desk.ask("memory_save", content="Locks are re-entrant.", cwd=desk.root / "billing")
    (record,) = desk.ask("memory_get", ids=[saved.id]).memories
    assert (record.project, record.branch, record.memory_type) == ("shop", "main", "semantic")
    assert record.source.kind == "agent"


def test_a_new_project_name_creates_the_project(desk):
    assert desk.ask("memory_save", content="Elsewhere.", project="other").project == "other"


def test_all_projects_is_no_place_to_write(desk):
    with pytest.raises(UsageError, match="'%' means all projects"):
        desk.ask("memory_save", content="x y z", project="%")


def test_cited_files_are_hashed_and_change_the_freshness(desk):
    saved = desk.ask("memory_save", content="Locks are exclusive.", files=["billing/locks.py"])
    (fresh,) = desk.ask("memory_get", ids=[saved.id]).memories
    assert fresh.freshness.status == "fresh" and fresh.files[0].path == "billing/locks.py"
    (desk.root / "billing" / "locks.py").write_text("class Lock: ...\n", encoding="utf-8")
    (stale,) = desk.ask("memory_get", ids=[saved.id]).memories
    assert (stale.freshness.status, stale.freshness.changed_files) == ("stale", ["billing/locks.py"])


def test_a_file_that_cannot_be_cited_stores_nothing_and_every_reason_is_told(desk):
    with pytest.raises(SourceFilesError) as told:
        desk.ask(
            "memory_save",
            content="Half a truth.",
            files=["missing.py", "../outside.py", "billing", {"path": "main.py", "symbol": "totl"}],
        )
    for part in ("missing.py", "../outside.py: outside the root", "billing", "totl"):
        assert part in told.value.message
    assert desk.ask("workspace_status").memories.total == 0


def test_a_superseded_memory_leaves_recall_and_names_its_heir(desk):
    old = desk.ask("memory_save", content="Deploys happen on Fridays.", type="decision")
    new = desk.ask("memory_save", content="Deploys happen on Tuesdays.", type="decision", supersedes=old.id)
    found = desk.ask("recall", query="when do deploys happen").result.memories
    assert [memory.id for memory in found] == [new.id]
    everything = desk.ask("recall", query="when do deploys happen", include_superseded=True).result.memories
    assert {memory.id: memory.superseded_by for memory in everything} == {old.id: new.id, new.id: None}


def test_superseding_what_is_not_there_stores_nothing(desk):
    with pytest.raises(NotFoundError, match="no memory 99"):
        desk.ask("memory_save", content="Replaces a ghost.", supersedes=99)
    assert desk.ask("recall", query="replaces a ghost", project="%").result.count == 0


def test_near_memories_are_shown_and_not_merged(desk):
    first = desk.ask(
        "memory_save", content="Run the database migrations before each deploy.", type="convention"
    )
    second = desk.ask(
        "memory_save", content="Before every deploy, run the database migrations.", type="convention"
    )
    assert second.created and [near.id for near in second.near] == [first.id]


def test_a_secret_is_redacted_before_it_is_stored(desk):
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    saved = desk.ask(
        "memory_save",
        content=f"The token is {secret} for the mirror.",
        tags=[secret],
        path=f"mirror/{secret}",
        branch=secret,
        agent_id=secret,
        session_id=f"s-{secret}",
    )
    (record,) = desk.ask("memory_get", ids=[saved.id]).memories
    assert saved.redacted and secret not in record.model_dump_json()


def test_an_update_keeps_the_earlier_state(desk):
    saved = desk.ask("memory_save", content="The queue holds 100 jobs.", tags=["queue"])
    updated = desk.ask("memory_update", id=saved.id, content="The queue holds 500 jobs.", reason="raised")
    (record,) = desk.ask("memory_get", ids=[saved.id], history=True).memories
    assert (updated.version, record.version, record.content) == (2, 2, "The queue holds 500 jobs.")
    assert [(old.version, old.content, old.reason) for old in record.history] == [
        (1, "The queue holds 100 jobs.", "raised")
    ]
    assert desk.ask("recall", query="how many jobs does the queue hold").result.memories[0].id == saved.id
    with pytest.raises(InvalidArgumentError, match="nothing to change"):
        desk.ask("memory_update", id=saved.id)


def test_a_deletion_is_a_tombstone_that_can_be_undone(desk):
    saved = desk.ask("memory_save", content="Cache keys carry the tenant.")
    assert desk.ask("memory_delete", id=saved.id, reason="wrong").deleted
    assert desk.ask("memory_get", ids=[saved.id]).missing == [saved.id]
    (told,) = desk.ask("memory_get", ids=[saved.id], history=True).memories
    assert told.deleted_at is not None and told.history[-1].version == 1
    assert desk.ask("recall", query="cache keys tenant").result.nothing_relevant
    with pytest.raises(NotFoundError, match="undo: true"):
        desk.ask("memory_update", id=saved.id, content="x")
    assert not desk.ask("memory_delete", id=saved.id, undo=True).deleted
    assert desk.ask("recall", query="cache keys tenant").result.memories[0].id == saved.id


def test_get_keeps_the_order_asked_and_counts_the_missing(desk):
    ids = [desk.ask("memory_save", content=f"Fact number {n}.").id for n in range(3)]
    got = desk.ask("memory_get", ids=[ids[2], 77, ids[0]])
    assert [memory.id for memory in got.memories] == [ids[2], ids[0]] and got.missing == [77]


def test_a_working_memory_expires_after_a_week(desk):
    saved = desk.ask("memory_save", content="Half way through the rename of Lock.", memory_type="working")
    assert desk.ask("recall", query="rename of Lock").result.memories[0].id == saved.id
    desk.clock.forward(days=8)
    assert desk.ask("recall", query="rename of Lock").result.nothing_relevant
    (late,) = desk.ask("recall", query="rename of Lock", include_superseded=True).result.memories
    assert late.expired


def test_content_with_nul_bytes_and_odd_unicode_comes_back_as_it_was(desk):
    content = "nul \0 in the middle, 🦆 emoji, عربى, 漢字, e\u0301"
    saved = desk.ask("memory_save", content=content)
    assert desk.ask("memory_get", ids=[saved.id]).memories[0].content == content


def test_no_project_can_be_made_of_the_home_folder(desk, monkeypatch):
    monkeypatch.setenv("HOME", str(desk.root.parent))
    with pytest.raises(UsageError, match="home"):
        desk.ask("memory_save", content="At home.", cwd=Path(desk.root.parent))


def test_deleting_a_replacement_brings_the_replaced_one_back(desk):
    old = desk.ask("memory_save", content="The lease lasts an hour.")
    new = desk.ask("memory_save", content="The lease lasts two hours.", supersedes=old.id)
    desk.ask("memory_delete", id=new.id)
    assert [m.id for m in desk.ask("recall", query="how long does the lease last").result.memories] == [
        old.id
    ]


def test_a_memory_saved_again_with_its_sources_rests_on_them_as_they_are_now(desk):
    saved = desk.ask("memory_save", content="Main prints a total.", files=["main.py"])
    (desk.root / "main.py").write_text("print(1)\n", encoding="utf-8")
    assert not desk.ask("memory_save", content="Main prints a total.", files=["main.py"]).created
    assert desk.ask("memory_get", ids=[saved.id]).memories[0].freshness.status == "fresh"


def test_an_id_that_no_database_could_hold_is_missing(desk):
    assert desk.ask("memory_get", ids=[-1, 2**70]).missing == [-1, 2**70]


@pytest.mark.parametrize("sent", ["1700000000", 1700000000, "2026-03-01", "2026-03-01T12:00:00", "soon"])
def test_an_event_time_is_rfc_3339_with_an_offset(desk, sent):
    with pytest.raises(InvalidArgumentError, match="event_time"):
        desk.ask("memory_save", content="When?", event_time=sent)


def test_an_event_time_is_now_unless_it_is_given(desk):
    now = desk.ask("memory_save", content="Just now.")
    then = desk.ask("memory_save", content="Back then.", event_time="2025-12-24T18:00:00+01:00")
    records = desk.ask("memory_get", ids=[now.id, then.id]).memories
    assert [record.event_time.isoformat() for record in records] == [
        desk.clock().isoformat(),
        "2025-12-24T17:00:00+00:00",
    ]


def test_a_blank_project_is_refused(desk):
    with pytest.raises(InvalidArgumentError, match="project"):
        desk.ask("memory_save", content="Somewhere.", project="   ")
