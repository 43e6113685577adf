"""The list of runs: whose, in what order, page by page, and what came since."""

from __future__ import annotations

import pytest
from tests.app.engine.conftest import Desk

from afresh.errors import InvalidArgumentError, UnknownProjectError

FACTS = (
    "The ledger is written by the service Quillfeather.",
    "Quillfeather belongs to the team Saltmarsh.",
    "Saltmarsh meets on Thursdays in the harbour room.",
    "The dashboards are drawn with D3.",
)
QUESTION = "Which team owns the service that writes the ledger?"


@pytest.fixture
def shelf(lexical_desk: Desk) -> Desk:
    for fact in FACTS:
        lexical_desk.ask("memory_save", content=fact)
    return lexical_desk


def iterate(desk: Desk, query: str, **arguments: object) -> int:
    ran = desk.ask("memory_recall_iterative", query=query, llm_model="none", **arguments)
    return int(ran.provenance.run_id)


def test_the_newest_run_comes_first_with_how_it_went(shelf: Desk) -> None:
    first = iterate(shelf, QUESTION)
    second = iterate(shelf, "Who owns Quillfeather?")

    listed = shelf.ask("runs")

    assert [run.id for run in listed.runs] == [second, first]
    whole = shelf.ask("run", id=first)
    run = listed.runs[1]
    assert (run.query, run.planner, run.project) == (QUESTION, "bridge", "shop")
    assert (run.iterations, run.evidence_count) == (len(whole.iterations), len(whole.evidence))
    assert run.evidence_count > 0
    assert (run.terminated_reason, run.started_at) == (whole.terminated_reason, whole.started_at)
    assert not listed.more


def test_pages_follow_each_other_without_a_gap(shelf: Desk) -> None:
    ids = [iterate(shelf, f"Who owns part {number} of the ledger?") for number in range(3)]

    page = shelf.ask("runs", limit=2)
    rest = shelf.ask("runs", limit=2, before=page.runs[-1].id)

    assert [run.id for run in (*page.runs, *rest.runs)] == ids[::-1]
    assert (page.more, rest.more) == (True, False)


def test_what_came_since_a_run_is_asked_for_by_its_id(shelf: Desk) -> None:
    first = iterate(shelf, QUESTION)
    assert shelf.ask("runs", after=first).runs == []
    second = iterate(shelf, "Who owns Quillfeather?")
    assert [run.id for run in shelf.ask("runs", after=first).runs] == [second]


def test_a_run_over_all_projects_is_listed_with_each_and_others_are_not(shelf: Desk) -> None:
    shelf.ask("memory_save", content="Elsewhere.", project="elsewhere")
    theirs = iterate(shelf, "What is elsewhere?", project="elsewhere")
    everywhere = iterate(shelf, QUESTION, project="%")

    assert [run.id for run in shelf.ask("runs", project="elsewhere").runs] == [everywhere, theirs]
    assert [(run.id, run.project) for run in shelf.ask("runs").runs] == [(everywhere, "%")]
    assert {run.id for run in shelf.ask("runs", project="%").runs} == {theirs, everywhere}


def test_a_project_that_does_not_exist_is_named(shelf: Desk) -> None:
    with pytest.raises(UnknownProjectError, match="nowhere"):
        shelf.ask("runs", project="nowhere")


@pytest.mark.parametrize("bad", [{"limit": 0}, {"limit": 201}, {"before": -1}, {"after": 2**63}])
def test_a_bound_that_is_not_kept_is_refused_by_its_name(shelf: Desk, bad: dict[str, int]) -> None:
    with pytest.raises(InvalidArgumentError, match=next(iter(bad))):
        shelf.ask("runs", **bad)
