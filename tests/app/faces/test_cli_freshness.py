"""The commands for what no longer stands: lists, diffs, gates and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from tests.app.faces.command_line import run
from tests.app.faces.doubles import DIFF, RESULTS, EngineDouble

from afresh import contracts
from afresh.contracts import SpanDetail
from afresh.faces.cli_freshness import IMPACTS
from afresh.verbs import StaleResult

STALE = RESULTS["stale"]
assert isinstance(STALE, StaleResult)


def changed(**item: Any) -> StaleResult:
    assert isinstance(STALE, StaleResult)
    return STALE.model_copy(update={"items": [STALE.items[0].model_copy(update=item)]})


NOTHING = STALE.model_copy(update={"items": [], "fresh": 4})


def test_the_impacts_are_the_contracts() -> None:
    assert get_args(contracts.Impact) == IMPACTS


@pytest.mark.parametrize(("result", "code"), [(STALE, 1), (NOTHING, 0)])
@pytest.mark.parametrize("command", ["stale", "check"])
def test_the_exit_code_says_whether_anything_is_stale(command: str, result: StaleResult, code: int) -> None:
    for extra in ((), ("--json",)):
        outcome = run(command, *extra, engine=EngineDouble({"stale": result}))
        assert outcome.code == code, outcome.err
        assert max(map(len, outcome.out.splitlines())) <= 80 or extra
    assert json.loads(outcome.out) == result.model_dump(mode="json")


@pytest.mark.parametrize(
    ("impact", "fail_on", "code"),
    [("edited", "gone", 0), ("edited", "edited", 1), ("gone", "edited", 1), ("eol_only", "any", 1)],
)
def test_a_gate_fails_from_its_bound_on(impact: str, fail_on: str, code: int) -> None:
    engine = EngineDouble({"stale": changed(impact=impact)})
    outcome = run("check", "--fail-on", fail_on, engine=engine)
    assert outcome.code == code
    assert ("Fails" if code else "Passes") in outcome.out


def test_a_list_says_what_happened_and_who_did_it() -> None:
    outcome = run("stale", engine=EngineDouble({"stale": STALE}))
    for told in ("memo #4", "edited", "Who releases locks?", "Bank.transfer: edited", "Ada: Lock in order"):
        assert told in outcome.out


def test_a_hook_hands_on_the_index_of_its_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "next-index"))
    engine = EngineDouble({"stale": NOTHING})
    assert run("check", "--staged", engine=engine).code == 0
    assert ("stale", {"staged": True, "index_file": str(tmp_path / "next-index")}) in engine.calls
    assert run("check", "--staged", "--at", "HEAD", engine=engine).code == 2


def test_a_table_names_what_is_cited_also_where_it_stands_in_a_changed_file() -> None:
    stands = SpanDetail(start_line=3, end_line=9, symbol="Bank.transfer", now="unchanged", now_start_line=5)
    detail = STALE.items[0].details[0].model_copy(update={"change": "elsewhere", "spans": [stands]})
    outcome = run("check", engine=EngineDouble({"stale": changed(impact="elsewhere", details=[detail])}))
    assert outcome.out.splitlines()[:3] == [
        "elsewhere  bank.py#Bank.transfer",
        "           now at line 5",
        "           memo #4  Who releases locks?",
    ]


def test_a_list_with_changes_leaves_out_a_file_whose_cited_parts_all_went_elsewhere() -> None:
    left = DIFF.model_copy(update={"hunks": [DIFF.hunks[0].model_copy(update={"cited": False})]})
    part = DIFF.model_copy(update={"part": "Bank.transfer", "new_path": "money.py"})
    outcome = run("stale", "--diff", engine=EngineDouble({"stale": changed(diffs=[left, part])}))
    headings = [row for row in outcome.out.splitlines() if row.startswith("  bank.py")]
    assert headings == ["  bank.py#Bank.transfer -> money.py  edited"]


def test_paths_are_told_from_the_top_also_of_what_was_recorded_below_it() -> None:
    below = changed(root="/srv/shop/pack", diffs=[DIFF])
    assert "edited     pack/bank.py#Bank.transfer" in run("check", engine=EngineDouble({"stale": below})).out
    listed = run("stale", "--diff", engine=EngineDouble({"stale": below})).out.splitlines()
    assert "  edited     pack/bank.py" in listed and "  pack/bank.py  edited" in listed
