from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from afresh.store import Owner, Store, memories, memos, postings
from afresh.store.memories import NewMemory

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def save(store: Store, number: int) -> list[int]:
    new = NewMemory(project_id=1, content="c", content_sha256="s", type="fact", memory_type="semantic")
    with store.write() as tx:
        return memories.insert(tx, [new] * number, NOW)


def record(store: Store) -> int:
    with store.write() as tx:
        memo, _ = memos.record(
            tx, project_id=1, root="/", question="q", question_key="q", conclusion="c", files=[], now=NOW
        )
    return memo.id


def row(*terms: int) -> tuple[np.ndarray, np.ndarray]:
    return np.array(terms, dtype=np.uint64), np.arange(1, len(terms) + 1, dtype=np.uint16)


def put(store: Store, rows: dict[int, tuple[np.ndarray, np.ndarray]], owner: Owner = "memory") -> None:
    with store.write() as tx:
        postings.put(tx, owner, rows)


def loaded(store: Store, owner: Owner = "memory") -> set[tuple[int, int, int]]:
    with store.read() as cursor:
        terms, ids, frequencies = postings.load(cursor, owner)
    assert (terms.dtype, ids.dtype, frequencies.dtype) == (np.uint64, np.int64, np.uint16)
    return set(zip(terms.tolist(), ids.tolist(), frequencies.tolist(), strict=True))


def test_an_empty_index_loads_as_empty_arrays(store: Store) -> None:
    assert loaded(store) == set()
    put(store, {})
    assert loaded(store) == set()


def test_terms_come_back_with_their_frequencies(store: Store) -> None:
    a, b = save(store, 2)
    put(store, {a: row(2**64 - 1, 5), b: row(5)})
    assert loaded(store) == {(2**64 - 1, a, 1), (5, a, 2), (5, b, 1)}


def test_a_text_without_terms_has_no_rows(store: Store) -> None:
    a, b = save(store, 2)
    put(store, {a: row(), b: row(1)})
    assert loaded(store) == {(1, b, 1)}


@pytest.mark.parametrize("texts", [3, 300])
def test_removed_texts_are_gone_and_the_others_stay(store: Store, texts: int) -> None:
    ids = save(store, texts)
    put(store, {id_: row(1, 2, 3) for id_ in ids})
    with store.write() as tx:
        postings.remove(tx, "memory", [ids[0], ids[-1], 9999])
        postings.remove(tx, "memory", [ids[1]])
        postings.remove(tx, "memory", [])
    assert {id_ for _, id_, _ in loaded(store)} == set(ids) - {ids[0], ids[1], ids[-1]}


def test_deleted_memories_are_not_loaded_until_they_are_restored(store: Store) -> None:
    a, b = save(store, 2)
    put(store, {a: row(1), b: row(1)})
    with store.write() as tx:
        memories.tombstone(tx, [a], None, NOW)
    assert loaded(store) == {(1, b, 1)}
    with store.write() as tx:
        memories.restore(tx, a, NOW)
    assert loaded(store) == {(1, a, 1), (1, b, 1)}


def test_memories_and_memos_do_not_mix(store: Store) -> None:
    (memory,), memo = save(store, 1), record(store)
    assert memory == memo
    put(store, {memory: row(1)})
    put(store, {memo: row(2)}, "memo")
    assert loaded(store, "memory") == {(1, memory, 1)}
    assert loaded(store, "memo") == {(2, memo, 1)}
    with store.write() as tx:
        postings.remove(tx, "memo", [memo])
    assert loaded(store, "memory") == {(1, memory, 1)}
    assert loaded(store, "memo") == set()


def test_an_index_of_many_blocks_loads_whole(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postings, "_BLOCK", 100)
    ids = save(store, 400)
    kept = [id_ for id_ in ids if id_ % 7]
    put(store, {id_: row(id_, 1) for id_ in kept})
    assert loaded(store) == {(id_, id_, 1) for id_ in kept} | {(1, id_, 2) for id_ in kept}
