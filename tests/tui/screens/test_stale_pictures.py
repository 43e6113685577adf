"""The Stale screen as it is seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.tui import diffs, stale_answers
from tests.tui.frozen import SIZES, THEMES, app, settled
from textual.pilot import Pilot

from afresh.errors import StoreError

Picture = Callable[..., bool]


def pressing(*keys: str) -> Any:
    async def press(pilot: Pilot[Any]) -> None:
        for key in keys:
            await pilot.press(key)
            await settled(pilot)

    return press


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES)
def test_a_conclusion_with_its_changes(picture: Picture, size: str, theme: str) -> None:
    shown = app(stale_answers.over(), first="stale", theme=theme)
    assert picture(shown, size, before=pressing("right_square_bracket"))


@pytest.mark.parametrize("theme", THEMES)
def test_old_and_new_side_by_side(picture: Picture, theme: str) -> None:
    shown = app(stale_answers.over(), first="stale", theme=theme)
    assert picture(shown, "120x36", before=pressing("right_square_bracket", "z", "n"))


def test_old_and_new_side_by_side_where_columns_are_few(picture: Picture) -> None:
    shown = app(stale_answers.over(), first="stale")
    assert picture(shown, "80x24", before=pressing("right_square_bracket", "z", "s"))


def test_code_that_moved_with_where_it_went(picture: Picture) -> None:
    assert picture(app(stale_answers.over(), first="stale"), "100x32", before=pressing("G"))


def test_a_file_that_is_gone(picture: Picture) -> None:
    assert picture(app(stale_answers.over(), first="stale"), "80x24")


def test_a_memory_whose_file_is_binary(picture: Picture) -> None:
    keys = ("right_square_bracket", "right_square_bracket")
    assert picture(app(stale_answers.over(), first="stale"), "100x32", before=pressing(*keys))


def test_changes_that_touch_nothing_cited_too(picture: Picture) -> None:
    item = stale_answers.item(50, "How long is a lock waited for?", "5 s.", diffs.EDITED)
    assert picture(app(stale_answers.over([item]), first="stale"), "100x32", before=pressing("a", "n"))


def test_a_filter_that_lets_some_through(picture: Picture) -> None:
    keys = ("slash", *"path:locks")
    assert picture(app(stale_answers.over(), first="stale"), "80x24", before=pressing(*keys))


def test_five_hundred_conclusions(picture: Picture) -> None:
    items = [
        stale_answers.item(number, f"What does part {number} do?", f"It does {number}.")
        for number in range(1, 501)
    ]
    shown = app(stale_answers.over(items), first="stale")
    assert picture(shown, "120x36", before=pressing("G"))


@pytest.mark.parametrize("size", ["80x24", "120x36"])
def test_nothing_is_stale(picture: Picture, size: str) -> None:
    assert picture(app(stale_answers.over([]), first="stale"), size)


def test_judging_goes_on(snap_compare: Any) -> None:
    over = stale_answers.over()
    over.hold("stale")

    async def begin(pilot: Pilot[Any]) -> None:
        # It never ends, so that there is no worker to wait for.
        while not over.calls("stale"):
            await pilot.pause()
        await pilot.pause()

    assert snap_compare(app(over, first="stale"), terminal_size=SIZES["80x24"], run_before=begin)


def test_nothing_could_be_judged(picture: Picture) -> None:
    over = stale_answers.over(stale=StoreError("the database is held by process 812 (duckdb); end it first"))
    assert picture(app(over, first="stale"), "80x24")


def test_the_keeper_is_gone_and_what_was_read_stays(picture: Picture) -> None:
    over = stale_answers.over()

    async def lose(pilot: Pilot[Any]) -> None:
        over.lost = True
        await pilot.press("ctrl+r")
        await settled(pilot)

    assert picture(app(over, first="stale"), "80x24", before=lose)


def test_the_keys_and_what_they_do(picture: Picture) -> None:
    assert picture(app(stale_answers.over(), first="stale"), "100x32", before=pressing("question_mark"))
