"""What there is to read, in the order in which it matters; and how a field goes on."""

from __future__ import annotations

import pytest

from afresh.errors import UnknownProjectError


def record(desk, question, path="main.py", **arguments):
    arguments = {"conclusion": "So.", "project": "shop", "files": [path], **arguments}
    return desk.ask("memory_exploration_record", question=question, **arguments).id


def test_stale_memos_stand_before_fresh_ones_and_the_newest_first(lexical_desk):
    desk = lexical_desk
    fresh = [record(desk, "One?"), record(desk, "Two?")]
    stale = [record(desk, "Three?", "billing/locks.py"), record(desk, "Four?", "billing/locks.py")]
    retired = record(desk, "Five?")
    desk.ask("memory_exploration_verify", id=retired, action="retire")
    desk.ask("memory_save", content="Tea is at four.", project="kitchen")
    (desk.root / "billing" / "locks.py").write_text("changed = True\n", encoding="utf-8")
    found = desk.ask("contents")
    assert (found.projects, found.project, found.root) == (["kitchen", "shop"], "shop", str(desk.root))
    assert [(memo.id, memo.status) for memo in found.memos] == [
        *((id_, "stale") for id_ in reversed(stale)),
        *((id_, "fresh") for id_ in reversed(fresh)),
    ]


def test_who_works_in_no_project_sees_the_projects_alone(lexical_desk, tmp_path):
    record(lexical_desk, "One?")
    found = lexical_desk.ask("contents", cwd=tmp_path)
    assert (found.projects, found.project, found.root, found.memos) == (["shop"], None, None, [])
    named = lexical_desk.ask("contents", cwd=tmp_path, project="shop")
    assert (named.project, len(named.memos)) == ("shop", 1)
    with pytest.raises(UnknownProjectError, match="Known: shop"):
        lexical_desk.ask("contents", project="nowhere")
    with pytest.raises(UnknownProjectError, match="name it"):
        lexical_desk.ask("contents", project="%")


def test_projects_types_paths_and_ids_are_completed(lexical_desk):
    desk = lexical_desk
    for n in range(12):
        desk.ask("memory_save", content=f"Fact {n} about tea.", path=f"Billing/p{n % 3}")
    other = desk.ask("memory_save", content="Elsewhere.", project="Shopping", path="garden").id
    memo = record(desk, "One?")
    gone = record(desk, "Two?")
    desk.ask("memory_exploration_verify", id=gone, action="retire")
    desk.ask("memory_delete", id=1)

    def completed(what, prefix, **arguments):
        found = desk.ask("complete", what=what, prefix=prefix, **arguments)
        return found.values, found.total

    assert completed("project", "SHO") == (["Shopping", "shop"], 2)
    assert completed("project", "x") == ([], 0)
    assert completed("type", "de") == (["decision"], 1)
    assert completed("path", "billing/") == (["Billing/p0", "Billing/p1", "Billing/p2"], 3)
    assert completed("path", "", project="Shopping") == (["garden"], 1)
    assert completed("memory", "1") == (["12", "11", "10", str(other)], 4), "the caller's project first"
    assert completed("memory", "", limit=2) == (["12", "11"], 12)
    assert completed("memo", "") == ([str(memo)], 1)
    assert completed("memory", "1%") == ([], 0)


def test_a_project_whose_name_is_not_finished_is_no_error(lexical_desk):
    record(lexical_desk, "One?")
    found = lexical_desk.ask("complete", what="memo", project="sho")
    assert found.values == ["1"]
