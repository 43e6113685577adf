"""A conclusion to edit, and what comes back."""

from __future__ import annotations

import pytest
from tests.tui import diffs

from afresh.contracts import CitedSpan, FileDetail, RecordedFile
from afresh.errors import UsageError
from afresh_tui.screens.rerecord import SCISSORS, Draft, citation, draft, read


def recorded(path: str, *spans: CitedSpan) -> RecordedFile:
    return RecordedFile(path=path, sha256="0" * 64, size=1, spans=list(spans))


def details(*told: dict[str, object]) -> list[FileDetail]:
    return [FileDetail.model_validate(one) for one in told]


def cited(given: Draft) -> list[str]:
    """The lines below the scissors that count."""
    below = given.text.split(SCISSORS)[1]
    return [line for line in below.splitlines() if line and not line.startswith("#")]


def test_the_old_text_stands_above_and_what_it_rests_on_below() -> None:
    file = recorded("billing/locks.py", CitedSpan(start_line=9, end_line=16, symbol="Lock.acquire"))
    given = draft(
        "How do locks wait?", "By polling.\n\n# A heading of its own", [file], details(diffs.EDITED[0][0])
    )
    assert given.text.startswith("By polling.\n\n# A heading of its own\n\n" + SCISSORS)
    assert cited(given) == ["billing/locks.py#Lock.acquire"]
    assert "# How do locks wait?" in given.text
    assert "#   9f3c2a7b1d Ada Lovelace: wait longer" in given.text


def test_what_moved_is_cited_where_it_is_now_and_what_is_gone_is_only_told() -> None:
    files = [
        recorded("billing/locks.py", CitedSpan(start_line=23, end_line=25, symbol="ordered")),
        recorded("billing/retry.py", CitedSpan(start_line=1, end_line=5, symbol="retry")),
        recorded("billing/same.py"),
    ]
    given = draft("Q", "A", files, details(diffs.MOVED[0][0], diffs.GONE[0][0]))
    assert cited(given) == ["billing/accounts.py#in_lock_order", "billing/same.py"]
    assert "# gone: billing/retry.py#retry" in given.text


def test_lines_that_shifted_are_cited_by_their_new_numbers() -> None:
    file = recorded(
        "a.py", CitedSpan(start_line=3, end_line=5), CitedSpan(start_line=8, end_line=8, derived=True)
    )
    told = diffs.detail(
        "a.py", "elsewhere", [diffs.span(3, 5, None, "unchanged", now_start_line=7, now_end_line=9)]
    )
    assert cited(draft("Q", "A", [file], details(told))) == ["a.py:7-9"]


def test_a_quote_that_still_stands_stays_one() -> None:
    file = recorded("a.py", CitedSpan(start_line=3, end_line=4, quote="two\nlines"))
    given = draft("Q", "A", [file], [])
    came = read(given.text.replace("A\n", "B\n", 1), given)
    assert came is not None
    assert came.files == [{"path": "a.py", "quote": "two\nlines"}]


def test_what_was_written_is_taken_and_explanations_are_not() -> None:
    given = draft("Q", "Old.", [recorded("a.py")], [])
    text = f"New.\n\n# still a heading\n\n{SCISSORS}\n# explained\nb.py:3-9\nc.py#Lock.acquire\nd.py:7\n"
    came = read(text, given)
    assert came is not None
    assert came.conclusion == "New.\n\n# still a heading"
    assert came.files == [
        {"path": "b.py", "start_line": 3, "end_line": 9},
        {"path": "c.py", "symbol": "Lock.acquire"},
        {"path": "d.py", "start_line": 7, "end_line": 7},
    ]


@pytest.mark.parametrize("text", [None, f"\n \n{SCISSORS}\na.py\n"])
def test_nothing_edited_and_nothing_left_record_nothing(text: str | None) -> None:
    assert read(text, draft("Q", "Old.", [recorded("a.py")], [])) is None


def test_a_conclusion_without_a_file_is_refused() -> None:
    with pytest.raises(UsageError, match="no file is left"):
        read(f"New.\n{SCISSORS}\n# a.py\n", draft("Q", "Old.", [recorded("a.py")], []))


@pytest.mark.parametrize("line", ["a.py#", "#Lock", "a.py:9-3", "a.py:0"])
def test_a_line_that_is_no_citation_is_named(line: str) -> None:
    with pytest.raises(UsageError, match="is no citation"):
        citation(line)


def test_a_path_alone_cites_the_whole_file() -> None:
    assert citation("docs/a b.md") == {"path": "docs/a b.md"}
