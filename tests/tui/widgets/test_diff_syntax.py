"""Colours of code that begins in the middle of a file."""

from __future__ import annotations

from collections.abc import Sequence

from afresh_tui.widgets.diff_syntax import BLOCK, Syntax


def tones(path: str, lines: Sequence[str], at: int) -> dict[str, str]:
    """The words of a line by their tones."""
    return {lines[at][start:end]: tone for start, end, tone in Syntax(path, lines).of(at)}


def test_keywords_names_and_numbers_have_tones_of_their_own() -> None:
    found = tones("a.py", ["def wait(limit=5):  # so long"], 0)
    assert found == {"def": "keyword", "wait": "function", "5": "number", "# so long": "comment"}


def test_a_file_of_no_known_language_is_plain() -> None:
    assert Syntax("LICENSE.unknown", ["def wait(): pass"]).of(0) == ()


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
    syntax = Syntax("a.py", lines)
    assert [piece.tone for piece in syntax.of(BLOCK * 39 + 5)] == ["number"]
    assert len(syntax._blocks) == 1


def test_a_line_of_a_hundred_thousand_characters_is_plain_and_its_neighbours_are_not() -> None:
    lines = ["import os", "x" * 100_000, "import sys"]
    assert Syntax("a.py", lines).of(1) == ()
    assert tones("a.py", lines, 2)["import"] == "keyword"
