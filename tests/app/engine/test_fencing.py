"""Saved text can't leave its fence, nor say anything that isn't seen."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.engine.fencing import fenced, inline, visible

TEXTS = st.text(alphabet=st.sampled_from("`~ab \n\t\r\x1b\u202e\u2028\U000e0041é日"), max_size=60)


@given(TEXTS)
def test_no_line_of_a_fenced_text_closes_its_fence(text):
    first, *inside, last = fenced(text).split("\n")
    assert first == f"{last}text" and set(last) == {"`"} and len(last) >= 3
    assert not any(last in line for line in inside)
    assert "\n".join(inside) == visible(text).removesuffix("\n")


@given(TEXTS)
def test_a_text_in_a_line_stays_in_its_line_and_in_its_marks(text):
    shown = inline(text)
    ticks = shown[: len(shown) - len(shown.lstrip("`"))]
    assert "\n" not in shown and shown.endswith(ticks)
    assert ticks not in shown[len(ticks) : -len(ticks)]


@pytest.mark.parametrize(
    ("hidden", "shown"),
    [
        ("a\u202eb", "a\\u{202e}b"),
        ("\x1b[8mgone\x1b[0m", "\\u{1b}[8mgone\\u{1b}[0m"),
        ("".join(chr(0xE0000 + ord(letter)) for letter in "hi"), "\\u{e0068}\\u{e0069}"),
        ("a\u200bb\ufeff", "a\\u{200b}b\\u{feff}"),
        ("a\u2028b", "a\\u{2028}b"),
        ("one\r\ntwo\rthree", "one\ntwo\\u{d}three"),
    ],
)
def test_what_nobody_would_see_is_spelled_out(hidden, shown):
    assert visible(hidden) == shown


@pytest.mark.parametrize(
    "text", ["日本語のメモ", "नमस्ते", "👩‍👩‍👧 fine", "tab\tand\nline", "naïve — “quoted”"]
)
def test_ordinary_text_of_any_script_is_left_alone(text):
    assert visible(text) == text


def test_a_long_text_in_a_line_is_cut():
    assert inline("x" * 500, 10) == "`xxxxxxxxx…`"
    assert inline("") == "`  `"
