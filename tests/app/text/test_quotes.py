from __future__ import annotations

import random
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.text.quotes import Quotable

CONTENT = (
    "Invoices are totalled in integer cents.\r\nThe report isn’t rounded: it “converts” at the end.\n"
    "— Café owners pay 7.5\u00a0% \U0001d518nder the new rule, e\u0301te\u0301 or winter.\r\n"
    "긴 문장은 그대로 인용된다. 請求書は整数で合計される。 👩\u200d💻 writes the ledger."
)
MARKED = st.text(
    st.sampled_from(
        list("abAB \r\n\t'\"’“”—-.éÉ\u0301\u0308ßİﬁ\U0001d518\U0001f600\u200d\ufe0f한\u1112\u1161 0")
    ),
    max_size=60,
)


def quoted(content: str, quote: str) -> str | None:
    span = Quotable(content).find(quote)
    return None if span is None else content[span.start : span.end]


@given(content=MARKED | st.text(max_size=60), quote=MARKED | st.text(max_size=20))
@settings(max_examples=200, deadline=None)
def test_a_span_always_lies_within_the_text_and_is_never_empty(content: str, quote: str) -> None:
    span = Quotable(content).find(quote)
    if span is not None:
        assert 0 <= span.start < span.end <= len(content)
        assert content[span.start : span.end].strip()


@given(content=MARKED | st.text(min_size=1, max_size=80), data=st.data())
@settings(max_examples=200, deadline=None)
def test_a_quote_that_is_exact_always_stands(content: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(content)))
    end = data.draw(st.integers(start, len(content)))
    quote = content[start:end]
    if quote.strip():
        span = Quotable(content).find(quote)
        assert span is not None
        assert span.how == "exact"
        assert content[span.start : span.end] == quote


def test_quotes_in_another_form_are_repaired_to_the_exact_span() -> None:
    chance = random.Random(5)
    lines = [line.strip() for line in CONTENT.splitlines()]
    changes = {
        "upper case": str.upper,
        "lower case": str.lower,
        "no-break spaces": lambda quote: quote.replace(" ", "\u00a0"),
        "wrapped": lambda quote: quote.replace(" ", "\r\n  "),
        "straight marks": lambda quote: quote.translate(str.maketrans("’“”", '\'""')),
        "other marks": lambda quote: quote.translate(str.maketrans("’“”'\"", "`«»‘„")),
        "composed": lambda quote: unicodedata.normalize("NFC", quote),
        "decomposed": lambda quote: unicodedata.normalize("NFD", quote),
        "compatible": lambda quote: unicodedata.normalize("NFKC", quote),
    }
    tried = found = 0
    for _ in range(300):
        line = chance.choice(lines)
        words = line.split(" ")
        first = chance.randrange(max(len(words) - 4, 1))
        quote = " ".join(words[first : first + chance.randint(4, 12)])
        for change in changes.values():
            tried += 1
            found += quoted(CONTENT, change(quote)) == quote
    assert found / tried >= 0.95


@pytest.mark.parametrize(
    ("sent", "stands"),
    [
        ("INVOICES are totalled in Integer Cents", "Invoices are totalled in integer cents"),
        ('"Invoices are totalled in integer cents."', "Invoices are totalled in integer cents."),
        ("…are totalled in integer cents…", "are totalled in integer cents"),
        (
            'the report isn\'t rounded: it "converts" at the end',
            "The report isn’t rounded: it “converts” at the end",
        ),
        ("cents. The report", "cents.\r\nThe report"),
        (
            "the report isn't rounded it converts at the end",
            "The report isn’t rounded: it “converts” at the end",
        ),
        ("請求書は整数で合計される", "請求書は整数で合計される"),
        ("Café owners", "Café owners"),
        ("été or winter", "e\u0301te\u0301 or winter"),
        ("7.5 % under the new rule", "7.5\u00a0% \U0001d518nder the new rule"),
    ],
)
def test_what_readers_do_to_quotes_is_undone(sent: str, stands: str) -> None:
    assert quoted(CONTENT, sent) == stands


def test_a_few_other_words_are_repaired_to_the_nearest_span() -> None:
    content = "Yes. The nightly job takes an advisory lock in the main database before it starts. It runs."
    sent = "The nightly job takes an advisory lock in the database before it starts"
    assert quoted(content, sent) == (
        "The nightly job takes an advisory lock in the main database before it starts"
    )


@pytest.mark.parametrize(
    "sent",
    [
        "The nightly job never takes an advisory lock in the database before it starts",
        "The nightly job takes 2 advisory lock in the database before it starts",
        "Backups are kept for thirty days in the vault",
        "job lock",
        "q",
        "",
        " \r\n",
    ],
)
def test_what_stands_nowhere_is_no_quote(sent: str) -> None:
    content = "The nightly job takes an advisory lock in the database before it starts."
    assert quoted(content, sent) is None


def test_a_span_never_ends_within_a_letter() -> None:
    assert quoted("cafe\u0301 bar", "CAFE") is None
    assert quoted("ﬁne", "F") is None
    assert quoted("cafe\u0301 bar", "CAFÉ") == "cafe\u0301"
