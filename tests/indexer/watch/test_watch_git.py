"""Git's own files, read without git and compared with what git says."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from afresh_indexer.watch_git import GitSigns, read_signs

Git = Callable[..., str]
SECOND_NS = 1_000_000_000


@pytest.fixture
def repository(root: Path, commit_all: Callable[[Path], None]) -> Path:
    commit_all(root)
    return root


def test_the_folders_agree_with_git_in_a_checkout_a_subfolder_a_worktree_and_a_submodule(
    repository: Path, tmp_path: Path, git: Git
) -> None:
    worktree = tmp_path / "worktree"
    git(repository, "worktree", "add", "-q", str(worktree), "-b", "other")
    outer = tmp_path / "outer"
    outer.mkdir()
    git(outer, "init", "-q")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(repository), "part")
    for root in (repository, repository / "src", worktree, worktree / "src", outer / "part"):
        signs = read_signs(root)
        asked = git(root, "rev-parse", "--path-format=absolute", "--git-dir", "--git-common-dir").splitlines()
        assert [str(signs.git_dir), str(signs.common_dir)] == asked
        assert signs.tracked == len(git(root, "ls-files", "--full-name", ":/").splitlines())
        assert signs.head.startswith(b"ref: refs/heads/")
        assert signs.folders()[0] == str(signs.git_dir)


def test_outside_a_repository_there_are_no_signs(tmp_path: Path) -> None:
    assert read_signs(tmp_path) == GitSigns()
    assert read_signs(tmp_path / "missing").folders() == []


@pytest.mark.parametrize("content", [b"", b"gitdir: nowhere\n", b"something else"])
def test_a_git_file_that_leads_nowhere_is_passed_over(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".git").write_bytes(content)
    assert read_signs(tmp_path).git_dir is None


def test_an_empty_git_folder_is_passed_over_for_the_repository_above(repository: Path) -> None:
    (repository / "src" / ".git").mkdir()
    assert read_signs(repository / "src").git_dir == repository / ".git"


def test_signs_differ_with_head_the_number_of_tracked_files_and_each_rule(repository: Path, git: Git) -> None:
    root = repository / "src"
    seen = [read_signs(root)]
    assert read_signs(root) == seen[0]

    def must_differ() -> None:
        now = read_signs(root)
        assert now not in seen
        seen.append(now)

    git(repository, "checkout", "-q", "-b", "other")
    must_differ()
    git(repository, "commit", "-q", "--allow-empty", "-m", "empty")
    must_differ()
    git(repository, "rm", "-q", "--cached", "a.py")
    must_differ()
    (repository / ".gitignore").write_text("*.log\n", encoding="utf-8")
    must_differ()
    (repository / ".afreshignore").write_text("*.txt\n", encoding="utf-8")
    must_differ()
    (repository / ".git" / "info" / "exclude").write_text("*.tmp\n", encoding="utf-8")
    must_differ()
    git(repository, "config", "core.excludesFile", "/nowhere")
    must_differ()
    (repository / ".gitignore").unlink()
    must_differ()


def test_git_is_busy_while_it_holds_the_index_s_lock_but_not_for_ever(repository: Path) -> None:
    signs = read_signs(repository)
    lock = repository / ".git" / "index.lock"
    assert not signs.is_busy(5 * SECOND_NS, 10 * SECOND_NS)
    lock.touch()
    os.utime(lock, ns=(5 * SECOND_NS, 5 * SECOND_NS))
    assert signs.is_busy(14 * SECOND_NS, 10 * SECOND_NS)
    assert not signs.is_busy(15 * SECOND_NS, 10 * SECOND_NS)
    assert not GitSigns().is_busy(0, SECOND_NS)
