"""Vectors read back by id from a file of this process."""

from __future__ import annotations

import numpy as np
import pytest

from afresh.text.exact_vectors import ExactVectors

DIM = 8


def made(generator, count):
    return generator.standard_normal((count, DIM)).astype(np.float32)


def test_vectors_come_back_by_id_whatever_the_order_they_came_in(tmp_path):
    generator = np.random.default_rng(3)
    vectors = ExactVectors(tmp_path, DIM)
    kept = {}
    for _ in range(40):
        ids = np.unique(generator.integers(0, 20_000, 300))
        block = made(generator, len(ids))
        vectors.put(ids, block)
        kept.update(zip(ids.tolist(), block, strict=True))
    wanted = sorted(generator.choice(list(kept), 50, replace=False).tolist())
    owners, found = vectors.of([*wanted, 99_999])
    assert owners.tolist() == wanted
    np.testing.assert_allclose(found, np.array([kept[id_] for id_ in wanted]), atol=2e-3)


def test_all_chunks_of_a_document_are_replaced_together(tmp_path):
    generator = np.random.default_rng(4)
    vectors = ExactVectors(tmp_path, DIM)
    vectors.put(np.array([7, 7, 7, 8]), made(generator, 4))
    newer = made(generator, 2)
    vectors.put(np.array([7, 7]), newer)
    owners, found = vectors.of([7])
    assert owners.tolist() == [7, 7]
    np.testing.assert_allclose(found, newer, atol=2e-3)
    assert vectors.of([9])[0].tolist() == []


def test_nothing_is_left_behind_in_the_folder(tmp_path):
    vectors = ExactVectors(tmp_path, DIM)
    vectors.put(np.array([1]), made(np.random.default_rng(5), 1))
    vectors.close()
    assert list(tmp_path.iterdir()) == []
    assert vectors.of([1]) is None


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_folder_that_cannot_be_made_leaves_the_reading_to_the_store(tmp_path, name):
    (tmp_path / "file").write_text("", encoding="utf-8")
    vectors = ExactVectors(tmp_path / name, DIM)
    vectors.put(np.array([1]), made(np.random.default_rng(5), 1))
    assert vectors.of([1]) is None
