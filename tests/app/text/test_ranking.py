"""The floor on sets that it was not chosen on, in stores of several sizes.

Lines with an even number were used to choose the weights; only those with an odd number are asserted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from afresh.text.corpus import Corpus, Ranking
from afresh.text.embedding import Embedder
from afresh.text.ranking import Evidence, floor
from afresh.text.tokens import count_terms

Rows = list[dict[str, Any]]
Read = Callable[[str], Rows]

SIZES = (5, 20, 60, 200)


def _build(embedder: Embedder, memories: Rows, *, vectors: bool = True) -> Corpus:
    corpus = Corpus(embedder.dim)
    embedded = embedder.passages([memory["text"] for memory in memories]) if vectors else None
    for row, memory in enumerate(memories):
        corpus.put(memory["id"], count_terms(memory["text"]))
        if embedded is not None:
            corpus.put_vectors(memory["id"], embedded[row : row + 1])
    return corpus


@pytest.fixture(scope="module")
def hybrid(embedder: Embedder, relevance: Read) -> Corpus:
    return _build(embedder, relevance("memories"))


@pytest.fixture(scope="module")
def lexical(embedder: Embedder, relevance: Read) -> Corpus:
    return _build(embedder, relevance("memories"), vectors=False)


def _held_out(rows: Rows) -> Rows:
    return rows[1::2]


def _questions(relevance: Read) -> Rows:
    return _held_out([row for row in relevance("paraphrases") if row["form"] == "question"])


def _masked(size: int, gold: int | None, memories: Rows, seed: int) -> NDArray[np.int64] | None:
    """A store of this size in which the answer is, if there is one."""
    if size >= len(memories):
        return None
    others = [memory["id"] for memory in memories if memory["id"] != gold]
    chosen = np.random.default_rng(seed).choice(others, size - (gold is not None), replace=False)
    return np.sort(np.append(chosen, [gold] if gold is not None else []).astype(np.int64))


def _rankings(
    corpus: Corpus, embedder: Embedder | None, queries: Rows, memories: Rows, size: int
) -> list[tuple[dict[str, Any], Ranking]]:
    return [
        (
            query,
            corpus.search(
                query["query"],
                embedder.query(query["query"]) if embedder else None,
                k=5,
                mask_ids=_masked(size, query.get("gold"), memories, seed),
            ),
        )
        for seed, query in enumerate(queries)
    ]


def _found(rankings: Sequence[tuple[dict[str, Any], Ranking]]) -> float:
    """Share of the queries whose memory is among the first five and above the floor."""
    hits = [query["gold"] in [h.doc_id for h in r.hits[: r.relevant]] for query, r in rankings]
    return sum(hits) / len(hits)


def _silent(rankings: Sequence[tuple[dict[str, Any], Ranking]]) -> float:
    """Share of the queries that end with nothing relevant."""
    return sum(r.relevant == 0 for _, r in rankings) / len(rankings)


def test_a_paraphrase_finds_its_memory_above_the_floor_in_stores_of_any_size(
    hybrid: Corpus, embedder: Embedder, relevance: Read
) -> None:
    queries, memories = _questions(relevance), relevance("memories")
    shares = [_found(_rankings(hybrid, embedder, queries, memories, size)) for size in SIZES]
    assert min(shares) >= 0.70
    assert sum(shares) / len(shares) >= 0.80


def test_a_bare_phrase_without_a_shared_word_is_found_more_often_than_not(
    hybrid: Corpus, embedder: Embedder, relevance: Read
) -> None:
    rows = _held_out([row for row in relevance("paraphrases") if row["form"] == "fragment"])
    assert _found(_rankings(hybrid, embedder, rows, relevance("memories"), 200)) >= 0.70


def test_what_was_never_saved_ends_with_nothing_relevant_in_stores_of_any_size(
    hybrid: Corpus, embedder: Embedder, relevance: Read
) -> None:
    queries, memories = _held_out(relevance("off_topic")), relevance("memories")
    shares = [_silent(_rankings(hybrid, embedder, queries, memories, size)) for size in SIZES]
    assert min(shares) >= 0.92
    assert sum(shares) / len(shares) >= 0.95


def test_nothing_in_general_knowledge_is_relevant_to_a_developers_store(
    hybrid: Corpus, embedder: Embedder, relevance: Read
) -> None:
    queries = [row for row in relevance("off_topic") if row["kind"] == "general"]
    assert _silent(_rankings(hybrid, embedder, queries, relevance("memories"), 200)) == 1.0


def test_words_alone_are_silent_about_what_was_never_saved(lexical: Corpus, relevance: Read) -> None:
    queries = _held_out(relevance("off_topic"))
    assert _silent(_rankings(lexical, None, queries, relevance("memories"), 200)) >= 0.90


def test_words_alone_find_a_memory_by_its_own_words(lexical: Corpus, relevance: Read) -> None:
    memories = _held_out(relevance("memories"))
    queries = [{"query": " ".join(m["text"].split()[:6]), "gold": m["id"]} for m in memories]
    assert _found(_rankings(lexical, None, queries, relevance("memories"), 200)) >= 0.96


@pytest.mark.parametrize("vectors", [True, False])
def test_scripts_that_the_model_cannot_read_are_found_by_words(
    embedder: Embedder, relevance: Read, vectors: bool
) -> None:
    memories = [*relevance("memories")[:30], *relevance("other_languages")]
    corpus = _build(embedder, memories, vectors=vectors)
    queries = relevance("other_languages_queries")
    rankings = _rankings(corpus, embedder if vectors else None, queries, memories, 10_000)
    assert _found([pair for pair in rankings if pair[0]["gold"]]) == 1.0
    assert _silent([pair for pair in rankings if not pair[0]["gold"]]) == 1.0


def _asked(
    *,
    embedded: int = 125,
    known: float = 0.5,
    runners_up: float = 0.2,
    unknown: int = 0,
    known_names: int = 0,
) -> Evidence:
    nothing = np.zeros(1, np.float32)
    return Evidence(
        cosine=nothing,
        bm25=nothing,
        coverage=nothing,
        context=nothing,
        near=np.zeros(1),
        on_day=np.zeros(1),
        led_to=np.zeros(1),
        matched=np.zeros(1, np.uint8),
        unnamed=np.zeros(1, np.bool_),
        terms=4,
        known=known,
        best_bm25=0.0,
        embedded=embedded,
        background=0.0,
        runners_up=runners_up,
        unknown_names=unknown,
        known_names=known_names,
    )


def test_the_floor_rises_with_the_store_up_to_a_size() -> None:
    heights = [floor(_asked(embedded=size)) for size in (0, 1, 5, 20, 125)]
    assert heights == sorted(heights)
    assert floor(_asked(embedded=10**9)) == heights[-1]


def test_the_floor_is_lower_for_known_words_and_higher_for_unknown_names() -> None:
    assert floor(_asked(known=1.0)) < floor(_asked(known=0.5)) < floor(_asked(known=0.0))
    assert floor(_asked(known_names=1)) == floor(_asked(known_names=5)) < floor(_asked())
    assert floor(_asked()) < floor(_asked(unknown=1)) < floor(_asked(unknown=2)) == floor(_asked(unknown=9))


def test_the_floor_is_higher_where_many_documents_are_equally_near() -> None:
    assert floor(_asked(runners_up=0.1)) < floor(_asked(runners_up=0.3))
