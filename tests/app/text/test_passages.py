from __future__ import annotations

from afresh.text.passages import READ_CHARACTERS, Passage, identifiers
from afresh.text.phrases import LEAD_TERMS
from afresh.text.tokens import terms


def names(text: str) -> set[str]:
    return {name for name, _, _, _ in Passage(1, text).names}


def test_names_are_runs_of_capitalised_words_and_the_parts_of_long_ones() -> None:
    found = names("He was the son of King Eric of Sweden, and Ingrid was his sister.")
    assert {"King Eric of Sweden", "Eric of Sweden", "King Eric", "Ingrid"} <= found
    assert "King" not in found
    assert "of Sweden" not in found


def test_a_name_keeps_its_initials_and_its_number_and_loses_its_possessive() -> None:
    found = names("J. R. Ward's novel was filmed by Anna as Apollo 13 last year.")
    assert "J. R. Ward" in found
    assert "Apollo 13" in found
    assert not any(name.endswith("'s") for name in found)


def test_identifiers_of_code_are_names_whatever_their_case() -> None:
    found = names("the ledger calls billing.locks.acquire and retry_after, then AuditLog")
    assert {"billing.locks.acquire", "retry_after", "AuditLog"} <= found


def test_each_name_tells_its_first_and_last_word() -> None:
    passage = Passage(1, "she met Ermengarde of Tours there")
    (whole,) = [name for name in passage.names if name[0] == "Ermengarde of Tours"]
    assert whole == ("Ermengarde of Tours", tuple(terms("Ermengarde of Tours")), 2, 4)


def test_a_text_is_about_its_first_terms_each_once() -> None:
    passage = Passage(1, "Kafka lag. Kafka lag grows when one broker of three restarts at night in Oslo")
    assert len(passage.lead) == LEAD_TERMS
    assert passage.lead[:2] == ("kafka", "lag")
    assert passage.begins_with(tuple(terms("Kafka lag")))
    assert not passage.begins_with(tuple(terms("Oslo")))


def test_what_stands_far_down_is_not_read() -> None:
    passage = Passage(1, "calm " * READ_CHARACTERS + "Zanzibar")
    assert passage.names == ()
    assert passage.vocabulary == {"calm"}


def test_an_empty_text_and_one_of_signs_have_nothing() -> None:
    for text in ("", "… — !?", "\U0001f600"):
        passage = Passage(1, text)
        assert (passage.names, passage.lead, passage.words) == ((), (), ())


def test_a_question_names_code_by_its_form_or_between_backticks() -> None:
    question = "Who calls `total` and `flush()` before Lock.acquire or retry_after in billing/locks.py?"
    assert identifiers(question) == ["total", "flush", "Lock.acquire", "retry_after", "billing/locks.py"]
    assert identifiers("When did the mother of Lothair die?") == []
