"""The last commit that changed given lines: right, or none, whatever the repository looks like."""

from __future__ import annotations

import hashlib
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from afresh_indexer.errors import GitFailed
from afresh_indexer.history import Revisions
from afresh_indexer.last_change import LastChange

NOON = datetime(2024, 5, 1, 12, 0, tzinfo=UTC)
NOBODY = LastChange(None, uncommitted=False)


def numbered(*changes: tuple[int, str | None], count: int = 20) -> str:
    """Lines 1 to `count`, some of them replaced, some (None) left out."""
    replaced = dict(changes)
    lines = [replaced.get(number, f"line {number}") for number in range(1, count + 1)]
    return "".join(f"{line}\n" for line in lines if line is not None)


def subject(repo, start: int, end: int, path: str = "a.py", **options) -> str | None:
    change = Revisions.open(repo.root).last_change(path, start, end, **options)
    return None if change.commit is None else change.commit.subject


def test_each_span_has_the_commit_that_changed_it_last(repo) -> None:
    repo.commit("create", {"a.py": numbered()})
    repo.commit("third", {"a.py": numbered((3, "third"))}, 1)
    repo.commit("tenth", {"a.py": numbered((3, "third"), (10, "tenth"))}, 2)
    repo.commit("elsewhere", {"b.py": "b\n"}, 3)
    spans = [(1, 2), (2, 4), (9, 11), (1, 20), (15, 16)]
    changes = Revisions.open(repo.root).last_changes("a.py", spans)
    found = [change.commit.subject for change in changes if change.commit is not None]
    assert found == ["create", "third", "tenth", "tenth", "create"]


def test_a_commit_is_given_with_its_author_its_utc_time_and_its_subject(repo) -> None:
    repo.write("a.py", numbered())
    repo.git("add", "-A")
    there = datetime.fromisoformat("2024-05-01T14:00:00+05:30")
    repo.git("commit", "-q", "-m", "Subjèct line\n\nand a body", "--author", "Grace H <g@x>", at=there)
    commit = Revisions.open(repo.root).last_change("a.py", 1, 1).commit
    assert commit is not None
    assert (commit.author, commit.subject) == ("Grace H", "Subjèct line")
    assert commit.date == commit.committed == datetime(2024, 5, 1, 8, 30, tzinfo=UTC)
    assert commit.date.utcoffset() == timedelta(0)
    assert commit.id == repo.git("rev-parse", "HEAD")


def test_an_author_whose_name_is_no_text_is_shown_with_a_replacement(repo) -> None:
    repo.commit("base", {"a.py": numbered()})
    tree = repo.git("rev-parse", "HEAD^{tree}")
    raw = (
        f"tree {tree}\n".encode()
        + b"author J\xf6rg <j@x> 1714560000 +0000\ncommitter J\xf6rg <j@x> 1714560000 +0000\n\nGr\xfc\xdfe\n"
    )
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin"],
        cwd=repo.root,
        input=raw,
        capture_output=True,
        check=True,
    )
    repo.git("reset", "-q", "--hard", made.stdout.decode().strip())
    commit = Revisions.open(repo.root).last_change("a.py", 1, 1).commit
    assert commit is not None
    assert (commit.author, commit.subject) == ("J\ufffdrg", "Gr\ufffd\ufffde")


def test_the_mailmap_names_the_author_and_an_empty_name_falls_back_to_the_address(repo) -> None:
    repo.write(".mailmap", "Proper Name <ada@example.org>\n")
    repo.commit("mapped", {"a.py": numbered()})
    commit = Revisions.open(repo.root).last_change("a.py", 1, 1).commit
    assert commit is not None and commit.author == "Proper Name"


def test_lines_that_were_removed_inside_a_span_have_the_commit_that_removed_them(repo) -> None:
    repo.commit("create", {"a.py": numbered()})
    repo.commit("remove 5 and 6", {"a.py": numbered((5, None), (6, None))}, 5)
    # The lines around the gap are as old as the file; what changed the span is the removal.
    assert subject(repo, 3, 7, since=NOON + timedelta(minutes=3)) == "remove 5 and 6"
    assert subject(repo, 5, 4, since=NOON + timedelta(minutes=3)) == "remove 5 and 6"
    # Removed at the span's own edge: only reached once nothing inside is the answer.
    assert subject(repo, 3, 4, since=NOON + timedelta(minutes=3)) == "remove 5 and 6"
    assert subject(repo, 10, 12, since=NOON + timedelta(minutes=3)) is None


