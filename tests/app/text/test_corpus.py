from __future__ import annotations

import threading

import numpy as np
import pytest
from numpy.typing import NDArray

from afresh.text.corpus import Corpus, Ranking
from afresh.text.embedding import Embedder
from afresh.text.tokens import count_terms

TEXTS = {
    11: "We store money as integer cents.",
    22: "The nightly job takes an advisory lock in PostgreSQL.",
    33: "Images are resized by an edge worker and cached for a year.",
    44: "Branch names begin with the ticket key.",
    55: "The parser lives in app/reader/parse_feed.py and is generated.",
}


def _corpus(embedder: Embedder, texts: dict[int, str] = TEXTS, *, vectors: bool = True) -> Corpus:
    corpus = Corpus(embedder.dim)
    for doc_id, text in texts.items():
        corpus.put(doc_id, count_terms(text))
        if vectors:
            corpus.put_vectors(doc_id, embedder.passages([text]))
    return corpus


def _ids(ranking: Ranking) -> list[int]:
    return [hit.doc_id for hit in ranking.hits[: ranking.relevant]]


def test_a_paraphrase_finds_its_memory_and_says_hybrid(embedder: Embedder) -> None:
    query = "how are amounts of currency represented"
    found = _corpus(embedder).search(query, embedder.query(query), k=3)
    assert _ids(found)[0] == 11
    assert found.retrieval == "hybrid"
    assert found.considered == 5


def test_a_texts_own_words_score_one(embedder: Embedder) -> None:
    for vectors in (True, False):
        corpus = _corpus(embedder, vectors=vectors)
        for doc_id, text in TEXTS.items():
            first = corpus.search(text, embedder.query(text) if vectors else None).hits[0]
            assert first.doc_id == doc_id
            assert first.score == pytest.approx(1.0, abs=0.01)


def test_without_vectors_words_alone_find_and_say_lexical(embedder: Embedder) -> None:
    found = _corpus(embedder, vectors=False).search("advisory lock", None)
    assert _ids(found) == [22]
    assert found.retrieval == "lexical"


def test_an_identifier_is_found_by_words_whatever_the_cosine(embedder: Embedder) -> None:
    corpus = _corpus(embedder)
    for query in ("parse_feed", "app/reader/parse_feed.py", "parseFeed"):
        assert _ids(corpus.search(query, embedder.query(query)))[0] == 55


def test_nothing_relevant_still_shows_the_nearest_apart(embedder: Embedder) -> None:
    query = "best recipe for sourdough bread"
    found = _corpus(embedder).search(query, embedder.query(query), k=3)
    assert found.relevant == 0
    assert len(found.nearest) == 3
    assert all(hit.score < 0.5 for hit in found.nearest)


def test_scores_fall_and_the_relevant_come_first(embedder: Embedder) -> None:
    query = "which lock does the job take"
    found = _corpus(embedder).search(query, embedder.query(query), k=5)
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert [score >= 0.5 for score in scores] == [i < found.relevant for i in range(len(scores))]


def test_the_parts_of_a_score_add_up(embedder: Embedder) -> None:
    query = "which lock does the job take"
    corpus = _corpus(embedder)
    for hit in corpus.search(query, embedder.query(query), k=5, explain=True).hits:
        assert set(hit.parts) == {"dense", "lexical", "relevant"}
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-5)
    assert corpus.search(query, embedder.query(query)).hits[0].parts == {}


def test_what_the_mask_hides_changes_neither_order_nor_scores(embedder: Embedder) -> None:
    others = {100 + n: f"lock lock job number {n} takes a lock" for n in range(40)}
    alone, crowded = _corpus(embedder), _corpus(embedder, {**TEXTS, **others})
    mask = np.array(sorted(TEXTS), np.int64)
    for query in ("which lock does the job take", "branch", "edge cache", "zebra"):
        vector = embedder.query(query)
        mine, other = alone.search(query, vector), crowded.search(query, vector, mask_ids=mask)
        assert [hit.doc_id for hit in other.hits] == [hit.doc_id for hit in mine.hits]
        assert [hit.score for hit in other.hits] == pytest.approx([hit.score for hit in mine.hits], abs=1e-4)
        assert other.relevant == mine.relevant


def test_an_empty_mask_or_an_empty_corpus_finds_nothing(embedder: Embedder) -> None:
    vector = embedder.query("lock")
    found = _corpus(embedder).search("lock", vector, mask_ids=np.empty(0, np.int64))
    assert (found.hits, found.relevant, found.considered) == ((), 0, 0)
    assert Corpus(embedder.dim).search("lock", vector).hits == ()
    assert _corpus(embedder).search("lock", vector, mask_ids=np.array([1, 2])).hits == ()


def test_a_changed_document_is_found_by_its_new_text_alone(embedder: Embedder) -> None:
    corpus = _corpus(embedder)
    corpus.put(22, count_terms("Charts are drawn with D3."))
    assert corpus.search("advisory lock", None).hits == ()
    assert corpus.search("charts", None).hits[0].doc_id == 22
    # Its former vector is gone, so the old meaning finds it no more.
    hit = next(h for h in corpus.search("zebra", embedder.query("advisory lock"), k=5).hits if h.doc_id == 22)
    assert hit.cosine is None


