from __future__ import annotations

import numpy as np

from afresh.text.corpus import Corpus
from afresh.text.leads import Leads
from afresh.text.phrases import document_terms
from afresh.text.tokens import terms

TEXTS = [
    "Ermengarde of Tours was an empress.",
    "Lothair was a king who quarrelled with his wife, the pope, two brothers and a bishop; his mother was "
    "Ermengarde of Tours.",
    "Tours lies on the Loire.",
    "Nothing of that kind.",
]
NAME = tuple(terms("Ermengarde of Tours"))


def corpus() -> Corpus:
    made = Corpus(1)
    for id_, text in enumerate(TEXTS, start=10):
        made.put(id_, document_terms(text))
    return made


def test_texts_are_found_by_what_they_begin_with_and_by_what_they_mention() -> None:
    leads = Leads(corpus().view(None))
    assert leads.leading([NAME, ("tour",), ("zebra",), ()], 5)[NAME] == (10,)
    assert set(leads.mentioning([NAME], 5)[NAME]) == {10, 11}
    assert leads.leading([("zebra",)], 5) == {}


def test_what_a_search_may_not_see_is_neither_found_nor_counted() -> None:
    leads = Leads(corpus().view(np.array([11, 12, 13])))
    assert NAME not in leads.leading([NAME], 5)
    assert leads.mentioning([NAME], 5)[NAME] == (11,)
    whole = Leads(corpus().view(None))
    assert leads.weights(["tour"])["tour"] != whole.weights(["tour"])["tour"]


def test_a_term_of_one_text_weighs_more_than_one_of_many_and_as_much_as_one_of_none() -> None:
    weights = Leads(corpus().view(None)).weights(["loir", "tour", "zebra"])
    assert weights["loir"] == weights["zebra"] > weights["tour"] > 0


def test_what_was_removed_leads_nowhere() -> None:
    made = corpus()
    made.remove(10)
    assert NAME not in Leads(made.view(None)).leading([NAME], 5)


def test_of_a_name_with_many_texts_no_more_are_told_than_show_that_there_are_many() -> None:
    leads = Leads(corpus().view(None))
    assert len(leads.mentioning([("tour",)], 1)[("tour",)]) == 2


def test_the_index_tells_which_terms_a_text_has_that_a_name_led_to() -> None:
    leads = Leads(corpus().view(None))
    ids = leads.mentioning([NAME], 5)[NAME]
    found = leads.terms_of(ids, ["mother", "empress", "zebra"])
    assert found == {10: {"empress"}, 11: {"mother"}}
