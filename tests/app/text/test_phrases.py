from __future__ import annotations

from afresh.text.lexical import LexicalIndex
from afresh.text.phrases import LEAD_TERMS, MAX_PHRASES, document_terms, lead_hash, phrases
from afresh.text.tokens import count_terms, hash_term, terms


def test_runs_of_capitalised_words_are_names() -> None:
    found = phrases("She met Ermengarde of Tours, then the Duke in New York City.")
    assert tuple(terms("Ermengarde Tours")) in found
    assert tuple(terms("New York City")) in found


def test_a_name_is_told_once_and_their_number_is_bounded() -> None:
    assert phrases("Kafka, then Kafka again") == [tuple(terms("Kafka"))]
    many = " and ".join(f"N{chr(97 + i % 26)}{chr(97 + i // 26)}z" for i in range(200))
    assert len(phrases(many)) == MAX_PHRASES


def test_words_without_a_name_give_none() -> None:
    assert phrases("nothing here has a capital") == []
    assert phrases("") == []


def test_the_beginning_of_a_text_is_indexed_a_second_time_without_changing_a_score() -> None:
    text = "The gateway speaks gRPC to the billing service and nobody else may call it at night"
    plain, led = count_terms(text), document_terms(text)
    assert led.length == plain.length
    assert int(led.frequencies.sum()) == int(plain.frequencies.sum())
    lead = {lead_hash(term) for term in terms(text)[:LEAD_TERMS]}
    assert lead <= set(led.hashes.tolist())
    scores = []
    for counts in (plain, led):
        index = LexicalIndex()
        index.add(0, counts)
        scores.append(index.snapshot().scores([hash_term("gateway"), hash_term("night")]).bm25[0])
    assert scores[0] == scores[1]


def test_many_terms_are_looked_up_at_once_as_one_by_one() -> None:
    index = LexicalIndex()
    for row, text in enumerate(["Kafka lag", "Redis lag", "Kafka and Redis"]):
        index.add(row, document_terms(text))
        if row == 1:
            index.seal()
    view = index.snapshot()
    asked = [hash_term(term) for term in ("kafka", "lag", "redi", "zebra")]
    assert [rows.tolist() for rows in view.having_each(asked)] == [
        view.having(term).tolist() for term in asked
    ]
    assert view.having_each([]) == []
