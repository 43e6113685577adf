"""The Recall screen as pictures, and what lies over every screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.tui.conftest import Picture
from tests.tui.frozen import SIZES, THEMES, app, engine, settled
from tests.tui.memories import EXPLAIN, browse, got, memory, recall
from textual.pilot import Pilot

from afresh.errors import InvalidArgumentError

NASTY = (
    "\x1b[31mred\x1b[0m, \u202eturned\u202c, שלום, zero\u200bwidth, 日本語のメモ, \x07bell, tab\there " * 3
)


def recalled(arguments: Mapping[str, Any], _on_event: object) -> Mapping[str, Any]:
    explain = EXPLAIN if arguments.get("explain") else None
    return recall(*[memory(id_) for id_ in range(6)], query=arguments["query"], explain=explain)


def over(**answers: Any) -> Any:
    return engine({"browse": browse(1284), "memory_get": got, "recall": recalled, **answers})


async def search(pilot: Pilot[Any]) -> None:
    await pilot.press(*"invoices locked")
    await settled(pilot)
    await pilot.press("enter", "down")


async def explain(pilot: Pilot[Any]) -> None:
    await search(pilot)
    await pilot.press("x")


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES)
def test_results_with_marks_lit_words_and_a_preview(picture: Picture, size: str, theme: str) -> None:
    assert picture(app(over(), theme=theme), size, before=search)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", ["80x24", "120x36"])
def test_all_memories_the_newest_first(picture: Picture, size: str, theme: str) -> None:
    assert picture(app(over(), theme=theme), size)


@pytest.mark.parametrize("size", ["80x24", "120x36"])
def test_a_score_taken_apart(picture: Picture, size: str) -> None:
    assert picture(app(over()), size, before=explain)


@pytest.mark.parametrize("theme", THEMES)
def test_nothing_relevant_with_the_nearest_apart(picture: Picture, theme: str) -> None:
    async def miss(pilot: Pilot[Any]) -> None:
        await pilot.press(*"kubernetes quota")

    nearest = recall(nearest=[memory(3, score=0.11), memory(4, score=0.08)])
    assert picture(app(over(recall=nearest), theme=theme), before=miss)


def test_nothing_is_remembered_yet(picture: Picture) -> None:
    assert picture(app(over(browse=browse(0))))


def test_a_search_on_its_way(picture: Picture) -> None:
    scripted = over()

    async def hold(pilot: Pilot[Any]) -> None:
        scripted.hold("recall")
        await pilot.press(*"slow")
        await pilot.pause()
        # What is held would be waited for.
        pilot.app.workers._workers.clear()

    assert picture(app(scripted), before=hold)


def test_a_search_that_failed(picture: Picture) -> None:
    async def fail(pilot: Pilot[Any]) -> None:
        await pilot.press(*"yesterday")

    wrong = InvalidArgumentError("owner_timezone: 'Mars/Base' is no timezone; give an IANA name")
    assert picture(app(over(recall=wrong)), before=fail)


def test_filters_that_are_set(picture: Picture) -> None:
    async def narrow(pilot: Pilot[Any]) -> None:
        await search(pilot)
        await pilot.press("w")
        await settled(pilot)
        await pilot.press(*"last week", "enter")

    window = {"since": "2026-02-16T00:00:00Z", "until": "2026-02-23T00:00:00Z", "source": "inferred"}
    answer = recall(memory(1), memory(3), query="invoices locked", window=window)
    assert picture(app(over(recall=answer)), before=narrow)


def test_a_choice_of_types(picture: Picture) -> None:
    async def choose(pilot: Pilot[Any]) -> None:
        await pilot.press("enter", "t")

    assert picture(app(over()), before=choose)


@pytest.mark.parametrize("theme", THEMES)
def test_a_memory_being_changed(picture: Picture, theme: str) -> None:
    async def edit(pilot: Pilot[Any]) -> None:
        await pilot.press("enter", "e")

    assert picture(app(over(), theme=theme), before=edit)


def test_text_that_would_steer_a_terminal(picture: Picture) -> None:
    async def read(pilot: Pilot[Any]) -> None:
        await pilot.press("x")

    assert picture(app(over(recall=recall(memory(0, content=NASTY), memory(4)))), before=read)


def test_one_memory_read_at_full_size(picture: Picture) -> None:
    async def read(pilot: Pilot[Any]) -> None:
        await search(pilot)
        await pilot.press("enter")

    assert picture(app(over()), before=read)


@pytest.mark.parametrize("theme", THEMES)
def test_help_over_the_screen(picture: Picture, theme: str) -> None:
    async def ask(pilot: Pilot[Any]) -> None:
        await pilot.press("f1")

    assert picture(app(over(), theme=theme), before=ask)


def test_the_palette_of_commands(picture: Picture) -> None:
    async def ask(pilot: Pilot[Any]) -> None:
        await pilot.press("enter", "ctrl+p")
        await settled(pilot)
        await pilot.press(*"repl")

    assert picture(app(over()), before=ask)


@pytest.mark.parametrize("theme", THEMES)
def test_the_keeper_is_gone(picture: Picture, theme: str) -> None:
    scripted = over()

    async def lose(pilot: Pilot[Any]) -> None:
        await search(pilot)
        scripted.lost = True
        pilot.app._feel_pulse()  # type: ignore[attr-defined]

    assert picture(app(scripted, theme=theme), before=lose)


def test_a_notice_after_a_deletion(picture: Picture) -> None:
    async def delete(pilot: Pilot[Any]) -> None:
        await pilot.press("enter", "d")

    answer = {"id": 0, "project": "shop", "deleted": True, "deleted_at": None}
    assert picture(app(over(memory_delete=answer)), before=delete)


def test_without_colours(picture: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert picture(app(over()), before=search)


def test_one_of_textuals_own_themes(picture: Picture) -> None:
    assert picture(app(over(), theme="nord"), before=search)
