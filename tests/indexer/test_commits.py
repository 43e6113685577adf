"""What the commits of a repository say."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.repositories import git

from afresh_indexer.commits import head_commit, recent_commits, unreachable
from afresh_indexer.errors import GitFailed

ANN = ("-c", "user.name=Ann Ö", "-c", "user.email=ann@example.org")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    return tmp_path


def commit(root: Path, message: str, *more: str, name: str = "") -> str:
    if name:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"{message}\n", encoding="utf-8")
        git(root, "add", name)
    date = "2024-03-05T10:00:00+02:00"
    git(root, *ANN, "commit", "-q", "--date", date, "--cleanup=verbatim", "-m", message, *more)
    return git(root, "rev-parse", "HEAD").strip()


def test_messages_are_told_newest_first_with_author_and_time(root: Path) -> None:
    first = commit(root, "Add a\n\nBecause b needs it.\n\n- one\n", name="a")
    second = commit(root, "Fix a: naïve", name="a")
    found = recent_commits(root, 10)
    assert [(told.id, told.message) for told in found] == [
        (second, "Fix a: naïve"),
        (first, "Add a\n\nBecause b needs it.\n\n- one"),
    ]
    assert {told.author for told in found} == {"Ann Ö"}
    assert found[0].written == datetime(2024, 3, 5, 8, tzinfo=UTC)
    assert [told.id for told in recent_commits(root, 1)] == [second]


def test_merges_and_commits_without_a_message_are_left_out(root: Path) -> None:
    commit(root, "start", name="a")
    git(root, "checkout", "-q", "-b", "other")
    commit(root, "on the other branch", name="b")
    git(root, "checkout", "-q", "main")
    commit(root, "on main", name="c")
    git(root, *ANN, "merge", "-q", "--no-ff", "-m", "Merge branch other", "other")
    commit(root, "", "--allow-empty", "--allow-empty-message", name="d")
    assert sorted(told.message for told in recent_commits(root, 10)) == [
        "on main",
        "on the other branch",
        "start",
    ]


def test_below_the_top_only_what_touched_the_folder_is_told(root: Path) -> None:
    commit(root, "outside", name="a")
    commit(root, "inside", name="part/b")
    assert [told.message for told in recent_commits(root / "part", 10)] == ["inside"]


def test_before_the_first_commit_there_is_nothing_to_tell(root: Path) -> None:
    assert head_commit(root) is None
    assert recent_commits(root, 5) == []


def test_a_folder_without_a_repository_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    with pytest.raises(GitFailed, match="plain has no history"):
        recent_commits(tmp_path / "plain", 5)


def test_a_commit_that_was_amended_away_is_unreachable(root: Path) -> None:
    first = commit(root, "one", name="a")
    second = commit(root, "two", name="a")
    assert unreachable(root, [first, second]) == set()
    git(root, *ANN, "commit", "-q", "--amend", "-m", "two, better")
    assert unreachable(root, [first, second]) == {second}
    assert unreachable(root, []) == set()
