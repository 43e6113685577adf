"""The diff as it is scrolled through: lazily drawn, coloured in between, at home in every width."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.tui import diffs
from tests.tui.frozen import NOW, settled
from textual.app import App, ComposeResult

from afresh_tui import themes
from afresh_tui.widgets.diff_model import FileChange
from afresh_tui.widgets.diff_view import DiffView

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class OneDiff(App[None]):
    """An app that shows nothing but a diff."""

    def __init__(self, changes: Sequence[FileChange]) -> None:
        super().__init__()
        self.changes = changes
        self.moves: list[tuple[int, int]] = []
        for theme in themes.OURS:
            self.register_theme(theme)
        self.theme = "afresh-dark"

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(themes.defaults(self.current_theme.dark))

    def compose(self) -> ComposeResult:
        yield DiffView()

    def on_mount(self) -> None:
        self.diff.show(self.changes, NOW)
        self.diff.focus()

    def on_diff_view_hunk_changed(self, message: DiffView.HunkChanged) -> None:
        self.moves.append((message.number, message.total))

    @property
    def diff(self) -> DiffView:
        return self.query_one(DiffView)

    def lines(self) -> list[str]:
        """What is seen, as text."""
        return [self.diff.render_line(y).text.rstrip() for y in range(self.diff.size.height)]

    def backgrounds(self) -> set[str]:
        """The backgrounds that are seen."""
        styles = [segment.style for y in range(self.diff.size.height) for segment in self.diff.render_line(y)]
        return {str(style.bgcolor) for style in styles if style is not None}


def many(lines: int) -> tuple[FileChange, ...]:
    """A diff in which every one of so many lines was changed."""
    old = "".join(f"value_{number} = compute({number}, 'old')\n" for number in range(lines))
    told = diffs.file_diff(old=old, new=old.replace("'old'", "'new'"))
    return diffs.changed([diffs.detail(spans=[diffs.span(1, lines)])], [told])


async def test_removed_and_added_lines_have_their_numbers_and_signs() -> None:
    shown = OneDiff(diffs.changed(*diffs.EDITED))
    async with shown.run_test(size=(90, 30)) as pilot:
        await settled(pilot)
        lines = shown.lines()
    assert lines[0].startswith(" edited  billing/locks.py")
    assert lines[0].endswith("+4 −4")
    assert "  Lock.acquire edited" in lines
    assert "  9f3c2a7b1d Ada Lovelace, 3 days ago: wait longer, poll less, and say who waits" in lines
    assert "▌ 9    −     def acquire(self, timeout=5.0):" in lines
    assert "▌    9 +     def acquire(self, timeout=30.0):" in lines


async def test_a_narrow_diff_has_one_number_a_line() -> None:
    shown = OneDiff(diffs.changed(*diffs.EDITED))
    async with shown.run_test(size=(60, 30)) as pilot:
        await settled(pilot)
        assert "▌ 9 −     def acquire(self, timeout=5.0):" in shown.lines()


async def test_a_wide_diff_is_split() -> None:
    shown = OneDiff(diffs.changed(*diffs.EDITED))
    async with shown.run_test(size=(110, 30)) as pilot:
        await settled(pilot)
        line = next(line for line in shown.lines() if "timeout=5.0" in line)
        assert "timeout=30.0" in line
        shown.diff.wanted = "unified"
        await settled(pilot)
        assert not any("timeout=5.0" in line and "timeout=30.0" in line for line in shown.lines())


async def test_twenty_thousand_lines_are_drawn_as_they_are_seen_and_no_others() -> None:
    shown = OneDiff(many(10_000))
    async with shown.run_test(size=(90, 30)) as pilot:
        await settled(pilot)
        assert shown.diff.virtual_size.height > 20_000
        assert shown.diff._strips is not None
        drawn = shown.diff._strips._of_row.cache_info
        before = drawn().misses
        await pilot.press("end")
        await settled(pilot)
        assert any("value_9999" in line for line in shown.lines())
        assert drawn().misses - before < 300


async def test_colours_follow_the_lines_in_sight() -> None:
    shown = OneDiff(many(1000))
    async with shown.run_test(size=(90, 30)) as pilot:
        await settled(pilot)
        await pilot.press("end")
        await settled(pilot)
        row = next(
            shown.diff.render_line(y) for y in range(30) if "value_999" in shown.diff.render_line(y).text
        )
        colours = {str(segment.style.color) for segment in row if segment.style is not None}
        assert len(colours) >= 4


async def test_each_hunk_can_be_gone_to_in_turn_and_the_reader_is_told_which() -> None:
    shown = OneDiff(diffs.changed(*diffs.EDITED))
    async with shown.run_test(size=(90, 14)) as pilot:
        shown.diff.cited_only = False
        await settled(pilot)
        assert shown.diff.next_hunk()
        await settled(pilot)
        assert any("target.deposit(amount, source=source)" in line for line in shown.lines())
        assert not shown.diff.next_hunk()
        assert shown.diff.previous_hunk()
        await settled(pilot)
        assert shown.moves[-1] == (1, 2)
        assert (2, 2) in shown.moves


async def test_scrolling_by_hand_makes_another_hunk_the_current_one() -> None:
    shown = OneDiff(diffs.changed(*diffs.EDITED))
    async with shown.run_test(size=(90, 10)) as pilot:
        shown.diff.cited_only = False
        await settled(pilot)
        assert shown.diff.current == (1, 2)
        await pilot.press("end")
        await settled(pilot)
        assert shown.diff.current == (2, 2)
        await pilot.press("home")
        await settled(pilot)
        assert shown.diff.current == (1, 2)


async def test_long_lines_are_folded_or_run_out_of_sight() -> None:
    told = diffs.file_diff(old="short\n", new=f"{'word ' * 60}end\n")
    shown = OneDiff(diffs.changed([diffs.detail()], [told]))
    async with shown.run_test(size=(60, 30)) as pilot:
        await settled(pilot)
        assert any(line.endswith("end") for line in shown.lines())
        assert any("↪" in line for line in shown.lines())
        shown.diff.wrap = False
        await settled(pilot)
        assert not any("↪" in line or line.endswith("end") for line in shown.lines())
        shown.diff.scroll_to(x=shown.diff.max_scroll_x, animate=False, immediate=True)
        await settled(pilot)
        line = next(line for line in shown.lines() if line.endswith("end"))
        assert line.startswith("▌1 + ")


async def test_another_width_keeps_the_current_hunk() -> None:
    shown = OneDiff(diffs.changed(*diffs.EDITED))
    async with shown.run_test(size=(120, 12)) as pilot:
        shown.diff.cited_only = False
        await settled(pilot)
        shown.diff.next_hunk()
        await pilot.resize_terminal(60, 12)
        await settled(pilot)
        assert shown.diff.current == (2, 2)
        assert shown.diff.mode == "unified"
        assert any("target.deposit(amount)" in line for line in shown.lines())


async def test_another_theme_draws_it_in_its_own_colours() -> None:
    shown = OneDiff(diffs.changed(*diffs.EDITED))
    async with shown.run_test(size=(90, 30)) as pilot:
        await settled(pilot)
        dark = shown.backgrounds()
        shown.theme = "afresh-light"
        await settled(pilot)
        assert not dark & shown.backgrounds()


async def test_where_nothing_can_be_compared_the_reason_stands_there() -> None:
    shown = OneDiff(diffs.changed(*diffs.BINARY))
    async with shown.run_test(size=(90, 30)) as pilot:
        await settled(pilot)
        assert "  No lines to show: it is no text" in shown.lines()
        assert "  changed in the work tree, not committed" in shown.lines()
        assert shown.diff.current == (0, 0)
        assert not shown.diff.next_hunk()
        assert shown.diff.place == ("assets/logo.svg", 1)


async def test_a_diff_of_nothing_is_empty() -> None:
    shown = OneDiff(())
    async with shown.run_test(size=(20, 5)) as pilot:
        await settled(pilot)
        assert shown.lines() == [""] * 5
        assert shown.diff.place is None
        assert shown.diff.hunk_text == ""
