"""The Requests screen: calls as they arrive, one read whole, repeated, copied; filters."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

import pytest
from tests.tui.conftest import Picture
from tests.tui.frozen import THEMES, app, engine, settled, status
from tests.tui.requests_answers import ANSWERS, began, ended, listed, whole
from textual.pilot import Pilot

from afresh.contracts import StatusResult
from afresh.errors import KeeperLostError, UnknownProjectError
from afresh.verbs import TOOLS
from afresh_tui.app import AfreshApp
from afresh_tui.request_rows import tool_word
from afresh_tui.screens.ask import ChooseScreen
from afresh_tui.screens.requests import RequestsScreen
from afresh_tui.scripted import ScriptedEngine
from afresh_tui.widgets.chips import Chips
from afresh_tui.widgets.text_view import TextView


def asked(**answers: Any) -> ScriptedEngine:
    return engine({**ANSWERS, **answers})


def requests(over: ScriptedEngine | None = None, **changes: Any) -> AfreshApp:
    return app(over or asked(), first="requests", **changes)


@contextlib.asynccontextmanager
async def running(
    over: ScriptedEngine, size: tuple[int, int] = (80, 24), **changes: Any
) -> AsyncIterator[tuple[Pilot[Any], RequestsScreen]]:
    made = requests(over, **changes)
    async with made.run_test(size=size) as pilot:
        await settled(pilot)
        screen = made.screen
        assert isinstance(screen, RequestsScreen)
        yield pilot, screen


def shown(screen: RequestsScreen) -> str:
    return screen.query_one("#page", TextView).plain


def ids(screen: RequestsScreen) -> list[int]:
    return [call.id for call in screen.calls]


def test_what_arrives_stands_on_top_and_is_read_at_once() -> None:
    async def arrive() -> None:
        over = asked(request=lambda arguments, _emit: whole({"id": 8}, id=arguments["id"]))
        async with running(over) as (pilot, screen):
            screen.tell_request(began(5))
            await settled(pilot)
            assert "Not answered yet" in shown(screen)
            assert screen.query_one(Chips).status == "1 running · 8 calls"
            screen.tell_request(ended(5))
            await settled(pilot)
            assert ids(screen)[:2] == [905, 8] and screen.running == []
            assert "#905" in shown(screen)
            assert screen.query_one(Chips).status == "9 calls"

    asyncio.run(arrive())


def test_who_reads_an_older_one_keeps_it_while_others_arrive() -> None:
    async def arrive() -> None:
        async with running(asked()) as (pilot, screen):
            await pilot.press("down", "down")
            await settled(pilot)
            reading = screen.current
            for number in range(3):
                screen.tell_request(began(number))
                screen.tell_request(ended(number))
            screen.tell_request(ended(2))
            await settled(pilot)
            assert screen.current == reading and reading is not None
            assert ids(screen)[:4] == [902, 901, 900, 8]

    asyncio.run(arrive())


def test_the_log_is_followed_with_its_filters_while_things_move() -> None:
    def follow(arguments: Mapping[str, Any], emit: Any) -> dict[str, int]:
        emit(began(1))
        emit(ended(1))
        return {"told": 1}

    async def arrive() -> None:
        over = asked(follow_requests=follow)
        made = requests(over, live=True)
        async with made.run_test(size=(80, 24)) as pilot:
            await settled(pilot)
            screen = made.screen
            assert isinstance(screen, RequestsScreen)
            assert over.calls("follow_requests") == [{}]
            assert 901 in ids(screen)

    asyncio.run(arrive())


def test_older_pages_are_read_when_their_rows_are_seen() -> None:
    async def page() -> None:
        over = asked(requests=listed(count=250))
        async with running(over) as (pilot, screen):
            assert len(screen.calls) == 100
            for count in (200, 250):
                await pilot.press("end")
                await settled(pilot)
                assert len(screen.calls) == count
            assert ids(screen) == list(range(250, 0, -1))
            assert [call.get("before") for call in over.calls("requests")] == [None, 151, 51]

    asyncio.run(page())


def test_a_read_request_is_repeated_and_compared() -> None:
    async def repeat() -> None:
        over = asked(workspace_status=[status(), status(), UnknownProjectError("it is gone")])
        known = StatusResult.model_validate(status()).model_dump(mode="json")
        over.answers["request"] = lambda arguments, _emit: whole(
            arguments, tool="workspace_status", arguments={}, result=known
        )
        async with running(over) as (pilot, screen):
            await pilot.press("r")
            await settled(pilot)
            assert "Repeated: the same result" in shown(screen)
            await pilot.press("r")
            await settled(pilot)
            assert "Repeated: failed" in shown(screen) and "it is gone" in shown(screen)
            assert over.calls("workspace_status") == [{}, {}, {}]

    asyncio.run(repeat())


def test_what_changes_the_store_is_repeated_only_after_a_yes() -> None:
    async def repeat() -> None:
        over = asked(memory_delete={"id": 1, "project": "shop", "deleted": True, "deleted_at": None})
        over.answers["request"] = lambda a, e: whole(a, tool="memory_delete", arguments={"id": 1})
        async with running(over) as (pilot, screen):
            for answer, times in (("enter", 0), ("escape", 0), ("down", 1)):
                await pilot.press("r")
                await settled(pilot)
                assert isinstance(pilot.app.screen, ChooseScreen)
                await pilot.press(answer, *(["enter"] if answer == "down" else []))
                await settled(pilot)
                assert len(over.calls("memory_delete")) == times
            assert "Repeated: another result" in shown(screen)

    asyncio.run(repeat())


@pytest.mark.parametrize("change", [{"arguments": '{"con', "arguments_cut": True}, {"redacted": 1}])
def test_what_was_not_kept_whole_is_not_repeated(change: dict[str, Any]) -> None:
    async def repeat() -> None:
        over = asked(request=lambda arguments, _emit: whole(arguments, **change))
        async with running(over) as (pilot, _screen):
            await pilot.press("r")
            await settled(pilot)
            assert over.calls("recall") == []

    asyncio.run(repeat())


def test_a_request_is_copied_whole_as_json() -> None:
    async def copy() -> None:
        async with running(asked()) as (pilot, screen):
            await pilot.press("c")
            assert '"why are invoices totalled in cents"' in pilot.app.clipboard
            assert screen.request is not None and f'"id": {screen.request.id}' in pilot.app.clipboard

    asyncio.run(copy())


def test_filters_ask_for_less_and_are_taken_away() -> None:
    async def choose() -> None:
        over = asked()
        async with running(over) as (pilot, screen):
            await pilot.press("f")
            await settled(pilot)
            assert [call.client for call in screen.calls] == ["Zed"]
            await pilot.press("a", "down", "enter")
            await settled(pilot)
            assert over.calls("requests")[-1] == {"client": "Zed", "failed": True, "limit": 100}
            await pilot.press("backspace")
            await settled(pilot)
            assert len(screen.calls) == 8
            await pilot.press("t", "down", "enter")
            await settled(pilot)
            assert over.calls("requests")[-1] == {"tool": TOOLS[0].name, "limit": 100}

    asyncio.run(choose())


def test_the_keepers_loss_is_told_and_what_is_shown_stays() -> None:
    async def lose() -> None:
        over = asked()
        async with running(over) as (pilot, screen):
            over.lost = True
            await pilot.press("down")
            await settled(pilot)
            assert "keeper" in screen.house.trouble.lower()
            assert len(screen.calls) == 8

    asyncio.run(lose())


def test_every_tools_word_fits_its_column() -> None:
    assert all(len(tool_word(verb.name)) <= 14 for verb in TOOLS)
    assert len({tool_word(verb.name) for verb in TOOLS}) == len(TOOLS)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", ["80x24", "100x32", "120x36"])
def test_calls_and_one_of_them(picture: Picture, size: str, theme: str) -> None:
    assert picture(requests(asked(requests=listed(running=1)), theme=theme), size)


def test_one_is_read_at_full_size(picture: Picture) -> None:
    async def read(pilot: Pilot[Any]) -> None:
        await pilot.press("down", "down", "enter")

    assert picture(requests(), before=read)


def test_nothing_was_asked_yet(picture: Picture) -> None:
    assert picture(requests(asked(requests=listed(count=0))))


def test_calls_are_not_kept(picture: Picture) -> None:
    assert picture(requests(asked(requests=listed(count=0, kept=False))))


def test_the_log_cannot_be_read(picture: Picture) -> None:
    assert picture(requests(asked(requests=UnknownProjectError("the database is being moved"))))


def test_the_keeper_is_gone_while_calls_are_shown(picture: Picture) -> None:
    over = asked()

    async def lose(pilot: Pilot[Any]) -> None:
        over.answers["request"] = KeeperLostError("it went away")
        over.answers["keeper_status"] = KeeperLostError("no keeper")
        await pilot.press("down")

    assert picture(requests(over), before=lose)
