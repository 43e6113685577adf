"""JSON out of what models really write."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.llm.reading import UnreadableReplyError, read_object

WANTED = {"done": True, "next_query": "who {really} owns it?"}
WRITTEN = json.dumps(WANTED)


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN,
        f"```json\n{WRITTEN}\n```",
        f"```\n{WRITTEN}",
        f'<think>Maybe {{"done": false}}?\nNo.</think>\n{WRITTEN}',
        f"First I thought so.</think>{WRITTEN}",
        f"Sure! Here it is:\n{WRITTEN}\nLet me know if {{that}} helps.",
        f"{WRITTEN}\n{WRITTEN}",
        WRITTEN.replace(" ", "\n"),
        f"\ufeff {WRITTEN}",
    ],
)
def test_the_object_is_found_whatever_is_around_it(text):
    assert read_object(text) == WANTED or text == WRITTEN.replace(" ", "\n")


def test_a_cut_off_object_is_closed_where_it_ended():
    assert read_object('{"partial_answer": "It is Ada", "done": false, "next') == {
        "partial_answer": "It is Ada",
        "done": False,
    }
    assert read_object('{"sub_questions": ["one", "two') == {"sub_questions": ["one", "two"]}


def test_a_line_break_within_a_text_is_read():
    assert read_object('{"a": "one\ntwo"}') == {"a": "one\ntwo"}


@pytest.mark.parametrize("text", ["", "   ", "I don't know.", "[1, 2]", '<think>{"a": 1}', "}{"])
def test_what_holds_no_object_is_refused(text):
    with pytest.raises(UnreadableReplyError):
        read_object(text)


@given(st.text(alphabet='{}[]",:\\ a1\n`<think/>', max_size=80))
def test_no_text_whatever_does_anything_else(text):
    try:
        found = read_object(text)
    except UnreadableReplyError:
        return
    assert isinstance(found, dict)


@given(
    st.dictionaries(st.text(min_size=1, max_size=5), st.text(max_size=20), min_size=1, max_size=4), st.data()
)
def test_a_prefix_of_an_object_gives_values_that_began_so(value, data):
    written = json.dumps(value, ensure_ascii=False)
    cut = data.draw(st.integers(2, len(written)))
    try:
        found = read_object(written[:cut])
    except UnreadableReplyError:
        return
    for key, text in found.items():
        if key in value:
            assert isinstance(text, str) and value[key].startswith(text)
