from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from afresh.errors import InvalidArgumentError, NotFoundError, StoreError
from afresh.store import Store, Transaction, memories
from afresh.store.memories import Memory, NewMemory

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


def new(content: str = "text", **fields: Any) -> NewMemory:
    values: dict[str, Any] = {
        "project_id": 1,
        "content": content,
        "content_sha256": f"hash of {content}",
        "type": "fact",
        "memory_type": "semantic",
        **fields,
    }
    return NewMemory(**values)


def save(store: Store, *memory: NewMemory) -> list[int]:
    with store.write() as tx:
        return memories.insert(tx, memory, NOW)


def get(store: Store, id_: int) -> Memory:
    with store.read() as cursor:
        (memory,) = memories.get(cursor, [id_], include_deleted=True)
    return memory


def test_a_memory_comes_back_with_every_field(store: Store) -> None:
    full = new(
        checkout_id=3,
        path="billing/locks",
        tags=("a", "b, c", "ü"),
        branch="main",
        agent_id="claude",
        agent_instance_id="claude-1",
        session_id="s",
        event_time=datetime(2026, 2, 1, 1, 2, 3, 4, tzinfo=timezone(timedelta(hours=2))),
        expires_at=LATER,
        source_kind="file",
        source_path="README.md",
        source_line=3,
        source_end_line=9,
        external_id="x-1",
        term_count=12,
    )
    (id_,) = save(store, full)
    memory = get(store, id_)
    for name in NewMemory.__slots__:
        if name != "created_at":
            assert getattr(memory, name) == getattr(full, name), name
    assert (memory.created_at, memory.updated_at, memory.version) == (NOW, NOW, 1)
    assert (memory.deleted_at, memory.superseded_by) == (None, None)
    assert memory.event_time is not None
    assert memory.event_time.utcoffset() == timedelta(0)


@pytest.mark.parametrize("number", [1, 2, 500])
def test_ids_come_in_the_order_of_the_memories_and_rise(store: Store, number: int) -> None:
    first = save(store, *(new(f"{n}") for n in range(number)))
    second = save(store, new("after"))
    assert first == sorted(set(first))
    assert second[0] > first[-1]
    with store.read() as cursor:
        assert [m.content for m in memories.get(cursor, first)] == [f"{n}" for n in range(number)]


def test_nothing_to_store_is_nothing(store: Store) -> None:
    assert save(store) == []


def test_a_time_without_an_offset_is_refused(store: Store) -> None:
    with pytest.raises(InvalidArgumentError, match="2026-01-01T00:00:00 has no UTC offset"):
        save(store, new(event_time=datetime(2026, 1, 1)))


def test_a_null_where_none_may_be_stores_nothing(store: Store) -> None:
    with pytest.raises(StoreError, match="NOT NULL"):
        save(store, new("kept?"), new("bad", memory_type=None))
    with store.read() as cursor:
        assert memories.get(cursor, [1, 2, 3]) == []


def test_memories_are_given_in_the_order_asked_each_once(store: Store) -> None:
    a, b, c = save(store, new("a"), new("b"), new("c"))
    with store.read() as cursor:
        assert [m.content for m in memories.get(cursor, [c, a, 999, b, c])] == ["c", "a", "b"]
        assert memories.get(cursor, []) == []
        assert memories.get(cursor, [999]) == []


def find(store: Store, project: int = 1, type_: str = "fact", content: str = "text") -> int | None:
    with store.write() as tx:
        same = memories.find_same(tx, project, type_, f"hash of {content}")
    return None if same is None else same.id


def test_the_same_content_is_found_only_in_its_project_and_type(store: Store) -> None:
    (id_,) = save(store, new())
    assert find(store) == id_
    assert find(store, project=2) is None
    assert find(store, type_="lesson") is None
    assert find(store, content="other") is None


def test_content_that_no_longer_counts_is_not_the_same(store: Store, clock: Any) -> None:
    note, deleted, superseded, expiring = save(
        store, new(source_kind="file"), new(), new(), new(expires_at=clock.now + timedelta(seconds=5))
    )
    with store.write() as tx:
        memories.tombstone(tx, [deleted], None, NOW)
        memories.supersede(tx, superseded, note, NOW)
    assert find(store) == expiring
    clock.forward(seconds=5)
    assert find(store) is None


def test_external_ids_find_what_came_in_under_them(store: Store) -> None:
    one, two = save(store, new("1", external_id="a"), new("2", external_id="b"))
    save(store, new("3", external_id="a", project_id=2), new("4"))
    with store.write() as tx:
        memories.tombstone(tx, [two], None, NOW)
        found = memories.by_external_id(tx, 1, ["a", "b", "c"])
    assert {key: memory.id for key, memory in found.items()} == {"a": one, "b": two}


def test_a_change_keeps_the_old_row_in_the_history(store: Store) -> None:
    (id_,) = save(store, new("before", tags=("x",), path="p"))
    with store.write() as tx:
        assert memories.change(tx, id_, {"content": "after", "tags": ("y", "z")}, "it moved", LATER) == 2
        assert memories.change(tx, id_, {"expires_at": LATER}, None, LATER) == 3
    memory = get(store, id_)
    assert (memory.content, memory.tags, memory.path) == ("after", ("y", "z"), "p")
    assert (memory.version, memory.updated_at, memory.created_at) == (3, LATER, NOW)
    assert memory.expires_at == LATER
    with store.read() as cursor:
        first, second = memories.history(cursor, id_)
    assert (first.version, first.content, first.tags, first.reason) == (1, "before", ("x",), "it moved")
    assert (first.action, first.changed_at, first.before.updated_at) == ("change", LATER, NOW)
    assert (second.version, second.content, second.reason, second.expires_at) == (2, "after", None, None)
    assert (second.type, second.path) == ("fact", "p")


