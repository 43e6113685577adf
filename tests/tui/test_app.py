"""What all screens share: changing between them, help, palette, keys, the keeper's loss, small terminals."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.tui.frozen import NOW, app, engine, settled, status
from tests.tui.memories import browse, got
from textual.command import CommandPalette
from textual.message import Message
from textual.pilot import Pilot

from afresh.errors import KeeperUnavailableError, UsageError
from afresh.settings import load
from afresh_tui.app import AfreshApp, keys_known
from afresh_tui.messages import KeeperBack, KeeperLost
from afresh_tui.screens import SCREENS
from afresh_tui.screens.help import HelpScreen
from afresh_tui.start import conditions_of, keys_of
from afresh_tui.widgets.bars import Banner, KeyBar, TabBar


def answers() -> dict[str, Any]:
    return {"browse": browse(6), "memory_get": got}


@contextlib.asynccontextmanager
async def running(
    made: AfreshApp, size: tuple[int, int] = (80, 24), heard: list[Message] | None = None
) -> AsyncIterator[Pilot[Any]]:
    hook = None if heard is None else heard.append
    async with made.run_test(size=size, message_hook=hook) as pilot:
        await settled(pilot)
        yield pilot


def test_digits_and_a_click_on_a_tab_change_the_screen_and_a_digit_in_the_box_is_text() -> None:
    async def change() -> None:
        made = app(engine(answers()))
        async with running(made) as pilot:
            await pilot.press("3")
            assert made.current_mode == "recall"
            await pilot.press("alt+3")
            assert made.current_mode == "stale"
            await settled(pilot)
            for place in SCREENS:
                await pilot.press(place.digit)
                assert made.current_mode == place.name
                await settled(pilot)
                made.screen.set_focus(None)
            await pilot.click(TabBar, offset=(3, 0))
            assert made.current_mode == "recall"

    asyncio.run(change())


def test_help_tells_the_screens_purpose_and_every_one_of_its_keys() -> None:
    async def ask() -> None:
        made = app(engine(answers()))
        async with running(made, (100, 50)) as pilot:
            await pilot.press("f1")
            await settled(pilot)
            assert isinstance(made.screen, HelpScreen)
            told = "\n".join(str(text.render()) for text in made.screen.query("Static"))
            place = SCREENS[0].kind_of_screen()
            assert place.ABOUT[:40] in told
            assert all(act.about in told for act in place.ACTS if act.key)
            await pilot.press("escape")
            assert made.screen.id is None and made.current_mode == "recall"

    asyncio.run(ask())


def test_the_palette_lists_the_acts_of_the_screen_then_the_apps_then_the_themes_and_does_them() -> None:
    async def choose() -> None:
        made = app(engine(answers()))
        async with running(made) as pilot:
            await pilot.press("ctrl+p")
            await settled(pilot)
            assert isinstance(made.screen, CommandPalette)
            await pilot.press(*"light or dark")
            await settled(pilot)
            await pilot.press("enter")
            await settled(pilot)
            assert made.theme == "afresh-light"

    asyncio.run(choose())


def test_the_palette_leaves_out_what_makes_no_sense_now() -> None:
    async def look() -> None:
        from afresh_tui.palette import Commands

        made = app(engine({"browse": browse(0)}))
        async with running(made):
            titles = [str(hit.prompt) async for hit in Commands(made.screen).discover()]
            assert "New" in titles and "Edit" not in titles and "Undo" not in titles
            assert titles.index("New") < titles.index("Help") < titles.index("Theme: afresh-dark")

    asyncio.run(look())


def test_a_key_that_the_configuration_gives_does_its_act_and_stands_in_the_key_bar() -> None:
    async def press() -> None:
        made = app(engine(answers()), keys={"app.go_stale": "f7", "recall.new": "f8"})
        async with running(made) as pilot:
            bar = made.screen.query_one(KeyBar)
            assert ("f8", "New", "new") in bar.keys
            await pilot.press("f7")
            assert made.current_mode == "stale"

    asyncio.run(press())


def test_ids_of_keys_are_known_for_every_act_and_a_wrong_one_is_named_with_its_neighbours() -> None:
    assert {"app.quit", "recall.copy", "recall.filter_time"} <= keys_known().keys()
    assert keys_of("recall.copy=c app.quit=ctrl+x") == {"recall.copy": "c", "app.quit": "ctrl+x"}
    with pytest.raises(UsageError, match=r"recall\.coppy.*recall\.copy"):
        keys_of("recall.coppy=c")


def test_settings_become_conditions(tmp_path: Any) -> None:
    file = tmp_path / "config.toml"
    file.write_text(
        'tui_theme = "nord"\ntui_blink = false\neditor = "hx"\ntimezone = "Asia/Tokyo"\n'
        '[tui_keys]\n"recall.copy" = "y"\n',
        encoding="utf-8",
    )
    given = load({"AFRESH_CONFIG": str(file), "AFRESH_HOME": str(tmp_path), "AFRESH_TUI_LIVE": "off"})
    made = conditions_of(given, lambda: NOW)
    assert (made.theme, made.blink, made.live, made.animate) == ("nord", False, False, True)
    assert (made.editor, made.zone_name, dict(made.keys)) == ("hx", "Asia/Tokyo", {"recall.copy": "y"})
    for name, value in (("TUI_BLINK", "perhaps"), ("TUI_KEYS", "recall.copy"), ("TUI_KEYS", "=c")):
        with pytest.raises(UsageError, match=f"AFRESH_{name}"):
            load({"AFRESH_HOME": str(tmp_path), f"AFRESH_{name}": value})
    assert load({"AFRESH_HOME": str(tmp_path), "EDITOR": "vi", "VISUAL": "nano"}).editor == "nano"


def test_a_lost_keeper_is_a_banner_and_the_next_one_takes_it_away_and_is_told_to_the_screens() -> None:
    async def lose() -> None:
        heard: list[Message] = []
        over = engine(answers())
        made = app(over)
        async with running(made, heard=heard) as pilot:
            over.lost = True
            made._feel_pulse()
            await settled(pilot)
            banner = made.screen.query_one(Banner)
            assert banner.display and "keeper" in str(banner.render())
            assert any(isinstance(message, KeeperLost) for message in heard)
            asked = len(over.calls("browse"))
            over.lost, over.pid = False, 4712
            over.answers["keeper_status"] = {**status()["keeper"], "pid": 4712}
            made.heal()
            await settled(pilot)
            assert not banner.display and made.trouble == ""
            assert [message.pid for message in heard if isinstance(message, KeeperBack)][-1] == 4712
            assert len(over.calls("browse")) > asked

    asyncio.run(lose())


def test_a_keeper_that_was_replaced_before_anybody_looked_is_noticed_by_its_process() -> None:
    async def replace() -> None:
        heard: list[Message] = []
        over = engine(answers())
        made = app(over)
        async with running(made, heard=heard) as pilot:
            made._feel_pulse()
            await settled(pilot)
            assert not any(isinstance(message, KeeperBack) for message in heard)
            over.pid = 4712
            over.answers["keeper_status"] = {**status()["keeper"], "pid": 4712}
            made._feel_pulse()
            await settled(pilot)
            assert any(isinstance(message, KeeperBack) for message in heard)
            heard.clear()
            made._feel_pulse()
            await settled(pilot)
            assert made.trouble == "" and not any(isinstance(message, KeeperBack) for message in heard)

    asyncio.run(replace())


def test_without_any_keeper_the_screens_stand_and_say_so_and_work_once_one_answers() -> None:
    async def begin() -> None:
        gone = KeeperUnavailableError("the keeper ended with code 3: \x1b[31mno space")
        over = engine({**answers(), "workspace_status": gone, "browse": gone, "keeper_status": gone})
        made = app(over)
        async with running(made) as pilot:
            assert "no space" in made.trouble and "\x1b" not in made.trouble
            over.answers |= {**answers(), "workspace_status": status(), "keeper_status": status()["keeper"]}
            made.heal()
            await settled(pilot)
            assert made.trouble == "" and made.where == "shop"

    asyncio.run(begin())


@pytest.mark.parametrize("size", [(20, 5), (39, 24), (80, 9), (1, 1)])
def test_a_terminal_that_is_too_small_gets_a_message_and_one_that_grows_gets_the_screen(
    size: tuple[int, int],
) -> None:
    async def shrink() -> None:
        made = app(engine(answers()))
        async with running(made, size) as pilot:
            assert made.screen.query_one("TooSmall").display
            assert not made.screen.query_one(".body").display
            await pilot.resize_terminal(80, 24)
            await settled(pilot)
            assert not made.screen.query_one("TooSmall").display
            assert made.screen.query_one(".body").display

    asyncio.run(shrink())


def test_a_storm_of_resizes_on_every_screen_breaks_nothing() -> None:
    async def storm() -> None:
        made = app(engine(answers()))
        async with running(made) as pilot:
            for place in SCREENS:
                made.switch_mode(place.name)
                await settled(pilot)
                for width, height in ((20, 5), (200, 60), (40, 10), (100, 32), (80, 24)):
                    await pilot.resize_terminal(width, height)
            await settled(pilot)

    asyncio.run(storm())


def test_without_colours_nothing_on_the_screen_is_told_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def look() -> None:
        made = app(engine(answers()))
        async with running(made):
            strips = made.screen._compositor.render_strips(made.size)
            colours = {
                segment.style.color.get_truecolor()
                for strip in strips
                for segment in strip
                if segment.style and segment.style.color
            }
            assert colours and all(max(colour) - min(colour) <= 1 for colour in colours)
            assert any("● " in strip.text for strip in strips)
            assert any("fresh" in strip.text for strip in strips)

    asyncio.run(look())


def test_an_unforeseen_failure_ends_the_app_and_is_found_in_it() -> None:
    async def fail() -> None:
        made = app(engine(answers()))
        with pytest.raises(ZeroDivisionError):
            async with running(made) as pilot:
                made.call_later(lambda: 1 // 0)
                await pilot.pause()
        assert isinstance(made.broken_by, ZeroDivisionError)

    asyncio.run(fail())


def test_the_engine_is_closed_when_the_app_ends() -> None:
    async def end() -> None:
        over = engine(answers())
        made = app(over)
        async with running(made) as pilot:
            made.screen.set_focus(None)
            await pilot.press("q")
        assert over.closed and made.return_code == 0

    asyncio.run(end())
