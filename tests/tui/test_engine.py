"""The engine's seam: answers in their types, events in the loop, calls taken back with their tasks."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from typing import Any, cast

import pytest
from tests.tui.frozen import status

from afresh import verbs
from afresh.client import Host
from afresh.errors import CancelledCallError, KeeperLostError, NotFoundError
from afresh_tui.engine import HostEngine
from afresh_tui.scripted import ScriptedEngine

BOUND = 20.0


class FakeHost:
    """A host whose calls are answered by a function."""

    def __init__(self, answer: Callable[..., dict[str, Any]]) -> None:
        self.answer = answer
        self.closed = False

    def call(self, verb: str, arguments: Mapping[str, Any], **more: Any) -> dict[str, Any]:
        return self.answer(verb, arguments, **more)

    def close(self) -> None:
        self.closed = True


def over(answer: Callable[..., dict[str, Any]]) -> HostEngine:
    return HostEngine(lambda: cast(Host, FakeHost(answer)))


def test_an_answer_has_the_type_of_its_verb_and_arguments_that_are_none_are_not_sent() -> None:
    sent: list[Mapping[str, Any]] = []

    def answer(_verb: str, arguments: Mapping[str, Any], **_more: Any) -> dict[str, Any]:
        sent.append(arguments)
        return {"projects": []}

    found = asyncio.run(over(answer).ask("projects", {"a": 1, "b": None}))
    assert isinstance(found, verbs.ProjectsResult)
    assert sent == [{"a": 1}]


def test_an_error_of_the_engine_is_raised_where_it_was_asked() -> None:
    def answer(*_: Any, **_more: Any) -> dict[str, Any]:
        raise NotFoundError("nothing there")

    with pytest.raises(NotFoundError, match="nothing there"):
        asyncio.run(over(answer).ask("memo", {"id": 1}))


def test_a_host_that_can_not_be_opened_is_tried_again_with_the_next_question() -> None:
    hosts = iter([None, FakeHost(lambda *_a, **_m: {"projects": []})])

    def open_host() -> Host:
        host = next(hosts)
        if host is None:
            raise KeeperLostError("not yet")
        return cast(Host, host)

    async def twice() -> Any:
        engine = HostEngine(open_host)
        with pytest.raises(KeeperLostError):
            await engine.ask("projects", {})
        return await engine.ask("projects", {})

    assert asyncio.run(twice()).projects == []


def test_events_arrive_in_the_loop_in_their_order_and_before_the_answer() -> None:
    heard: list[tuple[int, int]] = []

    def answer(*_: Any, on_event: Callable[[Any], None], **_more: Any) -> dict[str, Any]:
        for number in range(500):
            on_event({"n": number})
        return status()

    def on_event(event: Mapping[str, Any]) -> None:
        heard.append((event["n"], threading.get_ident()))

    asyncio.run(over(answer).ask("workspace_status", {}, on_event=on_event))
    assert heard == [(number, threading.get_ident()) for number in range(500)]


def test_a_cancelled_task_takes_its_call_back() -> None:
    begun, taken_back = threading.Event(), threading.Event()

    def answer(*_: Any, cancelled: threading.Event, **_more: Any) -> dict[str, Any]:
        begun.set()
        assert cancelled.wait(BOUND)
        taken_back.set()
        raise CancelledCallError("taken back")

    async def cancel() -> None:
        task = asyncio.ensure_future(over(answer).ask("recall", {"query": "x"}))
        assert await asyncio.to_thread(begun.wait, BOUND)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(taken_back.wait, BOUND)

    asyncio.run(cancel())


def test_closing_closes_the_host_also_one_that_opens_after() -> None:
    host = FakeHost(lambda *_a, **_m: {"projects": []})

    async def late() -> None:
        engine = HostEngine(lambda: cast(Host, host))
        engine.close()
        await engine.ask("projects", {})

    asyncio.run(late())
    assert host.closed


def test_the_scripted_engine_answers_in_turn_and_says_what_was_asked() -> None:
    async def ask() -> None:
        engine = ScriptedEngine(
            answers={"projects": [{"projects": []}, NotFoundError("gone")], "run": lambda _a, _e: status()}
        )
        assert (await engine.ask("projects", {"x": 1})).projects == []
        for _ in range(2):
            with pytest.raises(NotFoundError, match="gone"):
                await engine.ask("projects", {})
        with pytest.raises(NotFoundError, match="no answer was scripted for stale"):
            await engine.ask("stale", {})
        assert engine.calls("projects") == [{"x": 1}, {}, {}]
        engine.lost = True
        assert not engine.connected
        with pytest.raises(KeeperLostError):
            await engine.ask("projects", {})

    asyncio.run(ask())


def test_events_are_taken_in_the_context_of_whoever_asked() -> None:
    asker: ContextVar[str] = ContextVar("asker", default="nobody")
    taken: list[str] = []

    def answer(*_: Any, on_event: Callable[[Mapping[str, Any]], None], **_more: Any) -> dict[str, Any]:
        on_event({"kind": "progress"})
        return {"projects": []}

    async def ask() -> None:
        asker.set("a screen")
        await over(answer).ask("projects", {}, on_event=lambda _event: taken.append(asker.get()))

    asyncio.run(ask())
    assert taken == ["a screen"]
