"""What git says of a folder, and that asking it is safe."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from afresh_indexer.errors import GitFailed
from afresh_indexer.ignore import SOURCE_LENT, IgnoreRules
from afresh_indexer.repository import (
    first_commits,
    git_available,
    git_common_dir,
    git_toplevel,
    head_branch,
    origin_uri,
    probe,
    run_git,
)


@pytest.fixture(autouse=True)
def _only_our_git_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path_factory.mktemp("config") / "gitconfig"
    config.write_text(
        "[user]\nname = t\nemail = t@example.org\n[init]\ndefaultBranch = main\n", encoding="utf-8"
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = (tmp_path / "re\npository ").resolve()
    root.mkdir()
    git(root, "init", "-q")
    return root


def test_worktrees_share_the_identity_and_keep_their_own_top_and_branch(
    repository: Path, tmp_path: Path
) -> None:
    git(repository, "commit", "-q", "--allow-empty", "-m", "m")
    other = tmp_path.resolve() / "other"
    git(repository, "worktree", "add", "-q", "-b", "feature/x", str(other))
    (other / "deep").mkdir()
    assert git_common_dir(other / "deep") == git_common_dir(repository) == repository / ".git"
    assert git_toplevel(other / "deep") == other
    assert git_toplevel(repository) == repository
    assert head_branch(other / "deep") == "feature/x"
    assert head_branch(repository) == "main"


def test_a_branch_without_commits_has_a_name_and_a_detached_head_has_none(repository: Path) -> None:
    assert head_branch(repository) == "main"
    git(repository, "commit", "-q", "--allow-empty", "-m", "m")
    git(repository, "checkout", "-q", "--detach")
    assert head_branch(repository) is None


def test_where_the_head_file_is_a_placeholder_git_is_asked(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The reftable format, which not every git here can write, leaves exactly this in HEAD.
    (repository / ".git/HEAD").write_text("ref: refs/heads/.invalid\n", encoding="utf-8")
    newer = tmp_path / "git"
    newer.write_text('#!/bin/sh\n[ "$3" = symbolic-ref ] && echo from-the-table\n', encoding="utf-8")
    newer.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert head_branch(repository) == "from-the-table"


def test_a_plain_folder_and_a_bare_repository_are_no_checkout_and_no_problem(tmp_path: Path) -> None:
    assert probe(tmp_path) == probe(tmp_path / "missing")
    assert probe(tmp_path).problem == ""
    assert head_branch(tmp_path) is None
    git(tmp_path, "init", "-q", "--bare", "bare.git")
    assert (git_toplevel(tmp_path / "bare.git"), probe(tmp_path / "bare.git").problem) == (None, "")


def test_a_repository_of_another_user_is_listed_by_its_rule_files_and_the_reason_is_told(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "sub").mkdir()
    (repository / "sub/a").write_text("x", encoding="utf-8")
    (repository / "sub/b.log").write_text("x", encoding="utf-8")
    (repository / ".gitignore").write_text("*.log\n", encoding="utf-8")
    # git's own seam for this case: it behaves as if every repository belonged to somebody else.
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    checkout = probe(repository)
    assert checkout.toplevel is None
    assert "belongs to another user" in checkout.problem
    assert "safe.directory" in checkout.problem
    rules = IgnoreRules.for_root(repository / "sub", tmp_path / "home")
    assert (rules.source, rules.note) == (SOURCE_LENT, checkout.problem)
    assert rules.list_paths() == ["a"]
    assert rules.ignored(["a", "b.log"]) == {"b.log"}


def test_a_repository_that_git_can_not_read_is_told_from_none(repository: Path) -> None:
    (repository / ".git/config").write_text("[core\n", encoding="utf-8")
    checkout = probe(repository)
    assert checkout.toplevel is None
    assert "git refuses the repository at" in checkout.problem
    assert "bad config line 1" in checkout.problem


def test_git_that_takes_too_long_is_stopped_with_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = tmp_path / "git"
    slow.write_text("#!/bin/sh\nexec tail -f /dev/null\n", encoding="utf-8")
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(GitFailed, match=r"longer than 0\.2 seconds in .* and was stopped"):
        run_git(["status"], cwd=tmp_path, timeout_s=0.2)


def test_git_is_available_only_if_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert git_available()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not git_available()
    placeholder = tmp_path / "git"
    placeholder.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    placeholder.chmod(0o755)
    assert not git_available()


def test_clones_have_their_first_commits_in_common(repository: Path, tmp_path: Path) -> None:
    assert first_commits(repository) == () == first_commits(tmp_path) == first_commits(tmp_path / "nowhere")
    by = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    git(repository, *by, "commit", "-q", "--allow-empty", "-m", "one")
    (first,) = first_commits(repository)
    git(repository, *by, "commit", "-q", "--allow-empty", "-m", "two")
    git(tmp_path, "clone", "-q", str(repository), "other")
    assert first_commits(tmp_path / "other") == first_commits(repository) == (first,)


@pytest.mark.parametrize(
    ("url", "uri"),
    [
        ("https://code.example/team/shop.git", "https://code.example/team/shop.git"),
        ("https://ada:secret@code.example:8443/shop?token=1", "https://code.example:8443/shop"),
        ("ssh://git@code.example/team/shop.git", "ssh://code.example/team/shop.git"),
        ("git@code.example:team/the shop.git", "ssh://code.example/team/the%20shop.git"),
        ("code.example:shop", "ssh://code.example/shop"),
        ("/srv/git/shop.git", "file:///srv/git/shop.git"),
    ],
)
def test_an_origin_is_a_uri_without_user_and_password(repository: Path, url: str, uri: str) -> None:
    assert origin_uri(repository) is None
    git(repository, "remote", "add", "origin", url)
    assert origin_uri(repository) == uri


def test_an_origin_beside_the_checkout_is_a_file(repository: Path) -> None:
    git(repository, "remote", "add", "origin", "../mirror.git")
    assert origin_uri(repository) == (repository.parent / "mirror.git").as_uri()
