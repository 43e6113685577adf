"""The commands for what no longer stands: lists, diffs, gates and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
import sarif_pydantic
from tests.app.faces.command_line import run
from tests.app.faces.doubles import DIFF, RESULTS, EngineDouble

from afresh import contracts
from afresh.faces.cli_freshness import IMPACTS
from afresh.faces.render_diff import file_diff
from afresh.faces.sarif import sarif
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


def test_a_diff_marks_the_words_that_changed() -> None:
    lines = file_diff(DIFF.model_dump(mode="json"))
    assert [line.plain for line in lines[-2:]] == ["- lock(a)", "+ lock(b)"]
    assert [text for text, style in lines[-2].parts if "reverse" in style] == ["a"]
    assert [text for text, style in lines[-1].parts if "reverse" in style] == ["b"]


def test_changes_elsewhere_in_the_file_are_counted_not_shown() -> None:
    file = DIFF.model_dump(mode="json")
    file["hunks"] = [{**file["hunks"][0], "cited": False}, file["hunks"][0]]
    lines = [line.plain for line in file_diff(file, cited_only=True)]
    assert lines.count("- lock(a)") == 1 and lines[-1] == "1 change elsewhere in the file"
    assert [line.plain for line in file_diff(file)].count("- lock(a)") == 2


def test_a_hook_hands_on_the_index_of_its_commit(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GIT_INDEX_FILE", str(tmp_path / "next-index"))
    engine = EngineDouble({"stale": NOTHING})
    assert run("check", "--staged", engine=engine).code == 0
    assert ("stale", {"staged": True, "index_file": str(tmp_path / "next-index")}) in engine.calls
    assert run("check", "--staged", "--at", "HEAD", engine=engine).code == 2


def test_sarif_is_of_its_format_and_names_the_place(tmp_path: Path) -> None:
    written = tmp_path / "out.sarif"
    outcome = run("check", "--sarif", str(written), engine=EngineDouble({"stale": STALE}))
    assert outcome.code == 1
    log = json.loads(written.read_text(encoding="utf-8"))
    read = sarif_pydantic.Sarif.model_validate(log)
    assert read.version == "2.1.0"
    (result,) = log["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("afresh/edited", "error")
    assert log["runs"][0]["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "bank.py",
        "uriBaseId": "ROOT",
    }
    assert "Bank.transfer: edited" in result["message"]["text"]


def test_sarif_of_the_same_findings_has_the_same_fingerprints() -> None:
    first, second = (sarif(STALE.model_dump(mode="json"), "1")["runs"][0]["results"] for _ in range(2))
    assert [item["partialFingerprints"] for item in first] == [item["partialFingerprints"] for item in second]
