"""memory_exploration_record and memory_exploration_recall: status by bytes, from the disk, now."""

from __future__ import annotations

import mmap
import os

import pytest
from tests.repositories import git

from afresh.engine.freshness import DiskJudge
from afresh.errors import (
    InvalidArgumentError,
    NotFoundError,
    RootRefusedError,
    SourceFilesError,
    UnknownProjectError,
)

QUESTION = "How do locks work in billing?"


@pytest.fixture
def recorded(desk):
    return desk.ask(
        "memory_exploration_record",
        question=QUESTION,
        conclusion="Lock.acquire returns at once; release does nothing.",
        project="shop",
        files=["billing/locks.py", "billing/invoice.py", {"path": "main.py", "start_line": 1, "end_line": 2}],
    )


def recall(desk, question=QUESTION, **arguments):
    return desk.ask("memory_exploration_recall", question=question, project="shop", **arguments)


def test_a_conclusion_is_fresh_until_a_byte_changes(desk, recorded):
    found = recall(desk)
    (memo,) = found.results
    assert (found.fresh, found.stale, memo.status, memo.score) == (1, 0, "fresh", 1.0)
    assert memo.files == ["billing/locks.py", "billing/invoice.py", "main.py"]
    path = desk.root / "billing" / "locks.py"
    before = path.read_bytes()
    path.write_bytes(before.replace(b"True", b"Tru3"))
    (memo,) = recall(desk).results
    assert (memo.status, memo.changed_files, memo.missing_files) == ("stale", ["billing/locks.py"], [])
    path.write_bytes(before)
    assert recall(desk).results[0].status == "fresh"


def test_a_change_with_size_and_times_put_back_is_seen(desk, recorded):
    path = desk.root / "billing" / "locks.py"
    stamps = path.stat()
    path.write_bytes(path.read_bytes().replace(b"True", b"Tru3"))
    os.utime(path, ns=(stamps.st_atime_ns, stamps.st_mtime_ns))
    assert recall(desk).results[0].changed_files == ["billing/locks.py"]


