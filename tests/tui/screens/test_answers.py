"""The Answers screen: a question, its steps, the answer, and each citation in its record."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
from tests.tui.answer_answers import (
    ANSWERS,
    CONTRADICTED,
    FIRST,
    REFUSED,
    SECOND,
    THIRD,
    answer,
    steps,
    verified,
)
from tests.tui.conftest import Picture
from tests.tui.frozen import NOW, THEMES, app, engine, settled, status
from textual.pilot import Pilot
from textual.widgets import Input

from afresh.errors import KeeperLostError, LlmUnavailableError
from afresh_tui.answer_page import record_page
from afresh_tui.app import AfreshApp
from afresh_tui.screens.answers import AnswersScreen
from afresh_tui.scripted import ScriptedEngine
from afresh_tui.widgets.chips import Chips
from afresh_tui.widgets.text_view import TextView
from afresh_tui.widgets.virtual_list import VirtualList


def known(**answers: Any) -> ScriptedEngine:
    return engine({**ANSWERS, **answers})


def answers(over: ScriptedEngine | None = None, **changes: Any) -> AfreshApp:
    return app(over or known(), first="answers", **changes)


async def ask(pilot: Pilot[Any], question: str = "why cents") -> None:
    box = pilot.app.screen.query_one("#query", Input)
    box.value = question
    await pilot.press("enter")


@contextlib.asynccontextmanager
async def running(
    over: ScriptedEngine, size: tuple[int, int] = (80, 24)
) -> AsyncIterator[tuple[Pilot[Any], AnswersScreen]]:
    made = answers(over)
    async with made.run_test(size=size) as pilot:
        await settled(pilot)
        screen = made.screen
        assert isinstance(screen, AnswersScreen)
        yield pilot, screen


def said(screen: AnswersScreen) -> str:
    return screen.query_one("#answer", TextView).plain


def lit(screen: AnswersScreen) -> list[str]:
    return [
        paragraph.plain[span.start : span.end]
        for paragraph in screen.query_one("#record", TextView).paragraphs
        for span in paragraph.spans
        if "$match" in str(span.style)
    ]


def test_a_question_is_asked_of_the_workspaces_project_and_answered_with_its_citations() -> None:
    async def asks() -> None:
        over = known()
        async with running(over) as (pilot, screen):
            await ask(pilot, "  why cents  ")
            await settled(pilot)
            assert over.calls("memory_answer") == [{"query": "why cents", "project": "shop", "type": "all"}]
            assert "Invoices are totalled in integer cents" in said(screen)
            assert "supported by its sources  [1] [2] [3]" in said(screen)
            assert screen.query_one("#citations", VirtualList).count == 3
            assert screen.focused is screen.query_one("#citations")

    asyncio.run(asks())


def test_from_each_citation_one_reads_its_record_with_the_quote_lit() -> None:
    async def jump() -> None:
        async with running(known()) as (pilot, screen):
            await ask(pilot)
            await settled(pilot)
            for quote, key in ((FIRST, "n"), (SECOND, "n"), (THIRD, "N")):
                assert "".join(lit(screen)) == quote
                await pilot.press(key)
                await settled(pilot)
            assert "".join(lit(screen)) == SECOND

    asyncio.run(jump())


def test_a_quote_after_signs_that_are_made_visible_is_lit_where_it_stands() -> None:
    async def jump() -> None:
        async with running(known()) as (pilot, screen):
            await ask(pilot)
            await settled(pilot)
            item = screen.citations[2]
            paragraphs, paragraph, offset = record_page(item, NOW, screen.conditions.zone)
            text = paragraphs[paragraph].plain
            assert "\x1b" not in text and text[offset:].startswith(THIRD)

    asyncio.run(jump())


def test_the_steps_are_seen_while_it_is_on_its_way_and_escape_takes_it_back() -> None:
    async def watch() -> None:
        over = known(memory_answer=[steps, answer()])
        gate = asyncio.Event()

        def told(arguments: Any, emit: Any) -> Any:
            result = steps(arguments, emit)
            gate.set()
            return result

        over.answers["memory_answer"] = told
        async with running(over) as (pilot, screen):
            await ask(pilot)
            await settled(pilot)
            assert gate.is_set() and [step.name for step in screen.steps] == ["search", "contradictions"]
            over.hold("memory_answer")
            await ask_again(pilot, "and who decided it?")
            assert "working…" in said(screen) and "and who decided it?" in said(screen)
            assert screen.query_one(Chips).status == "step 1…"
            await pilot.press("escape")
            await settled(pilot)
            assert "You took the question back." in said(screen)
            assert [call.arguments["query"] for call in over.cancelled] == ["and who decided it?"]
            assert screen.query_one(Chips).status == ""

    async def ask_again(pilot: Pilot[Any], question: str) -> None:
        pilot.app.screen.query_one("#query", Input).focus()
        await ask(pilot, question)
        for _ in range(3):
            await pilot.pause()

    asyncio.run(watch())


def test_an_answer_is_proved_again_quote_by_quote() -> None:
    async def verify() -> None:
        over = known(verify_answer=[verified(), verified("stands", "changed", "deleted")])
        async with running(over) as (pilot, screen):
            await ask(pilot)
            await settled(pilot)
            await pilot.press("v")
            await settled(pilot)
            assert over.calls("verify_answer") == [{"id": 5}]
            assert "● every quote stands" in said(screen)
            await pilot.press("v")
            await settled(pilot)
            assert "✗ 2 quotes gone from its record" in said(screen)
            rows = [screen._row(index, 70)[0].plain for index in range(3)]
            assert [row.split()[2] for row in rows] == ["stands", "changed", "deleted"]

    asyncio.run(verify())


def test_a_refusal_has_no_citation_and_says_what_is_missing() -> None:
    async def refuse() -> None:
        async with running(known(memory_answer=REFUSED)) as (pilot, screen):
            await ask(pilot)
            await settled(pilot)
            assert "○ missing  invoices · are sent by · 2025" in said(screen)
            assert screen.has_class("-bare") and not screen.can("next")

    asyncio.run(refuse())


def test_the_answer_is_copied_with_its_sources() -> None:
    async def copy() -> None:
        async with running(known()) as (pilot, screen):
            await ask(pilot)
            await settled(pilot)
            await pilot.press("c")
            assert pilot.app.clipboard.splitlines()[-1] == f"[3] #31: “{THIRD}”"
            assert screen.answer is not None and pilot.app.clipboard.startswith(screen.answer.answer)

    asyncio.run(copy())


def test_type_and_project_narrow_what_is_asked() -> None:
    async def narrow() -> None:
        projects = {"projects": [{"name": "billing", "roots": [], "memories": 1, "memos": 0}]}
        over = known(projects=projects)
        async with running(over) as (pilot, screen):
            await pilot.press("escape", "t", "down", "down", "enter")
            await settled(pilot)
            await pilot.press("P")
            await settled(pilot)
            await pilot.press("down", "down", "enter")
            await settled(pilot)
            await pilot.press("slash")
            await ask(pilot)
            await settled(pilot)
            wanted = {"query": "why cents", "project": "billing", "type": "decision"}
            assert over.calls("memory_answer") == [wanted]
            assert [chip.value for chip in screen.query_one(Chips).chips] == ["decision", "billing"]

    asyncio.run(narrow())


def test_without_a_project_it_is_said_where_to_choose_one() -> None:
    async def asks() -> None:
        over = known(workspace_status=status(project=None, root=None))
        async with running(over) as (pilot, screen):
            await ask(pilot)
            await settled(pilot)
            assert "P chooses one" in said(screen)
            assert over.calls("memory_answer") == []

    asyncio.run(asks())


async def asked(pilot: Pilot[Any]) -> None:
    await ask(pilot)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", ["80x24", "100x32", "120x36"])
def test_an_answer_and_its_sources(picture: Picture, size: str, theme: str) -> None:
    assert picture(answers(theme=theme), size, before=asked)


def test_nothing_was_asked_yet(picture: Picture) -> None:
    assert picture(answers())


def test_a_contradicted_answer_verified_again(picture: Picture) -> None:
    async def verify(pilot: Pilot[Any]) -> None:
        await ask(pilot)
        await settled(pilot)
        await pilot.press("v")

    over = known(memory_answer=CONTRADICTED, verify_answer=verified("stands", "moved", "changed"))
    assert picture(answers(over), "100x32", before=verify)


def test_a_refusal(picture: Picture) -> None:
    assert picture(answers(known(memory_answer=REFUSED)), before=asked)


def test_the_question_cannot_be_answered(picture: Picture) -> None:
    error = LlmUnavailableError("the server at 127.0.0.1:11434 doesn't answer")
    assert picture(answers(known(memory_answer=error)), before=asked)


def test_the_keeper_is_gone_while_it_is_asked(picture: Picture) -> None:
    lost = KeeperLostError("it went away")
    over = known(memory_answer=lost)

    async def lose(pilot: Pilot[Any]) -> None:
        over.answers["keeper_status"] = lost
        await ask(pilot)

    assert picture(answers(over), before=lose)
