"""What git did: merges, amendments, rebases, what is staged or not committed, and histories that are cut."""

from __future__ import annotations

import pytest
from tests.app.engine.scenario import (
    LOCKS,
    LONG_AGO,
    commit,
    recalled,
    record,
    repository,
    the_span,
    write,
)
from tests.repositories import git

from afresh.errors import UsageError

ACQUIRE = [{"path": "billing/locks.py", "symbol": "Lock.acquire"}]
WHO = ["-c", "user.name=Mia", "-c", "user.email=mia@example.org"]


def wait_longer(desk, seconds="0.5"):
    write(desk.root, {"billing/locks.py": LOCKS.replace("sleep(0.1)", f"sleep({seconds})")})


def test_a_change_that_came_in_by_a_merge_has_the_commit_that_made_it(desk, locks):
    git(desk.root, "checkout", "-q", "-b", "topic")
    wait_longer(desk)
    made = commit(desk.root, "wait longer", author="Grace", when="2024-02-01T00:00:00Z")
    git(desk.root, "checkout", "-q", "main")
    write(desk.root, {"main.py": "print(3)\n"})
    commit(desk.root, "another thing", when="2024-02-02T00:00:00Z")
    record(desk, ACQUIRE)
    git(desk.root, *WHO, "merge", "-q", "--no-ff", "-m", "merge topic", "topic")
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].commit.id) == ("edited", made)
    assert (memo.details[0].commit.author, memo.details[0].uncommitted) == ("Grace", False)
    assert recalled(desk, at="HEAD^1").status == "fresh"
    assert recalled(desk, at="topic").impact == "edited"


def test_what_the_solution_of_a_conflict_made_itself_has_the_merge(desk, locks):
    git(desk.root, "checkout", "-q", "-b", "topic")
    wait_longer(desk)
    commit(desk.root, "wait longer", when="2024-02-01T00:00:00Z")
    git(desk.root, "checkout", "-q", "main")
    record(desk, ACQUIRE)
    wait_longer(desk, "0.2")
    commit(desk.root, "wait a little")
    with pytest.raises(Exception, match="returned non-zero"):
        git(desk.root, *WHO, "merge", "-q", "topic")
    conflict = recalled(desk)
    assert (conflict.impact, conflict.details[0].uncommitted) == ("edited", True)
    wait_longer(desk, "0.7 / 2")
    solved = commit(desk.root, "merge topic, half of it")
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].commit.id) == ("edited", solved)


def test_an_amended_commit_is_named_as_it_is_now(desk, locks):
    record(desk, ACQUIRE)
    wait_longer(desk)
    commit(desk.root, "wiat longer")
    git(desk.root, *WHO, "commit", "-q", "--amend", "-m", "wait longer")
    head = git(desk.root, "rev-parse", "HEAD").strip()
    memo = recalled(desk)
    assert (memo.details[0].commit.id, memo.details[0].commit.subject) == (head, "wait longer")


def test_what_was_recorded_on_a_commit_that_is_amended_afterwards_stays_fresh_or_tells_the_amendment(
    desk, locks
):
    wait_longer(desk)
    commit(desk.root, "wait longer")
    record(desk, ACQUIRE)
    git(desk.root, *WHO, "commit", "-q", "--amend", "-m", "wait for longer")
    assert recalled(desk).status == "fresh"
    wait_longer(desk, "0.9")
    git(desk.root, "add", "-A")
    git(desk.root, *WHO, "commit", "-q", "--amend", "-m", "wait for very long")
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].commit.subject) == ("edited", "wait for very long")


def test_a_rebase_after_the_recording_changes_nothing_until_the_text_does(desk, locks):
    git(desk.root, "checkout", "-q", "-b", "topic")
    wait_longer(desk)
    before = commit(desk.root, "wait longer", when="2024-02-01T00:00:00Z")
    record(desk, ACQUIRE)
    git(desk.root, "checkout", "-q", "main")
    write(desk.root, {"main.py": "print(3)\n"})
    commit(desk.root, "another thing", when="2024-02-02T00:00:00Z")
    git(desk.root, "checkout", "-q", "topic")
    git(desk.root, *WHO, "rebase", "-q", "main")
    assert git(desk.root, "rev-parse", "HEAD").strip() != before
    assert recalled(desk).status == "fresh"
    assert recalled(desk, at="HEAD").status == "fresh"
    assert recalled(desk, at="main").impact == "edited"
    wait_longer(desk, "0.9")
    commit(desk.root, "even longer")
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].commit.subject) == ("edited", "even longer")


