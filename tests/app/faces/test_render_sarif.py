"""SARIF logs: of the format's own types, placed where the code is, and the same from run to run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
import sarif_pydantic
from pydantic import BaseModel, ValidationError
from tests.app.faces.command_line import run
from tests.app.faces.doubles import RESULTS, THEN, EngineDouble

from afresh.contracts import Commit, FileDetail, Impact, MovedTo, SpanDetail
from afresh.faces.render_sarif import sarif
from afresh.verbs import Skipped, StaleResult

LACKING = {"$schema", "columnKind", "mappedTo", "toolExecutionNotifications"}
"""What the format has and its types here don't."""
STALE = RESULTS["stale"]
assert isinstance(STALE, StaleResult)
COMMIT = Commit(id="0123456789abcdef", author="Ada", date=THEN, subject="Lock in order")


def span(now: Any, **more: Any) -> SpanDetail:
    return SpanDetail(**{"start_line": 3, "end_line": 9, "symbol": "Bank.transfer", "now": now, **more})


def detail(change: Any, *spans: SpanDetail, path: str = "bank.py", **more: Any) -> FileDetail:
    return FileDetail(
        **{"path": path, "change": change, "moved_to": None, "commit": None, **more}, spans=[*spans]
    )


def logged(*details: FileDetail, **more: Any) -> dict[str, Any]:
    """A log of one memo with these details, checked."""
    item = STALE.items[0].model_copy(update={"details": [*details], **more.pop("item", {})})
    result = STALE.model_copy(update={"items": [item], **more})
    log = sarif(result.model_dump(mode="json"), "0.1.0")
    valid(log)
    (only,) = log["runs"]
    return dict(only)


def valid(log: Any) -> None:
    """Check types, required properties and that there are no others."""
    pending: list[Any] = [sarif_pydantic.Sarif.model_validate(log)]
    while pending:
        value = pending.pop()
        if isinstance(value, BaseModel):
            unknown = set(value.model_extra or ()) - LACKING
            assert not unknown, f"{type(value).__name__} has no {unknown}"
            pending += [getattr(value, name) for name in type(value).model_fields]
        elif isinstance(value, list):
            pending += value


def places(result: dict[str, Any]) -> list[tuple[str, int, int]]:
    found = []
    for place in (*result["locations"], *result.get("relatedLocations", ())):
        region = place["physicalLocation"]["region"]
        uri = place["physicalLocation"]["artifactLocation"]["uri"]
        found.append((uri, region["startLine"], region["endLine"]))
    return found


def test_what_is_no_log_is_refused() -> None:
    with pytest.raises(ValidationError):
        valid({"version": "2.1.0", "runs": [{"results": []}]})


def test_the_command_writes_a_valid_log_beside_its_table(tmp_path: Path) -> None:
    written = tmp_path / "out.sarif"
    outcome = run("check", "--sarif", str(written), engine=EngineDouble({"stale": STALE}))
    assert outcome.code == 1 and "bank.py#Bank.transfer" in outcome.out
    log = json.loads(written.read_text(encoding="utf-8"))
    valid(log)
    (result,) = log["runs"][0]["results"]
    assert (result["ruleId"], result["level"]) == ("afresh/edited", "error")
    assert "Who releases locks?" in result["message"]["text"]


def test_a_log_that_can_not_be_written_is_an_error_that_names_it(tmp_path: Path) -> None:
    outcome = run(
        "check", "--sarif", str(tmp_path / "no" / "out.sarif"), engine=EngineDouble({"stale": STALE})
    )
    assert outcome.code == 3 and "no/out.sarif" in outcome.err


def test_nothing_stale_is_a_valid_log_without_results() -> None:
    empty = STALE.model_copy(update={"items": [], "repository": None})
    log = sarif(empty.model_dump(mode="json"), "0.1.0")
    valid(log)
    assert log["runs"][0]["results"] == [] and "versionControlProvenance" not in log["runs"][0]


def test_every_impact_has_a_rule_with_help_and_a_level() -> None:
    levels = {"gone": "error", "edited": "error", "moved": "warning"}
    for impact in get_args(Impact):
        only = logged(detail(impact, span(impact, now_start_line=4, now_end_line=8)))
        (result,) = only["results"]
        rule = only["tool"]["driver"]["rules"][result["ruleIndex"]]
        assert rule["id"] == result["ruleId"] == f"afresh/{impact}"
        assert result["level"] == rule["defaultConfiguration"]["level"] == levels.get(impact, "note")
        assert len(rule["help"]["text"]) > 40 and rule["help"]["markdown"]


def test_a_result_points_at_the_lines_as_they_are_now_the_gravest_part_first() -> None:
    to = MovedTo(path="money.py", symbol="pay", start_line=40, end_line=44, content="identical")
    only = logged(
        detail(
            "edited",
            span("unchanged", now_start_line=90, now_end_line=95),
            span("moved", moved_to=to, now_start_line=40, now_end_line=44),
            span("edited", now_start_line=5, now_end_line=12),
            commit=COMMIT,
        )
    )
    (result,) = only["results"]
    assert places(result) == [("bank.py", 5, 12), ("money.py", 40, 44)]
    assert "moved to money.py:40 (identical)" in result["message"]["text"]
    assert "0123456789 by Ada: Lock in order" in result["message"]["text"]


def test_what_is_gone_points_at_the_file_where_it_was() -> None:
    assert places(logged(detail("gone", span("gone")))["results"][0]) == [("bank.py", 1, 1)]


def test_each_file_of_an_item_is_a_result() -> None:
    both = logged(detail("edited", span("edited")), detail("cosmetic", span("cosmetic"), path="b.py"))
    assert [result["ruleId"] for result in both["results"]] == ["afresh/edited", "afresh/cosmetic"]


def test_addresses_are_relative_to_the_top_and_escaped() -> None:
    only = logged(detail("edited", path="src/ü x.py"))
    (result,) = only["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {
        "uri": "src/%C3%BC%20x.py",
        "uriBaseId": "SRCROOT",
    }
    assert only["originalUriBaseIds"]["SRCROOT"]["uri"] == "file:///srv/shop/"
    below = logged(detail("edited"), item={"root": "/srv/shop/pack"})
    assert places(below["results"][0])[0][0] == "pack/bank.py"
    beside = logged(detail("edited"), item={"root": "/srv/other"})
    assert places(beside["results"][0])[0][0] == "file:///srv/other/bank.py"


def test_the_code_is_named_by_its_repository() -> None:
    assert logged(detail("edited"))["versionControlProvenance"] == [
        {
            "repositoryUri": "https://code.example/shop.git",
            "revisionId": "0123456789abcdef",
            "branch": "topic",
            "mappedTo": {"uriBaseId": "SRCROOT"},
        }
    ]


def test_what_was_not_judged_is_a_notification() -> None:
    only = logged(detail("edited"), skipped=[Skipped(kind="memo", id=8, reason="no repository")])
    (invocation,) = only["invocations"]
    assert "memo 8" in invocation["toolExecutionNotifications"][0]["message"]["text"]


def test_fingerprints_hold_from_run_to_run_and_store_to_store_and_tell_findings_apart() -> None:
    def fingerprints(only: dict[str, Any]) -> list[str]:
        return [result["partialFingerprints"]["knowledge/v1"] for result in only["results"]]

    two = detail("edited", span("edited")), detail("edited", path="b.py")
    first, second = fingerprints(logged(*two))
    assert first != second
    assert fingerprints(logged(*two, item={"id": 999})) == [first, second]
    assert fingerprints(logged(*two, item={"title": "Another question?"})) != [first, second]
