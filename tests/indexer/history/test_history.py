"""Revisions: names, trees, contents, the index, and what differs."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from afresh_indexer.errors import GitFailed
from afresh_indexer.git_objects import Blob
from afresh_indexer.history import ChangedPath, NoRepository, Revisions, RevisionUnknown, Side

TRICKY = [
    'with "quotes".txt',
    "naïve/日本.py",
    "new\nline.txt",
    "-option",
    ":magic",
    "*.star",
    " lead",
    "tab\t",
]


def state_of(folder: Path) -> dict[str, tuple[int, str]]:
    """Every file below a folder with its stamp and hash."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {
        str(path): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files
    }


def test_a_branch_a_tag_an_abbreviation_and_a_search_resolve_to_the_commit(repo) -> None:
    commit = repo.commit("first words")
    repo.git("tag", "-a", "v1", "-m", "annotated")
    revisions = Revisions.open(repo.root)
    for name in ("main", "v1", commit[:9], "HEAD", "HEAD^{commit}", ":/first"):
        assert revisions.resolve(name) == commit


@pytest.mark.parametrize("name", ["nowhere", "HEAD~7", "", "a b", "main..main", "\0", "x\ny", "HEAD:missing"])
def test_an_unknown_revision_is_named(repo, name: str) -> None:
    repo.commit("one")
    with pytest.raises(RevisionUnknown) as caught:
        Revisions.open(repo.root).resolve(name)
    assert repr(name) in str(caught.value)


@pytest.mark.parametrize("name", ["--all", "--output=stolen", "-h", "--git-dir", "--exec=touch stolen"])
def test_a_revision_that_looks_like_an_option_is_only_an_unknown_name(repo, name: str) -> None:
    repo.commit("one")
    revisions = Revisions.open(repo.root)
    for ask in (
        revisions.resolve,
        revisions.tree,
        lambda rev: revisions.read(rev, ["a"]),
        revisions.changed_paths,
        lambda rev: revisions.changed_paths("HEAD", rev),
        lambda rev: revisions.merge_base("HEAD", rev),
    ):
        with pytest.raises(RevisionUnknown):
            ask(name)
    assert not (repo.root / "stolen").exists()


def test_what_is_no_commit_is_said_to_be_another_object(repo) -> None:
    repo.commit("one", {"a": "1\n"})
    with pytest.raises(RevisionUnknown, match="another object"):
        Revisions.open(repo.root).resolve("HEAD:a")


def test_a_branch_named_like_a_side_is_still_a_revision(repo) -> None:
    repo.commit("one", {"a": "1\n"})
    repo.git("branch", "index")
    repo.commit("two", {"a": "2\n"}, 1)
    revisions = Revisions.open(repo.root)
    assert revisions.changed_paths("HEAD", "index") == [ChangedPath("a", "M")]
    assert revisions.changed_paths("HEAD", Side.INDEX) == []


def test_a_repository_without_commits_has_no_head_and_still_an_index(repo) -> None:
    repo.write("a", "staged\n")
    repo.git("add", "a")
    revisions = Revisions.open(repo.root)
    with pytest.raises(RevisionUnknown, match="'HEAD'"):
        revisions.resolve("HEAD")
    assert revisions.staged(["a", "b"]) == {"a": b"staged\n", "b": None}


def test_a_tree_tells_files_links_and_submodules_apart(repo, make) -> None:
    inner = make("inner")
    inner.commit("inner", {"x": "x\n"})
    repo.write("run.sh", "#!/bin/sh\n").chmod(0o755)
    (repo.root / "link").symlink_to("docs")
    repo.git("submodule", "add", "-q", str(inner.root), "sub")
    repo.commit("all", {"docs/a.md": "hello\n", "docs2/b.md": "b\n"})
    tree = Revisions.open(repo.root).tree("HEAD")
    kinds = {path: (blob.mode, blob.kind, blob.size) for path, blob in tree.items() if path != ".gitmodules"}
    assert kinds == {
        "docs/a.md": ("100644", "file", 6),
        "docs2/b.md": ("100644", "file", 2),
        "link": ("120000", "link", 4),
        "run.sh": ("100755", "file", 10),
        "sub": ("160000", "submodule", 0),
    }
    assert set(Revisions.open(repo.root).tree("HEAD", "docs")) == {"docs/a.md"}
    assert set(Revisions.open(repo.root).tree("HEAD", "docs/")) == {"docs/a.md"}
    assert Revisions.open(repo.root).tree("HEAD", "nothing") == {}


