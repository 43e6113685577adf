"""A file's old bytes are found in git by their hash, wherever git still has them."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import pytest

from afresh_indexer import old_versions
from afresh_indexer.history import Revisions


def find(repo, path: str, data: bytes, **options) -> bytes | None:
    digest = hashlib.sha256(data).hexdigest()
    return Revisions.open(repo.root).find_blob(path, len(data), digest, **options)


def test_a_version_deep_in_the_history_is_found_by_its_hash(repo) -> None:
    for number in range(12):
        repo.commit(f"v{number}", {"a.py": f"x = {number:03}\n"}, number)
    assert find(repo, "a.py", b"x = 004\n") == b"x = 004\n"
    assert find(repo, "a.py", b"x = 999\n") is None
    assert find(repo, "b.py", b"x = 004\n") is None


def test_a_file_is_followed_through_its_renames_and_found_after_it_was_deleted(repo) -> None:
    body = "".join(f"line {number}\n" for number in range(30))
    repo.commit("one", {"old.py": body})
    repo.git("mv", "old.py", "new.py")
    repo.commit("moved", {"new.py": body + "more\n"}, 1)
    (repo.root / "new.py").unlink()
    repo.commit("gone", {}, 2)
    assert find(repo, "new.py", (body + "more\n").encode()) == (body + "more\n").encode()
    assert find(repo, "old.py", body.encode()) == body.encode()


def test_a_version_before_a_rename_is_found_under_the_new_name(repo) -> None:
    body = "".join(f"line {number}\n" for number in range(30))
    repo.commit("one", {"old.py": body})
    repo.git("mv", "old.py", "new.py")
    repo.commit("moved", {}, 1)
    repo.commit("edited", {"new.py": body + "more\n"}, 2)
    assert find(repo, "new.py", body.encode()) == body.encode()


@pytest.mark.parametrize(
    ("committed", "recorded"),
    [
        (b"a\nb\n", b"a\r\nb\r\n"),
        (b"a\r\nb\r\n", b"a\nb\n"),
        (b"a\r\nb\n", b"a\r\nb\r\n"),
        (b"a\r\nb\n", b"a\nb\n"),
        (b"\n", b"\r\n"),
    ],
)
def test_line_ends_that_git_converts_do_not_hide_a_version(repo, committed: bytes, recorded: bytes) -> None:
    repo.commit("one", {"a.txt": committed})
    repo.commit("two", {"a.txt": b"other\n"}, 1)
    assert find(repo, "a.txt", recorded) == recorded


def test_what_an_amendment_a_rebase_or_another_branch_holds_is_found(repo) -> None:
    repo.commit("one", {"a": "one\n"})
    repo.write("a", "amended away\n")
    repo.git("commit", "-qam", "first try")
    repo.write("a", "amended\n")
    repo.git("commit", "-qa", "--amend", "-m", "second try")
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"a": "on the side\n"}, 3)
    repo.git("checkout", "-q", "main")
    repo.write("a", "stashed\n")
    repo.git("stash", "-q")
    for text in (b"amended away\n", b"on the side\n", b"stashed\n"):
        assert find(repo, "a", text) == text


def test_a_merge_that_made_text_of_its_own_is_found(repo) -> None:
    repo.commit("base", {"a": "base\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"a": "side\n"}, 1)
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"a": "main\n"}, 2)
    repo.git("merge", "-q", "-s", "ours", "--no-commit", "side")
    repo.commit("merged", {"a": "of its own\n"}, 3)
    repo.commit("later", {"a": "later\n"}, 4)
    assert find(repo, "a", b"of its own\n") == b"of its own\n"


def test_versions_near_the_recording_are_read_first(repo, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(40):
        repo.commit(f"v{number}", {"a": f"{number:03}\n"}, number)
    read: list[int] = []
    genuine = old_versions.GitObjects.blobs

    def counted(self, oids):
        found = genuine(self, oids)
        read.append(len(found))
        return found

    monkeypatch.setattr(old_versions, "BATCH_BYTES", 4)
    monkeypatch.setattr(old_versions.GitObjects, "blobs", counted)
    assert find(repo, "a", b"010\n", recorded_at=datetime(2024, 5, 1, 12, 10, tzinfo=UTC)) == b"010\n"
    assert sum(read) <= 3


def test_the_number_of_commits_that_are_looked_at_is_bounded(repo) -> None:
    for number in range(8):
        repo.commit(f"v{number}", {"a": f"{number:03}\n"}, number)
    assert find(repo, "a", b"001\n", commits=3) is None
    assert find(repo, "a", b"001\n", commits=7) == b"001\n"


def test_without_a_commit_and_for_a_path_that_leads_out_nothing_is_found(repo) -> None:
    repo.write("a", "x\n")
    assert find(repo, "a", b"x\n") is None
    repo.commit("one")
    assert find(repo, "../a", b"x\n") is None
    assert find(repo, "a", b"x\n") == b"x\n"


def test_names_that_look_like_something_else_are_found(repo) -> None:
    names = [":a b c d", "new\nline", "-p", "*"]
    repo.commit("one", {name: f"{name}\n" for name in names})
    repo.commit("two", dict.fromkeys(names, "2\n"), 1)
    for name in names:
        assert find(repo, name, f"{name}\n".encode()) == f"{name}\n".encode()


def test_below_the_top_the_path_is_that_of_the_folder(repo) -> None:
    repo.commit("one", {"pkg/a": "one\n", "a": "top\n"})
    repo.commit("two", {"pkg/a": "two\n"}, 1)
    digest = hashlib.sha256(b"one\n").hexdigest()
    assert Revisions.open(repo.root / "pkg").find_blob("a", 4, digest) == b"one\n"
