from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from afresh.text.corpus import Corpus, Place
from afresh.text.embedding import Embedder
from afresh.text.phrases import document_terms

TALK = [
    "Ana: Good morning, how was the weekend?",
    "Ben: Which pottery class did you sign up for?",
    "Ana: The one by the river, yesterday, it was lovely!",
    "Ben: The weather has been awful here all week.",
    "Ana: My sister is visiting us next month.",
]
FACTS = [
    "Lothair was a king of Lotharingia; his mother was Ermengarde of Tours.",
    "Ermengarde of Tours died on 20 March 851.",
    "Louis was a king of Bavaria and died of a fever in autumn.",
    "The king of France died in Paris after a long illness.",
]
DAY_US = 86_400_000_000


def _corpus(embedder: Embedder, texts: list[str], places: Mapping[int, Place] | None = None) -> Corpus:
    corpus = Corpus(embedder.dim)
    for doc_id, text in enumerate(texts):
        corpus.put(doc_id, document_terms(text), (places or {}).get(doc_id, Place()))
        corpus.put_vectors(doc_id, embedder.passages([text]))
    return corpus


def _texts(texts: list[str]) -> object:
    return lambda ids: {int(i): texts[int(i)] for i in ids}


def test_an_answer_is_found_by_the_question_before_it(embedder: Embedder) -> None:
    query = "which pottery class"
    alone = _corpus(embedder, TALK).search(query, embedder.query(query), k=5)
    together = _corpus(embedder, TALK, {i: Place(1, i) for i in range(5)})
    found = together.search(query, embedder.query(query), k=5, explain=True)
    assert [hit.doc_id for hit in found.hits[:2]] == [1, 2]
    assert found.hits[1].parts["context"] > 0
    assert [hit.doc_id for hit in alone.hits].index(2) >= 1
    assert alone.hits[0].doc_id == 1


def test_a_neighbour_that_the_mask_hides_lends_nothing(embedder: Embedder) -> None:
    query = "which pottery class"
    corpus = _corpus(embedder, TALK, {i: Place(1, i) for i in range(5)})
    mask = np.array([0, 2, 3, 4], np.int64)
    hidden = corpus.search(query, embedder.query(query), k=4, mask_ids=mask, explain=True)
    # What stood on either side of the hidden one isn't brought together either.
    apart = {0: Place(2, 0), **{i: Place(1, i) for i in (1, 2, 3)}}
    without = _corpus(embedder, [TALK[0], TALK[2], TALK[3], TALK[4]], apart)
    shown = without.search(query, embedder.query(query), k=4, explain=True)
    assert [hit.score for hit in hidden.hits] == pytest.approx([hit.score for hit in shown.hits], abs=1e-4)


def test_a_day_that_the_query_names_lifts_what_happened_then(embedder: Embedder) -> None:
    texts = ["We met about the budget."] * 3
    corpus = _corpus(embedder, texts, {i: Place(0, i * 40 * DAY_US) for i in range(3)})
    query = "the budget meeting on 10 February 1970"
    assert corpus.search(query, embedder.query(query), explain=True).hits[0].doc_id == 1
    query = "the budget meeting in March 1970"
    found = corpus.search(query, embedder.query(query), explain=True)
    assert found.hits[0].doc_id == 2
    assert found.hits[0].parts["day"] > 0
    topic = "the budget meeting"
    found = corpus.search(topic, embedder.query(topic), said=f"{topic} in March 1970")
    assert found.hits[0].doc_id == 2


def test_a_name_in_the_best_text_leads_to_the_text_that_begins_with_it(embedder: Embedder) -> None:
    query = "when did the mother of Lothair die"
    texts = FACTS + [f"Report number {n} is about something else." for n in range(60)]
    corpus = _corpus(embedder, texts)
    plain = corpus.search(query, embedder.query(query), k=10)
    led = corpus.search(query, embedder.query(query), k=10, texts=_texts(texts), explain=True)
    assert [hit.doc_id for hit in led.hits[:2]] == [0, 1]
    assert led.hits[1].parts["names"] > 0
    assert all("names" not in hit.parts for hit in plain.hits)


def test_a_text_that_went_away_meanwhile_leads_nowhere(embedder: Embedder) -> None:
    query = "when did the mother of Lothair die"
    corpus = _corpus(embedder, FACTS)
    nothing: Mapping[int, str] = {}
    found = corpus.search(query, embedder.query(query), texts=lambda ids: nothing)
    assert found.hits[0].doc_id == 0


def test_a_document_that_is_put_again_keeps_its_place_in_the_talk(embedder: Embedder) -> None:
    corpus = _corpus(embedder, TALK, {i: Place(1, i) for i in range(5)})
    corpus.put(2, document_terms("Ana: I dropped out of it, sadly."), Place(1, 2))
    query = "which pottery class"
    found = corpus.search(query, embedder.query(query), k=5, explain=True)
    assert next(hit for hit in found.hits if hit.doc_id == 2).parts["context"] > 0


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([*TALK, *FACTS]), min_size=1, max_size=12),
    st.sampled_from(
        [
            "which pottery class",
            "when did Lothair die",
            "the king on 20 March 851",
            "zebra",
            "Ermengarde of Tours",
        ]
    ),
    st.booleans(),
    st.booleans(),
)
def test_the_parts_of_every_score_add_up_and_scores_stay_within_bounds(
    embedder: Embedder, texts: list[str], query: str, hybrid: bool, talk: bool
) -> None:
    corpus = Corpus(embedder.dim)
    for doc_id, text in enumerate(texts):
        corpus.put(doc_id, document_terms(text), Place(1, doc_id) if talk else Place())
        if hybrid:
            corpus.put_vectors(doc_id, _vector(embedder, text))
    vector = embedder.query(query) if hybrid else None
    found = corpus.search(query, vector, k=12, texts=_texts(texts), explain=True)
    for place, hit in enumerate(found.hits):
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-6)
        assert 0.0 <= hit.score <= 1.0
        assert (hit.score >= 0.5) == (place < found.relevant)
        assert all(part >= -1e-5 for part in hit.parts.values())
    again = corpus.search(query, vector, k=12, texts=_texts(texts), explain=True)
    assert again == found


_VECTORS: dict[str, NDArray[np.float32]] = {}


def _vector(embedder: Embedder, text: str) -> NDArray[np.float32]:
    if text not in _VECTORS:
        _VECTORS[text] = embedder.passages([text])
    return _VECTORS[text]
