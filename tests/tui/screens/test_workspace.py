"""The Workspace screen: figures, changes as they happen, clients, what is left out, dead claims."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from tests.tui.conftest import Picture
from tests.tui.frozen import THEMES, app, engine, settled, status
from tests.tui.workspace_answers import ANSWERS, activity, change
from textual.content import Content
from textual.pilot import Pilot
from textual.widgets import Static

from afresh.errors import KeeperLostError, UnknownProjectError
from afresh_tui.app import AfreshApp
from afresh_tui.screens.workspace import WorkspaceScreen
from afresh_tui.scripted import ScriptedEngine
from afresh_tui.widgets.chips import Chips
from afresh_tui.widgets.virtual_list import VirtualList


def known(**answers: Any) -> ScriptedEngine:
    return engine({**ANSWERS, **answers})


def workspace(over: ScriptedEngine | None = None, **changes: Any) -> AfreshApp:
    return app(over or known(), first="workspace", **changes)


@contextlib.asynccontextmanager
async def running(
    over: ScriptedEngine, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Pilot[Any], WorkspaceScreen]]:
    made = workspace(over)
    async with made.run_test(size=size) as pilot:
        await settled(pilot)
        screen = made.screen
        assert isinstance(screen, WorkspaceScreen)
        yield pilot, screen


def text(screen: WorkspaceScreen, id_: str) -> str:
    content = screen.query_one(id_, Static).content
    assert isinstance(content, Content)
    return content.plain


def test_a_change_is_on_the_screen_as_it_happens_and_the_last_hundred_stay() -> None:
    async def happen() -> None:
        async with running(known()) as (pilot, screen):
            for number in range(120):
                screen.house.tell_workspace({"kind": "change", **change(0, f"new{number}.py"), "message": ""})
            await settled(pilot)
            assert len(screen.changes) == 100
            assert screen.changes[0].paths == ["new119.py"]
            assert screen.query_one(VirtualList).count == 100
            assert screen.query_one(Chips).chips[0].value == "100"

    asyncio.run(happen())


def test_an_index_that_runs_is_told_and_ends() -> None:
    async def index() -> None:
        async with running(known()) as (pilot, screen):
            chips = screen.query_one(Chips)
            screen.house.tell_workspace({"kind": "progress", "phase": "outline", "done": 1200, "total": 5000})
            await pilot.pause()
            assert chips.status == "outline 1,200 of 5,000"
            screen.house.tell_workspace({"kind": "indexed", "result": {}})
            await pilot.pause()
            screen.reload()
            await settled(pilot)
            assert chips.status == ""

    asyncio.run(index())


def test_each_list_is_a_key_away_and_what_costs_is_asked_for_only_then() -> None:
    async def look() -> None:
        over = known()
        async with running(over) as (pilot, screen):
            assert over.calls("claims") == over.calls("excluded") == []
            for key, view, rows in (("l", "clients", 5), ("x", "left out", 9), ("d", "dead claims", 3)):
                await pilot.press(key)
                await settled(pilot)
                assert (screen.view, screen.query_one(VirtualList).count) == (view, rows)
            await pilot.press("h")
            assert screen.view == "changes"
            assert len(over.calls("claims")) == len(over.calls("excluded")) == 1

    asyncio.run(look())


def test_the_index_is_brought_up_to_date_on_demand() -> None:
    def index(arguments: Mapping[str, Any], emit: Any) -> dict[str, Any]:
        emit({"kind": "progress", "phase": "scan", "done": 1, "total": None})
        counts = dict.fromkeys(
            ("bytes", "added", "removed", "read", "symbols", "notes", "ignored", "outline_errors"), 0
        )
        return {
            **counts,
            **{"project": "shop", "root": arguments["path"], "files": 412, "changed": 2, "generation": 1},
            **{"languages": {}, "excluded": {}, "excluded_examples": [], "ignore_source": "git"},
            **{"hashed_s": 0.1, "outlined_s": 0.2, "elapsed_s": 0.3},
        }

    async def press() -> None:
        over = known(index=index)
        async with running(over) as (pilot, screen):
            asked = len(over.calls("workspace_status"))
            await pilot.press("i")
            await settled(pilot)
            assert over.calls("index") == [{"path": "/home/ada/shop"}]
            assert len(over.calls("workspace_status")) == asked + 1
            assert screen.query_one(Chips).status == ""

    asyncio.run(press())


def test_figures_of_a_workspace_without_model_and_watch_say_so() -> None:
    async def look() -> None:
        told = status(
            model={"id": None, "source": "none", "vectors_pending": 0},
            watch={"mode": "off", "lag_ms": None, "last_change": None, "reason": "no client works here"},
            llm={"provider": "ollama", "model": "qwen3:8b", "reachable": False},
        )
        async with running(known(workspace_status=told), (120, 36)) as (_pilot, screen):
            facts = text(screen, "#facts")
            assert "▲ none: words alone" in facts
            assert "○ off: no client works here" in facts
            assert "▲ ollama qwen3:8b: no answer" in facts

    asyncio.run(look())


def test_after_a_loss_everything_is_read_again() -> None:
    async def heal() -> None:
        over = known()
        async with running(over) as (pilot, screen):
            over.lost = True
            screen.reload()
            await settled(pilot)
            assert screen.house.trouble
            over.lost = False
            over.answers["activity"] = activity([change(0, "after.py")])
            screen.house.heal()
            await settled(pilot)
            assert [item.paths for item in screen.changes] == [["after.py"]]
            assert screen.house.trouble == ""

    asyncio.run(heal())


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", ["80x24", "100x32", "120x36"])
def test_figures_and_changes(picture: Picture, size: str, theme: str) -> None:
    assert picture(workspace(theme=theme), size)


@pytest.mark.parametrize("key", ["l", "x", "d"])
def test_clients_left_out_and_dead_claims(picture: Picture, key: str) -> None:
    async def press(pilot: Pilot[Any]) -> None:
        await pilot.press(key)

    assert picture(workspace(), before=press)


def test_a_workspace_in_which_nothing_happened_yet(picture: Picture) -> None:
    assert picture(workspace(known(activity=activity([]))))


def test_a_folder_that_is_no_project_yet(picture: Picture) -> None:
    told = status(project=None, root=None, readiness_state="empty", languages={}, symbols=0)
    assert picture(workspace(known(workspace_status=told, activity=activity([]))))


def test_what_is_known_cannot_be_read(picture: Picture) -> None:
    error = UnknownProjectError("the database is being moved")
    assert picture(workspace(known(workspace_status=error, activity=error, clients=error)))


def test_the_keeper_is_gone_while_figures_are_shown(picture: Picture) -> None:
    over = known()

    async def lose(pilot: Pilot[Any]) -> None:
        lost = KeeperLostError("it went away")
        over.answers.update(dict.fromkeys(("workspace_status", "activity", "keeper_status"), lost))
        await pilot.press("r")

    assert picture(workspace(over), before=lose)
