from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from afresh.text.vectors import UNKNOWN, VectorIndex, quantise


def _unit(count: int, dim: int = 64, seed: int = 0) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).standard_normal((count, dim), dtype=np.float32)
    unit: NDArray[np.float32] = made / np.linalg.norm(made, axis=1, keepdims=True)
    return unit


def test_approximate_cosines_are_within_a_hundredth() -> None:
    vectors, query = _unit(20_000), _unit(1, seed=9)[0]
    index = VectorIndex(64)
    index.extend(np.arange(20_000, dtype=np.int32), vectors)
    found = index.snapshot().scores(query, 20_000)
    assert np.abs(found - vectors @ query).max() < 0.01


def test_the_true_ten_are_among_the_first_fifty() -> None:
    vectors = _unit(20_000)
    index = VectorIndex(64)
    index.extend(np.arange(20_000, dtype=np.int32), vectors)
    for query in _unit(20, seed=5):
        approximate = np.argsort(-index.snapshot().scores(query, 20_000))[:50]
        assert set(np.argsort(-(vectors @ query))[:10]) <= set(approximate)


def test_the_best_chunk_speaks_for_a_document() -> None:
    vectors = _unit(3)
    index = VectorIndex(64)
    index.add(0, vectors[:2])
    index.add(1, vectors[2:])
    found = index.snapshot().scores(vectors[1], 2)
    assert found[0] == pytest.approx(1.0, abs=0.01)
    assert found[1] < 0.9


def test_rows_without_a_vector_outside_the_mask_or_removed_are_unknown() -> None:
    vectors = _unit(3)
    index = VectorIndex(64)
    index.extend(np.arange(3, dtype=np.int32), vectors)
    index.remove(1)
    mask = np.array([True, True, False, True])
    found = index.snapshot().scores(vectors[0], 4, mask)
    assert (found == UNKNOWN).tolist() == [False, True, True, True]


def test_a_narrow_mask_scores_as_the_whole_does() -> None:
    vectors, query = _unit(9_000), _unit(1, seed=3)[0]
    index = VectorIndex(64)
    index.extend(np.arange(9_000, dtype=np.int32), vectors)
    mask = np.zeros(9_000, np.bool_)
    mask[[5, 8_191, 8_192, 8_999]] = True
    whole, narrow = index.snapshot().scores(query, 9_000), index.snapshot().scores(query, 9_000, mask)
    assert narrow[mask] == pytest.approx(whole[mask], abs=1e-5)


def test_a_snapshot_does_not_see_what_comes_later() -> None:
    vectors = _unit(2)
    index = VectorIndex(64)
    index.add(0, vectors[:1])
    before = index.snapshot()
    index.add(1, vectors[1:])
    assert before.scores(vectors[1], 2)[1] == UNKNOWN
    assert index.snapshot().scores(vectors[1], 2)[1] > 0.98


def test_renumbered_vectors_belong_to_their_new_rows() -> None:
    vectors = _unit(3)
    index = VectorIndex(64)
    index.extend(np.arange(3, dtype=np.int32), vectors)
    moved = index.renumbered(np.array([1, -1, 0], np.int32))
    assert len(moved) == 2
    assert moved.snapshot().scores(vectors[2], 2).argmax() == 0


def test_the_zero_vector_is_no_division_by_zero() -> None:
    codes, scales = quantise(np.zeros((1, 4), np.float32))
    assert codes.tolist() == [[0, 0, 0, 0]]
    assert np.isfinite(scales).all()
    assert quantise(np.empty((0, 4), np.float32))[0].shape == (0, 4)


def test_a_vector_of_another_size_is_refused_with_both_sizes() -> None:
    with pytest.raises(ValueError, match=r"expected \[1, 64\] components, not \[1, 8\]"):
        VectorIndex(64).add(0, _unit(1, 8))
    with pytest.raises(ValueError, match="a query of 64 components"):
        VectorIndex(64).snapshot().scores(_unit(1, 8)[0], 0)
    with pytest.raises(ValueError, match="not 0"):
        VectorIndex(0)
