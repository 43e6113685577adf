"""Colours of code that begins in the middle of a file."""

from __future__ import annotations

from collections.abc import Sequence

from afresh_tui.widgets.diff_syntax import BLOCK, Pieces, Syntax, Wanted


def lexed(path: str, lines: Sequence[str], at: int) -> Pieces:
    """The pieces of a line, once its block was lexed."""
    wanted = Wanted()
    syntax = Syntax(path, lines, wanted)
    assert syntax.of(at) == ()
    while wanted:
        wanted.lex_one()
    return syntax.of(at)


def tones(path: str, lines: Sequence[str], at: int) -> dict[str, str]:
    """The words of a line by their tones."""
    return {lines[at][start:end]: tone for start, end, tone in lexed(path, lines, at)}


def test_keywords_names_and_numbers_have_tones_of_their_own() -> None:
    found = tones("a.py", ["def wait(limit=5):  # so long"], 0)
    assert found == {"def": "keyword", "wait": "function", "5": "number", "# so long": "comment"}


def test_a_file_of_no_known_language_is_plain() -> None:
    assert lexed("LICENSE.unknown", ["def wait(): pass"], 0) == ()


def test_a_piece_that_ends_a_docstring_leaves_the_code_behind_it_code() -> None:
    lines = [
        "    of the account, until it is free.",
        '    """',
        "    return self.table",
        "",
        "def other(): ...",
    ]
    assert tones("a.py", lines, 2)["return"] == "keyword"
    assert tones("a.py", lines, 4)["def"] == "keyword"
    assert set(tones("a.py", lines, 0).values()) <= {"string", "comment"}


def test_a_piece_that_begins_a_docstring_is_code_before_it() -> None:
    lines = ["def wait():", '    """Wait until', "    it is free."]
    assert tones("a.py", lines, 0)["def"] == "keyword"
    assert set(tones("a.py", lines, 2).values()) <= {"string", "comment"}


def test_a_piece_that_ends_a_comment_of_c_is_a_comment_up_to_there() -> None:
    lines = [" * so long as nobody waits.", " */", "int wait(void) { return 1; }"]
    assert tones("a.c", lines, 0) == {" * so long as nobody waits.": "comment"}
    assert tones("a.c", lines, 2)["return"] == "keyword"


def test_lines_far_down_are_lexed_without_those_before() -> None:
    lines = [f"value_{number} = {number}" for number in range(BLOCK * 40)]
    assert [piece.tone for piece in lexed("a.py", lines, BLOCK * 39 + 5)] == ["number"]


def test_a_line_of_a_hundred_thousand_characters_is_plain_and_its_neighbours_are_not() -> None:
    lines = ["import os", "x" * 100_000, "import sys"]
    assert lexed("a.py", lines, 1) == ()
    assert tones("a.py", lines, 2)["import"] == "keyword"


def test_of_what_was_scrolled_past_only_the_last_is_still_wanted() -> None:
    wanted = Wanted()
    syntax = Syntax("a.py", [f"value = {number}" for number in range(BLOCK * 100)], wanted)
    for block in range(100):
        syntax.of(block * BLOCK)
    lexed = 0
    while wanted:
        wanted.lex_one()
        lexed += 1
    assert lexed < 20
    assert syntax.of(BLOCK * 99) != ()
    assert syntax.of(0) == ()