def test_a_rebase_that_brings_a_change_names_the_commit_that_it_lies_on(desk, locks):
    git(desk.root, "checkout", "-q", "-b", "topic")
    write(desk.root, {"main.py": "print(3)\n"})
    commit(desk.root, "another thing", when="2024-02-01T00:00:00Z")
    record(desk, ACQUIRE)
    git(desk.root, "checkout", "-q", "main")
    wait_longer(desk)
    made = commit(desk.root, "wait longer", when="2024-02-02T00:00:00Z")
    git(desk.root, "checkout", "-q", "topic")
    git(desk.root, *WHO, "rebase", "-q", "main")
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].commit.id) == ("edited", made)


def test_what_is_not_committed_is_said_to_be_so_staged_or_not(desk, locks):
    record(desk, ACQUIRE)
    wait_longer(desk)
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].commit, memo.details[0].uncommitted) == ("edited", None, True)
    assert desk.ask("stale", staged=True).items == []
    git(desk.root, "add", "-A")
    memo = recalled(desk)
    assert (memo.details[0].commit, memo.details[0].uncommitted) == (None, True)
    (item,) = desk.ask("stale", staged=True).items
    assert (item.impact, item.details[0].uncommitted, item.impact_at_base) == ("edited", True, None)
    # Staged is what will be committed, whatever the work tree has by now.
    write(desk.root, {"billing/locks.py": LOCKS})
    assert recalled(desk).status == "fresh"
    (item,) = desk.ask("stale", staged=True).items
    assert (item.impact, item.details[0].uncommitted) == ("edited", True)
    assert recalled(desk, at="HEAD").status == "fresh"


def test_uncommitted_lines_beside_the_cited_ones_leave_the_commit_that_changed_those(desk, locks):
    record(desk, ACQUIRE)
    wait_longer(desk)
    made = commit(desk.root, "wait longer")
    text = LOCKS.replace("sleep(0.1)", "sleep(0.5)").replace("return None", "return self")
    write(desk.root, {"billing/locks.py": text})
    memo = recalled(desk)
    assert (memo.details[0].commit.id, memo.details[0].uncommitted) == (made, False)


def test_a_detached_head_is_judged_like_any_other(desk, locks):
    record(desk, ACQUIRE)
    wait_longer(desk)
    made = commit(desk.root, "wait longer")
    git(desk.root, "checkout", "-q", "--detach", "HEAD")
    assert recalled(desk).details[0].commit.id == made
    git(desk.root, "checkout", "-q", "--detach", "HEAD~1")
    assert recalled(desk).status == "fresh"
    assert recalled(desk, at="main").details[0].commit.id == made
    assert desk.ask("stale", base="main").items == []


@pytest.mark.parametrize("at", ["nowhere", "HEAD~99", "-p", "main:main.py", "0" * 40])
def test_an_unknown_revision_is_named_with_what_to_do(desk, locks, at):
    record(desk, ACQUIRE)
    with pytest.raises(UsageError, match=r"branch, a tag or a commit|no commit") as caught:
        recalled(desk, at=at)
    assert repr(at) in str(caught.value)
    with pytest.raises(UsageError, match=r"branch, a tag or a commit|no commit"):
        desk.ask("stale", at=at)
    with pytest.raises(UsageError, match=r"branch, a tag or a commit|no commit"):
        desk.ask("stale", base=at)


def test_with_git_and_no_commit_yet_everything_is_uncommitted(desk, tmp_path):
    root = tmp_path / "young"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root, {"locks.py": LOCKS})
    record(desk, [{"path": "locks.py", "symbol": "Lock.acquire"}], root=str(root), project="young")
    write(root, {"locks.py": LOCKS.replace("0.1", "0.2")})
    memo = recalled(desk, project="young")
    assert (memo.impact, memo.details[0].uncommitted) == ("edited", True)
    (root / "locks.py").rename(root / "mutexes.py")
    assert recalled(desk, project="young").missing_files == ["locks.py"]
    assert desk.ask("stale", cwd=root, staged=True).items[0].impact == "gone"
    git(root, "add", "-A")
    (item,) = desk.ask("stale", cwd=root, staged=True).items
    assert (item.impact, item.details[0].moved_to.path) == ("edited", "mutexes.py")
    with pytest.raises(UsageError, match="'HEAD' is no revision"):
        recalled(desk, project="young", at="HEAD")


