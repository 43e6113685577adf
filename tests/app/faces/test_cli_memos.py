"""record, explore and memo: where they work, what they cite, what they show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.app.faces.command_line import run
from tests.app.faces.doubles import EXPLORED, MEMO, NOW, RESULTS, STATUS, EngineDouble

from afresh.verbs import ProjectInfo, ProjectsResult

NOWHERE = STATUS.model_copy(update={"project": None, "root": None})


def known(*projects: tuple[str, Path]) -> ProjectsResult:
    return ProjectsResult(
        projects=[ProjectInfo(name=name, roots=[str(root)], memories=0, memos=0) for name, root in projects]
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project's root with a file in a folder of it."""
    top = tmp_path.resolve() / "shop"
    (top / "src").mkdir(parents=True)
    (top / "src" / "bank.py").write_text("def transfer():\n    pass\n", encoding="utf-8")
    return top


def last(engine: EngineDouble) -> dict[str, Any]:
    return engine.calls[-1][1]


def test_a_record_works_in_the_workspaces_project_from_any_folder_of_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root / "src")
    engine = EngineDouble({"projects": known(("shop", root), ("outer", root.parent))})
    outcome = run(
        *("record", "q", "c", "--supersedes", "2"),
        *("--files", "bank.py:1-2", "--files", "bank.py#transfer", "--files", "src/bank.py"),
        engine=engine,
    )
    assert outcome.code == 0
    assert last(engine) == {
        "question": "q",
        "conclusion": "c",
        "project": "shop",
        "root": str(root),
        "files": [
            {"path": "src/bank.py", "start_line": 1, "end_line": 2},
            {"path": "src/bank.py", "symbol": "transfer"},
            {"path": "src/bank.py"},
        ],
        "supersedes": 2,
    }
    assert outcome.out == "Recorded memo #3 in shop.\n   bank.py  sha256 abababababab\n"


def test_a_record_where_no_project_is_yet_names_one_after_the_repository(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".git").mkdir()
    monkeypatch.chdir(root / "src")
    engine = EngineDouble({"projects": known()})
    assert run("record", "q", "c", "--files", "bank.py", engine=engine).code == 0
    assert (last(engine)["project"], last(engine)["root"]) == ("shop", str(root))
    assert last(engine)["files"] == [{"path": "src/bank.py"}]


