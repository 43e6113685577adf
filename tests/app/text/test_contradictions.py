from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.engine.negative import HARD, SOFT
from afresh.text.contradictions import contradiction, denied


def score(one: str, other: str) -> float:
    return contradiction(one, other).score


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The lock times out after 5 s.", "The lock times out after 30 s."),
        ("Feature flags are enabled by default.", "Feature flags are disabled by default."),
        ("The API requires a token.", "The API does not require a token."),
        ("Deploys happen on Monday.", "Deploys happen on Friday."),
        (
            "`parse_row()` raises ValueError on bad lines.",
            "`parse_row()` raises InvalidArgumentError on bad lines.",
        ),
        ("Textual requires Python 3.7 or above.", "Textual requires Python 3.8 or above."),
        ("Writes are synchronous.", "Writes are asynchronous."),
        ("Nobody may deploy on Fridays without review.", "Anybody may deploy on Fridays without review."),
    ],
)
def test_a_value_a_denial_or_an_opposite_is_a_hard_contradiction(one: str, other: str) -> None:
    assert score(one, other) >= HARD
    assert score(other, one) == score(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The lock times out after 5 s.", "The lock times out after 5 s"),
        ("The lock times out after five seconds.", "The lock times out after 5 seconds."),
        ("This is a good idea.", "This is not a bad idea."),
        ("It is not possible.", "It is impossible."),
        ("Use the Guide.", "The cursor is exposed through an attribute."),
        (
            "For styling a string the `style` function is used.",
            "For styling a string, the ``style`` function is used:",
        ),
        ("As of 2015: who leads? Ada.", "As of 2016: who leads? Ada."),
        ("Ada: I bought 3 lamps.", "Bo: I bought 4 lamps."),
    ],
)
def test_the_same_in_other_words_or_of_others_is_none(one: str, other: str) -> None:
    assert score(one, other) < SOFT


def test_a_word_for_a_word_is_a_soft_one() -> None:
    assert SOFT <= score("The report is drawn by the worker.", "The report is drawn by the scheduler.") < HARD


def test_the_reason_names_both_sides() -> None:
    assert contradiction("It waits 5 s.", "It waits 30 s.").reason == "5 / 30"
    assert contradiction("Flags are enabled.", "Flags are disabled.").reason == "enabled / disabled"


def test_denials_are_told() -> None:
    assert denied("We don't use floats.")
    assert not denied("We use integers.")


@given(st.text(max_size=80), st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_any_two_texts_have_a_score_that_is_the_same_both_ways(one: str, other: str) -> None:
    found = score(one, other)
    assert 0.0 <= found <= 1.0
    assert abs(found - score(other, one)) < 0.05


@given(st.text(max_size=120))
@settings(max_examples=200, deadline=None)
def test_a_text_does_not_contradict_itself(text: str) -> None:
    assert score(text, text) < SOFT
