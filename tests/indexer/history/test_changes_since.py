"""Who changed many files, by one listing: proven by chains of versions, or left open."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from afresh_indexer import git_objects
from afresh_indexer.changes_since import Asked, blob_ids
from afresh_indexer.history import Revisions, Side
from afresh_indexer.last_change import LastChange

NOON = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)

TEXT = b"".join(b"line %d\n" % number for number in range(1, 21))
HOUR = timedelta(hours=1)


def asked(repo, path, recorded, lines, *, now=None):
    data = (repo.root / path).read_bytes() if now is None and (repo.root / path).exists() else now
    return Asked(
        path, lines, blob_ids(recorded), frozenset() if data is None else blob_ids(data), lambda: data
    )


def since(repo, *files, at=Side.WORKTREE):
    return Revisions.open(repo.root).changes_since(files, NOON, at=at)


def subjects(found):
    return [None if one is None or one.commit is None else one.commit.subject for one in found]


def test_files_of_several_commits_each_have_their_own(repo) -> None:
    repo.commit("create", {"a.py": TEXT, "b.py": TEXT, "c.py": TEXT}, minutes=-60)
    repo.commit("first", {"a.py": TEXT.replace(b"line 3\n", b"three\n")}, minutes=60)
    repo.commit("second", {"b.py": TEXT.replace(b"line 3\n", b"three\n")}, minutes=120)
    (repo.root / "c.py").write_bytes(TEXT.replace(b"line 3\n", b"three\n"))
    found = since(repo, *(asked(repo, path, TEXT, (3, 3)) for path in ("a.py", "b.py", "c.py")))
    assert subjects(found) == ["first", "second", None]
    assert [one.uncommitted for one in found] == [False, False, True]


def test_of_several_commits_the_one_is_named_that_changed_the_lines(repo) -> None:
    repo.commit("create", {"a.py": TEXT}, minutes=-60)
    third = TEXT.replace(b"line 3\n", b"three\n")
    repo.commit("third line", {"a.py": third}, minutes=60)
    ninth = third.replace(b"line 9\n", b"nine\n")
    repo.commit("ninth line", {"a.py": ninth}, minutes=120)
    places = [(3, 3), (9, 9), (1, 20), (15, 16)]
    found = since(repo, *(asked(repo, "a.py", TEXT, place) for place in places))
    assert subjects(found) == ["third line", "ninth line", "ninth line", None]
    (repo.root / "a.py").write_bytes(b"new\n" + ninth.replace(b"line 15\n", b"fifteen\n"))
    places = [(4, 4), (16, 16)]
    found = since(repo, *(asked(repo, "a.py", TEXT, place) for place in places))
    assert subjects(found) == ["third line", None]
    assert [one.uncommitted for one in found] == [False, True]


def test_what_came_in_by_a_merge_has_its_own_commit_and_not_the_merge(repo) -> None:
    repo.commit("create", {"a.py": TEXT, "b.py": TEXT}, minutes=-60)
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("topic", {"a.py": TEXT.replace(b"line 3\n", b"three\n")}, minutes=-30)
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"b.py": TEXT.replace(b"line 3\n", b"three\n")}, minutes=60)
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic", at=NOON + 2 * HOUR)
    found = since(repo, asked(repo, "a.py", TEXT, (3, 3)), asked(repo, "b.py", TEXT, (3, 3)))
    assert subjects(found) == ["topic", "main"]


def test_where_the_versions_form_no_chain_nobody_is_named(repo) -> None:
    repo.commit("create", {"a.py": TEXT}, minutes=-60)
    repo.git("checkout", "-q", "-b", "topic")
    repo.commit("topic", {"a.py": TEXT.replace(b"line 3\n", b"three\n")}, minutes=60)
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"a.py": TEXT.replace(b"line 9\n", b"nine\n")}, minutes=120)
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "topic", at=NOON + 3 * HOUR)
    assert since(repo, asked(repo, "a.py", TEXT, (3, 3))) == [None]
    assert since(repo, asked(repo, "a.py", b"never committed\n", (3, 3))) == [None]


def test_a_version_that_came_back_ends_the_chain(repo) -> None:
    other, last = TEXT.replace(b"line 3\n", b"three\n"), TEXT.replace(b"line 3\n", b"drei\n")
    repo.commit("create", {"a.py": TEXT}, minutes=-60)
    repo.commit("change", {"a.py": other}, minutes=60)
    repo.commit("revert", {"a.py": TEXT}, minutes=120)
    repo.commit("last", {"a.py": last}, minutes=180)
    assert subjects(since(repo, asked(repo, "a.py", TEXT, (3, 3)))) == ["last"]


def test_a_removed_file_has_the_commit_that_removed_it(repo) -> None:
    repo.commit("create", {"a.py": TEXT, "b.py": TEXT, "dir/c.py": TEXT}, minutes=-60)
    repo.git("rm", "-q", "a.py", "dir/c.py")
    repo.commit("remove", {"dir/c.py/inside.py": TEXT}, minutes=60)
    (repo.root / "b.py").unlink()
    files = [asked(repo, path, TEXT, (1, 1)) for path in ("a.py", "b.py")]
    files.append(Asked("dir/c.py", (1, 1), blob_ids(TEXT), frozenset(), lambda: None))
    found = since(repo, *files)
    assert subjects(found) == ["remove", None, "remove"]
    assert [one.uncommitted for one in found] == [False, True, False]


def test_a_link_in_place_of_a_file_is_left_open(repo) -> None:
    repo.commit("create", {"a.py": TEXT, "b.py": TEXT.upper()}, minutes=-60)
    (repo.root / "a.py").unlink()
    (repo.root / "a.py").symlink_to("b.py")
    repo.git("add", "-A")
    repo.git("commit", "-q", "-m", "link", at=NOON + HOUR)
    assert since(repo, asked(repo, "a.py", TEXT, (3, 3))) == [None]


def test_a_revision_and_the_index_are_judged_as_they_are(repo) -> None:
    repo.commit("create", {"a.py": TEXT}, minutes=-60)
    changed = TEXT.replace(b"line 3\n", b"three\n")
    repo.commit("change", {"a.py": changed}, minutes=60)
    staged = changed.replace(b"line 9\n", b"nine\n")
    (repo.root / "a.py").write_bytes(staged)
    repo.git("add", "-A")
    (repo.root / "a.py").write_bytes(TEXT)
    assert subjects(since(repo, asked(repo, "a.py", TEXT, (3, 3), now=changed), at="HEAD")) == ["change"]
    found = since(
        repo,
        asked(repo, "a.py", TEXT, (3, 3), now=staged),
        asked(repo, "a.py", TEXT, (9, 9), now=staged),
        at=Side.INDEX,
    )
    assert (subjects(found), found[1]) == (["change", None], LastChange(None, uncommitted=True))


def test_line_ends_that_a_checkout_converts_do_not_break_a_chain(repo) -> None:
    repo.commit("create", {"a.py": TEXT}, minutes=-60)
    changed = TEXT.replace(b"line 3\n", b"three\n")
    repo.commit("change", {"a.py": changed}, minutes=60)
    crlf = [data.replace(b"\n", b"\r\n") for data in (TEXT, changed)]
    assert subjects(since(repo, asked(repo, "a.py", crlf[0], (3, 3), now=crlf[1]))) == ["change"]


def test_below_the_top_and_with_tricky_names_paths_are_taken_literally(repo) -> None:
    paths = ["pkg/a b.py", "pkg/[x].py", "pkg/-n.py", "pkg/ü.py", "pkg/:(top)q.py"]
    repo.commit("create", dict.fromkeys(paths, TEXT), minutes=-60)
    changed = TEXT.replace(b"line 3\n", b"three\n")
    repo.commit("change", dict.fromkeys(paths, changed), minutes=60)
    inside = [
        Asked(path.removeprefix("pkg/"), (3, 3), blob_ids(TEXT), blob_ids(changed), lambda: changed)
        for path in paths
    ]
    assert subjects(Revisions.open(repo.root / "pkg").changes_since(inside, NOON)) == ["change"] * 5


def test_hundreds_of_files_take_few_processes(repo, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [f"f{number}.py" for number in range(300)]
    repo.commit("create", dict.fromkeys(paths, TEXT), minutes=-60)
    for name in (b"three", b"drei"):
        repo.commit("change", dict.fromkeys(paths, TEXT.replace(b"line 3", name)), minutes=60)
    revisions = Revisions.open(repo.root)
    calls: list[object] = []
    run = git_objects.run_git
    monkeypatch.setattr(git_objects, "run_git", lambda *a, **k: (calls.append(a), run(*a, **k))[1])
    found = revisions.changes_since([asked(repo, path, TEXT, (3, 3)) for path in paths], NOON)
    assert subjects(found) == ["change"] * 300
    assert len(calls) <= 5


def test_without_a_commit_nobody_is_named_and_nothing_fails(repo) -> None:
    (repo.root / "a.py").write_bytes(TEXT)
    assert since(repo, asked(repo, "a.py", b"old\n", (1, 1))) == [None]