def test_a_change_from_before_the_recording_is_no_answer(repo) -> None:
    repo.commit("create", {"a.py": numbered()})
    repo.commit("early", {"a.py": numbered((3, "early"))}, 10)
    repo.commit("late", {"a.py": numbered((3, "early"), (9, "late"))}, 20)
    since = NOON + timedelta(minutes=15)
    assert subject(repo, 3, 3) == "early"
    assert subject(repo, 3, 3, since=since) is None
    assert subject(repo, 9, 9, since=since) == "late"
    assert subject(repo, 9, 9, since=NOON + timedelta(minutes=20, microseconds=900_000)) == "late"
    assert subject(repo, 9, 9, since=NOON + timedelta(minutes=21)) is None


def test_a_commit_made_earlier_and_merged_after_the_recording_is_found_by_the_recorded_version(repo) -> None:
    recorded = numbered()
    repo.commit("create", {"a.py": recorded})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("on the side", {"a.py": numbered((3, "side"))}, 5)
    repo.git("checkout", "-q", "main")
    repo.commit("main goes on", {"b.py": "b\n"}, 30)
    repo.git("merge", "-q", "--no-ff", "-m", "merge side", "side", at=NOON + timedelta(minutes=40))
    since = NOON + timedelta(minutes=20)
    assert subject(repo, 3, 3, since=since) is None
    digest = hashlib.sha256(recorded.encode()).hexdigest()
    assert subject(repo, 3, 3, since=since, recorded_sha256=digest) == "on the side"
    # On the other branch the change is not undone by anybody: it was never there.
    later = hashlib.sha256(numbered((3, "side")).encode()).hexdigest()
    repo.git("checkout", "-q", "main~1")
    assert subject(repo, 3, 3, since=since, recorded_sha256=later) is None


def test_a_merge_is_named_only_for_what_it_made_itself(repo) -> None:
    repo.commit("create", {"a.py": numbered()})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"a.py": numbered((3, "side"), (10, "ten by side"))}, 1)
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"a.py": numbered((17, "main"), (10, "ten by main"))}, 2)
    with pytest.raises(subprocess.CalledProcessError):
        repo.git("merge", "-q", "side")
    merged = numbered((3, "side"), (10, "ten by both"), (17, "main"))
    repo.commit("merge", {"a.py": merged}, 3)
    assert subject(repo, 3, 3) == "side"
    assert subject(repo, 17, 17) == "main"
    assert subject(repo, 10, 10) == "merge"
    assert subject(repo, 1, 2) == "create"


def test_renames_are_followed_with_the_lines_that_came_along(repo) -> None:
    repo.commit("create", {"a.py": numbered()})
    repo.commit("third", {"a.py": numbered((3, "third"))}, 1)
    repo.git("mv", "a.py", "b.py")
    repo.commit("move", {"b.py": numbered((3, "third"), (10, "moved and changed"))}, 2)
    repo.git("mv", "b.py", "c.py")
    repo.commit("move again", {}, 3)
    repo.commit("later", {"c.py": numbered((3, "third"), (10, "moved and changed"), (18, "later"))}, 4)
    found = [subject(repo, line, line, "c.py") for line in (1, 3, 10, 18)]
    assert found == ["create", "third", "move", "later"]
    # A rename alone changes no line.
    assert subject(repo, 3, 3, "c.py", since=NOON + timedelta(minutes=3)) is None


def test_a_rename_in_a_merge_is_followed_too(repo) -> None:
    repo.commit("create", {"a.py": numbered()})
    repo.git("checkout", "-q", "-b", "side")
    repo.git("mv", "a.py", "b.py")
    repo.commit("move", {}, 1)
    repo.git("checkout", "-q", "main")
    repo.commit("third", {"a.py": numbered((3, "third"))}, 2)
    repo.git("merge", "-q", "-m", "merge", "side", at=NOON + timedelta(minutes=3))
    assert (repo.root / "b.py").read_text(encoding="utf-8") == numbered((3, "third"))
    assert subject(repo, 10, 10, "b.py") == "create"
    assert subject(repo, 3, 3, "b.py") in ("third", "merge")


