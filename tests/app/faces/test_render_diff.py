"""Diffs for people: numbered lines, marked words, and nothing that a screen of 80 columns cuts off."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from tests.app.faces.command_line import Stream
from tests.app.faces.doubles import DIFF

from afresh.faces.render import Line, write
from afresh.faces.render_diff import file_diff

ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def shown(rows: Sequence[str], *, start: int = 1, **more: Any) -> list[Line]:
    """A file's diff of one hunk, given as a unified diff gives its lines."""
    hunk = {
        "old_start": start,
        "old_lines": sum(row[0] != "+" for row in rows),
        "new_start": start,
        "new_lines": sum(row[0] != "-" for row in rows),
        "lines": [{"kind": row[0], "text": row[1:]} for row in rows],
        "cited": True,
    }
    return file_diff({**DIFF.model_dump(mode="json"), "hunks": [hunk], **more})


def marked(rows: Sequence[str]) -> list[list[str]]:
    """The marked words of each changed line."""
    return [
        [text for text, style in line.parts if "reverse" in style]
        for line in shown(rows)[1:]
        if any(style in ("red", "green") for _, style in line.parts)
    ]


def on_a_terminal(lines: Sequence[Line], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    stream = Stream(terminal=True)
    write(lines, stream)
    return [ESCAPES.sub("", row) for row in stream.text.splitlines()]


def test_removed_lines_have_old_numbers_and_all_others_new_ones() -> None:
    rows = [" kept", "-one", "-two", "+only", " after", "+last"]
    assert [line.plain for line in shown(rows, start=98)[1:]] == [
        " 98   kept",
        " 99 - one",
        "100 - two",
        " 99 + only",
        "100   after",
        "101 + last",
    ]


def test_the_words_that_changed_are_marked_and_a_number_is_a_word() -> None:
    assert marked(["-    time.sleep(0.1)", "+    time.sleep(0.25)"]) == [["0.1"], ["0.25"]]
    assert marked(["-def acquire(self):", "+def acquire(self, timeout=5):"]) == [[], [", timeout=5"]]


def test_a_line_that_was_broken_in_two_keeps_its_words_unmarked() -> None:
    rows = ["-    if (free) : return row", "+    if free:", "+        return row"]
    assert marked(rows) == [["(", ") ", " "], [], []]


def test_where_hardly_anything_is_the_same_nothing_is_marked() -> None:
    assert marked(["-import os", "+raise SystemExit(3)"]) == [[], []]


def test_a_run_that_follows_another_is_compared_by_itself() -> None:
    rows = ["-take(a)", "+take(b)", " between", "-give(a)", "+give(c)"]
    assert marked(rows) == [["a"], ["b"], ["a"], ["c"]]


def test_only_removed_and_only_added_lines_are_shown_to_the_last() -> None:
    assert [line.plain for line in shown(["-one", "-two"])[1:]] == ["1 - one", "2 - two"]
    assert [line.plain for line in shown([" kept", "+one", "+two"])[1:]] == ["1   kept", "2 + one", "3 + two"]


def test_a_part_that_went_elsewhere_says_which_and_where_to() -> None:
    (heading, note) = shown(
        [], part="Bank.transfer", new_path="money.py", change="moved", note="the same", hunks=[]
    )
    assert heading.plain == "bank.py#Bank.transfer -> money.py  moved"
    assert note.plain == "the same"


def test_changes_where_nothing_is_cited_are_counted_not_shown() -> None:
    file = DIFF.model_dump(mode="json")
    file["hunks"] = [{**file["hunks"][0], "cited": False}, file["hunks"][0]]
    lines = [line.plain for line in file_diff(file, cited_only=True)]
    assert lines[1:] == [
        "3 - lock(a)",
        "3 + lock(b)",
        "1 more change in this file, not where it is cited",
    ]
    assert sum("lock(a)" in line.plain for line in file_diff(file)) == 2


def test_a_long_line_goes_on_below_its_text_and_nothing_of_it_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = " ".join(f"word{number}" for number in range(40))
    solid = "x" * 200
    wide = "漢" * 60
    rows = on_a_terminal(shown([f"-{words}", f"+{words} more", f"+{solid}", f"+{wide}"]), monkeypatch)
    assert all(len(row) <= 80 for row in rows)
    assert all(re.match(r"\d [-+] |    ", row) for row in rows[1:])
    text = " ".join(row[4:] for row in rows[1:])
    assert text.count("word39") == 2 and "more" in text
    assert text.replace(" ", "").count("x") == 200 and text.count("漢") == 60


def test_what_a_terminal_would_obey_is_shown_instead() -> None:
    (_, line) = shown(["+a\x1b[31mb\tc"])
    assert line.plain == "1 + a␛[31mb c"