def test_a_store_through_a_memory_map_is_seen(desk, recorded):
    path = desk.root / "billing" / "locks.py"
    with path.open("r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[0:1] = b"C"
    assert recall(desk).results[0].changed_files == ["billing/locks.py"]


def test_a_missing_file_is_named_and_its_return_makes_it_fresh(desk, recorded):
    path = desk.root / "billing" / "invoice.py"
    before = path.read_bytes()
    path.unlink()
    (memo,) = recall(desk).results
    assert (memo.status, memo.missing_files, memo.changed_files) == ("stale", ["billing/invoice.py"], [])
    path.write_bytes(before)
    assert recall(desk).results[0].status == "fresh"


def test_a_folder_in_a_files_place_makes_it_missing(desk, recorded):
    path = desk.root / "main.py"
    path.unlink()
    path.mkdir()
    assert recall(desk).results[0].missing_files == ["main.py"]


def test_a_link_that_leads_out_makes_a_conclusion_unverifiable_and_stale(desk, recorded, tmp_path):
    path = desk.root / "main.py"
    (tmp_path / "elsewhere.py").write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere.py")
    (memo,) = recall(desk).results
    assert memo.status == "stale"
    assert [(item.path, item.reason) for item in memo.unverifiable_files] == [("main.py", "outside_root")]


def test_beyond_the_budget_the_gate_decides_and_says_so(desk, recorded):
    with desk.engine.store.read() as cursor:
        from afresh.store import memos

        memo = memos.get(cursor, recorded.id)
    judge = DiskJudge(budget=10)
    path = desk.root / "billing" / "locks.py"
    os.utime(path, ns=(1, 1))
    verdict = judge.judge(desk.root, memo.files)
    assert judge.gated and "billing/locks.py" in verdict.changed


def test_the_same_question_is_the_same_memo_and_keeps_its_history(desk, recorded):
    desk.clock.forward(hours=1)
    again = desk.ask(
        "memory_exploration_record",
        question="  how do LOCKS work in billing ",
        conclusion="They are advisory.",
        project="shop",
        files=["billing/locks.py"],
    )
    assert (again.id, again.replaced, again.recorded_at) == (recorded.id, True, recorded.recorded_at)
    assert again.updated_at > recorded.updated_at and not recorded.replaced
    (memo,) = recall(desk).results
    assert (memo.conclusion, memo.files) == ("They are advisory.", ["billing/locks.py"])
    shown = desk.ask("memo", id=recorded.id)
    assert [old.conclusion for old in shown.history] == [
        "Lock.acquire returns at once; release does nothing."
    ]


def test_reading_a_conclusion_does_not_refresh_it(desk, recorded):
    (desk.root / "main.py").write_text("changed\n", encoding="utf-8")
    assert [recall(desk).results[0].status for _ in range(3)] == ["stale"] * 3


def test_symbols_lines_and_quotes_become_spans(desk):
    result = desk.ask(
        "memory_exploration_record",
        question="What does release do?",
        conclusion="Nothing.",
        project="shop",
        files=[
            {"path": "billing/locks.py", "symbol": "Lock.release"},
            {"path": "billing/locks.py", "quote": "return True"},
            {"path": "billing/invoice.py", "start_line": 2, "end_line": 2},
        ],
    )
    spans = {
        (file.path, span.start_line, span.end_line, span.symbol)
        for file in result.files
        for span in file.spans
    }
    assert spans == {
        ("billing/locks.py", 5, 6, "Lock.release"),
        ("billing/locks.py", 3, 3, None),
        ("billing/invoice.py", 2, 2, None),
    }


@pytest.mark.parametrize(
    ("cited", "told"),
    [
        ({"path": "billing/locks.py", "symbol": "Lock.relaese"}, "nearest: Lock.release"),
        ({"path": "main.py", "start_line": 2, "end_line": 90}, "lines 2 to 90 are cited, and it has 3"),
        ({"path": "main.py", "quote": "no such words"}, "does not stand in it"),
        ({"path": "/etc/hostname"}, "outside the root"),
        ({"path": "no/such.py"}, "no/such.py"),
    ],
)
def test_what_cannot_be_cited_is_an_error_and_nothing_is_stored(desk, cited, told):
    with pytest.raises(SourceFilesError) as error:
        desk.ask(
            "memory_exploration_record",
            question="What?",
            conclusion="That.",
            project="shop",
            files=["main.py", cited],
        )
    assert told in error.value.message
    assert desk.ask("projects").projects == []


def test_an_absolute_path_under_the_root_is_taken(desk):
    result = desk.ask(
        "memory_exploration_record",
        question="What?",
        conclusion="That.",
        project="shop",
        files=[str(desk.root / "main.py")],
    )
    assert [file.path for file in result.files] == ["main.py"]


def test_an_unknown_project_is_an_error_that_lists_the_known(desk, recorded):
    with pytest.raises(UnknownProjectError, match=r"no project 'shoq'\. Known: shop"):
        desk.ask("memory_exploration_recall", question="x", project="shoq")


def test_a_relative_root_is_refused_by_name(desk):
    with pytest.raises(InvalidArgumentError, match="root: must be an absolute path; got 'billing'"):
        desk.ask("memory_exploration_recall", question="x", project="shop", root="billing")


def test_stale_ones_give_their_places_to_fresh_ones(desk, recorded):
    desk.ask(
        "memory_exploration_record",
        question="How do billing locks get released?",
        conclusion="By release.",
        project="shop",
        files=["billing/invoice.py"],
    )
    (desk.root / "billing" / "locks.py").write_text("gone\n", encoding="utf-8")
    found = recall(desk, limit=1, include_stale=False)
    assert (found.fresh, found.stale, found.left_out) == (1, 0, 1)
    assert found.results[0].question == "How do billing locks get released?"


def test_a_worktree_shares_the_memo_and_is_judged_by_its_own_files(desk, recorded, tmp_path):
    other = tmp_path / "shop-feature"
    git(desk.root, "worktree", "add", "-q", str(other), "-b", "feature")
    (other / "main.py").write_text("changed on the feature branch\n", encoding="utf-8")
    there = desk.ask("memory_exploration_recall", question=QUESTION, project="shop", cwd=other)
    assert there.results[0].changed_files == ["main.py"]
    assert recall(desk).results[0].status == "fresh"


def test_a_question_asked_from_a_subfolder_is_judged_at_the_same_place(desk, recorded):
    found = desk.ask(
        "memory_exploration_recall", question=QUESTION, project="shop", cwd=desk.root / "billing"
    )
    assert found.results[0].status == "fresh"


def test_a_retired_memo_is_not_recalled_and_can_come_back(desk, recorded):
    assert desk.ask("memory_exploration_verify", id=recorded.id, action="retire", note="rewritten").retired
    assert recall(desk).results == []
    assert desk.ask("memo", id=recorded.id).retired_at is not None
    assert not desk.ask("memory_exploration_verify", id=recorded.id, action="undo").retired
    assert recall(desk).results[0].id == recorded.id
    with pytest.raises(NotFoundError, match="no memo 99"):
        desk.ask("memo", id=99)


def test_a_paraphrase_finds_the_conclusion(desk, recorded):
    (memo,) = recall(desk, question="how is locking done in the billing code").results
    assert memo.id == recorded.id and 0 < memo.score < 1


def test_fifty_memos_over_five_hundred_files_are_all_judged(desk):
    folder = desk.root / "many"
    folder.mkdir()
    for n in range(500):
        (folder / f"f{n}.txt").write_text(f"file {n}\n", encoding="utf-8")
    for n in range(50):
        desk.ask(
            "memory_exploration_record",
            question=f"What stands in group {n} of the many files?",
            conclusion="Numbers.",
            project="shop",
            files=[f"many/f{m}.txt" for m in range(n * 10, n * 10 + 10)],
        )
    (folder / "f123.txt").write_text("other\n", encoding="utf-8")
    status = desk.ask("workspace_status").memos
    assert (status.fresh, status.stale) == (49, 1)


def test_a_whole_disk_is_no_root(desk):
    with pytest.raises(RootRefusedError):
        desk.ask(
            "memory_exploration_record",
            question="What?",
            conclusion="That.",
            project="disk",
            root="/",
            files=["etc/hostname"],
        )
    assert desk.ask("projects").projects == []


def test_a_question_with_a_secret_is_found_by_the_same_words(desk):
    question = "What is ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8 for?"
    desk.ask(
        "memory_exploration_record",
        question=question,
        conclusion="A mirror.",
        project="shop",
        files=["main.py"],
    )
    assert recall(desk, question=question).results[0].score == 1.0


def test_a_worktree_that_nobody_indexed_has_the_status_of_its_project(desk, recorded, tmp_path):
    other = tmp_path / "shop-fix"
    git(desk.root, "worktree", "add", "-q", str(other), "-b", "fix")
    assert desk.ask("workspace_status", cwd=other).project == "shop"
    with pytest.raises(InvalidArgumentError, match="root: must be an absolute path"):
        desk.ask("workspace_status", root="shop")