def test_contents_are_read_with_links_followed_inside_the_folder(repo, make) -> None:
    inner = make("inner")
    inner.commit("inner", {"x": "x\n"})
    for name, target in {
        "to_file": "docs/a.md",
        "to_folder": "docs",
        "docs/up": "../top",
        "out": "../secret",
        "absolute": "/etc/hostname",
        "loop": "pool",
        "pool": "loop",
        "dangling": "nothing",
    }.items():
        (repo.root / name).parent.mkdir(exist_ok=True)
        (repo.root / name).symlink_to(target)
    repo.git("submodule", "add", "-q", str(inner.root), "sub")
    repo.commit("all", {"docs/a.md": b"hello\r\n\0", "top": "top\n", "empty": ""})
    found = Revisions.open(repo.root).read(
        "HEAD",
        [
            "docs/a.md",
            "to_file",
            "to_folder/a.md",
            "to_folder/up",
            "empty",
            "docs",
            "to_folder",
            "sub",
            "sub/x",
            "out",
            "absolute",
            "loop",
            "dangling",
            "../re",
            "/docs/a.md",
            "docs//a.md",
            "docs/../top",
            "\0",
            "",
        ],
    )
    assert {path: data for path, data in found.items() if data is not None} == {
        "docs/a.md": b"hello\r\n\0",
        "to_file": b"hello\r\n\0",
        "to_folder/a.md": b"hello\r\n\0",
        "to_folder/up": b"top\n",
        "empty": b"",
    }
    assert len(found) == 19


def test_names_with_quotes_newlines_and_pathspec_magic_are_taken_literally(repo) -> None:
    contents = {name: f"<{name}>\n" for name in TRICKY}
    repo.commit("all", dict(contents))
    revisions = Revisions.open(repo.root)
    assert revisions.read("HEAD", TRICKY) == {name: text.encode() for name, text in contents.items()}
    assert revisions.staged(TRICKY) == {name: text.encode() for name, text in contents.items()}
    assert set(revisions.tree("HEAD")) == set(TRICKY)
    for name in TRICKY:
        repo.write(name, "changed\n")
    assert {change.path for change in revisions.changed_paths("HEAD")} == set(TRICKY)


@pytest.mark.skipif(sys.platform == "darwin", reason="its file systems refuse names that are not UTF-8")
def test_a_name_that_is_no_text_can_be_read(repo) -> None:
    name = os.fsdecode(b"caf\xe9.txt")
    repo.commit("latin", {name: "x\n"})
    assert Revisions.open(repo.root).read("HEAD", [name]) == {name: b"x\n"}


def test_hundreds_of_files_are_read_by_one_process(repo, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"d{number % 7}/f{number}": f"{number}\n" * (number + 1) for number in range(400)}
    repo.commit("many", dict(files))
    revisions = Revisions.open(repo.root)
    revisions.tree("HEAD")
    started: list[list[str]] = []
    from afresh_indexer import git_objects

    genuine = git_objects.run_git

    def counted(arguments, **options):
        started.append(list(arguments))
        return genuine(arguments, **options)

    monkeypatch.setattr(git_objects, "run_git", counted)
    assert revisions.read("HEAD", files) == {path: text.encode() for path, text in files.items()}
    assert sum("--batch" in arguments for arguments in started) == 1
    assert len(started) <= 3


def test_a_file_over_the_limit_is_not_read(repo) -> None:
    repo.commit("big", {"big": "x" * 100, "small": "x"})
    found = Revisions.open(repo.root).read("HEAD", ["big", "small"], limit_bytes=99)
    assert found == {"big": None, "small": b"x"}


def test_a_file_that_lfs_keeps_elsewhere_is_its_pointer(repo) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 12\n"
    repo.commit("pointer", {"model.bin": pointer})
    assert Revisions.open(repo.root).read("HEAD", ["model.bin"]) == {"model.bin": pointer}