def test_uncommitted_lines_are_told_apart_from_committed_ones(repo) -> None:
    repo.commit("create", {"a.py": numbered()})
    repo.write("a.py", "new top\n" + numbered((10, "dirty"), (15, None)))
    revisions = Revisions.open(repo.root)
    spans = [(1, 1), (4, 6), (11, 11), (14, 18), (2, 9)]
    changes = revisions.last_changes("a.py", spans)
    assert [change.uncommitted for change in changes] == [True, False, True, True, False]
    assert changes[1].commit is not None and changes[1].commit.subject == "create"
    # Staged is not committed.
    repo.git("add", "a.py")
    assert revisions.last_change("a.py", 11, 11).uncommitted
    assert revisions.last_change("a.py", 11, 11, since=NOON + timedelta(minutes=1)).commit is None


def test_line_ends_alone_are_no_change_of_a_line(repo) -> None:
    repo.write(".gitattributes", "*.py text eol=crlf\n")
    repo.commit("create", {"a.py": numbered()})
    repo.write("a.py", numbered().replace("\n", "\r\n"))
    change = Revisions.open(repo.root).last_change("a.py", 1, 20)
    assert change.commit is not None and not change.uncommitted


def test_a_file_that_is_gone_has_the_commit_that_removed_it(repo) -> None:
    repo.commit("create", {"a.py": numbered(), "b.py": "b\n"})
    (repo.root / "a.py").unlink()
    revisions = Revisions.open(repo.root)
    assert revisions.last_change("a.py", 1, 5) == LastChange(None, uncommitted=True)
    repo.commit("remove a", {}, 1)
    repo.commit("later", {"b.py": "c\n"}, 2)
    assert subject(repo, 1, 5) == "remove a"
    assert subject(repo, 1, 5, since=NOON + timedelta(minutes=2)) is None
    assert subject(repo, 1, 1, "never.py") is None


def test_a_removal_on_a_branch_that_was_merged_is_found(repo) -> None:
    repo.commit("create", {"a.py": numbered(), "b.py": "b\n"})
    repo.git("checkout", "-q", "-b", "side")
    (repo.root / "a.py").unlink()
    repo.commit("remove on the side", {}, 1)
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"b.py": "c\n"}, 2)
    repo.git("merge", "-q", "-m", "merge", "side", at=NOON + timedelta(minutes=3))
    assert subject(repo, 1, 1) == "remove on the side"


def test_a_file_that_came_back_has_the_commit_that_brought_it(repo) -> None:
    repo.commit("create", {"a.py": numbered()})
    (repo.root / "a.py").unlink()
    repo.commit("remove", {}, 1)
    repo.commit("bring back", {"a.py": numbered()}, 2)
    assert subject(repo, 1, 20) == "bring back"


def test_amended_and_rebased_commits_are_named_as_they_are_now(repo) -> None:
    repo.commit("create", {"a.py": numbered()})
    repo.commit("typo", {"a.py": numbered((3, "typo"))}, 1)
    repo.write("a.py", numbered((3, "right")))
    repo.git("commit", "-qa", "--amend", "-m", "amended", at=NOON + timedelta(minutes=2))
    repo.git("checkout", "-q", "-b", "side", "HEAD~1")
    repo.commit("side", {"a.py": numbered((12, "side"))}, 3)
    repo.git("rebase", "-q", "main", at=NOON + timedelta(minutes=60))
    assert subject(repo, 3, 3) == "amended"
    commit = Revisions.open(repo.root).last_change("a.py", 12, 12).commit
    assert commit is not None and commit.id == repo.git("rev-parse", "HEAD")
    assert commit.committed > commit.date or commit.committed == commit.date


