from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from afresh.store import OWNERS, Store, memories, memos, vectors
from afresh.store.memories import NewMemory

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def save(store: Store, *contents: str, project: int = 1) -> list[int]:
    new = [
        NewMemory(project_id=project, content=c, content_sha256=c, type="fact", memory_type="semantic")
        for c in contents
    ]
    with store.write() as tx:
        return memories.insert(tx, new, NOW)


def vector(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


def of(store: Store, ids: list[int], model: str = "m") -> list[tuple[int, list[float]]]:
    with store.read() as cursor:
        return [
            (id_, found.tolist()) for id_, found in vectors.of(cursor, "memory", model, np.array(ids, int))
        ]


def test_vectors_come_back_chunk_by_chunk_in_the_order_of_ids(store: Store) -> None:
    a, b = save(store, "a", "b")
    with store.write() as tx:
        vectors.put(tx, "memory", "m", {b: [vector(1, 2), vector(3, 4)], a: np.array([[0.1, -7.5]])})
    assert of(store, [b, a, 99]) == [(a, [pytest.approx(0.1), -7.5]), (b, [1.0, 2.0]), (b, [3.0, 4.0])]
    assert of(store, []) == []


def test_two_models_are_never_mixed(store: Store) -> None:
    (a,) = save(store, "a")
    with store.write() as tx:
        vectors.put(tx, "memory", "m", {a: [vector(1)]})
        vectors.put(tx, "memory", "n", {a: [vector(2, 2)]})
    assert of(store, [a], "m") == [(a, [1.0])]
    assert of(store, [a], "n") == [(a, [2.0, 2.0])]
    with store.write() as tx:
        assert vectors.models(tx) == {"m": 1, "n": 1}
        vectors.drop_model(tx, "m")
        assert vectors.models(tx) == {"n": 1}


def test_new_vectors_take_the_place_of_the_old(store: Store) -> None:
    (a,) = save(store, "a")
    with store.write() as tx:
        vectors.put(tx, "memory", "m", {a: [vector(1), vector(2)]})
        vectors.put(tx, "memory", "m", {a: [vector(9)]})
    assert of(store, [a]) == [(a, [9.0])]


@pytest.mark.parametrize("number", [1, 5, 250])
def test_all_vectors_load_block_by_block(store: Store, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "_BLOCK", 30)
    ids = save(store, *(str(n) for n in range(number)))
    with store.write() as tx:
        vectors.put(tx, "memory", "m", {id_: [vector(id_, 0), vector(id_, 1)] for id_ in ids})
        memories.tombstone(tx, ids[:1], None, NOW)
    with store.read() as cursor:
        blocks = list(vectors.load(cursor, "memory", "m"))
    rows = [
        (int(id_), int(chunk), values.tolist())
        for block in blocks
        for id_, chunk, values in zip(*block, strict=True)
    ]
    assert rows == [(id_, chunk, [id_, chunk]) for id_ in ids[1:] for chunk in (0, 1)]
    assert all(block[2].dtype == np.float32 for block in blocks)
    assert number < 250 or len(blocks) > 5


def test_nothing_loads_where_there_is_nothing(store: Store) -> None:
    with store.read() as cursor:
        assert list(vectors.load(cursor, "memory", "m")) == []
        assert vectors.pending(cursor) == 0
        assert vectors.next_batch(cursor, "memory", 5) == []


def waiting(store: Store, n: int = 10) -> list[str]:
    with store.read() as cursor:
        return [text for _, text in vectors.next_batch(cursor, "memory", n)]


def test_the_queue_gives_what_was_asked_for_and_then_the_newest(store: Store) -> None:
    a, b, c, d = save(store, "a", "b", "c", "d")
    with store.write() as tx:
        vectors.enqueue(tx, "memory", [a, b, c, d])
        vectors.enqueue(tx, "memory", [b], asked=True)
        vectors.enqueue(tx, "memory", [])
    assert waiting(store) == ["b", "d", "c", "a"]
    assert waiting(store, 2) == ["b", "d"]
    with store.write() as tx:
        vectors.done(tx, "memory", [b, d])
    assert waiting(store) == ["c", "a"]


def test_the_queue_outlives_a_restart(store: Store, database, clock) -> None:  # type: ignore[no-untyped-def]
    (a,) = save(store, "a")
    with store.write() as tx:
        vectors.enqueue(tx, "memory", [a])
    store.close()
    with Store.open(database, clock=clock) as again:
        assert waiting(again) == ["a"]


def test_a_text_queued_twice_waits_once(store: Store) -> None:
    (a,) = save(store, "a")
    with store.write() as tx:
        vectors.enqueue(tx, "memory", [a])
        vectors.enqueue(tx, "memory", [a, a])
        assert vectors.pending(tx) == 1


def test_deleted_memories_do_not_wait_until_they_are_restored(store: Store) -> None:
    (a,) = save(store, "a")
    with store.write() as tx:
        vectors.enqueue(tx, "memory", [a])
        memories.tombstone(tx, [a], None, NOW)
        assert vectors.pending(tx) == 0
        assert vectors.next_batch(tx, "memory", 5) == []
        assert vectors.texts_of(tx, "memory", [a]) == []
        memories.restore(tx, a, NOW)
        assert vectors.next_batch(tx, "memory", 5) == [(a, "a")]


def test_texts_are_given_as_they_are_now(store: Store) -> None:
    a, b = save(store, "a", "b")
    with store.write() as tx:
        memories.change(tx, a, {"content": "changed"}, None, NOW)
        assert vectors.texts_of(tx, "memory", [b, a, 99]) == [(a, "changed"), (b, "b")]


def test_what_lacks_a_models_vectors_is_queued_once(store: Store) -> None:
    a, b, c = save(store, "a", "b", "c")
    (d,) = save(store, "d", project=2)
    with store.write() as tx:
        memos.record(
            tx, project_id=1, root="/", question="q", question_key="q", conclusion="c", files=[], now=NOW
        )
        vectors.put(tx, "memory", "m", {a: [vector(1)]})
        vectors.enqueue(tx, "memory", [b])
        memories.tombstone(tx, [c], None, NOW)
        assert [vectors.enqueue_missing(tx, owner, "m") for owner in OWNERS] == [2, 1]
        assert [vectors.enqueue_missing(tx, owner, "m") for owner in OWNERS] == [2, 1]
        assert (vectors.pending(tx), vectors.pending(tx, 1), vectors.pending(tx, 2)) == (3, 2, 1)
        assert vectors.enqueue_missing(tx, "memory", "other") == 3
    assert {a, b, d} == {id_ for id_, _ in _batch(store)}


def _batch(store: Store) -> list[tuple[int, str]]:
    with store.read() as cursor:
        return vectors.next_batch(cursor, "memory", 10)


def test_removed_vectors_are_gone_with_their_places_in_the_queue(store: Store) -> None:
    a, b = save(store, "a", "b")
    with store.write() as tx:
        vectors.put(tx, "memory", "m", {a: [vector(1)], b: [vector(2)]})
        vectors.enqueue(tx, "memory", [a, b])
        vectors.remove(tx, "memory", [a])
    assert of(store, [a, b]) == [(b, [2.0])]
    assert waiting(store) == ["b"]
