"""up, index, watch, status, projects: progress, summaries, the first recall, and changes as they come."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.app.faces.command_line import run
from tests.app.faces.doubles import INDEXED, STATUS, UNCHANGED, EngineDouble, recalled, remembered

from afresh.verbs import ProjectsResult

SCAN = [
    {"kind": "progress", "phase": "scan", "done": done, "total": 120, "message": f"{done} files read"}
    for done in (40, 80, 120)
]
CHANGE = {
    "kind": "change",
    "paths": ["a.py", "b.py"],
    "changed": 1,
    "removed": 1,
    "lag_ms": 34.4,
    "message": "a.py, b.py",
}
WATCHED: list[Any] = [
    *SCAN,
    {"kind": "indexed", "result": INDEXED.model_dump(mode="json")},
    {"kind": "watch", "mode": "polling", "reason": "too few watches"},
    CHANGE,
    KeyboardInterrupt(),
]

SUMMARY = (
    "shop  /srv/shop\n"
    "  files      120 (2.4 MB): 100 added, 15 changed, 5 removed\n"
    "  symbols    900\n"
    "  languages  python 90, go 20\n"
    "  notes      12\n"
    "  left out   2 binary; 1 too large; 40 ignored by rule (git)\n"
    "  outlines   1 file could not be parsed\n"
    "  time       1.25 s (hashes current after 0.31 s, outlines after 1.20 s)\n"
    "    logo.png: binary (it has a NUL byte)\n"
)


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_index_sends_the_absolute_folder_and_sums_up(workspace: Path) -> None:
    (workspace / "sub").mkdir()
    engine = EngineDouble()
    outcome = run("index", "sub", "--project", "shop", "--force", engine=engine)
    assert (outcome.code, outcome.out, outcome.err) == (0, SUMMARY, "")
    assert engine.calls == [("index", {"path": str(workspace / "sub"), "project": "shop", "force": True})]
    assert engine.opened[0]["cwd"] == workspace / "sub"


def test_an_index_without_a_folder_takes_the_working_directory(workspace: Path) -> None:
    engine = EngineDouble()
    run("index", engine=engine)
    assert engine.calls == [("index", {"path": str(workspace)})]


def test_an_index_that_found_no_change_says_that_no_file_was_opened() -> None:
    outcome = run("index", engine=EngineDouble({"index": UNCHANGED}))
    assert outcome.out == (
        "shop  /srv/shop\n  nothing changed: no file was opened (120 files checked in 0.04 s)\n"
    )


def test_an_index_that_found_files_gone_says_so_though_it_opened_none() -> None:
    gone = UNCHANGED.model_copy(update={"removed": 2})
    outcome = run("index", engine=EngineDouble({"index": gone}))
    assert "0 added, 0 changed, 2 removed" in outcome.out
    assert "nothing changed" not in outcome.out


def test_a_model_that_is_being_loaded_is_told_as_that() -> None:
    loading = STATUS.model_copy(
        update={
            "model": STATUS.model.model_copy(update={"id": None, "source": "loading", "vectors_pending": 1})
        }
    )
    outcome = run("status", engine=EngineDouble({"workspace_status": loading}))
    assert "  model        loading, 1 vector to come\n" in outcome.out


def test_progress_in_a_pipe_is_at_most_one_line_a_second_on_stderr() -> None:
    quick = run("index", engine=EngineDouble(events={"index": SCAN}), seconds_apart=0.1)
    assert (quick.out, quick.err) == (SUMMARY, "")
    slow = run("index", engine=EngineDouble(events={"index": SCAN}), seconds_apart=0.7)
    assert (slow.out, slow.err) == (SUMMARY, "reading files: 80 of 120\n")


def test_progress_on_a_terminal_is_a_bar_that_leaves_no_trace_on_stdout() -> None:
    outcome = run("index", "--json", engine=EngineDouble(events={"index": SCAN}), terminal=True)
    assert json.loads(outcome.out) == INDEXED.model_dump(mode="json")
    assert "120/120" in outcome.err


def test_a_file_is_no_workspace(workspace: Path) -> None:
    (workspace / "a.py").write_text("", encoding="utf-8")
    outcome = run("index", "a.py")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"afresh: {workspace / 'a.py'} is not a folder; give the folder of a workspace\n"


def test_up_once_indexes_recalls_once_with_a_heading_of_its_own_notes_and_ends(workspace: Path) -> None:
    (workspace / "README.md").write_text("# Shop\n\nSells.\n", encoding="utf-8")
    (workspace / "CLAUDE.md").write_text("# Guide\n## Taking locks ##\n\nIn order.\n", encoding="utf-8")
    indexed = INDEXED.model_copy(update={"root": str(workspace)})
    engine = EngineDouble({"index": indexed, "recall": recalled(remembered())})
    outcome = run("up", "--once", engine=engine)
    assert outcome.code == 0
    assert engine.calls == [
        ("index", {"path": str(workspace)}),
        ("recall", {"query": "Taking locks", "project": "shop", "limit": 1}),
    ]
    assert "Recall, asked with a heading of its own notes: Taking locks\n1. #7 decision" in outcome.out
    assert "   from docs/LOCKS.md:14\n" in outcome.out


def test_up_in_a_workspace_without_notes_says_how_to_make_some() -> None:
    engine = EngineDouble()
    outcome = run("up", "--once", engine=engine)
    assert [verb for verb, _ in engine.calls] == ["index"]
    assert outcome.out.endswith(
        "\nThere are no notes to recall yet: save one with `afresh save`, or write a CLAUDE.md.\n"
    )


def test_up_watches_until_interrupted_and_prints_changes_calmly() -> None:
    engine = EngineDouble({"index": UNCHANGED}, {"watch": WATCHED})
    outcome = run("up", engine=engine)
    assert (outcome.code, outcome.err) == (130, "interrupted\n")
    assert "nothing changed: no file was opened" in outcome.out
    assert outcome.out.endswith(
        "\nWatching for changes; Ctrl-C ends it.\n"
        "changed since the summary  (100 added, 15 changed, 5 removed)\n"
        "watching by polling: too few watches\n"
        "a.py, b.py  (1 changed, 1 removed, 34 ms)\n"
    )
    assert engine.closed == 1


def test_a_watch_shows_its_index_and_then_each_change() -> None:
    outcome = run("watch", engine=EngineDouble(events={"watch": WATCHED}))
    assert outcome.code == 130
    assert outcome.out == (
        f"{SUMMARY}watching by polling: too few watches\na.py, b.py  (1 changed, 1 removed, 34 ms)\n"
    )


def test_a_watch_as_json_is_one_event_a_line() -> None:
    outcome = run("watch", "--json", engine=EngineDouble(events={"watch": WATCHED}))
    assert [json.loads(row) for row in outcome.out.splitlines()] == WATCHED[:-1]


def test_a_change_without_a_delay_or_a_text_is_told_by_its_paths() -> None:
    change = {"kind": "change", "paths": ["a.py"], "changed": 1, "removed": 0, "lag_ms": None}
    outcome = run("watch", engine=EngineDouble(events={"watch": [change]}))
    assert (outcome.code, outcome.out) == (0, "a.py  (1 changed, 0 removed)\n")


def test_the_status_is_summed_up() -> None:
    assert run("status").out == (
        "shop  /srv/shop\n"
        "  state        ready rich\n"
        "  files        120 indexed, 0 pending, 3 left out, 0 errors\n"
        "  left out     binary 2, too large 1\n"
        "  symbols      900\n"
        "  memories     12 (decision 4, fact 8)\n"
        "  conclusions  ● 5 fresh  ▲ 2 stale\n"
        "  watch        native, 34 ms behind\n"
        "  last change  3 hours ago (2026-05-01 11:00 UTC)\n"
        "  model        all-MiniLM-L6-v2 (bundled)\n"
        "  llm          none\n"
        "  keeper       process 4242, version 0.1.0, up 1 min 15 s, database 1.5 MB\n"
    )


def test_the_status_of_a_place_that_is_no_project_is_shown_too() -> None:
    nowhere = STATUS.model_copy(update={"project": None, "root": None})
    outcome = run("status", engine=EngineDouble({"workspace_status": nowhere}))
    assert outcome.out.startswith("no project here\n")


def test_the_status_of_another_project_or_root_can_be_asked(tmp_path: Path) -> None:
    engine = EngineDouble()
    run("status", "--project", "shop", "--root", str(tmp_path), engine=engine)
    assert engine.calls == [("workspace_status", {"project": "shop", "root": str(tmp_path)})]


def test_projects_are_listed_and_none_is_the_answer_no() -> None:
    assert run("projects").out == "shop  12 memories, 7 conclusions\n  /srv/shop\n"
    outcome = run("projects", engine=EngineDouble({"projects": ProjectsResult(projects=[])}))
    assert (outcome.code, outcome.out) == (1, "No project is known yet: `afresh index` makes one.\n")