def test_a_file_moved_before_the_first_commit_is_found_in_the_work_tree(desk, tmp_path):
    root = tmp_path / "young"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    write(root, {"locks.py": LOCKS})
    record(desk, [{"path": "locks.py", "symbol": "Lock.acquire"}], root=str(root), project="young")
    (root / "locks.py").rename(root / "mutexes.py")
    memo = recalled(desk, project="young")
    assert (memo.impact, memo.details[0].moved_to.path) == ("moved", "mutexes.py")


def test_a_shallow_clone_judges_what_it_has_and_names_what_it_lacks(desk, locks, tmp_path):
    write(desk.root, {"main.py": "print(3)\n"})
    commit(desk.root, "another thing", when="2024-02-01T00:00:00Z")
    root = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=1", desk.root.as_uri(), str(root))
    record(desk, ACQUIRE, root=str(root), project="clone")
    assert recalled(desk, project="clone", at="HEAD").status == "fresh"
    write(root, {"billing/locks.py": LOCKS.replace("0.1", "0.2")})
    made = commit(root, "wait longer")
    memo = recalled(desk, project="clone")
    assert (memo.impact, memo.details[0].commit.id) == ("edited", made)
    (root / "billing" / "locks.py").rename(root / "billing" / "mutexes.py")
    commit(root, "rename")
    for at in (None, "HEAD"):
        memo = recalled(desk, project="clone", at=at)
        assert memo.details[0].moved_to.path == "billing/mutexes.py"
        assert memo.details[0].commit.subject == "rename"
    with pytest.raises(UsageError, match=r"'HEAD~3' is no revision.*shallow.*--unshallow"):
        recalled(desk, project="clone", at="HEAD~3")


def test_a_base_that_shares_no_history_is_compared_as_it_is(desk, locks):
    record(desk, ACQUIRE)
    git(desk.root, "checkout", "-q", "--orphan", "other")
    wait_longer(desk)
    commit(desk.root, "begin anew")
    found = desk.ask("stale", base="main")
    assert [item.impact for item in found.items] == ["edited"]


def test_a_submodule_put_in_place_of_a_folder_is_judged_by_its_files(desk, locks, tmp_path):
    record(desk, ACQUIRE)
    library = repository(tmp_path / "library", {"locks.py": LOCKS, "invoice.py": "x = 1\n"})
    git(desk.root, "rm", "-rq", "billing")
    add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"]
    git(desk.root, *add, str(library), "billing")
    commit(desk.root, "billing is a library now")
    assert recalled(desk).status == "fresh"
    assert recalled(desk, at="HEAD").status == "fresh"
    assert recalled(desk, at="HEAD~1").status == "fresh"
    wait_longer(desk)
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].uncommitted) == ("edited", True)
    made = commit(desk.root / "billing", "wait longer", author="Linus")
    memo = recalled(desk)
    assert (memo.impact, memo.details[0].commit.id, memo.details[0].commit.author) == (
        "edited",
        made,
        "Linus",
    )
    # The outer repository still names the submodule's earlier commit.
    assert recalled(desk, at="HEAD").status == "fresh"
    assert desk.ask("stale", staged=True).items == []
    commit(desk.root, "newer library")
    memo = recalled(desk, at="HEAD")
    assert (memo.impact, memo.details[0].commit.id) == ("edited", made)


def test_a_file_cited_inside_a_submodule_is_followed_there(desk, locks, tmp_path):
    library = repository(tmp_path / "library", {"src/locks.py": LOCKS})
    add = ["-c", "protocol.file.allow=always", "submodule", "--quiet", "add"]
    git(desk.root, *add, str(library), "vendor/library")
    commit(desk.root, "a library", when=LONG_AGO)
    record(desk, [{"path": "vendor/library/src/locks.py", "symbol": "Lock.acquire"}])
    assert recalled(desk).status == "fresh"
    inner = desk.root / "vendor" / "library"
    git(inner, "mv", "src/locks.py", "src/mutexes.py")
    made = commit(inner, "rename", author="Linus")
    commit(desk.root, "newer library")
    for at in (None, "HEAD"):
        memo = recalled(desk, at=at)
        assert (memo.impact, the_span(memo).moved_to.path) == ("moved", "vendor/library/src/mutexes.py")
        assert memo.details[0].commit.id == made