def test_a_record_never_mixes_two_folders_of_one_name(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    others = known(("shop", root.parent / "elsewhere" / "shop"))
    engine = EngineDouble({"projects": others, "workspace_status": NOWHERE})
    outcome = run("record", "q", "c", "--files", "src/bank.py", engine=engine)
    assert outcome.code == 2
    assert "another folder's project is called 'shop'" in outcome.err
    assert engine.calls == [("projects", {}), ("workspace_status", {})]


def test_an_exploration_in_a_worktree_that_nobody_indexed_asks_its_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = EngineDouble({"projects": known()})
    assert run("explore", "q", engine=engine).code == 0
    assert last(engine)["project"] == "shop"


def test_a_record_for_a_named_project_works_in_its_own_root(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = EngineDouble({"projects": known(("shop", root))})
    files = ("--files", "src/bank.py", "--files", str(root / "src" / "bank.py"))
    assert run("record", "q", "c", "--project", "shop", *files, engine=engine).code == 0
    assert last(engine)["root"] == str(root)
    assert last(engine)["files"] == [{"path": "src/bank.py"}, {"path": "src/bank.py"}]


def test_a_root_that_is_given_is_used(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    engine = EngineDouble({"projects": known(("shop", root))})
    assert run("record", "q", "c", "--root", "shop/src", "--files", "bank.py", engine=engine).code == 0
    assert (last(engine)["project"], Path(last(engine)["root"])) == ("shop", tmp_path / "shop" / "src")
    assert last(engine)["files"] == [{"path": "bank.py"}]


def test_a_file_outside_of_the_root_is_left_for_the_engine_to_refuse_by_name(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.py").write_text("", encoding="utf-8")
    monkeypatch.chdir(root)
    engine = EngineDouble({"projects": known(("shop", root))})
    run("record", "q", "c", "--files", "../other.py", engine=engine)
    assert last(engine)["files"] == [{"path": str(root.parent / "other.py")}]


def test_a_conclusion_can_come_from_stdin(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root)
    engine = EngineDouble({"projects": known(("shop", root))})
    assert run("record", "q", "-", "--files", "src/bank.py", engine=engine, stdin=b"long\ntext\n").code == 0
    assert last(engine)["conclusion"] == "long\ntext"


def test_an_exploration_asks_in_the_workspaces_project(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(root / "src")
    engine = EngineDouble({"projects": known(("shop", root))})
    assert run("explore", "who", "takes", "locks?", "--limit", "3", "--no-stale", engine=engine).code == 0
    assert last(engine) == {
        "question": "who takes locks?",
        "project": "shop",
        "root": str(root),
        "limit": 3,
        "include_stale": False,
    }


def test_an_exploration_outside_of_every_project_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("explore", "q", engine=EngineDouble({"projects": known(), "workspace_status": NOWHERE}))
    assert (outcome.code, outcome.out) == (2, "")
    assert "is in no known project; index it with `afresh index`, or name one with --project" in outcome.err


def test_an_exploration_shows_what_changed_under_each_conclusion() -> None:
    outcome = run("explore", "locks", "--project", "shop")
    assert outcome.code == 0
    assert outcome.out == (
        "1. #3 ● fresh  score 1.00\n"
        "   How are locks taken?\n"
        "   In the order of account ids.\n"
        "   read from bank.py\n"
        "   recorded 3 hours ago (2026-05-01 11:00 UTC)\n"
        "\n"
        "2. #4 ▲ stale (1 changed, 1 missing): edited  score 0.71\n"
        "   Who releases locks?\n"
        "   The transfer itself.\n"
        "   ▲ bank.py: moved to money.py:4 by Ada in 0123456789 Move the bank\n"
        "   ▲ old.py: missing\n"
        "   read from bank.py, old.py\n"
        "   recorded 3 hours ago (2026-05-01 11:00 UTC)\n"
        "\n"
        "1 fresh, 1 stale\n"
    )


def test_nothing_concluded_is_the_answer_no() -> None:
    nothing = EXPLORED.model_copy(update={"results": [], "fresh": 0, "stale": 0})
    engine = EngineDouble({"memory_exploration_recall": nothing})
    outcome = run("explore", "q", "--project", "shop", engine=engine)
    assert (outcome.code, outcome.out) == (1, "Nothing was concluded about that yet.\n")


def test_a_memo_is_shown_as_one_checkout_or_revision_has_it(tmp_path: Path) -> None:
    engine = EngineDouble()
    outcome = run("memo", "show", "3", "--root", str(tmp_path), "--at", "main", engine=engine)
    assert outcome.code == 0
    assert engine.calls == [("memo", {"id": 3, "root": str(tmp_path), "at": "main"})]
    assert outcome.out.startswith("#3 ● fresh\n   How are locks taken?\n")


def test_a_memo_is_shown_with_what_changed_under_it() -> None:
    outcome = run("memo", "show", "4", "--diff")
    assert outcome.code == 0
    assert "3 - lock(a)\n3 + lock(b)\n" in outcome.out


@pytest.mark.parametrize("action", ["verify", "retire", "undo"])
def test_a_memo_is_verified_retired_and_brought_back(action: str) -> None:
    said = RESULTS["memory_exploration_verify"].model_copy(update={"action": action})
    engine = EngineDouble({"memory_exploration_verify": said})
    outcome = run("memo", action, "3", "--note", "n", engine=engine)
    assert outcome.code == 0
    assert engine.calls == [("memory_exploration_verify", {"id": 3, "action": action, "note": "n"})]
    assert "emo #3" in outcome.out and "● fresh" in outcome.out


def test_a_retired_memo_says_since_when() -> None:
    retired = MEMO.model_copy(update={"retired_at": NOW})
    outcome = run("memo", "show", "3", engine=EngineDouble({"memo": retired}))
    assert outcome.out.startswith("#3 ● fresh  retired just now (2026-05-01 14:00 UTC)\n")