def test_below_the_top_paths_are_those_of_the_folder_that_was_opened(repo) -> None:
    repo.commit("one", {"pkg/a.py": "a\n", "pkg/deep/b.py": "b\n", "other/c.py": "c\n"})
    revisions = Revisions.open(repo.root / "pkg")
    assert set(revisions.tree("HEAD")) == {"a.py", "deep/b.py"}
    assert set(revisions.tree("HEAD", "deep")) == {"deep/b.py"}
    assert revisions.read("HEAD", ["a.py", "pkg/a.py", "../other/c.py"]) == {
        "a.py": b"a\n",
        "pkg/a.py": None,
        "../other/c.py": None,
    }
    assert revisions.staged(["deep/b.py", "other/c.py"]) == {"deep/b.py": b"b\n", "other/c.py": None}
    repo.write("pkg/a.py", "A\n")
    repo.write("other/c.py", "C\n")
    repo.write("pkg/new.py", "n\n")
    assert revisions.changed_paths("HEAD") == [ChangedPath("a.py", "M"), ChangedPath("new.py", "A")]


def test_the_index_is_read_as_staged_and_a_conflict_has_no_bytes(repo) -> None:
    repo.commit("base", {"a": "base\n", "b": "b\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"a": "side\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"a": "main\n"})
    repo.write("b", "staged\n")
    repo.git("add", "b")
    repo.write("b", "worktree\n")
    revisions = Revisions.open(repo.root)
    assert revisions.staged(["a", "b", "c"]) == {"a": b"main\n", "b": b"staged\n", "c": None}
    repo.git("checkout", "-q", "-f", "main")
    with pytest.raises(Exception, match="merge"):
        repo.git("merge", "-q", "side")
    assert revisions.staged(["a"]) == {"a": None}
    assert ChangedPath("a", "U") in revisions.changed_paths("HEAD", Side.INDEX)


def test_a_hook_that_commits_some_paths_is_judged_by_the_index_that_git_gave_it(repo) -> None:
    repo.commit("base", {"a": "1\n", "b": "1\n"})
    repo.write("a", "2\n")
    repo.write("b", "2\n")
    repo.git("add", "b")
    seen = repo.root / "seen"
    hook = repo.write(
        ".git/hooks/pre-commit",
        f'#!/bin/sh\necho "$GIT_INDEX_FILE" > \'{seen}\'\ncp "$GIT_INDEX_FILE" kept\n',
    )
    hook.chmod(0o755)
    repo.git("commit", "-q", "-m", "only a", "--", "a")
    assert "next-index" in seen.read_text(encoding="utf-8")
    # The hook's index is gone with the commit; the copy is what it was.
    revisions = Revisions.open(repo.root, index_file=repo.root / "kept")
    assert revisions.staged(["a", "b"]) == {"a": b"2\n", "b": b"1\n"}
    assert Revisions.open(repo.root).staged(["b"]) == {"b": b"2\n"}
    assert revisions.changed_paths("HEAD~1", Side.INDEX) == [ChangedPath("a", "M")]


def test_changes_are_found_between_commits_the_index_and_the_work_tree(repo) -> None:
    body = "".join(f"line {number}\n" for number in range(20))
    base = repo.commit("base", {"keep": "k\n", "gone": "g\n", "old name": body, "edit": "1\n"})
    repo.git("mv", "old name", "new name")
    (repo.root / "gone").unlink()
    repo.commit("changes", {"edit": "2\n"}, 1)
    revisions = Revisions.open(repo.root)
    expected = [
        ChangedPath("edit", "M"),
        ChangedPath("gone", "D"),
        ChangedPath("new name", "R", "old name"),
    ]
    assert revisions.changed_paths(base, "HEAD") == expected
    assert revisions.changed_paths(base, Side.INDEX) == expected
    repo.write(".gitignore", "*.log\n")
    repo.write("x.log", "ignored\n")
    repo.write("untracked", "u\n")
    repo.write("keep", "changed\n")
    assert revisions.changed_paths(base, Side.INDEX) == expected
    assert revisions.changed_paths("HEAD") == [
        ChangedPath(".gitignore", "A"),
        ChangedPath("keep", "M"),
        ChangedPath("untracked", "A"),
    ]


