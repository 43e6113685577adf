"""claims: what is asked, what is shown, and with which code it ends."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.app.faces.command_line import run
from tests.app.faces.doubles import RESULTS, EngineDouble

from afresh.verbs import ClaimsResult, DeadClaim

FOUND = RESULTS["claims"]
assert isinstance(FOUND, ClaimsResult)
NONE = FOUND.model_copy(update={"dead": []})


def test_dead_claims_are_shown_by_document_and_memory_with_line_and_suggestion() -> None:
    outcome = run("claims")
    assert outcome.code == 1
    assert outcome.out == (
        "docs/CLAUDE.md\n"
        "   24  tasks/plan.md\n"
        "       the workspace has no such path\n"
        "  177  Lock.release\n"
        "       was defined in billing/locks.py and is there no more\n"
        "       perhaps billing/mutex.py: Mutex.release\n"
        "\n"
        "memory #12  Run `make chekc` before a release.\n"
        "  1  make chekc\n"
        "     make has nothing called chekc here\n"
        "     perhaps make check\n"
        "\n"
        "3 dead claims (21 documents and 4 saved memories read).\n"
    )


def test_without_dead_claims_the_code_is_0_and_what_was_read_is_said() -> None:
    outcome = run("claims", engine=EngineDouble({"claims": NONE}))
    assert (outcome.code, outcome.out) == (0, "No dead claims (21 documents and 4 saved memories read).\n")


def test_what_could_not_be_judged_or_listed_is_said() -> None:
    told = FOUND.model_copy(update={"left_out": 2_997, "notes": ["the clone is shallow"]})
    outcome = run("claims", engine=EngineDouble({"claims": told}))
    assert outcome.out.endswith(
        "note: the clone is shallow\n"
        "3,000 dead claims, 2,997 of them not listed (21 documents and 4 saved memories read).\n"
    )


def test_the_json_is_the_result_and_nothing_else() -> None:
    outcome = run("claims", "--json")
    assert outcome.code == 1
    assert json.loads(outcome.out) == FOUND.model_dump(mode="json")


def test_project_and_root_are_asked_for_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    engine = EngineDouble()
    run("claims", "--project", "shop", "--root", "here", engine=engine)
    run("claims", engine=engine)
    assert engine.calls == [("claims", {"project": "shop", "root": str(tmp_path / "here")}), ("claims", {})]


def test_a_terminal_of_80_columns_shows_every_line_whole_and_no_control_character_of_a_note() -> None:
    long = DeadClaim(
        memory=1,
        source_path="docs/guides/architecture/CLAUDE.md",
        line=1204,
        kind="path",
        text="src/services/payments/providers/adapters/settlement_reconciler.py",
        reason="src/services/payments/providers/adapters/settlement_reconciler.py was in the workspace and "
        "is there no more",
        suggestion="src/services/payments/adapters/settlement_reconciler.py",
        excerpt="\x1b[31mred",
    )
    hostile = long.model_copy(update={"source_path": None, "text": "a\x1b[2Jb"})
    result = FOUND.model_copy(update={"dead": [long, hostile]})
    outcome = run(
        "claims", engine=EngineDouble({"claims": result}), terminal=True, environment=[("NO_COLOR", "1")]
    )
    assert "\x1b[31mred" not in outcome.out and "\x1b[2J" not in outcome.out
    assert "␛[31mred" in outcome.out and "a␛[2Jb" in outcome.out
    rows = [re.sub(r"\x1b\[[\d;]*m", "", row).rstrip() for row in outcome.out.splitlines()]
    assert max(map(len, rows)) <= 80
    assert f"  1204  {long.text}" in rows and f"        perhaps {long.suggestion}" in rows
