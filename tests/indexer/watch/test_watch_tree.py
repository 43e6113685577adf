"""Which folders a watch enters, and how paths are told."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from afresh_indexer.watch_tree import (
    IgnoredFolders,
    Links,
    ancestors,
    folders_below,
    is_folder,
    reported,
    snapshot,
)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("src/a.py", "src/a.py"),
        (".gitignore", ".gitignore"),
        ("src/x.git/a", "src/x.git/a"),
        (".git", None),
        (".git/HEAD", None),
        ("sub/.git", "sub"),
        ("sub/.git/HEAD", None),
        ("sub/deep/.git", "sub/deep"),
        (".git/modules/x/.git", None),
    ],
)
def test_git_internals_are_told_as_nothing_and_a_nested_repository_as_its_folder(
    path: str, told: str | None
) -> None:
    assert reported(path) == told


def test_the_folders_above_a_path_come_nearest_first() -> None:
    assert list(ancestors("a/b/c.py")) == ["a/b", "a"]
    assert list(ancestors("c.py")) == []


def test_an_ignored_folder_covers_itself_and_all_below_it_but_no_neighbour() -> None:
    listed = ["build/", "src/gen"]
    ignored = IgnoredFolders(lambda: listed)
    assert not ignored.covers("build/x")
    ignored.refresh()
    assert ignored.covers("build")
    assert ignored.covers("build/deep/x")
    assert ignored.covers("src/gen/x")
    assert not ignored.covers("src/generated/x")
    assert not ignored.covers("build.py")
    listed.clear()
    ignored.refresh()
    assert not ignored.covers("build/x")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    for folder in ("src/deep", ".git/objects", "sub/.git", "node_modules/dep", "empty"):
        (root / folder).mkdir(parents=True)
    for name in ("a.py", "src/deep/b.py", ".git/HEAD", "node_modules/dep/i.js"):
        (root / name).write_text("x", encoding="utf-8")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "o.py").write_text("x", encoding="utf-8")
    (root / "link").symlink_to(tmp_path / "outside", target_is_directory=True)
    return root


def test_neither_links_nor_ignored_folders_nor_git_s_own_are_entered(tree: Path) -> None:
    ignored = IgnoredFolders(lambda: ["node_modules"])
    ignored.refresh()
    assert folders_below(str(tree), "", ignored) == {"", "src", "src/deep", "sub", "empty"}
    assert folders_below(str(tree), "src", ignored) == {"src", "src/deep"}
    for nothing in ("node_modules", "node_modules/dep", "link", "a.py", "missing"):
        assert folders_below(str(tree), nothing, ignored) == set()


def test_a_snapshot_signs_files_and_links_and_only_the_presence_of_a_nested_git(tree: Path) -> None:
    files, folders = snapshot(str(tree), lambda path: path != "node_modules")
    assert files.keys() == {"a.py", "src/deep/b.py", "link", ".git", "sub/.git"}
    assert folders == {"", "src", "src/deep", "sub", "empty"}
    seen = (tree / "a.py").lstat()
    assert files["a.py"] == (seen.st_mtime_ns, seen.st_ctime_ns, seen.st_size, seen.st_ino)
    (tree / "sub" / ".git" / "HEAD").write_text("x", encoding="utf-8")
    (tree / "a.py").write_text("longer", encoding="utf-8")
    again, _ = snapshot(str(tree), lambda path: path != "node_modules")
    assert {path for path in files if files[path] != again[path]} == {"a.py"}


def test_a_path_beyond_a_link_is_told_apart_from_the_link_itself(tree: Path) -> None:
    links = Links(str(tree))
    assert links.lead_to("link/o.py")
    assert links.lead_to("link/deep/o.py")
    assert not links.lead_to("link")
    assert not links.lead_to("src/deep/b.py")
    assert not links.lead_to("gone/x.py")
    assert is_folder(str(tree), "src")
    assert not is_folder(str(tree), "link")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such a name")
def test_names_that_are_not_utf8_are_left_out(tmp_path: Path) -> None:
    Path(os.fsdecode(bytes(tmp_path) + b"/bad\xff")).mkdir()
    (tmp_path / "gütig").mkdir()
    assert folders_below(str(tmp_path), "", IgnoredFolders(tuple)) == {"", "gütig"}