def test_a_detached_head_and_another_revision_are_judged_as_they_were(repo) -> None:
    first = repo.commit("create", {"a.py": numbered()})
    repo.commit("third", {"a.py": numbered((3, "third"))}, 1)
    repo.git("checkout", "-q", "--detach", first)
    assert subject(repo, 3, 3) == "create"
    assert subject(repo, 3, 3, at="main") == "third"
    assert subject(repo, 3, 3, at="--all") is None
    assert subject(repo, 3, 3, at="nowhere") is None
    repo.write("a.py", "dirty\n")
    assert Revisions.open(repo.root).last_change("a.py", 3, 3, at="main").uncommitted is False


def test_without_a_commit_everything_is_uncommitted(repo) -> None:
    repo.write("a.py", numbered())
    assert Revisions.open(repo.root).last_change("a.py", 1, 1) == LastChange(None, uncommitted=True)
    repo.commit("other", {"b.py": "b\n"})
    repo.git("rm", "-q", "--cached", "a.py")
    repo.git("commit", "-q", "-m", "untrack")
    assert Revisions.open(repo.root).last_change("a.py", 1, 1) == LastChange(None, uncommitted=True)


def test_a_shallow_clone_names_no_commit_for_what_lies_before_it(repo, tmp_path: Path) -> None:
    repo.commit("create", {"a.py": numbered()})
    repo.commit("third", {"a.py": numbered((3, "third"))}, 1)
    repo.commit("tenth", {"a.py": numbered((3, "third"), (10, "tenth"))}, 2)
    clone = type(repo)(tmp_path / "clone")
    repo.git("clone", "-q", "--depth", "2", f"file://{repo.root}", str(clone.root))
    assert subject(clone, 10, 10) == "tenth"
    assert subject(clone, 3, 3) is None
    assert subject(clone, 1, 1) is None


def test_a_history_that_was_cut_or_lengthened_by_replacement_gives_what_git_says(repo) -> None:
    repo.commit("create", {"a.py": numbered()})
    repo.commit("third", {"a.py": numbered((3, "third"))}, 1)
    last = repo.commit("tenth", {"a.py": numbered((3, "third"), (10, "tenth"))}, 2)
    repo.git("replace", "--graft", last)
    assert subject(repo, 3, 3) == "tenth"


def test_worktrees_and_bare_repositories_answer_too(repo, tmp_path: Path) -> None:
    repo.commit("create", {"a.py": numbered()})
    other = type(repo)(tmp_path.resolve() / "other")
    repo.git("worktree", "add", "-q", "-b", "side", str(other.root))
    other.commit("side", {"a.py": numbered((3, "side"))}, 1)
    assert subject(other, 3, 3) == "side"
    assert subject(repo, 3, 3) == "create"
    bare = type(repo)(tmp_path / "bare.git")
    repo.git("clone", "-q", "--bare", str(repo.root), str(bare.root))
    assert subject(bare, 3, 3, at="side") == "side"
    assert subject(bare, 3, 3) == "create"


def test_submodules_links_and_large_file_pointers_are_right_or_nobodys(repo, make) -> None:
    inner = make("inner")
    inner.commit("inner", {"x.py": numbered()})
    repo.git("submodule", "add", "-q", str(inner.root), "sub")
    (repo.root / "link.py").symlink_to("a.py")
    (repo.root / "folder").symlink_to("real")
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12\n"
    repo.commit("all", {"a.py": numbered(), "real/b.py": numbered(), "model.bin": pointer})
    repo.write("model.bin", b"the real bytes\n")
    revisions = Revisions.open(repo.root)
    assert revisions.last_change("sub", 1, 1) == NOBODY
    assert revisions.last_change("sub/x.py", 1, 1).commit is None
    assert subject(repo, 1, 1, "link.py") == subject(repo, 1, 1, "folder/b.py") == "all"
    assert revisions.last_change("model.bin", 1, 1) == NOBODY
    assert Revisions.open(repo.root / "sub").last_change("x.py", 1, 1).commit is not None


