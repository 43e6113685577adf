"""The Iterations screen as it is seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from tests.tui import run_answers
from tests.tui.frozen import SIZES, THEMES, app, settled
from textual.pilot import Pilot

from afresh_tui.screens.iterations import IterationsScreen

Picture = Callable[..., bool]


def pressing(*keys: str) -> Any:
    async def press(pilot: Pilot[Any]) -> None:
        for key in keys:
            await pilot.press(key)
            await settled(pilot)
        # They go by themselves after a while, which may have passed or not.
        pilot.app.clear_notifications()

    return press


def over_four() -> Any:
    return run_answers.over(run_answers.REPLAYED, *run_answers.RUNS)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES)
def test_a_run_as_a_timeline(picture: Picture, size: str, theme: str) -> None:
    shown = app(over_four(), first="iterations", theme=theme)
    assert picture(shown, size, before=pressing("down"))


def test_evidence_and_how_each_piece_was_reached(picture: Picture) -> None:
    assert picture(app(over_four(), first="iterations"), "100x32", before=pressing("down", "e"))


def test_a_planner_that_failed(picture: Picture) -> None:
    assert picture(app(over_four(), first="iterations"), "80x24", before=pressing("G"))


@pytest.mark.parametrize("size", SIZES)
def test_two_runs_side_by_side(picture: Picture, size: str) -> None:
    assert picture(app(over_four(), first="iterations"), size, before=pressing("c", "down", "c"))


def test_a_question_is_typed(picture: Picture) -> None:
    keys = ("a", *"who")
    assert picture(app(over_four(), first="iterations"), "80x24", before=pressing(*keys))


def test_a_run_on_its_way(snap_compare: Any) -> None:
    def answer(_arguments: Mapping[str, Any], tell: Any) -> dict[str, Any]:
        for event in run_answers.events(*run_answers.STEPS[:2]):
            tell(event)
        return run_answers.finished(9)

    over = run_answers.over(memory_recall_iterative=answer)

    async def ask(pilot: Pilot[Any]) -> None:
        await settled(pilot)
        # What was found is asked for and never comes, so that the run stays on its way.
        over.hold("runs")
        await pilot.press("a")
        screen = pilot.app.screen
        assert isinstance(screen, IterationsScreen)
        screen.ask_input.value = run_answers.QUESTION
        await pilot.press("enter")
        while len(over.calls("runs")) < 2:
            await pilot.pause()
        await pilot.pause()

    assert snap_compare(app(over, first="iterations"), terminal_size=SIZES["100x32"], run_before=ask)


def test_no_run_yet(picture: Picture) -> None:
    assert picture(app(run_answers.over(runs={"runs": [], "more": False}), first="iterations"), "80x24")


def test_the_keeper_is_gone_and_what_was_read_stays(picture: Picture) -> None:
    over = over_four()

    async def lose(pilot: Pilot[Any]) -> None:
        over.lost = True
        await pilot.press("ctrl+r")
        await settled(pilot)

    assert picture(app(over, first="iterations"), "80x24", before=lose)
