from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.text.bridges import DEFAULT, Question, Scored, linked
from afresh.text.corpus import Corpus
from afresh.text.leads import Leads
from afresh.text.passages import Passage
from afresh.text.phrases import document_terms

FACTS = [
    "Lothair was a king of Lotharingia who quarrelled with Teutberga; his mother was Ermengarde of Tours.",
    "Ermengarde of Tours was an empress. She died on 20 March 851.",
    "Teutberga was a queen who lived in a convent in Metz.",
    "Louis was a king of Bavaria and died of a fever in autumn.",
    "The harvest of that year was poor in all of Saxony.",
]
QUESTION = "When did the mother of Lothair die?"


def asked(question: str, texts: Sequence[str]) -> Question:
    corpus = Corpus(1)
    for id_, text in enumerate(texts):
        corpus.put(id_, document_terms(text))

    def read(ids: Collection[int]) -> Mapping[int, str]:
        return {id_: texts[id_] for id_ in ids}

    return Question(question, Leads(corpus.view(None)), read)


def scored(texts: Sequence[str], scores: Mapping[int, float]) -> list[Scored]:
    return [Scored(Passage(id_, texts[id_]), score) for id_, score in scores.items()]


def test_a_bridge_is_the_name_beside_what_the_question_leaves_open() -> None:
    question = asked(QUESTION, FACTS)
    _, found = linked(question, scored(FACTS, {0: 0.9, 3: 0.6}))
    best = found[0]
    assert (best.name, best.parent.id, best.targets[0][0]) == ("Ermengarde of Tours", 0, 1)
    rivals = [bridge for bridge in found if bridge.name == "Teutberga"]
    assert rivals
    assert all(rival.strength < best.strength for rival in rivals)


def test_what_a_bridge_leads_to_comes_before_what_merely_resembles_the_question() -> None:
    question = asked(QUESTION, FACTS)
    order, _ = linked(question, scored(FACTS, {0: 0.9, 3: 0.6, 4: 0.5, 1: 0.1}))
    assert [item.passage.id for item in order][:2] == [0, 1]


def test_a_text_that_begins_with_what_the_question_names_is_meant() -> None:
    texts = ["People say that Apollo landed near Ostia.", "Apollo landed in Rome.", "Diana stayed in Gaul."]
    order, _ = linked(asked("Where did Apollo land?", texts), scored(texts, {0: 0.55, 1: 0.5, 2: 0.1}))
    assert [item.passage.id for item in order] == [1, 0, 2]


def test_of_two_texts_about_the_same_words_the_second_gives_way_to_another_subject() -> None:
    texts = [
        "Marufabad is a village in Iran.",
        "Marufabad is also the name of a dam.",
        "Nasamkhrali is a village in Georgia.",
        *(f"Filler {word} says nothing." for word in ("one", "two", "three", "four", "five", "six")),
    ]
    question = asked("Are Marufabad and Nasamkhrali in the same country?", texts)
    order, _ = linked(question, scored(texts, {0: 0.9, 1: 0.85, 2: 0.7}))
    assert [item.passage.id for item in order] == [0, 2, 1]


def test_a_name_that_many_texts_begin_with_leads_nowhere() -> None:
    texts = [FACTS[0], *(f"Ermengarde of Tours has the number {n}." for n in range(7))]
    _, found = linked(asked(QUESTION, texts), scored(texts, {0: 0.9}))
    assert all(bridge.name != "Ermengarde of Tours" for bridge in found)


def test_open_words_are_those_that_a_text_is_not_about() -> None:
    question = asked(QUESTION, FACTS)
    assert question.open_words([Passage(0, FACTS[0])]) == ["mother", "die"]


def test_a_text_that_is_gone_leads_nowhere() -> None:
    corpus = Corpus(1)
    for id_, text in enumerate(FACTS):
        corpus.put(id_, document_terms(text))
    question = Question(QUESTION, Leads(corpus.view(None)), lambda ids: {})
    order, found = linked(question, scored(FACTS, {0: 0.9}))
    assert (len(order), found) == (1, [])


TEXTS = st.lists(st.text("AbcDe fgH.'\nЖ中é", max_size=60) | st.sampled_from(FACTS), min_size=1, max_size=8)


@given(texts=TEXTS, question=st.text("AbcDe fgH?", max_size=30) | st.just(QUESTION), data=st.data())
@settings(max_examples=150, deadline=None)
def test_every_text_has_one_place_in_the_order_and_scores_never_rise(
    texts: list[str], question: str, data: st.DataObject
) -> None:
    scores = {id_: data.draw(st.floats(0, 1)) for id_ in range(len(texts))}
    order, found = linked(asked(question, texts), scored(texts, scores))
    assert sorted(item.passage.id for item in order) == list(range(len(texts)))
    values = [item.score for item in order]
    assert all(later <= earlier + 1e-9 for earlier, later in pairwise(values))
    strengths = [bridge.strength for bridge in found]
    assert strengths == sorted(strengths, reverse=True)
    again, _ = linked(asked(question, texts), scored(texts, scores))
    assert [item.passage.id for item in again] == [item.passage.id for item in order]


def test_the_setting_is_one_for_whatever_is_asked() -> None:
    assert 0 < DEFAULT.later < 1
    assert 0 <= DEFAULT.rival <= 1
