"""What one clone recorded, exported and imported in another, which lies elsewhere and is called otherwise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.app.engine.conftest import Clock, Desk, open_engine
from tests.repositories import git

from afresh.engine.calls import Call, Caller
from afresh.engine.dispatch import ANSWERS
from afresh.errors import UnknownProjectError
from afresh.verbs import ExportArguments

QUESTION = "Does acquire succeed?"


def exported(desk: Desk) -> list[str]:
    rows: list[str] = []
    call = Call(Caller(cwd=desk.root), emit=lambda event: rows.append(json.dumps(event["row"])))
    ANSWERS["export"](desk.engine, ExportArguments(), call)
    return rows


@pytest.fixture
def knowledge(lexical_desk: Desk) -> list[str]:
    """A conclusion and a memory about the same method, as exported."""
    desk = lexical_desk
    cited = [{"path": "billing/locks.py", "symbol": "Lock.acquire"}]
    desk.ask("memory_exploration_record", question=QUESTION, conclusion="Yes.", project="shop", files=cited)
    desk.ask("memory_save", content="Whoever acquires must release.", files=cited)
    return exported(desk)


@pytest.fixture
def clone(tmp_path: Path, workspace: Path) -> Iterator[Desk]:
    """Another clone, under another name, with a data folder of its own."""
    root = tmp_path / "ci" / "checkout"
    git(tmp_path, "clone", "-q", str(workspace), str(root))
    clock = Clock()
    with open_engine(tmp_path / "ci" / "home", clock, None) as engine:
        yield Desk(engine, clock, root)


@pytest.mark.parametrize("recorded_in", ["a clone that is here too", "a clone on another machine"])
@pytest.mark.parametrize("clone_is", ["unknown", "known under its own name"])
def test_a_clone_judges_what_it_imports_by_its_own_files(
    knowledge: list[str], clone: Desk, workspace: Path, clone_is: str, recorded_in: str
) -> None:
    if recorded_in == "a clone on another machine":
        workspace.rename(workspace.with_name("gone"))
    else:
        (workspace / "billing" / "locks.py").write_text("", encoding="utf-8")
    if clone_is != "unknown":
        clone.ask("memory_save", content="Known here already.")
    assert clone.ask("import", lines=knowledge).created == 2
    assert clone.ask("stale").items == []
    locks = clone.root / "billing" / "locks.py"
    locks.write_text(locks.read_text(encoding="utf-8").replace("True", "self.free"), encoding="utf-8")
    items = clone.ask("stale", base="HEAD").items
    assert [(item.kind, item.impact, item.root) for item in items] == [
        ("memo", "edited", str(clone.root)),
        ("memory", "edited", str(clone.root)),
    ]
    again = clone.ask("import", lines=knowledge)
    assert (again.created, again.updated) == (0, 0)
    assert len(clone.ask("projects").projects) == 1


def test_another_repository_is_not_taken_for_a_clone(
    knowledge: list[str], clone: Desk, tmp_path: Path
) -> None:
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    git(stranger, "init", "-q", "-b", "main")
    git(
        stranger,
        "-c",
        "user.name=b",
        "-c",
        "user.email=b@example.org",
        "commit",
        "-q",
        "--allow-empty",
        "-m",
        "b",
    )
    clone.ask("import", lines=knowledge, cwd=stranger)
    with pytest.raises(UnknownProjectError, match="Known: shop"):
        clone.ask("stale", cwd=stranger)


def test_rows_of_a_repository_that_is_known_here_stay_its_own(
    knowledge: list[str], lexical_desk: Desk, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    git(tmp_path, "clone", "-q", str(lexical_desk.root), str(other))
    assert lexical_desk.ask("import", lines=knowledge, cwd=other).created == 0
    assert [project.name for project in lexical_desk.ask("projects").projects] == ["shop"]


def test_first_commits_that_are_none_are_a_bad_line(lexical_desk: Desk) -> None:
    row = {"kind": "project", "name": "shop", "first_commits": ["--all"]}
    (bad,) = lexical_desk.ask("import", lines=[json.dumps(row)]).bad
    assert "first_commits" in bad.error
