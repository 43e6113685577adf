"""Commit messages as memories: asked for, taken in once, and out when their commit is."""

from __future__ import annotations

import pytest
from tests.repositories import git

from afresh.engine import workspaces
from afresh.engine.commit_memories import follow_commits, follow_on
from afresh.errors import InvalidArgumentError

ANN = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")


@pytest.fixture
def shop(desk):
    with desk.engine.write() as tx:
        return workspaces.register(desk.engine, tx, desk.root, name=None, force=False)


def commit(desk, message, *more):
    git(desk.root, *ANN, "commit", "-q", "--allow-empty", "-m", message, *more)
    return git(desk.root, "rev-parse", "HEAD").strip()


def recalled(desk, query):
    return desk.ask("recall", query=query).result.memories


def test_a_commit_is_recalled_with_its_id_its_author_and_its_day(desk, shop):
    id_ = commit(
        desk, "Round totals half to even\n\nThe auditors asked for it.", "--date", "2024-03-05T10:00:00Z"
    )
    assert follow_commits(desk.engine, shop.project, shop.checkout, 10) == 2
    (memory,) = recalled(desk, "why are totals rounded half to even")
    assert (memory.source.kind, memory.source.external_id) == ("git", id_)
    assert (memory.memory_type, memory.tags) == ("episodic", ["author:Ann"])
    assert memory.event_time.isoformat() == "2024-03-05T10:00:00+00:00"
    assert "auditors" in memory.content


def test_nothing_is_doubled_and_later_commits_follow(desk, shop):
    commit(desk, "Round totals half to even")
    follow_commits(desk.engine, shop.project, shop.checkout, 10)
    assert follow_commits(desk.engine, shop.project, shop.checkout, 10) == 0
    assert follow_on(desk.engine, shop.project, shop.checkout) == 0
    commit(desk, "Locks are released by a finalizer")
    assert follow_on(desk.engine, shop.project, shop.checkout) == 1
    assert len(recalled(desk, "locks released by a finalizer")) == 1


def test_nobody_who_did_not_ask_gets_commits_and_nought_ends_it(desk, shop):
    commit(desk, "Round totals half to even")
    assert follow_on(desk.engine, shop.project, shop.checkout) == 0
    follow_commits(desk.engine, shop.project, shop.checkout, 1)
    follow_commits(desk.engine, shop.project, shop.checkout, 0)
    commit(desk, "Locks are released by a finalizer")
    assert follow_on(desk.engine, shop.project, shop.checkout) == 0
    assert len(recalled(desk, "round totals half to even")) == 1


def test_an_amended_commit_is_out_and_comes_back_with_its_branch(desk, shop):
    first = commit(desk, "Round totals half to even")
    follow_commits(desk.engine, shop.project, shop.checkout, 10)
    git(
        desk.root, *ANN, "commit", "-q", "--amend", "--allow-empty", "-m", "Round totals half to even, always"
    )
    follow_on(desk.engine, shop.project, shop.checkout)
    assert [m.content for m in recalled(desk, "round totals half to even")] == [
        "Round totals half to even, always"
    ]
    git(desk.root, "reset", "-q", "--hard", first)
    follow_on(desk.engine, shop.project, shop.checkout)
    assert [m.source.external_id for m in recalled(desk, "round totals half to even")] == [first]


def test_a_commit_memory_that_a_person_deleted_stays_deleted(desk, shop):
    commit(desk, "Round totals half to even")
    follow_commits(desk.engine, shop.project, shop.checkout, 10)
    (memory,) = recalled(desk, "round totals half to even")
    desk.ask("memory_delete", id=memory.id, reason="wrong")
    commit(desk, "Locks are released by a finalizer")
    follow_on(desk.engine, shop.project, shop.checkout)
    assert recalled(desk, "round totals half to even") == []


def test_secrets_in_messages_are_redacted(desk, shop):
    key = "ghp_" + "Zx81Qm4T7vKc02LbWn9RsYd3Pf6HjUa5Eg1t"
    commit(desk, f"Use the new deploy key {key}")
    follow_commits(desk.engine, shop.project, shop.checkout, 1)
    (memory,) = recalled(desk, "new deploy key")
    assert key not in memory.content


def test_a_folder_without_history_is_refused_by_name(desk, tmp_path):
    plain = tmp_path / "plain"
    plain.mkdir()
    with desk.engine.write() as tx:
        place = workspaces.register(desk.engine, tx, plain, name=None, force=False)
    with pytest.raises(InvalidArgumentError, match=r"history.*plain has no history"):
        follow_commits(desk.engine, place.project, place.checkout, 5)
    assert follow_on(desk.engine, place.project, place.checkout) == 0
