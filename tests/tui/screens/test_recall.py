"""The Recall screen: what is asked, what is shown, what its acts do."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.tui.frozen import app, engine, settled, status
from tests.tui.memories import EXPLAIN, browse, got, memory, recall, record
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static, TextArea

from afresh.errors import InvalidArgumentError
from afresh_tui.app import AfreshApp
from afresh_tui.screens.ask import ChooseScreen, LineScreen
from afresh_tui.screens.memory_form import MemoryForm
from afresh_tui.screens.recall import RecallScreen
from afresh_tui.scripted import ScriptedEngine
from afresh_tui.widgets.bars import KeyBar
from afresh_tui.widgets.chips import Chips
from afresh_tui.widgets.text_view import TextView
from afresh_tui.widgets.virtual_list import VirtualList


def recalled(arguments: Mapping[str, Any], _on_event: object) -> Mapping[str, Any]:
    explain = EXPLAIN if arguments.get("explain") else None
    return recall(*[memory(id_) for id_ in range(6)], query=arguments["query"], explain=explain)


def over(**answers: Any) -> ScriptedEngine:
    return engine({"browse": browse(1284), "memory_get": got, "recall": recalled, **answers})


@contextlib.asynccontextmanager
async def running(
    scripted: ScriptedEngine, size: tuple[int, int] = (80, 24), **changes: Any
) -> AsyncIterator[tuple[AfreshApp, RecallScreen, Pilot[Any]]]:
    made = app(scripted, **changes)
    async with made.run_test(size=size) as pilot:
        await settled(pilot)
        screen = made.screen
        assert isinstance(screen, RecallScreen)
        yield made, screen, pilot


def rows(screen: RecallScreen) -> str:
    return "\n".join(strip.text for strip in screen._compositor.render_strips(screen.size))


def told(made: AfreshApp) -> list[str]:
    return [notice.message for notice in made._notifications]


async def on_the_list(pilot: Pilot[Any]) -> None:
    await pilot.press("enter")
    await settled(pilot)


def test_with_nothing_typed_all_memories_are_listed_and_only_what_is_seen_is_read() -> None:
    async def look() -> None:
        scripted = over(browse=browse(100_000))
        async with running(scripted) as (_, screen, pilot):
            assert screen.query_one(Chips).status == "100,000 memories"
            assert [asked.get("offset", 0) for asked in scripted.calls("browse")] == [0]
            await on_the_list(pilot)
            await pilot.press("end")
            await settled(pilot)
            assert [asked.get("offset", 0) for asked in scripted.calls("browse")] == [0, 99_900]
            assert "#99999" in rows(screen)
            assert screen.current is not None and screen.current.memory.id == 99_999

    asyncio.run(look())


def test_the_last_keystroke_wins_and_earlier_searches_are_taken_back() -> None:
    async def hurry() -> None:
        scripted = over()
        async with running(scripted) as (_, screen, pilot):
            gate = scripted.hold("recall")
            await pilot.press("l", "o", "c", "k")
            await pilot.pause()
            assert screen.query_one(Chips).status == "searching…"
            gate.set()
            await settled(pilot)
            assert [asked["query"] for asked in scripted.calls("recall")] == ["l", "lo", "loc", "lock"]
            assert [asked.arguments["query"] for asked in scripted.cancelled] == ["l", "lo", "loc"]
            assert screen.results.query == "lock"
            assert screen.query_one(Chips).status == "6 found · hybrid"

    asyncio.run(hurry())


def test_while_typing_has_not_rested_nothing_is_asked() -> None:
    async def rest() -> None:
        scripted = over()
        async with running(scripted, debounce=600.0) as (_, screen, pilot):
            await pilot.press("l", "o")
            await settled(pilot)
            assert scripted.calls("recall") == []
            screen.search_again()
            await settled(pilot)
            assert [asked["query"] for asked in scripted.calls("recall")] == ["lo"]

    asyncio.run(rest())


def test_matched_words_are_lit_in_the_row_and_in_the_preview() -> None:
    async def look() -> None:
        async with running(over()) as (_, screen, pilot):
            await pilot.press(*"invoice")
            await settled(pilot)
            page = screen.query_one(TextView).paragraphs
            text = next(part for part in page if "Invoices are" in part.plain)
            assert [text.plain[span.start : span.end] for span in text.spans] == ["Invoices"]

    asyncio.run(look())


def test_when_nothing_is_relevant_that_is_said_and_the_nearest_stand_apart() -> None:
    async def look() -> None:
        nearest = [memory(3), memory(4)]
        async with running(over(recall=recall(nearest=nearest))) as (_, screen, pilot):
            await pilot.press(*"kubernetes")
            await settled(pilot)
            shown = rows(screen)
            assert "Nothing relevant is remembered. The nearest, which are no answers:" in shown
            assert "~ fact" in shown and "~ solution" in shown
            assert screen.query_one(Chips).status == ""

    asyncio.run(look())


def test_an_error_of_a_search_is_told_in_place_and_the_next_search_takes_it_away() -> None:
    async def look() -> None:
        wrong = InvalidArgumentError("owner_timezone: there is no zone \x1b[1mMars")
        async with running(over(recall=[wrong, recalled])) as (_, screen, pilot):
            await pilot.press("x")
            await settled(pilot)
            assert "there is no zone ␛[1mMars" in rows(screen)
            await pilot.press("y")
            await settled(pilot)
            assert "there is no zone" not in rows(screen)

    asyncio.run(look())


def test_explain_takes_the_score_apart_in_bars() -> None:
    async def look() -> None:
        scripted = over()
        async with running(scripted, (120, 36)) as (_, screen, pilot):
            await pilot.press(*"money")
            await settled(pilot)
            await on_the_list(pilot)
            await pilot.press("x")
            await settled(pilot)
            assert scripted.calls("recall")[-1]["explain"] is True
            page = screen.query_one(TextView).plain
            assert "score 0.940" in page and "meaning ━━━" in page and "+0.410" in page and "-0.020" in page
            assert "filter 0.4 ms · embed 3.1 ms" in page
            await pilot.press("x")
            await settled(pilot)
            assert "explain" not in scripted.calls("recall")[-1]
            assert "━━━" not in screen.query_one(TextView).plain

    asyncio.run(look())


def test_filters_narrow_a_search_and_a_look_at_all_and_are_cleared_together() -> None:
    async def narrow() -> None:
        projects = {"projects": [{"name": "billing", "roots": [], "memories": 3, "memos": 0}]}
        scripted = over(projects=projects)
        async with running(scripted) as (made, screen, pilot):
            await on_the_list(pilot)
            await pilot.press("t")
            await settled(pilot)
            assert isinstance(made.screen, ChooseScreen)
            await pilot.press("down", "down", "enter")
            await settled(pilot)
            await pilot.press("p")
            await settled(pilot)
            assert isinstance(made.screen, LineScreen)
            await pilot.press(*"web_shop", "enter")
            await settled(pilot)
            await pilot.press("w")
            await settled(pilot)
            await pilot.press(*"last week", "enter")
            await settled(pilot)
            await pilot.press("P")
            await settled(pilot)
            made.screen.query_one(OptionList).highlighted = 2
            await pilot.press("enter")
            await settled(pilot)
            assert scripted.calls("browse")[-1] == {
                "project": "billing",
                "memory_type": "decision",
                "path_filter": "web\\_shop%",
                "time_words": "last week",
                "owner_timezone": "UTC",
            }
            assert [chip.value for chip in screen.query_one(Chips).chips] == [
                "decision",
                "web_shop",
                "last week",
                "billing",
            ]
            await pilot.press("slash", *"cart")
            await settled(pilot)
            asked = scripted.calls("recall")[-1]
            assert (asked["query"], asked["path_filter"]) == ("cart last week", "web\\_shop%")
            await on_the_list(pilot)
            await pilot.press("backspace")
            await settled(pilot)
            assert "memory_type" not in scripted.calls("recall")[-1]

    asyncio.run(narrow())


def test_a_click_on_a_chip_asks_for_its_filter() -> None:
    async def click() -> None:
        async with running(over()) as (made, _, pilot):
            await pilot.click(Chips, offset=(15, 0))
            await settled(pilot)
            assert isinstance(made.screen, LineScreen)
            await pilot.press("escape")
            assert isinstance(made.screen, RecallScreen)

    asyncio.run(click())


def test_a_deleted_memory_is_brought_back_by_undo_and_the_last_one_first() -> None:
    async def delete() -> None:
        answer = {"id": 0, "project": "shop", "deleted": True, "deleted_at": None}
        scripted = over(memory_delete=answer)
        async with running(scripted) as (made, screen, pilot):
            await on_the_list(pilot)
            await pilot.press("d")
            await settled(pilot)
            await pilot.press("down", "d")
            await settled(pilot)
            assert "u brings it back" in told(made)[-1]
            assert any(title == "Undo" for _, title, _ in screen.query_one(KeyBar).keys)
            await pilot.press("u")
            await settled(pilot)
            await pilot.press("u")
            await settled(pilot)
            assert scripted.calls("memory_delete") == [
                {"id": 0},
                {"id": 1},
                {"id": 1, "undo": True},
                {"id": 0, "undo": True},
            ]
            assert not screen.can("undo")

    asyncio.run(delete())


def test_a_memory_that_was_read_from_a_file_can_be_opened_and_not_changed() -> None:
    async def look() -> None:
        async with running(over()) as (_, screen, pilot):
            await on_the_list(pilot)
            await pilot.press("down", "down")
            await settled(pilot)
            assert screen.current is not None and screen.current.memory.source.path == "README.md"
            assert screen.can("open_source") and screen.can("copy")
            assert not any(screen.can(name) for name in ("edit", "delete", "replace"))

    asyncio.run(look())


def test_a_new_memory_is_written_and_saved_and_its_near_double_is_told() -> None:
    async def write() -> None:
        saved = {
            "id": 77,
            "project": "shop",
            "type": "fact",
            "created": True,
            "duplicate_of": None,
            "redacted": [{"kind": "aws", "count": 2}],
            "supersedes": None,
            "near": [],
        }
        scripted = over(memory_save=[saved, {**saved, "created": False, "redacted": []}])
        async with running(scripted) as (made, _, pilot):
            for _turn in range(2):
                await pilot.press("ctrl+n")
                await settled(pilot)
                assert isinstance(made.screen, MemoryForm)
                await pilot.press("ctrl+s")
                assert "There is no text to save." in str(made.screen.query_one("#problem", Static).render())
                await pilot.press(*"Tabs, not blanks")
                await pilot.press("ctrl+s")
                await settled(pilot)
            assert scripted.calls("memory_save") == [{"content": "Tabs, not blanks", "type": "fact"}] * 2
            assert told(made) == ["Saved #77. 2 secrets taken out.", "It is there already, as #77."]

    asyncio.run(write())


def test_an_edit_sends_what_changed_alone_and_one_without_a_change_sends_nothing() -> None:
    async def edit() -> None:
        updated = {
            "id": 0,
            "project": "shop",
            "updated_at": "2026-03-01T12:00:00Z",
            "version": 2,
            "redacted": [],
        }
        scripted = over(memory_update=updated)
        async with running(scripted) as (made, _, pilot):
            await on_the_list(pilot)
            for text in ("", "Cents it is."):
                await pilot.press("e")
                await settled(pilot)
                if text:
                    made.screen.query_one(TextArea).text = text
                await pilot.press("ctrl+s")
                await settled(pilot)
            assert scripted.calls("memory_update") == [{"id": 0, "content": "Cents it is."}]
            assert told(made) == ["Changed #0: version 2."]

    asyncio.run(edit())


def test_a_memory_that_replaces_another_names_it() -> None:
    async def replace() -> None:
        saved = {
            "id": 78,
            "project": "shop",
            "type": "decision",
            "created": True,
            "duplicate_of": None,
            "redacted": [],
            "supersedes": 0,
            "near": [],
        }
        scripted = over(memory_save=saved)
        async with running(scripted) as (made, _, pilot):
            await on_the_list(pilot)
            await pilot.press("s")
            await settled(pilot)
            made.screen.query_one(TextArea).text = "Floats after all."
            await pilot.press("ctrl+s")
            await settled(pilot)
            assert scripted.calls("memory_save")[-1]["supersedes"] == 0
            assert told(made) == ["Saved #78. It replaces #0."]

    asyncio.run(replace())


def test_a_changed_text_is_left_by_escape_twice_and_an_unchanged_one_at_once() -> None:
    async def leave() -> None:
        scripted = over()
        async with running(scripted) as (made, _, pilot):
            await pilot.press("ctrl+n", "escape")
            await settled(pilot)
            assert isinstance(made.screen, RecallScreen)
            await pilot.press("ctrl+n", "a", "escape")
            await settled(pilot)
            assert isinstance(made.screen, MemoryForm)
            await pilot.press("escape")
            await settled(pilot)
            assert isinstance(made.screen, RecallScreen)
            assert scripted.calls("memory_save") == []

    asyncio.run(leave())


def test_the_source_is_opened_at_its_line_in_the_editor(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Shop\n", encoding="utf-8")
    (tmp_path / "billing").mkdir()
    (tmp_path / "billing" / "invoice.py").write_bytes(b"\0binary")
    opened: list[list[str]] = []

    def run(command: list[str]) -> int:
        opened.append(command)
        return 0

    async def open_source() -> None:
        scripted = over(workspace_status=status(root=str(tmp_path)))
        async with running(scripted, editor="vim", run_editor=run) as (made, _, pilot):
            await on_the_list(pilot)
            await pilot.press("down", "down", "o")
            await settled(pilot)
            assert opened == [["vim", "+41", str(tmp_path / "README.md")]]
            await pilot.press("home", "o")
            await settled(pilot)
            await pilot.press("down", "o")
            await settled(pilot)
            assert told(made) == [
                "billing/invoice.py is binary now; it is not opened",
                "billing/locks.py is not there any more",
            ]
            assert len(opened) == 1

    asyncio.run(open_source())


def test_without_an_editor_it_is_said_what_to_set(tmp_path: Path) -> None:
    async def open_source() -> None:
        (tmp_path / "README.md").write_text("x", encoding="utf-8")
        scripted = over(workspace_status=status(root=str(tmp_path)))
        async with running(scripted) as (made, _, pilot):
            await on_the_list(pilot)
            await pilot.press("down", "down", "o")
            await settled(pilot)
            assert told(made) == ["no editor is set: set EDITOR, or `editor` in the configuration file"]

    asyncio.run(open_source())


def test_a_text_is_changed_in_the_readers_own_editor_from_the_form() -> None:
    def run(command: list[str]) -> int:
        Path(command[-1]).write_text("Written elsewhere.\n", encoding="utf-8")
        return 0

    async def edit() -> None:
        async with running(over(), editor="vim", run_editor=run) as (made, _, pilot):
            await pilot.press("ctrl+n", "ctrl+e")
            await settled(pilot)
            assert made.screen.query_one(TextArea).text == "Written elsewhere."

    asyncio.run(edit())


def test_copy_takes_the_text_as_it_was_saved() -> None:
    async def copy() -> None:
        nasty = memory(0, content="a\x1b[31mb\u200b")
        async with running(over(recall=recall(nasty))) as (made, _, pilot):
            await pilot.press("x")
            await settled(pilot)
            await pilot.press("ctrl+y")
            assert made.clipboard == "a\x1b[31mb\u200b"
            assert told(made) == ["Copied #0: 8 characters."]

    asyncio.run(copy())


@pytest.mark.parametrize(
    "content",
    [
        "\x1b[2J\x1b[31mred\x1b]0;owned\x07",
        "\u202eright to left\u202c \u2066isolated",
        "שלום עולם مرحبا",
        "zero\u200bwidth\u200djoined\ufeff",
        "a" * 100_000,
        "word " * 20_000,
        "日本語" * 3000,
        "\n" * 500,
        "[bold]markup[/bold] [@click=app.quit]x[/]",
    ],
)
def test_whatever_a_memory_holds_is_shown_inert(content: str) -> None:
    async def look() -> None:
        nasty = memory(0, content=content, path="p\x1b[31m", tags=["t\u202e"], agent_id="a\x07")
        scripted = over(recall=recall(nasty), memory_get={"memories": [record(0)], "missing": []})
        async with running(scripted) as (_, screen, pilot):
            await pilot.press("q")
            await settled(pilot)
            shown = rows(screen)
            assert not set(shown) & set("\x1b\x07\u202e\u202c\u2066\u200b\u200d\ufeff")
            assert all(len(line) <= 80 for line in shown.split("\n"))
            if "markup" in content:
                assert "[bold]markup[/bold]" in shown
            await on_the_list(pilot)
            await pilot.press("enter", "end", "pageup")
            await settled(pilot)
            assert screen.has_class("-reading")
            await pilot.press("escape")
            assert not screen.has_class("-reading")

    asyncio.run(look())


def test_the_arrows_move_in_the_list_while_one_types() -> None:
    async def move() -> None:
        async with running(over()) as (_, screen, pilot):
            await pilot.press("down", "down", "up")
            assert screen.query_one(VirtualList).cursor == 1
            assert isinstance(screen.focused, Input)

    asyncio.run(move())


def test_a_change_in_the_workspace_searches_again_and_the_cursor_stays_on_its_memory() -> None:
    async def change() -> None:
        scripted = over()
        async with running(scripted) as (_, screen, pilot):
            await on_the_list(pilot)
            await pilot.press("down", "down", "down")
            await settled(pilot)
            scripted.answers["browse"] = {
                "total": 5,
                "offset": 0,
                "window": {},
                "memories": [memory(id_) for id_ in (9, 8, 3, 2, 1)],
            }
            screen._compare_first()
            await settled(pilot)
            assert screen.current is not None and screen.current.memory.id == 3
            assert screen.query_one(VirtualList).cursor == 2

    asyncio.run(change())
