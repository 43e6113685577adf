from __future__ import annotations

import math
import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.text.lexical import MAX_QUERY_TERMS, LexicalIndex
from afresh.text.tokens import TermCounts, count_terms, hash_term


def _index(*texts: str) -> LexicalIndex:
    index = LexicalIndex()
    for row, text in enumerate(texts):
        index.add(row, count_terms(text))
    return index


def _by_hand(texts: list[list[str]], query: list[str], k1: float = 1.0, b: float = 0.4) -> list[float]:
    """BM25 as it is written, over lists of terms."""
    average = sum(map(len, texts)) / len(texts) or 1.0
    scores = []
    for text in texts:
        counts, score = Counter(text), 0.0
        for term in dict.fromkeys(query):
            df = sum(term in other for other in texts)
            idf = math.log(1 + (len(texts) - max(df, 1) + 0.5) / (max(df, 1) + 0.5))
            tf = counts[term]
            score += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(text) / average)) if tf else 0.0
        scores.append(score)
    return scores


_WORD = st.sampled_from(["lock", "cach", "queue", "tabl", "row", "index", "x1", "y2"])


def _counts(words: list[str]) -> TermCounts:
    counted = sorted((hash_term(word), n) for word, n in Counter(words).items())
    return TermCounts(
        np.array([h for h, _ in counted], np.uint64), np.array([n for _, n in counted], np.uint16), len(words)
    )


@given(
    st.lists(st.lists(_WORD, max_size=12), min_size=1, max_size=12),
    st.lists(_WORD, min_size=1, max_size=5),
    st.integers(0, 12),
)
@settings(max_examples=120, deadline=None, derandomize=True)
def test_scores_are_bm25_however_the_postings_came_in(
    texts: list[list[str]], query: list[str], sealed_after: int
) -> None:
    index = LexicalIndex()
    for row, words in enumerate(texts):
        index.add(row, _counts(words))
        if row == sealed_after:
            index.seal()
    hashes = [hash_term(word) for word in query]
    expected = _by_hand(texts, query)
    assert index.snapshot().scores(hashes).bm25 == pytest.approx(expected, abs=1e-4)
    counts = [_counts(words) for words in texts]
    order = np.random.default_rng(len(texts)).permutation(sum(len(c.hashes) for c in counts))
    bulk = LexicalIndex.from_postings(
        np.concatenate([c.hashes for c in counts])[order],
        np.repeat(np.arange(len(texts), dtype=np.int32), [len(c.hashes) for c in counts])[order],
        np.concatenate([c.frequencies for c in counts])[order],
        count=len(texts),
    )
    assert bulk.snapshot().scores(hashes).bm25 == pytest.approx(expected, abs=1e-4)


def test_rows_outside_the_mask_change_nothing_and_score_nothing() -> None:
    alone = _index("the lock of the queue", "a cache", "an index on a table")
    crowded = _index(
        "the lock of the queue", "lock lock lock lock", "a cache", "lock queue lock", "an index on a table"
    )
    mask = np.array([True, False, True, False, True])
    query = count_terms("queue lock")
    mine, other = alone.snapshot().scores(query), crowded.snapshot().scores(query, mask)
    assert other.bm25[mask] == pytest.approx(mine.bm25)
    assert other.coverage[mask] == pytest.approx(mine.coverage)
    assert not other.bm25[~mask].any()
    assert not other.matched[~mask].any()


def test_coverage_is_the_share_of_the_query_that_a_row_has() -> None:
    found = _index("lock queue", "lock", "cache", "other words").snapshot().scores(count_terms("queue lock"))
    assert found.coverage[0] == pytest.approx(1.0)
    assert 0 < found.coverage[1] < 0.5
    assert found.coverage[2] == 0
    assert found.matched.tolist() == [2, 1, 0, 0]
    assert found.known == pytest.approx(1.0)


def test_unknown_words_lower_what_is_known_of_a_query() -> None:
    found = _index("lock queue", "cache").snapshot().scores(count_terms("lock zebra"))
    assert found.known == pytest.approx(0.5)
    assert found.coverage[0] == pytest.approx(0.5)


def test_a_snapshot_does_not_see_what_comes_later() -> None:
    index = _index("lock", "cache")
    before = index.snapshot()
    index.add(2, count_terms("lock lock"))
    index.seal()
    index.add(3, count_terms("lock"))
    query = count_terms("lock")
    assert before.scores(query).matched.tolist() == [1, 0]
    assert index.snapshot().scores(query).matched.tolist() == [1, 0, 1, 1]


def test_nothing_to_search_or_to_ask_gives_zeros() -> None:
    assert LexicalIndex().snapshot().scores(count_terms("lock")).bm25.tolist() == []
    index = _index("lock", "")
    assert index.snapshot().scores(count_terms("")).bm25.tolist() == [0, 0]
    assert index.snapshot().scores(count_terms("lock"), np.zeros(2, np.bool_)).bm25.tolist() == [0, 0]


def test_of_a_very_long_query_the_rarest_terms_are_used() -> None:
    common = [f"w{n}" for n in range(200)]
    index = _index(" ".join(common), " ".join(common), "needle " + " ".join(common))
    found = index.snapshot().scores(count_terms(" ".join([*common, "needle"])))
    assert found.terms == MAX_QUERY_TERMS
    assert int(found.bm25.argmax()) == 2


def test_rows_must_come_in_order() -> None:
    with pytest.raises(ValueError, match="row 5 was added after 1 rows"):
        _index("lock").add(5, count_terms("x"))


def test_hashes_that_differ_in_their_low_bits_alone_are_kept_apart() -> None:
    hashes = np.array([8, 9, 8, 10, 9], np.uint64)
    index = LexicalIndex.from_postings(
        hashes, np.array([0, 1, 2, 3, 4], np.int32), np.ones(5, np.uint16), count=5
    )
    assert index.snapshot().having(8).tolist() == [0, 2]
    assert index.snapshot().having(9).tolist() == [1, 4]
    assert index.snapshot().having(10).tolist() == [3]


def test_renumbered_rows_score_as_before() -> None:
    index = _index("lock queue", "gone", "lock", "cache of a queue")
    moved = index.renumbered(np.array([2, -1, 0, 1], np.int32))
    query = count_terms("lock queue")
    expected = _index("lock", "cache of a queue", "lock queue").snapshot().scores(query)
    assert moved.snapshot().scores(query).bm25 == pytest.approx(expected.bm25)


def test_readers_beside_a_writer_see_whole_documents() -> None:
    index = LexicalIndex()
    lock, wrong, done = threading.Lock(), [], threading.Event()
    query = [hash_term("left"), hash_term("right")]

    def read() -> None:
        while not done.is_set():
            with lock:
                view = index.snapshot()
            matched = view.scores(query).matched
            wrong.extend(int(n) for n in matched if n != 2)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    document = count_terms("left right")
    for row in range(1_500):
        with lock:
            index.add(row, document)
            if row % 200 == 0:
                index.seal()
    done.set()
    for reader in readers:
        reader.join(30)
    assert wrong == []