def test_a_removed_document_is_gone_and_can_come_back(embedder: Embedder) -> None:
    corpus = _corpus(embedder)
    assert corpus.remove(22)
    assert not corpus.remove(22)
    assert not corpus.put_vectors(22, embedder.passages(["x"]))
    assert len(corpus) == 4
    assert corpus.search("advisory lock", None).hits == ()
    corpus.put(22, count_terms(TEXTS[22]))
    assert corpus.search("advisory lock", None).hits[0].doc_id == 22
    assert len(corpus) == 5


def test_each_change_moves_the_generation(embedder: Embedder) -> None:
    corpus = Corpus(embedder.dim)
    seen = [corpus.generation]
    corpus.put(1, count_terms("a lock"))
    seen.append(corpus.generation)
    corpus.put_vectors(1, embedder.passages(["a lock"]))
    seen.append(corpus.generation)
    corpus.remove(1)
    seen.append(corpus.generation)
    assert seen == sorted(set(seen))
    assert corpus.search("lock", None).generation == seen[-1]


def test_loading_gives_what_putting_one_by_one_gives(embedder: Embedder) -> None:
    one_by_one = _corpus(embedder)
    counts = {doc_id: count_terms(text) for doc_id, text in TEXTS.items()}
    order = np.random.default_rng(4).permutation(sum(len(c.hashes) for c in counts.values()))
    owners = np.repeat(np.array(list(counts), np.int64), [len(c.hashes) for c in counts.values()])
    loaded = Corpus(embedder.dim)
    loaded.load(
        np.concatenate([c.hashes for c in counts.values()])[order],
        owners[order],
        np.concatenate([c.frequencies for c in counts.values()])[order],
        [(np.array(list(TEXTS), np.int64), embedder.passages(list(TEXTS.values())))],
    )
    for query in ("which lock does the job take", "parse_feed", "money"):
        vector = embedder.query(query)
        mine, other = one_by_one.search(query, vector), loaded.search(query, vector)
        assert [hit.doc_id for hit in other.hits] == [hit.doc_id for hit in mine.hits]
        assert [hit.score for hit in other.hits] == pytest.approx([hit.score for hit in mine.hits], abs=0.01)


def test_loading_nothing_is_an_empty_corpus(embedder: Embedder) -> None:
    corpus = _corpus(embedder)
    corpus.load(np.empty(0, np.uint64), np.empty(0, np.int64), np.empty(0, np.uint16))
    assert len(corpus) == 0
    assert corpus.search("lock", embedder.query("lock")).hits == ()


def test_the_best_are_scored_again_from_the_stored_floats(embedder: Embedder) -> None:
    corpus = _corpus(embedder)
    query = embedder.query("currency")
    asked: list[list[int]] = []

    def exact(ids: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        asked.append(ids.tolist())
        # 33 was deleted meanwhile, 44 has a second chunk, and 99 isn't ours.
        owners = [i for i in ids.tolist() if i != 33] + [44, 99]
        return np.array(owners), np.array([query if i == 44 else np.zeros(384, np.float32) for i in owners])

    found = corpus.search("currency", query, k=5, exact=exact)
    cosines = {hit.doc_id: hit.cosine for hit in found.hits}
    assert asked == [sorted(TEXTS)]
    assert cosines[44] == pytest.approx(1.0, abs=1e-5)
    assert cosines[11] == pytest.approx(0.0, abs=1e-5)
    assert cosines[33] != 0.0


def test_a_document_whose_vector_is_still_to_come_is_found_by_words(embedder: Embedder) -> None:
    corpus = _corpus(embedder)
    corpus.put(66, count_terms("The gateway speaks gRPC to the billing service."))
    query = "gRPC gateway billing"
    found = corpus.search(query, embedder.query(query))
    assert _ids(found)[0] == 66
    assert found.hits[0].cosine is None


def test_many_changes_compact_the_corpus_and_lose_nothing(embedder: Embedder) -> None:
    corpus = _corpus(embedder)
    for n in range(2_500):
        corpus.put(22, count_terms(f"revision {n} of the advisory lock"))
    corpus.put_vectors(22, embedder.passages(["The nightly job takes an advisory lock"]))
    assert len(corpus) == 5
    assert len(corpus._rows) < 2_500
    query = "which lock does the job take"
    assert _ids(corpus.search(query, embedder.query(query)))[0] == 22
    assert corpus.search("2499", None).hits[0].doc_id == 22
    assert corpus.search("2498", None).hits == ()


def test_searches_run_beside_a_writer(embedder: Embedder) -> None:
    corpus = _corpus(embedder)
    vector, done, failures = embedder.query("money"), threading.Event(), []

    def read() -> None:
        while not done.is_set():
            found = corpus.search("money cents", vector, k=3)
            if found.hits[0].doc_id != 11:
                failures.append(found)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    rows = embedder.passages(["Branch names begin with the ticket key."])
    for n in range(400):
        corpus.put(1_000 + n % 50, count_terms(f"note {n} on branches"))
        corpus.put_vectors(1_000 + n % 50, rows)
        if n % 7 == 0:
            corpus.remove(1_000 + n % 50)
    done.set()
    for reader in readers:
        reader.join(60)
    assert failures == []


@pytest.mark.parametrize("query", ["", "AND OR NOT", '"', "*", "(", "x" * 8_000, "\ud83d", "the of and"])
def test_no_query_is_an_error(embedder: Embedder, query: str) -> None:
    corpus = _corpus(embedder)
    corpus.search(query, embedder.query(query))
    corpus.search(query, None)


def test_asking_for_no_hit_is_refused(embedder: Embedder) -> None:
    with pytest.raises(ValueError, match="k is 0"):
        _corpus(embedder).search("x", None, k=0)
