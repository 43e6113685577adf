"""A run told in plain words: where each search came from, how each piece was reached, how it ended."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from rich.cells import cell_len
from tests.tui import run_answers
from tests.tui.frozen import NOW

from afresh.contracts import Ending
from afresh.verbs import RunResult
from afresh_tui.screens.run_compare import comparison, difference
from afresh_tui.screens.run_story import ENDINGS, Story, begun, origin_of, story_of, told
from afresh_tui.screens.run_timeline import evidence_line, reached, timeline


def story(**changes: Any) -> Story:
    return story_of(RunResult.model_validate({**run_answers.run(), **changes}))


def lines(one: Story, width: int = 70) -> list[str]:
    return [line.plain for line in timeline(one, NOW, width)]


def test_every_ending_of_the_contract_has_plain_words() -> None:
    assert set(get_args(Ending)) <= set(ENDINGS)


@pytest.mark.parametrize("ending", get_args(Ending))
def test_an_ending_is_told_in_words_and_by_its_name(ending: str) -> None:
    text = "\n".join(lines(story(terminated_reason=ending)))
    assert f"({ending})" in text
    assert ENDINGS[ending].split(";")[0] in text


def test_each_search_says_where_its_question_came_from() -> None:
    one = story()
    assert [origin_of(one, step) for step in one.steps] == [
        "part 1 of the question",
        "planned after search 1",
        "part 2 of the question",
    ]


def test_a_question_that_was_not_split_is_the_question_itself() -> None:
    one = story_of(RunResult.model_validate(run_answers.BRIDGED))
    assert origin_of(one, one.steps[0]) == "the question itself"
    assert one.planner == "bridge terms"
    assert "│ took    search 11 ms, plan 0.3 ms" in lines(one)


def test_each_piece_of_evidence_says_how_it_was_reached() -> None:
    pieces = {piece.id: reached(piece) for piece in story().evidence}
    assert pieces[12] == "first found by search 1, in place 1; again by searches 2 (place 2), 3 (place 3)"
    assert pieces[20] == "first found by search 2, in place 1; again by search 3 (place 2)"
    assert pieces[15] == "first found by search 3, in place 1"


def test_evidence_that_was_deleted_or_changed_is_told_so() -> None:
    evidence = [
        {"id": 12, "score": 0.9, "content": None, "changed": False},
        {"id": 31, "score": 0.8, "content": "Other words.", "changed": True},
    ]
    text = "\n".join(lines(story(evidence=evidence)))
    assert "#12  0.90\n  deleted since" in text
    assert "#31  0.80  ≠ changed since" in text


def test_the_planner_that_failed_is_told_where_it_failed() -> None:
    shown = lines(story_of(RunResult.model_validate(run_answers.FAILED)))
    assert "✗ 1. Which service talks to the bank?" in shown
    assert any(line.startswith("│ failed  ollama at http://127.0.0.1:11434") for line in shown)


@pytest.mark.parametrize("width", [38, 70, 118])
def test_no_line_is_wider_than_there_is_room(width: int) -> None:
    one = story(query="日本語の質問 " * 20 + "x" * 200)
    assert max(cell_len(line) for line in lines(one, width)) <= width
    other = story_of(RunResult.model_validate(run_answers.REPLAYED))
    compared = [line.plain for line in comparison(one, other, NOW, width)]
    assert max(cell_len(line) for line in compared) <= width


def test_the_evidence_begins_where_it_is_gone_to() -> None:
    one = story()
    assert lines(one)[evidence_line(one, NOW, 70)].startswith("Evidence, best first")


def test_a_run_on_its_way_grows_with_each_event() -> None:
    one = begun("Why row locks?", 4, NOW)
    for event in run_answers.events(*run_answers.STEPS):
        one = told(one, event)
    one = told(one, {"kind": "progress", "done": 1})
    assert [step.number for step in one.steps] == [1, 2, 3]
    assert one.parts == ("Why does the ledger lock rows?", "Who owns the ledger?")
    assert lines(one)[-1] == "◌ on its way …"


def test_controls_in_a_question_and_in_evidence_are_inert() -> None:
    evil = "\x1b[2Jgone\u202e"
    one = story(
        query=evil,
        sub_queries=[evil, evil],
        evidence=[{"id": 1, "score": 0.5, "content": evil, "changed": False}],
    )
    text = "\n".join(lines(one))
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_two_runs_differ_by_what_only_one_of_them_found() -> None:
    differs = difference(story(), story_of(RunResult.model_validate(run_answers.REPLAYED)))
    assert (differs.lost, differs.gained) == ((15,), (51,))
    assert (differs.is_same_order, differs.is_same_index, differs.same_steps) == (True, False, 1)


def test_a_run_compared_with_its_like_is_the_same() -> None:
    shown = [line.plain for line in comparison(story(), story(id=9), NOW, 110)]
    assert shown[0] == "= Runs 8 and 9 are the same; they searched the same memories."
    assert "Search 2  = the same" in shown
