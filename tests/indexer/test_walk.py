"""Which roots are accepted, and what a path is by its stamps."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from afresh_indexer.errors import RootRefused
from afresh_indexer.records import ExcludedReason
from afresh_indexer.walk import check_root, is_binary, judge_link, judge_stamps


def test_a_folder_is_accepted_with_its_links_resolved(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert check_root(tmp_path / "link", force=False, home=tmp_path / "home") == (tmp_path / "real").resolve()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("missing", "there is no folder .*missing; check the spelling"),
        ("file", "file is a file; give the folder that holds it: "),
        ("loop", "loop can't be read: Too many levels"),
        ("dangling", "there is no folder"),
        ("nul\0byte", "can't be the name of a folder"),
    ],
)
def test_a_root_that_can_not_be_indexed_is_named_with_what_to_do(
    tmp_path: Path, name: str, told: str
) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "dangling").symlink_to("nowhere")
    with pytest.raises(RootRefused, match=told):
        check_root(tmp_path / name, force=True, home=tmp_path)


def test_a_root_whose_own_name_is_not_utf8_is_refused(tmp_path: Path) -> None:
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    folder.mkdir()
    with pytest.raises(RootRefused, match=r"caf.*not valid UTF-8"):
        check_root(folder, force=True, home=tmp_path)


def test_a_disk_and_a_home_folder_need_force(tmp_path: Path) -> None:
    home = tmp_path / "users/me"
    (home / "project").mkdir(parents=True)
    for root, told in (
        (Path("/"), "a whole disk"),
        (home, "your home folder"),
        (tmp_path, "holds your home"),
    ):
        with pytest.raises(RootRefused, match=told) as caught:
            check_root(root, force=False, home=home)
        assert "--force" in str(caught.value)
        assert check_root(root, force=True, home=home) == root.resolve()
    assert check_root(home / "project", force=False, home=home) == home.resolve() / "project"


def test_a_nul_byte_near_the_beginning_makes_a_file_binary_and_bad_utf8_does_not() -> None:
    assert is_binary(b"a\0b")
    assert is_binary(b"x" * 7999 + b"\0")
    assert not is_binary(b"x" * 8000 + b"\0")
    assert not is_binary(b"caf\xe9 \xff\xfe")


def test_links_are_told_apart_by_where_they_lead(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "root"
    root.mkdir()
    (root / "f").write_text("x", encoding="utf-8")
    links = {
        "inside": ("f", ExcludedReason.LINK, "-> f"),
        "out": ("../elsewhere", ExcludedReason.OUTSIDE_ROOT, "-> ../elsewhere, where nothing is"),
        "sibling": ("../root-of-another", ExcludedReason.OUTSIDE_ROOT, "-> ../root-of-another"),
        "dangling": ("nothing", ExcludedReason.LINK, "-> nothing, where nothing is"),
        "loop": ("loop", ExcludedReason.LINK, "-> loop: Too many levels of symbolic links"),
    }
    (tmp_path / "root-of-another").mkdir()
    for name, (target, reason, detail) in links.items():
        (root / name).symlink_to(target)
        verdict = judge_stamps(str(root), name, (root / name).lstat(), 100)
        assert verdict is not None
        assert (verdict.path, verdict.reason, verdict.detail) == (name, reason, detail)
    (root / "inside").unlink()
    assert judge_link(str(root), "inside").reason is ExcludedReason.LINK


def test_a_sparse_file_of_two_gigabytes_is_too_large_by_its_stamps(tmp_path: Path) -> None:
    with (tmp_path / "data").open("wb") as file:
        file.truncate(2 << 30)
    verdict = judge_stamps(str(tmp_path), "data", (tmp_path / "data").lstat(), 32 << 20)
    assert verdict is not None
    assert verdict.reason is ExcludedReason.TOO_LARGE
    assert verdict.detail == "2,147,483,648 bytes, over the limit of 33,554,432"
    assert judge_stamps(str(tmp_path), "data", (tmp_path / "data").lstat(), 2 << 30) is None


def test_pipes_and_sockets_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("socket")
        for name, kind in (("pipe", "a pipe"), ("socket", "a socket"), ("/dev/null", "a device")):
            verdict = judge_stamps(str(tmp_path), name, Path(name).lstat(), 100)
            assert verdict is not None
            assert (verdict.reason, verdict.detail) == (ExcludedReason.NOT_REGULAR, kind)