def test_below_the_top_the_path_is_that_of_the_folder(repo) -> None:
    repo.commit("create", {"pkg/deep/a.py": numbered(), "other/b.py": numbered(count=30)})
    repo.git("mv", "other/b.py", "pkg/deep/b.py")
    repo.commit("move in", {}, 1)
    below = type(repo)(repo.root / "pkg")
    assert subject(below, 1, 1, "deep/a.py") == "create"
    assert subject(below, 1, 1, "deep/b.py") == "create"


@pytest.mark.parametrize("path", ['q"uote.py', "new\nline.py", "naïve/日本.py", "-p", ":(top)a", "*"])
def test_tricky_names_are_taken_literally(repo, path: str) -> None:
    repo.commit("create", {path: numbered(), "other.py": "x\n"})
    repo.commit("third", {path: numbered((3, "third"))}, 1)
    repo.commit("other", {"other.py": "y\n"}, 2)
    assert subject(repo, 3, 3, path) == "third"
    assert subject(repo, 1, 1, path) == "create"


@pytest.mark.parametrize("span", [(0, 0), (-5, 3), (500, 900), (21, 20), (1, 0), (7, 2)])
def test_lines_out_of_range_are_no_error(repo, span: tuple[int, int]) -> None:
    repo.commit("create", {"a.py": numbered(), "empty.py": ""})
    revisions = Revisions.open(repo.root)
    assert not revisions.last_change("a.py", *span).uncommitted
    assert not revisions.last_change("empty.py", *span).uncommitted


@pytest.mark.parametrize("path", ["", "../a.py", "/a.py", "a\0b", ".", "folder"])
def test_a_path_that_can_not_be_recorded_has_no_answer(repo, path: str) -> None:
    repo.commit("create", {"a.py": numbered(), "folder/b.py": "b\n"})
    assert Revisions.open(repo.root).last_change(path, 1, 1) == NOBODY


def test_a_commit_with_an_impossible_date_is_no_error(repo) -> None:
    repo.commit("base", {"a.py": numbered()})
    tree = repo.git("rev-parse", "HEAD^{tree}")
    raw = f"tree {tree}\nauthor A <a@x> 99999999999999 +0000\ncommitter A <a@x> 1714560000 +0000\n\nodd\n"
    made = subprocess.run(
        ["git", "hash-object", "-t", "commit", "-w", "--stdin", "--literally"],
        cwd=repo.root,
        input=raw.encode(),
        capture_output=True,
        check=True,
    )
    repo.git("reset", "-q", "--hard", made.stdout.decode().strip())
    commit = Revisions.open(repo.root).last_change("a.py", 1, 1).commit
    assert commit is not None and commit.subject == "odd" and commit.date.tzinfo is UTC


def test_a_git_that_is_too_slow_or_broken_gives_no_name_and_no_error(repo, monkeypatch) -> None:
    repo.commit("create", {"a.py": numbered()})
    revisions = Revisions.open(repo.root)
    assert revisions.last_changes("a.py", [(1, 1)], timeout_s=1e-9) == [NOBODY]
    from afresh_indexer import git_objects

    def broken(*arguments, **options):
        raise GitFailed("broken")

    monkeypatch.setattr(git_objects, "run_git", broken)
    assert revisions.last_changes("a.py", [(1, 1), (2, 3)]) == [NOBODY, NOBODY]


def test_many_spans_of_a_file_share_one_listing(repo, monkeypatch: pytest.MonkeyPatch) -> None:
    changes: list[tuple[int, str | None]] = []
    repo.commit("create", {"a.py": numbered(count=60)})
    for number in range(1, 21):
        changes.append((number * 2, f"commit {number}"))
        repo.commit(f"commit {number}", {"a.py": numbered(*changes, count=60)}, number)
    from afresh_indexer import git_objects

    started: list[list[str]] = []
    genuine = git_objects.run_git

    def counted(arguments, **options):
        started.append(list(arguments))
        return genuine(arguments, **options)

    revisions = Revisions.open(repo.root)
    monkeypatch.setattr(git_objects, "run_git", counted)
    spans = [(number * 2, number * 2) for number in range(1, 21)]
    found = revisions.last_changes("a.py", spans)
    assert [change.commit.subject for change in found if change.commit] == [
        f"commit {n}" for n in range(1, 21)
    ]
    assert len(started) <= 8
