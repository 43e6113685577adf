"""Lines folded by columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from afresh_tui.widgets.diff_fold import cut, cut_left, fold, fold_words


@given(st.text(max_size=80), st.integers(min_value=2, max_value=20))
def test_no_part_is_wider_than_the_line_and_none_is_lost(text: str, width: int) -> None:
    parts = fold(text, width)
    assert "".join(text[start:end] for start, end in parts) == text
    assert all(cell_len(text[start:end]) <= width for start, end in parts)
    assert parts


def test_a_wide_character_is_not_cut_in_two() -> None:
    assert fold("日本語", 3) == [(0, 1), (1, 2), (2, 3)]


def test_sentences_are_broken_between_words() -> None:
    assert fold_words("one two three four", 9) == ["one two", "three", "four"]


def test_a_word_that_is_too_long_is_folded() -> None:
    assert fold_words("a " + "x" * 12, 5) == ["a", "xxxxx", "xxxxx", "xx"]


@pytest.mark.parametrize(("width", "shown"), [(20, "src/a/locks.py"), (10, "…/locks.py"), (1, "…y"[:2])])
def test_of_a_path_the_end_stays(width: int, shown: str) -> None:
    assert cut_left("src/a/locks.py", width) == shown


def test_of_a_title_the_beginning_stays() -> None:
    assert cut("How do locks work?", 10) == "How do lo…"
    assert cut("short", 10) == "short"
