"""Values as people read them, and text that can't do anything to a terminal."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from tests.app.faces.command_line import Stream

from afresh.faces.render import (
    columns,
    counted,
    freshness_mark,
    inert,
    line,
    one_line,
    paragraph,
    told_bytes,
    told_seconds,
    told_time,
    write,
)

NOW = datetime(2026, 5, 1, 14, 0, tzinfo=UTC)


@pytest.mark.parametrize("code", [*range(0x20), *range(0x7F, 0xA0), 0x200E, 0x2028, 0x202E, 0x2066, 0xD800])
def test_no_control_character_is_shown_as_itself(code: int) -> None:
    shown = inert(f"a{chr(code)}b")
    if chr(code) in "\n\t":
        assert shown == {"\n": "a\nb", "\t": "a   b"}[chr(code)]
    else:
        assert chr(code) not in shown
        assert shown.startswith("a")
        assert shown.endswith("b")
        assert len(shown) > 2
    shown.encode("utf-8")


def test_text_in_any_script_is_left_alone() -> None:
    text = "naïve — 漢字 عربى 👩‍💻"
    assert inert(text) == text


def test_line_ends_of_other_systems_are_line_ends() -> None:
    assert inert("a\r\nb") == "a\nb"


def test_one_line_is_flat_and_cut_with_an_ellipsis() -> None:
    assert one_line("a\n  b\tc") == "a b c"
    assert one_line("word " * 40, 12) == "word word w…"


def test_a_paragraph_is_cut_after_its_limit_and_says_so() -> None:
    assert [row.plain for row in paragraph("a\nb\nc", 2, limit=2)] == ["  a", "  b", "  … 1 more line"]
    assert [row.plain for row in paragraph("a\nb", 0, limit=2)] == ["a", "b"]


def test_columns_are_aligned_and_the_last_is_free() -> None:
    rows = columns([("a", ("bb", "dim"), "long text"), ("ccc", "d", "x")], indent=1)
    assert [row.plain for row in rows] == [" a    bb  long text", " ccc  d   x"]


def test_a_pipe_gets_no_escapes_whatever_the_style() -> None:
    stream = Stream()
    write([line(("bold", "bold red"), " plain", indent=2)], stream)
    assert stream.text == "  bold plain\n"


@pytest.mark.parametrize(
    ("moment", "told"),
    [
        ("2026-05-01T14:00:00Z", "just now (2026-05-01 14:00 UTC)"),
        ("2026-05-01T13:59:30.5Z", "just now (2026-05-01 13:59 UTC)"),
        ("2026-05-01T13:59:00Z", "1 minute ago (2026-05-01 13:59 UTC)"),
        ("2026-05-01T11:01:00Z", "2 hours ago (2026-05-01 11:01 UTC)"),
        ("2026-04-28T14:00:00Z", "3 days ago (2026-04-28 14:00 UTC)"),
        ("2026-02-01T14:00:00Z", "2 months ago (2026-02-01 14:00 UTC)"),
        ("2020-05-01T16:00:00+02:00", "5 years ago (2020-05-01 14:00 UTC)"),
        ("2026-05-03T14:00:00Z", "in 2 days (2026-05-03 14:00 UTC)"),
        (None, "never"),
        ("soon", "soon"),
    ],
)
def test_a_time_is_told_relative_and_absolute(moment: str | None, told: str) -> None:
    assert told_time(moment, NOW) == told


@pytest.mark.parametrize(
    ("size", "told"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1500, "1.5 kB"),
        (2_400_000, "2.4 MB"),
        (7_000_000_000_000, "7000.0 GB"),
    ],
)
def test_a_size_is_told_in_its_unit(size: int, told: str) -> None:
    assert told_bytes(size) == told


@pytest.mark.parametrize(
    ("seconds", "told"), [(0.044, "0.04 s"), (42.3, "42 s"), (185, "3 min 5 s"), (7_810, "2 h 10 min")]
)
def test_a_duration_is_told_in_its_unit(seconds: float, told: str) -> None:
    assert told_seconds(seconds) == told


def test_a_number_stands_with_its_noun() -> None:
    assert [counted(1, "file"), counted(2000, "file"), counted(0, "memory", "memories")] == [
        "1 file",
        "2,000 files",
        "0 memories",
    ]


@pytest.mark.parametrize(
    ("freshness", "mark"),
    [
        ({"status": "fresh", "changed_files": [], "missing_files": []}, "● fresh"),
        (
            {"status": "stale", "changed_files": ["a", "b"], "missing_files": ["c"]},
            "▲ stale (2 changed, 1 missing)",
        ),
        ({"status": "stale", "changed_files": ["a"], "missing_files": []}, "▲ stale (1 changed)"),
        (
            {
                "status": "stale",
                "changed_files": [],
                "missing_files": [],
                "unverifiable_files": [{"path": "a"}],
            },
            "▲ stale (1 unverifiable)",
        ),
        (
            {"status": "stale", "impact": "eol_only", "changed_files": ["a"], "missing_files": []},
            "▲ stale (1 changed): eol only",
        ),
        ({"status": "stale", "changed_files": [], "missing_files": []}, "▲ stale"),
    ],
)
def test_freshness_is_told_by_mark_and_word(freshness: dict[str, Any], mark: str) -> None:
    assert freshness_mark(freshness)[0] == mark
