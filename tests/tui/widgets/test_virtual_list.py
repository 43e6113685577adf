"""The list that renders what is seen."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from textual import on
from textual.app import App, ComposeResult
from textual.content import Content
from textual.pilot import Pilot

from afresh_tui.widgets.virtual_list import VirtualList


class Listed(App[None]):
    """A list of numbered rows, and what it said."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, row_height: int = 1) -> None:
        super().__init__()
        self.rendered: list[int] = []
        self.said: list[tuple[str, int | None]] = []
        self.row_height = row_height

    def compose(self) -> ComposeResult:
        yield VirtualList(self.row, row_height=self.row_height)

    def row(self, index: int, width: int) -> Sequence[Content]:
        self.rendered.append(index)
        return [Content(f"row {index}"), Content("x" * (width + 50))]

    @property
    def listed(self) -> VirtualList:
        return self.query_one(VirtualList)

    @on(VirtualList.Moved)
    def moved(self, event: VirtualList.Moved) -> None:
        self.said.append(("moved", event.index))

    @on(VirtualList.Chosen)
    def chosen(self, event: VirtualList.Chosen) -> None:
        self.said.append(("chosen", event.index))


def text(app: Listed) -> list[str]:
    return [strip.text.rstrip() for strip in app.screen._compositor.render_strips(app.size)]


async def _filled(app: Listed, pilot: Pilot[None], count: int) -> None:
    app.listed.set_count(count)
    app.listed.focus()
    await pilot.pause()


def test_of_a_hundred_thousand_rows_only_those_that_are_seen_are_rendered() -> None:
    async def look() -> None:
        app = Listed()
        async with app.run_test(size=(30, 10)) as pilot:
            await _filled(app, pilot, 100_000)
            await pilot.press("end")
            await pilot.pause()
            assert app.listed.cursor == 99_999
            assert text(app)[-1] == "▌ row 99999"
            assert list(app.listed.seen()) == list(range(99_990, 100_000))
            assert len(set(app.rendered)) <= 22

    asyncio.run(look())


def test_the_cursor_moves_by_rows_pages_and_to_the_ends_and_never_leaves_the_list() -> None:
    async def move() -> None:
        app = Listed(row_height=2)
        async with app.run_test(size=(30, 10)) as pilot:
            await _filled(app, pilot, 12)
            seen = []
            for key in ("down", "j", "pagedown", "k", "up", "pageup", "up", "G", "down", "g"):
                await pilot.press(key)
                seen.append(app.listed.cursor)
            assert seen == [1, 2, 6, 5, 4, 0, 0, 11, 11, 0]

    asyncio.run(move())


def test_the_cursor_is_a_bar_and_not_a_colour_alone_and_rows_are_cut_with_an_ellipsis() -> None:
    async def look() -> None:
        app = Listed(row_height=2)
        async with app.run_test(size=(30, 6)) as pilot:
            await _filled(app, pilot, 2)
            shown = text(app)
            assert shown[0] == "▌ row 0" and shown[2] == "  row 1"
            assert shown[1].endswith("x…") and len(shown[1]) <= 30

    asyncio.run(look())


def test_enter_and_a_double_click_choose_and_a_click_moves() -> None:
    async def choose() -> None:
        app = Listed()
        async with app.run_test(size=(30, 10)) as pilot:
            await _filled(app, pilot, 5)
            await pilot.press("down", "enter")
            await pilot.click(VirtualList, offset=(3, 3))
            await pilot.double_click(VirtualList, offset=(3, 4))
            await pilot.click(VirtualList, offset=(3, 9))
            assert [said for said in app.said if said[0] == "chosen"] == [("chosen", 1), ("chosen", 4)]
            assert app.listed.cursor == 4

    asyncio.run(choose())


def test_new_rows_tell_of_the_row_under_the_cursor_also_where_it_stays_the_same() -> None:
    async def renew() -> None:
        app = Listed()
        async with app.run_test(size=(30, 10)) as pilot:
            await _filled(app, pilot, 5)
            app.said.clear()
            app.listed.set_count(3, cursor=0)
            await pilot.pause()
            assert app.said == [("moved", 0)]
            app.listed.set_count(3, cursor=9)
            await pilot.pause()
            assert app.listed.cursor == 2
            app.listed.set_count(0)
            await pilot.pause()
            assert app.listed.cursor is None and app.said[-1] == ("moved", None)
            await pilot.press("enter", "down")
            assert app.listed.cursor is None

    asyncio.run(renew())


def test_a_storm_of_resizes_leaves_the_cursor_in_sight() -> None:
    async def storm() -> None:
        app = Listed(row_height=2)
        async with app.run_test(size=(80, 24)) as pilot:
            await _filled(app, pilot, 1000)
            app.listed.cursor = 500
            for width, height in ((20, 5), (200, 60), (1, 1), (40, 10), (80, 24)) * 4:
                await pilot.resize_terminal(width, height)
            await pilot.pause()
            assert 500 in app.listed.seen()
            assert any("▌ row 500" in line for line in text(app))

    asyncio.run(storm())