def test_a_change_without_its_memory_is_an_error_and_leaves_no_history(store: Store) -> None:
    (id_,) = save(store, new())
    with store.write() as tx:
        memories.tombstone(tx, [id_], None, NOW)
    for missing in (id_, 999):
        with pytest.raises(NotFoundError, match=str(missing)), store.write() as tx:
            memories.change(tx, missing, {"content": "x"}, None, LATER)
    with store.read() as cursor:
        assert [item.action for item in memories.history(cursor, id_)] == ["delete"]
        assert memories.history(cursor, 999) == []


@pytest.mark.parametrize("field", ["id", "version", "deleted_at", "project_id", "no_such"])
def test_only_a_memorys_own_fields_can_be_changed(store: Store, field: str) -> None:
    (id_,) = save(store, new())
    with pytest.raises(ValueError, match=field), store.write() as tx:
        memories.change(tx, id_, {field: 1}, None, NOW)


def test_a_superseded_memory_names_its_successor(store: Store) -> None:
    old, successor = save(store, new("old"), new("new"))
    with store.write() as tx:
        memories.supersede(tx, old, successor, LATER)
    assert get(store, old).superseded_by == successor
    with store.read() as cursor:
        assert [item.action for item in memories.history(cursor, old)] == ["supersede"]


def test_a_memory_cannot_supersede_itself_nor_one_that_is_not_there(store: Store) -> None:
    (id_,) = save(store, new())
    with pytest.raises(InvalidArgumentError, match="itself"), store.write() as tx:
        memories.supersede(tx, id_, id_, NOW)
    with pytest.raises(NotFoundError, match="999"), store.write() as tx:
        memories.supersede(tx, 999, id_, NOW)


def test_a_deletion_is_a_tombstone_and_can_be_undone(store: Store) -> None:
    a, b = save(store, new("a"), new("b"))
    with store.write() as tx:
        assert memories.tombstone(tx, [b, a, 999], "wrong", LATER) == [a, b]
        assert memories.tombstone(tx, [a], "again", LATER) == []
        assert memories.get(tx, [a, b]) == []
    deleted = get(store, a)
    assert (deleted.deleted_at, deleted.content) == (LATER, "a")
    with store.write() as tx:
        memories.restore(tx, a, LATER)
        memories.restore(tx, a, LATER)
    assert get(store, a).deleted_at is None
    with store.read() as cursor:
        history = memories.history(cursor, a)
        assert set(memories.histories(cursor, [a, b, 999])) == {a, b}
    assert [(item.action, item.reason) for item in history] == [("delete", "wrong"), ("restore", None)]
    with pytest.raises(NotFoundError), store.write() as tx:
        memories.restore(tx, 999, NOW)


def test_the_notes_of_files_are_found_with_those_that_were(store: Store) -> None:
    def note(content: str, path: str, checkout: int = 1) -> NewMemory:
        return new(content, source_kind="file", source_path=path, checkout_id=checkout, source_line=1)

    a, b, c = save(store, note("a", "README"), note("b", "README"), note("c", "AGENTS.md"))
    save(store, note("other", "README", checkout=2), new("by hand"))
    with store.write() as tx:
        memories.tombstone(tx, [a], None, NOW)
        found = memories.notes_of(tx, 1, ["README", "AGENTS.md", "absent"])
    assert {path: [m.id for m in notes] for path, notes in found.items()} == {
        "README": [b, a],
        "AGENTS.md": [c],
    }


def test_a_note_that_moved_is_no_new_version_and_one_that_is_back_counts_again(store: Store) -> None:
    note, heir = save(store, new(source_kind="file", source_line=1), new("heir"))
    with store.write() as tx:
        memories.move_note(tx, note, 5, 9)
    moved = get(store, note)
    assert (moved.source_line, moved.source_end_line, moved.version) == (5, 9, 1)
    with store.write() as tx:
        memories.supersede(tx, note, heir, NOW)
        memories.tombstone(tx, [note], None, NOW)
        memories.revive_note(tx, note, LATER)
    back = get(store, note)
    assert (back.deleted_at, back.superseded_by, back.updated_at) == (None, None, LATER)


def test_memories_that_count_are_counted_by_type(store: Store) -> None:
    a, b, *_ = save(store, new("1"), new("2"), new("3", type="lesson"), new("4"), new("5", project_id=2))
    with store.write() as tx:
        memories.tombstone(tx, [a], None, NOW)
        memories.supersede(tx, b, 4, NOW)
    with store.read() as cursor:
        assert memories.count_by_type(cursor, 1) == {"fact": 1, "lesson": 1}
        assert memories.count_by_type(cursor) == {"fact": 2, "lesson": 1}


def test_two_updates_of_one_row_in_one_transaction_both_count(store: Store) -> None:
    """A row with a list is deleted and inserted again by an update."""
    (id_,) = save(store, new(tags=("a",)))

    def both(tx: Transaction) -> None:
        memories.change(tx, id_, {"tags": ("b",)}, None, LATER)
        memories.change(tx, id_, {"tags": ("c",)}, None, LATER)

    with store.write() as tx:
        both(tx)
    assert (get(store, id_).tags, get(store, id_).version) == (("c",), 3)
    with store.read() as cursor:
        assert [item.tags for item in memories.history(cursor, id_)] == [("a",), ("b",)]
