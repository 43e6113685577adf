"""Where code is judged: worktrees, subfolders, bare repositories, no repository, roots that are gone."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime

import pytest
from tests.app.engine.scenario import (
    LOCKS,
    LONG_AGO,
    commit,
    index,
    recalled,
    record,
    repository,
    the_span,
    write,
)
from tests.repositories import git

from afresh.errors import UsageError

ACQUIRE = [{"path": "billing/locks.py", "symbol": "Lock.acquire"}]
HERE = [{"path": "locks.py", "symbol": "Lock.acquire"}]


def test_worktrees_share_a_conclusion_and_each_has_its_own_freshness(desk, locks, tmp_path):
    record(desk, ACQUIRE)
    other = tmp_path / "feature"
    git(desk.root, "worktree", "add", "-q", "-b", "feature", str(other))
    write(other, {"billing/locks.py": LOCKS.replace("0.1", "0.9")})
    made = commit(other, "sleep long")
    assert recalled(desk, root=str(desk.root)).status == "fresh"
    memo = recalled(desk, root=str(other))
    assert (memo.impact, memo.details[0].commit.id) == ("edited", made)
    assert recalled(desk, root=str(other), at="main").status == "fresh"
    assert recalled(desk, root=str(desk.root), at="feature").impact == "edited"
    assert recalled(desk, root=str(other / "billing")).impact == "edited"
    assert desk.ask("stale", cwd=other).items[0].impact == "edited"
    assert desk.ask("stale", cwd=desk.root).items == []


def test_a_worktree_inside_the_checkout_is_judged_by_its_own_files(desk, locks):
    record(desk, ACQUIRE)
    inner = desk.root / ".agents" / "feature"
    git(desk.root, "worktree", "add", "-q", "-b", "feature", str(inner))
    write(inner, {"billing/locks.py": LOCKS.replace("0.1", "0.9")})
    for root in (inner, inner / "billing"):
        assert recalled(desk, root=str(root)).impact == "edited"
    assert recalled(desk, root=str(desk.root)).status == "fresh"
    assert desk.ask("stale", cwd=inner).items[0].impact == "edited"
    assert desk.ask("stale", cwd=desk.root).items == []


def test_another_clone_that_is_named_by_its_root_is_judged_at_the_same_places(desk, locks, tmp_path):
    record(desk, HERE, root=str(desk.root / "billing"))
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(desk.root), str(clone))
    assert recalled(desk, root=str(clone)).status == "fresh"
    write(clone, {"billing/locks.py": LOCKS.replace("0.1", "0.9")})
    assert recalled(desk, root=str(clone)).impact == "edited"
    assert recalled(desk, root=str(clone / "billing")).impact == "edited"
    assert recalled(desk, root=str(clone), at="HEAD").status == "fresh"
    assert recalled(desk, root=str(desk.root)).status == "fresh"


def test_a_verification_in_a_worktree_is_of_that_worktrees_files(desk, locks, tmp_path):
    id_ = record(desk, ACQUIRE).id
    other = tmp_path / "feature"
    git(desk.root, "worktree", "add", "-q", "-b", "feature", str(other))
    write(other, {"billing/locks.py": LOCKS.replace("0.1", "0.9")})
    assert desk.ask("memory_exploration_verify", id=id_, action="verify", cwd=other).status == "fresh"
    assert recalled(desk, root=str(other)).status == "fresh"
    assert recalled(desk, root=str(desk.root)).impact == "edited"
    git(desk.root, "worktree", "remove", "--force", str(other))
    assert recalled(desk, root=str(desk.root)).impact == "edited"


def test_a_bare_repository_is_judged_at_a_revision(desk, locks, tmp_path):
    record(desk, ACQUIRE)
    wait = LOCKS.replace("0.1", "0.9")
    write(desk.root, {"billing/locks.py": wait})
    made = commit(desk.root, "sleep long")
    git(desk.root, "mv", "billing/locks.py", "billing/mutexes.py")
    commit(desk.root, "rename")
    bare = tmp_path / "shop.git"
    git(tmp_path, "clone", "-q", "--bare", str(desk.root), str(bare))
    assert recalled(desk, root=str(bare), at="HEAD~2").status == "fresh"
    memo = recalled(desk, root=str(bare), at="HEAD~1")
    assert (memo.impact, memo.details[0].commit.id) == ("edited", made)
    memo = recalled(desk, root=str(bare), at="HEAD")
    assert (memo.impact, memo.details[0].moved_to.path) == ("edited", "billing/mutexes.py")
    found = desk.ask("stale", project="shop", root=str(bare), at="HEAD", base="HEAD~2")
    assert [item.impact for item in found.items] == ["edited"]
    with pytest.raises(UsageError, match="bare"):
        desk.ask("stale", project="shop", root=str(bare), staged=True)


def test_a_conclusion_of_a_subfolder_is_judged_there_also_in_a_bare_repository(desk, locks, tmp_path):
    record(desk, HERE, root=str(desk.root / "billing"))
    bare = tmp_path / "shop.git"
    git(tmp_path, "clone", "-q", "--bare", str(desk.root), str(bare))
    assert recalled(desk, root=str(bare), at="HEAD").status == "fresh"
    (found,) = [desk.ask("stale", project="shop", root=str(bare), at="HEAD")]
    assert (found.judged, found.fresh, found.skipped) == (1, 1, [])


def test_a_bare_repository_tells_a_commit_that_changed_line_ends_from_a_checkout_that_does(desk, tmp_path):
    root = repository(tmp_path / "dos", {"locks.py": LOCKS.replace("\n", "\r\n")})
    record(desk, HERE, root=str(root), project="dos")
    write(root, {"locks.py": LOCKS})
    commit(root, "for Unix")
    bare = tmp_path / "dos.git"
    git(tmp_path, "clone", "-q", "--bare", str(root), str(bare))
    assert recalled(desk, project="dos", root=str(bare), at="HEAD").impact == "eol_only"
    assert recalled(desk, project="dos", root=str(bare), at="HEAD~1").status == "fresh"


def test_a_conclusion_of_a_subfolder_is_judged_there_from_anywhere_in_the_checkout(desk, locks):
    record(desk, HERE, root=str(desk.root / "billing"))
    for cwd in (desk.root, desk.root / "billing", desk.root / ".git" / ".."):
        assert recalled(desk, root=str(cwd)).status == "fresh"
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.9")})
    made = commit(desk.root, "sleep long")
    for at in (None, "HEAD"):
        memo = recalled(desk, at=at)
        assert (memo.impact, memo.details[0].commit.id) == ("edited", made)
    git(desk.root, "mv", "billing/locks.py", "billing/mutexes.py")
    for root in (desk.root, desk.root / "billing"):
        assert recalled(desk, root=str(root)).details[0].moved_to.path == "mutexes.py"


def test_a_subfolder_that_is_gone_is_still_judged_at_the_revisions_that_had_it(desk, locks):
    record(desk, HERE, root=str(desk.root / "billing"))
    shutil.rmtree(desk.root / "billing")
    removed = commit(desk.root, "no billing")
    memo = recalled(desk)
    assert (memo.missing_files, memo.impact) == (["locks.py"], "gone")
    assert memo.details[0].commit.id == removed
    assert recalled(desk, at="HEAD").impact == "gone"
    assert recalled(desk, at="HEAD~1").status == "fresh"
    assert desk.ask("stale", at="HEAD~1").skipped == []


def test_a_root_that_is_gone_makes_everything_gone_and_is_no_error(desk, locks, tmp_path):
    root = repository(tmp_path / "away", {"locks.py": LOCKS})
    id_ = record(desk, HERE, root=str(root), project="away").id
    shutil.rmtree(root)
    memo = recalled(desk, project="away", root=str(root))
    assert (memo.status, memo.impact, memo.missing_files) == ("stale", "gone", ["locks.py"])
    diff = desk.ask("memo_diff", id=id_)
    lines = diff.files[0].hunks[0].lines
    assert {line.kind for line in lines} == {"-"}
    cited = LOCKS[LOCKS.index("    def acquire") : LOCKS.index("    def release")].strip().splitlines()
    assert set(cited[1:]) <= {line.text for line in lines}
    assert desk.ask("memo", id=id_).impact == "gone"
    with pytest.raises(UsageError, match="away"):
        recalled(desk, project="away", root=str(root), at="HEAD")
    found = desk.ask("stale", project="away", root=str(root))
    assert [item.impact for item in found.items] == ["gone"]


def test_a_root_inside_another_projects_root_is_judged_by_its_own_repository(desk, locks):
    inner = repository(desk.root / "vendor" / "tool", {"locks.py": LOCKS})
    record(desk, ACQUIRE)
    record(desk, HERE, root=str(inner), project="tool")
    for cwd in (desk.root, inner):
        assert recalled(desk, root=str(cwd)).status == "fresh"
    assert recalled(desk, project="tool", root=str(inner)).status == "fresh"
    write(inner, {"locks.py": LOCKS.replace("0.1", "0.9")})
    made = commit(inner, "sleep long", author="Linus")
    assert recalled(desk, root=str(inner)).status == "fresh"
    memo = recalled(desk, project="tool", root=str(inner))
    assert (memo.impact, memo.details[0].commit.id) == ("edited", made)
    assert [item.id for item in desk.ask("stale", cwd=inner).items] == [memo.id]
    assert desk.ask("stale", cwd=desk.root).items == []
    # Asked from the outer workspace, the inner project is looked at where it was recorded.
    assert [item.id for item in desk.ask("stale", project="tool").items] == [memo.id]


def test_a_file_in_a_repository_inside_the_root_has_its_commits(desk, locks):
    inner = repository(desk.root / "vendor" / "tool", {"locks.py": LOCKS})
    record(desk, [{"path": "vendor/tool/locks.py", "symbol": "Lock.acquire"}])
    write(inner, {"locks.py": LOCKS.replace("0.1", "0.9")})
    made = commit(inner, "sleep long", author="Linus")
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].commit.id) == ("edited", made)
    git(inner, "mv", "locks.py", "mutexes.py")
    assert recalled(desk).details[0].moved_to.path == "vendor/tool/mutexes.py"


@pytest.fixture
def folder(desk, tmp_path):
    """A folder without git."""
    desk.clock.now = datetime.now(UTC)
    root = tmp_path / "plain"
    write(root, {"locks.py": LOCKS, "main.py": "print(1)\n"})
    return root


def test_without_git_the_index_tells_where_things_went(desk, folder, tmp_path):
    index(desk, folder, tmp_path / "home")
    record(desk, HERE, root=str(folder), project="plain")
    other = "What does the file hold?"
    record(desk, ["locks.py"], root=str(folder), project="plain", question=other, conclusion="Locks.")
    (folder / "locks.py").rename(folder / "mutexes.py")
    index(desk, folder, tmp_path / "home")
    memo = recalled(desk, project="plain")
    assert (memo.impact, the_span(memo).moved_to.path) == ("moved", "mutexes.py")
    assert (memo.details[0].commit, memo.details[0].uncommitted) == (None, False)
    assert recalled(desk, other, project="plain").impact == "moved"
    with pytest.raises(UsageError, match="no git repository"):
        recalled(desk, project="plain", at="HEAD")


def test_without_git_a_function_is_found_in_another_file(desk, folder, tmp_path):
    cited = [{"path": "locks.py", "symbol": "stale_locks"}]
    index(desk, folder, tmp_path / "home")
    record(desk, cited, root=str(folder), project="plain")
    at = LOCKS.index("def stale_locks")
    write(folder, {"locks.py": LOCKS[:at].rstrip() + "\n", "reports.py": '"""Reports."""\n\n\n' + LOCKS[at:]})
    index(desk, folder, tmp_path / "home")
    span = the_span(recalled(desk, project="plain"))
    assert (span.now, span.moved_to.path, span.moved_to.content) == ("moved", "reports.py", "identical")


@pytest.mark.parametrize("indexed", ["before", "afterwards"])
def test_without_git_a_copy_that_stood_there_all_along_is_not_where_something_went(
    desk, folder, tmp_path, indexed
):
    write(folder, {"copy.py": LOCKS})
    if indexed == "before":
        index(desk, folder, tmp_path / "home")
    record(desk, HERE, root=str(folder), project="plain")
    (folder / "locks.py").unlink()
    index(desk, folder, tmp_path / "home")
    memo = recalled(desk, project="plain")
    assert (memo.impact, memo.details[0].moved_to) == ("gone", None)


def test_without_git_and_without_an_index_what_left_is_gone(desk, folder):
    record(desk, HERE, root=str(folder), project="plain")
    (folder / "locks.py").rename(folder / "mutexes.py")
    assert recalled(desk, project="plain").impact in ("gone", "moved")


def test_a_repository_of_another_user_is_judged_by_its_files_and_not_at_revisions(
    desk, locks, tmp_path, monkeypatch
):
    record(desk, ACQUIRE)
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    assert recalled(desk, root=str(desk.root)).status == "fresh"
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.9")})
    memo = recalled(desk, root=str(desk.root))
    assert (memo.impact, memo.details[0].commit, memo.details[0].uncommitted) == ("edited", None, False)
    assert desk.ask("stale").items[0].impact == "edited"
    with pytest.raises(UsageError, match=r"another user.*safe\.directory"):
        recalled(desk, at="HEAD")
    with pytest.raises(UsageError, match=r"another user.*safe\.directory"):
        desk.ask("stale", staged=True)


def test_a_missing_git_leaves_status_and_impact(desk, locks, monkeypatch, tmp_path):
    record(desk, ACQUIRE)
    write(desk.root, {"billing/locks.py": LOCKS.replace("0.1", "0.9")})
    monkeypatch.setenv("PATH", str(tmp_path))
    memo = recalled(desk)
    assert (memo.status, memo.impact, memo.details[0].commit) == ("stale", "edited", None)
    with pytest.raises(UsageError, match="git is needed"):
        recalled(desk, at="HEAD")


def test_environment_of_a_hook_does_not_lead_to_another_repository(desk, locks, monkeypatch, tmp_path):
    other = repository(tmp_path / "other", {"billing/locks.py": "x = 1\n"})
    record(desk, ACQUIRE)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", os.fspath(other / ".git" / "index"))
    assert recalled(desk, at="HEAD").status == "fresh"
    assert desk.ask("stale", staged=True).fresh == 1


def test_commits_older_than_the_recording_are_never_named(desk, tmp_path):
    root = repository(tmp_path / "old", {"locks.py": LOCKS.replace("0.1", "0.9")}, "sleep long")
    write(root, {"locks.py": LOCKS})
    record(desk, HERE, root=str(root), project="old")
    git(root, "checkout", "-q", "--", "locks.py")
    memo = recalled(desk, project="old")
    assert memo.impact == "edited"
    assert (memo.details[0].commit, memo.details[0].uncommitted) == (None, False)
    assert LONG_AGO.startswith("2024")