def test_the_merge_base_is_where_two_branches_went_apart(repo) -> None:
    base = repo.commit("base", {"a": "1\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("side", {"s": "1\n"})
    repo.git("checkout", "-q", "main")
    repo.commit("main", {"m": "1\n"})
    revisions = Revisions.open(repo.root)
    assert revisions.merge_base("main", "side") == base
    assert revisions.changed_paths(base, "side") == [ChangedPath("s", "A")]
    repo.git("checkout", "-q", "--orphan", "alone")
    repo.commit("alone")
    assert revisions.merge_base("main", "alone") is None


def test_a_bare_repository_is_read_by_revision_and_has_no_index(repo, tmp_path: Path) -> None:
    repo.commit("one", {"d/a": "1\n"})
    repo.commit("two", {"d/a": "2\n"}, 1)
    bare = tmp_path / "bare.git"
    repo.git("clone", "-q", "--bare", str(repo.root), str(bare))
    revisions = Revisions.open(bare)
    assert revisions.bare
    assert revisions.read("HEAD~1", ["d/a"]) == {"d/a": b"1\n"}
    assert set(revisions.tree("main", "d")) == {"d/a"}
    assert revisions.changed_paths("HEAD~1", "HEAD") == [ChangedPath("d/a", "M")]
    with pytest.raises(NoRepository, match="bare"):
        revisions.staged(["d/a"])
    with pytest.raises(GitFailed):
        revisions.changed_paths("HEAD")


def test_a_worktree_has_its_own_head_and_index(repo, tmp_path: Path) -> None:
    repo.commit("one", {"a": "1\n"})
    other = type(repo)(tmp_path.resolve() / "other")
    repo.git("worktree", "add", "-q", "-b", "side", str(other.root))
    side = other.commit("two", {"a": "2\n"}, 1)
    other.write("a", "3\n")
    other.git("add", "a")
    there, here = Revisions.open(other.root), Revisions.open(repo.root)
    assert there.resolve("HEAD") == side != here.resolve("HEAD")
    assert there.staged(["a"]) == {"a": b"3\n"}
    assert here.staged(["a"]) == {"a": b"1\n"}


def test_a_shallow_clone_says_so_and_where_its_history_ends(repo, tmp_path: Path) -> None:
    repo.commit("one", {"a": "1\n"})
    last = repo.commit("two", {"a": "2\n"}, 1)
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.root}", str(clone))
    revisions = Revisions.open(clone)
    assert revisions.shallow and revisions.shallow_commits == {last}
    assert revisions.read("HEAD", ["a"]) == {"a": b"2\n"}
    with pytest.raises(RevisionUnknown, match="unshallow"):
        revisions.resolve("HEAD~1")
    assert not Revisions.open(repo.root).shallow


def test_a_partial_clone_is_not_completed_over_the_network(repo, tmp_path: Path) -> None:
    repo.git("config", "uploadpack.allowFilter", "true")
    repo.commit("one", {"a": "old\n"})
    repo.commit("two", {"a": "new\n"}, 1)
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.root}", str(clone))
    objects = state_of(clone / ".git/objects")
    revisions = Revisions.open(clone)
    assert revisions.staged(["a"]) == {"a": b"new\n"}
    with pytest.raises(GitFailed, match="partial"):
        revisions.read("HEAD~1", ["a"])
    assert revisions.find_blob("a", 4, hashlib.sha256(b"old\n").hexdigest()) is None
    assert state_of(clone / ".git/objects") == objects


def test_no_folder_no_repository_and_its_own_data_are_refused_with_a_reason(repo, tmp_path: Path) -> None:
    with pytest.raises(NoRepository, match="no folder"):
        Revisions.open(tmp_path / "missing")
    with pytest.raises(NoRepository, match="no git repository"):
        Revisions.open(tmp_path)
    with pytest.raises(NoRepository, match="checkout"):
        Revisions.open(repo.root / ".git" / "refs")
    (repo.root / ".git/HEAD").write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(NoRepository, match="refuses"):
        Revisions.open(repo.root)


