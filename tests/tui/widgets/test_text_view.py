"""The view of long texts."""

from __future__ import annotations

import asyncio
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.app import App, ComposeResult
from textual.content import Content

from afresh_tui.widgets.text_view import TextView, wrapped


class Viewed(App[None]):
    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        yield TextView()


@pytest.mark.parametrize(
    ("text", "width", "rows"),
    [
        ("", 5, [""]),
        ("abc def ghi", 7, ["abc def", "ghi"]),
        ("abcdefghij", 4, ["abcd", "efgh", "ij"]),
        ("日本語です", 4, ["日本", "語で", "す"]),
        ("a  b", 2, ["a ", "b"]),
    ],
)
def test_rows_end_at_blanks_where_one_is_near(text: str, width: int, rows: list[str]) -> None:
    assert [text[start:end] for start, end in wrapped(text, width)] == rows


@given(st.text(alphabet="ab é日 ", max_size=200), st.integers(2, 40))
def test_no_row_is_too_wide_and_nothing_but_blanks_is_lost(text: str, width: int) -> None:
    rows = wrapped(text, width)
    assert all(cell_len(text[start:end]) <= width for start, end in rows)
    assert "".join(text[start:end] for start, end in rows).replace(" ", "") == text.replace(" ", "")


def test_a_hundred_thousand_characters_in_one_line_are_wrapped_in_one_pass() -> None:
    began = time.perf_counter()
    rows = wrapped("é" + "word " * 20_000, 80)
    assert time.perf_counter() - began < 2.0
    assert len(rows) == pytest.approx(1250, rel=0.1)


def test_it_scrolls_by_rows_and_pages_and_finds_a_character_again() -> None:
    async def scroll() -> None:
        app = Viewed()
        async with app.run_test(size=(40, 10)) as pilot:
            view = app.query_one(TextView)
            view.focus()
            view.show([Content("first"), Content("word " * 200), Content.assemble(("last", "bold"))])
            await pilot.pause()
            rows = view.virtual_size.height
            assert rows == 2 + view.row_of(2, 0) - 1
            await pilot.press("down", "pagedown")
            assert view.scroll_offset.y == 10
            await pilot.press("end")
            await pilot.pause()
            assert view.scroll_offset.y == rows - 10
            view.reveal(1, 0)
            await pilot.pause()
            assert view.scroll_offset.y == 0
            view.reveal(1, 500)
            await pilot.pause()
            assert view.scroll_offset.y <= view.row_of(1, 500) < view.scroll_offset.y + 10
            assert view.plain.startswith("first\nword word")
            view.show([Content("other")], keep=True)
            await pilot.pause()
            assert view.scroll_offset.y == 0

    asyncio.run(scroll())
