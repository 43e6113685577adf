from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.text.chunks import MAX_CHUNKS, chunks

PROSE = (
    "We keep the lock in the database. A worker that dies gives it back, because its connection ends.\n"
    "Redis was considered and rejected; its locks outlive their owner.\n\n"
)


def test_a_short_text_is_one_span() -> None:
    assert chunks("We keep money as integer cents.") == [(0, 31)]
    assert chunks("") == [(0, 0)]
    assert chunks("   ") == [(0, 3)]


def test_neighbours_overlap_and_nothing_is_left_out() -> None:
    text = PROSE * 20
    spans = chunks(text)
    assert len(spans) > 2
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text.rstrip())
    for (start, end), (following, _) in pairwise(spans):
        assert start < following < end


def test_a_span_ends_where_a_paragraph_or_a_sentence_ends() -> None:
    text = PROSE * 20
    assert all(text[end - 1] in ".\n" for _, end in chunks(text))


def test_no_span_is_cut_within_a_word() -> None:
    text = "configuration " * 400
    assert all(text[start:end].split()[0] == "configuration" for start, end in chunks(text))
    assert all(text[start:end].split()[-1] == "configuration" for start, end in chunks(text))


def test_a_span_fits_the_model(tokenizer_count: object) -> None:
    assert callable(tokenizer_count)
    for text in (PROSE * 30, "def parse_response(self, raw: bytes) -> Response:\n    return x[0]\n" * 60):
        sizes = [tokenizer_count(text[start:end]) for start, end in chunks(text)]
        assert max(sizes) <= 256
        assert sizes[0] > 120


def test_a_text_without_spaces_is_split_as_well() -> None:
    spans = chunks("数据库迁移必须可逆" * 100)
    assert len(spans) > 3
    assert all(end - start <= 256 for start, end in spans)
    assert len(chunks("x" * 5_000)) > 2


def test_a_memory_of_100_000_characters_has_a_bounded_number_of_chunks() -> None:
    text = PROSE * (100_000 // len(PROSE))
    started = time.process_time()
    spans = chunks(text)
    assert time.process_time() - started < 5
    assert len(spans) <= MAX_CHUNKS
    assert spans[0][0] == 0
    assert spans[-1][1] >= len(text.rstrip()) - 1
    assert len(chunks(text, max_chunks=1)) == 1


@given(st.text(max_size=600), st.integers(8, 40))
@settings(max_examples=150, deadline=None, derandomize=True)
def test_spans_are_in_order_and_cover_every_letter(text: str, max_tokens: int) -> None:
    spans = chunks(text, max_tokens, overlap=2, max_chunks=10_000)
    covered = set()
    for start, end in spans:
        assert 0 <= start <= end <= len(text)
        covered.update(range(start, end))
    assert spans == sorted(spans)
    assert all(at in covered for at, sign in enumerate(text) if not sign.isspace())


def test_impossible_sizes_are_refused() -> None:
    for arguments in ({"max_tokens": 4}, {"overlap": 200}, {"max_chunks": 0}):
        with pytest.raises(ValueError, match="at least 8 tokens"):
            chunks("x", **arguments)