def test_a_repository_of_another_user_is_refused_with_what_to_do(
    repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    # git's own switch for testing that rule without a second user.
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(NoRepository, match=r"safe\.directory"):
        Revisions.open(repo.root)


def test_a_missing_git_is_said_to_be_missing(repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoRepository, match="git is needed"):
        Revisions.open(repo.root)


def test_nothing_in_the_repository_changes_by_reading_it(repo) -> None:
    first = repo.commit("one", {"a": "1\n", "b": "b\n"})
    repo.commit("two", {"a": "2\n"}, 1)
    # A stamp that the index doesn't have is what makes git want to refresh it.
    os.utime(repo.root / "b", ns=(1_000_000_000, 1_000_000_000))
    repo.write("a", "3\n")
    before = state_of(repo.root)
    revisions = Revisions.open(repo.root)
    revisions.tree("HEAD")
    revisions.read(first, ["a", "b"])
    revisions.staged(["a"])
    assert revisions.changed_paths(first) == [ChangedPath("a", "M")]
    revisions.changed_paths(first, Side.INDEX)
    revisions.find_blob("a", 2, "0" * 64)
    revisions.last_change("a", 1, 1)
    assert state_of(repo.root) == before


def test_settings_of_the_user_do_not_change_what_is_read(repo) -> None:
    first = repo.commit("one", {"a": "1\n" * 20, "d/b": "b\n"})
    repo.git("mv", "a", "moved")
    repo.commit("two", {}, 1)
    for name, value in {
        "diff.external": "false",
        "diff.noprefix": "true",
        "diff.renames": "false",
        "diff.relative": "false",
        "color.ui": "always",
        "core.quotePath": "true",
        "log.showSignature": "true",
        "log.follow": "true",
        "log.date": "relative",
        "blame.ignoreRevsFile": "missing",
        "i18n.logOutputEncoding": "latin1",
    }.items():
        repo.git("config", name, value)
    revisions = Revisions.open(repo.root)
    assert revisions.changed_paths(first, "HEAD") == [ChangedPath("moved", "R", "a")]
    assert revisions.read(first, ["a"]) == {"a": b"1\n" * 20}
    change = revisions.last_change("moved", 1, 1)
    assert change.commit is not None and change.commit.id == first


def test_a_sha256_repository_is_read_like_any_other(tmp_path: Path, make: Callable[[str], object]) -> None:
    root = tmp_path / "sha256"
    maker = make("unused")
    maker.git("init", "-q", "--object-format=sha256", str(root))
    repository = type(maker)(root)
    commit = repository.commit("one", {"a": "1\n"})
    revisions = Revisions.open(root)
    assert len(commit) == 64 and revisions.resolve("HEAD") == commit
    assert isinstance(revisions.tree("HEAD")["a"], Blob)
    assert revisions.read("HEAD", ["a"]) == {"a": b"1\n"}


def test_paths_of_once_are_those_that_some_commit_had_and_the_present_may_not(repo) -> None:
    assert Revisions.open(repo.root).paths_once() == frozenset()
    repo.commit("one", {"a": "a\n" * 9, "pkg/b": "b\n", "new\nline": "n\n", "keep": "k\n"})
    repo.git("mv", "a", "pkg/renamed")
    (repo.root / "pkg/b").unlink()
    (repo.root / "new\nline").unlink()
    repo.commit("two", {}, 1)
    repo.git("checkout", "-q", "-b", "side")
    repo.commit("three", {"side": "s\n"}, 2)
    (repo.root / "side").unlink()
    repo.commit("four", {}, 3)
    repo.git("checkout", "-q", "main")
    assert Revisions.open(repo.root).paths_once() == {"a", "pkg/b", "new\nline", "side"}
    assert Revisions.open(repo.root / "pkg").paths_once() == {"b"}


def test_a_commit_is_there_is_not_or_can_not_be_told(repo, tmp_path: Path) -> None:
    first = repo.commit("one")
    repo.commit("two", {}, 1)
    revisions = Revisions.open(repo.root)
    assert revisions.has_commit(first) and revisions.has_commit(first[:7])
    assert revisions.has_commit("f" * 40) is False
    assert revisions.has_commit("--all") is False
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.root}", str(clone))
    assert Revisions.open(clone).has_commit(first) is None
