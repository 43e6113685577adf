"""What the Iterations screen does: lists, follows, asks, takes back, replays, compares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.tui import run_answers
from tests.tui.frozen import app, settled
from textual.pilot import Pilot
from textual.widgets import Static

from afresh.errors import AfreshError, LlmModelMissingError
from afresh_tui.messages import KeeperBack
from afresh_tui.screens.iterations import IterationsScreen

pytestmark = pytest.mark.anyio
SIZE = (120, 36)


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def screen_of(pilot: Pilot[Any]) -> IterationsScreen:
    screen = pilot.app.screen
    assert isinstance(screen, IterationsScreen)
    return screen


def said(pilot: Pilot[Any]) -> list[str]:
    return [str(notice.message) for notice in pilot.app._notifications]


def message(screen: IterationsScreen) -> str:
    return str(screen.query_one("#runs-message", Static).content)


async def press(pilot: Pilot[Any], *keys: str) -> IterationsScreen:
    for key in keys:
        await pilot.press(key)
        await settled(pilot)
    return screen_of(pilot)


async def ask(pilot: Pilot[Any], question: str) -> IterationsScreen:
    """Ask a question, and let the run begin."""
    await pilot.press("a")
    screen_of(pilot).ask_input.value = question
    await pilot.press("enter")
    await pilot.pause()
    return screen_of(pilot)


def telling(*steps: Mapping[str, Any], run_id: int = 9) -> Any:
    """What answers an iterative recall after it told its steps."""

    def answer(_arguments: Mapping[str, Any], tell: Any) -> dict[str, Any]:
        for event in run_answers.events(*steps):
            tell(event)
        return run_answers.finished(run_id)

    return answer


async def test_the_newest_run_is_shown_as_a_timeline() -> None:
    async with app(run_answers.over(), first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        assert (screen.state, screen.run_id) == ("full", 8)
        text = screen.view.plain
        assert "1. Why does the ledger lock rows?" in text
        assert "planned after search 1" in text
        assert "+ new   #20" in text
        assert "= known #12" in text
        assert "● enough was found (converged)" in text


async def test_no_runs_and_a_failure_are_told_apart() -> None:
    over = run_answers.over(runs=[AfreshError("the store can't be read"), {"runs": [], "more": False}])
    async with app(over, first="iterations").run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        assert screen.state == "error"
        assert "the store can't be read" in message(screen)
        await press(pilot, "ctrl+r")
        assert screen.state == "empty"
        assert "No recall in several steps was run yet" in message(screen)
        assert screen.can("ask")
        assert not screen.can("replay")


async def test_a_run_of_another_client_arrives_marked_as_new_and_the_place_is_kept() -> None:
    over = run_answers.over()
    async with app(over, first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        screen = await press(pilot, "down")
        assert screen.run_id == 7
        screen._look()
        await settled(pilot)
        assert over.calls("runs")[-1]["after"] == 8
        assert [run.id for run in screen._runs] == [9, 8, 7, 6]
        assert screen.run_id == 7
        assert "new" in screen._row(0, 40)[0].plain
        await press(pilot, "home")
        assert "new" not in screen._row(0, 40)[0].plain


async def test_a_run_that_arrives_leaves_the_reader_of_another_where_he_is() -> None:
    async with app(run_answers.over(), first="iterations").run_test(size=(100, 20)) as pilot:
        await settled(pilot)
        screen = await press(pilot, "e")
        place = screen.view.scroll_offset.y
        assert place > 0
        screen._look()
        await settled(pilot)
        assert screen.listing.count == 4
        assert screen.view.scroll_offset.y == place
        await press(pilot, "c", "down", "c")
        assert screen._pair is not None
        screen.reload()
        await settled(pilot)
        assert screen._pair is not None


async def test_a_question_is_asked_and_its_steps_are_seen_as_they_come() -> None:
    over = run_answers.over(memory_recall_iterative=telling(*run_answers.STEPS[:2]))
    async with app(over, first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        gate = over.hold("runs")
        screen = await ask(pilot, "Why row locks?")
        await pilot.pause()
        assert "◌ on its way" in screen.view.plain
        assert "2. who decided on row locks for the ledger" in screen.view.plain
        assert screen.listing.count == 4
        assert "2 of 4" in screen._row(0, 60)[0].plain
        gate.set()
        await settled(pilot)
        assert screen.run_id == 9
        assert screen.listing.count == 4
        assert "run 9" in screen.view.plain
        assert over.calls("memory_recall_iterative") == [{"query": "Why row locks?", "max_iters": 4}]


async def test_the_number_of_searches_is_chosen_before_asking() -> None:
    over = run_answers.over(memory_recall_iterative=telling())
    async with app(over, first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        await press(pilot, "plus", "plus", "minus")
        await ask(pilot, "Why row locks?")
        await settled(pilot)
        assert over.calls("memory_recall_iterative")[0]["max_iters"] == 5


async def test_a_run_is_taken_back_and_said_not_to_be_stored() -> None:
    over = run_answers.over(memory_recall_iterative=telling())
    async with app(over, first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert not screen_of(pilot).can("cancel")
        over.hold("memory_recall_iterative")
        screen = await ask(pilot, "Why row locks?")
        assert screen.can("cancel")
        await press(pilot, "x")
        assert [asked.verb for asked in over.cancelled] == ["memory_recall_iterative"]
        assert "you took it back, so nothing of it is stored" in screen.view.plain
        assert not screen.can("cancel")
        assert screen.listing.count == 4


async def test_a_model_that_is_not_there_ends_the_run_with_its_reason() -> None:
    missing = LlmModelMissingError("ollama has no model qwen9; `ollama pull qwen9` gets it")
    over = run_answers.over(memory_recall_iterative=missing)
    async with app(over, first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        screen = await ask(pilot, "Why row locks?")
        await settled(pilot)
        assert "it could not be run" in screen.view.plain
        assert missing.message in screen.view.plain


async def test_a_second_question_waits_for_the_first() -> None:
    over = run_answers.over(memory_recall_iterative=telling())
    async with app(over, first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        gate = over.hold("memory_recall_iterative")
        await ask(pilot, "Why row locks?")
        await ask(pilot, "And who?")
        assert len(over.calls("memory_recall_iterative")) == 1
        assert said(pilot) == ["A run is on its way; take that back first, or wait for it."]
        gate.set()
        await settled(pilot)


async def test_two_runs_are_compared_side_by_side() -> None:
    over = run_answers.over(run_answers.REPLAYED, *run_answers.RUNS)
    async with app(over, first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        screen = await press(pilot, "c", "down", "c")
        text = screen.view.plain
        assert "Runs 8 and 9 are not the same; memories changed between them." in text
        assert any("Run 8" in line and "Run 9" in line for line in text.split("\n"))
        assert "− #15  only in run 8" in text
        assert not screen.can("evidence")
        await press(pilot, "escape")
        assert "run 8" in screen.view.plain


async def test_the_mark_for_a_comparison_is_taken_off_by_the_same_key() -> None:
    async with app(run_answers.over(), first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        screen = await press(pilot, "c")
        assert "⇄" in screen._row(0, 40)[0].plain
        await press(pilot, "c")
        assert "⇄" not in screen._row(0, 40)[0].plain
        assert screen._pair is None


async def test_a_replay_is_compared_with_what_it_repeats() -> None:
    replayed = {
        "id": 8,
        "replay_id": 9,
        "same": False,
        "terminated_reason": "converged",
        "terminated_reason_now": "converged",
        "iterations": [],
        "lost_evidence": [15],
        "new_evidence": [51],
        "same_order": True,
        "same_index": False,
        "changed_evidence": [],
    }
    over = run_answers.over(replay=replayed)
    async with app(over, first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        screen = await press(pilot, "r")
        assert over.calls("replay") == [{"id": 8}]
        assert [run.id for run in screen._runs] == [9, 8, 7, 6]
        assert "Runs 8 and 9 are not the same" in screen.view.plain


async def test_the_evidence_is_gone_to_and_back() -> None:
    async with app(run_answers.over(), first="iterations").run_test(size=(100, 20)) as pilot:
        await settled(pilot)
        screen = await press(pilot, "e")
        assert screen.view.render_line(0).text.strip().startswith("Evidence, best first (5)")
        await press(pilot, "e")
        assert screen.view.scroll_offset.y == 0


async def test_older_runs_are_read_when_the_end_of_the_list_comes_near() -> None:
    page = [run_answers.run(id_) for id_ in range(40, 20, -1)]
    older = [run_answers.run(id_) for id_ in range(20, 0, -1)]

    def answer(arguments: Mapping[str, Any], _tell: Any) -> dict[str, Any]:
        if "before" in arguments:
            return run_answers.runs(*older)
        return run_answers.runs(*page, more=True)

    over = run_answers.over(*page, *older, runs=answer)
    async with app(over, first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        assert screen.listing.count == 20
        await press(pilot, "G")
        assert screen.listing.count == 40
        assert screen.run_id == 21
        assert [call["before"] for call in over.calls("runs") if "before" in call] == [21]


async def test_runs_of_all_projects_are_asked_for_by_a_key() -> None:
    over = run_answers.over()
    async with app(over, first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        assert "project" not in over.calls("runs")[0]
        await press(pilot, "w")
        assert over.calls("runs")[-1]["project"] == "%"


async def test_when_a_new_keeper_answers_the_list_is_read_again() -> None:
    over = run_answers.over()
    async with app(over, first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        screen = await press(pilot, "down")
        before = len(over.calls("runs"))
        screen.post_message(KeeperBack(4712))
        await settled(pilot)
        assert len(over.calls("runs")) == before + 1
        assert screen.run_id == 7


async def test_every_act_has_a_key_and_a_method() -> None:
    async with app(run_answers.over(), first="iterations").run_test(size=SIZE) as pilot:
        await settled(pilot)
        screen = screen_of(pilot)
        assert all(hasattr(screen, f"action_{act.name}") for act in screen.ACTS)
        assert len({act.key for act in screen.ACTS}) == len(screen.ACTS)
        await press(pilot, "y")
        assert pilot.app.clipboard.startswith("◆ Why does the ledger lock rows")
