from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import afresh
from afresh.text.tokens import MAX_TERM_CHARACTERS, count_terms, hash_term, latin_share, names, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("parseHTTPResponse", {"pars", "http", "respons", "parsehttpresponse"}),
        ("foo_bar_baz", {"foo", "bar", "baz", "foo_bar_baz"}),
        ("app/text/tokens.py", {"app", "text", "token", "py", "app/text/tokens.py"}),
        ("std::vector", {"std", "vector", "std::vector"}),
        ("utf-8", {"utf", "8", "utf-8"}),
        ("os.path.join", {"os", "path", "join", "os.path.join"}),
        ("C:\\Users\\ada", {"c", "user", "ada", "users\\ada"}),
        ("SHA256", {"sha", "256", "sha256"}),
        ("C++ and C#, not C", {"c++", "c#", "c"}),
    ],
)
def test_an_identifier_is_found_whole_and_by_its_parts(text: str, expected: set[str]) -> None:
    assert set(terms(text)) == expected


def test_a_version_is_kept_and_found_by_a_shorter_one() -> None:
    assert terms("v3.11.4") == ["3.11.4", "3.11"]
    assert set(terms("python 3.11")) & set(terms("Python v3.11.4")) == {"python", "3.11"}


def test_forms_of_a_word_are_one_term() -> None:
    assert terms("migrations migrating migrated Migration") == ["migrat"] * 4


def test_words_that_build_a_sentence_are_left_out_unless_there_is_nothing_else() -> None:
    assert terms("what is the name of it") == ["name"]
    assert terms("to be or not to be") == ["to", "be", "or", "not", "to", "be"]
    assert count_terms("to be or not to be").length == 6


def test_signs_without_spaces_run_as_pairs() -> None:
    assert terms("数据库") == ["数据", "据库"]
    assert terms("字") == ["字"]
    assert terms("用SQL查询") == ["用", "sql", "查询"]
    assert terms("データ") == ["デー", "ータ"]
    assert terms("데이터") == ["데이", "이터"]


def test_other_scripts_are_words_with_stems() -> None:
    assert terms("кэширование кэширования") == ["кэширован"] * 2
    assert terms("الملفات")[0] in terms("ملفات الملفات")
    assert terms("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_accents_vowel_signs_and_width_make_no_difference() -> None:
    assert terms("Café ＡＰＩ") == terms("cafe API")
    assert terms("تُحفَظ") == terms("تحفظ")


def test_an_emoji_is_a_term() -> None:
    assert terms("🚀 deploy") == ["🚀", "deploy"]


@pytest.mark.parametrize("text", ["", " ", "()[]{}", "\x00\x01", "...", "'"])
def test_a_text_without_words_has_no_terms(text: str) -> None:
    assert terms(text) == []
    assert count_terms(text).length == 0
    assert len(count_terms(text).hashes) == 0


@pytest.mark.parametrize(
    "query",
    [
        'AND OR NOT NEAR/3 "a b" * ^ ~ (x',
        "title:secret -drop",
        "'; DROP TABLE memories; --",
        "a* OR",
        "\ud83d half",
    ],
)
def test_nothing_in_a_query_is_an_operator(query: str) -> None:
    assert isinstance(terms(query), list)
    assert count_terms(query).length == len(terms(query))


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_counting_agrees_with_the_terms_of_any_text(text: str) -> None:
    found = terms(text)
    counted = count_terms(text)
    assert counted.length == len(found)
    assert counted.hashes.tolist() == sorted({hash_term(term) for term in found})
    assert int(counted.frequencies.sum()) == len(found)
    assert all(0 < len(term) <= MAX_TERM_CHARACTERS for term in found)


def test_a_hash_is_the_same_on_every_machine() -> None:
    assert hash_term("lock") == 101_840_856_560_334_716
    assert hash_term("lock") != hash_term("locks")


def test_a_frequency_saturates() -> None:
    counted = count_terms("lock " * 70_000)
    assert counted.frequencies.tolist() == [65_535]
    assert counted.length == 70_000
    assert counted.frequencies.dtype == np.uint16


def test_a_long_run_is_cut_and_never_lost() -> None:
    assert [len(term) for term in terms("x" * 150)] == [64, 64, 22]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("How do we shard MongoDB", ["mongodb"]),
        ("where does Figma stand", ["figma"]),
        ("Why is it slow", []),
        ("is `parseResponse` safe", ["parserespons"]),
        ("What Is The Rule For Branch Names", []),
        ("it fails. Then it works", []),
        ("why does the JVM stop", ["jvm"]),
    ],
)
def test_names_are_words_that_name_something(text: str, expected: list[str]) -> None:
    found = names(text)
    assert len(found) == len(expected)
    for name, group in zip(expected, found, strict=True):
        assert any(name.startswith(term) or term.startswith(name) for term in group)


def test_the_latin_share_tells_scripts_apart() -> None:
    assert latin_share("naïve Größe") == 1.0
    assert latin_share("数据库迁移") == 0.0
    assert latin_share("123") == 1.0
    assert 0.4 < latin_share("SQL 查询吗") < 0.6


def test_importing_the_tokens_loads_no_number_library() -> None:
    code = "import sys, afresh.text.tokens; print('numpy' in sys.modules, 'py_rust_stemmers' in sys.modules)"
    root = str(Path(afresh.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": root},
        timeout=30,
    )
    assert done.stdout.split() == ["False", "False"]


def test_a_query_of_8_000_characters_is_bounded_work() -> None:
    started = time.process_time()
    for text in (
        "ab " * 2_666,
        "x" * 8_000,
        "a.b" * 2_666,
        "数" * 8_000,
        "A1" * 4_000,
        "'" * 8_000,
        "e\u0301" * 4_000,
    ):
        count_terms(text)
    assert time.process_time() - started < 2
