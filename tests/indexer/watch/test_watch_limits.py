"""What a person is told when native watching can't be had."""

from __future__ import annotations

from pathlib import Path

import pytest

from afresh_indexer.watch_limits import explain_refusal, remote_file_system, smallest_limit

MOUNTS = """\
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 0:25 / /home/me rw - nfs4 server:/home rw
31 30 0:26 / /home/me/fast\\040disk rw shared:5 - xfs /dev/vdb rw
40 27 0:30 / /mnt/c rw - 9p C:\\134 rw
41 27 0:31 / /twice rw - ext4 /dev/vdc rw
42 27 0:32 / /twice rw - cifs //server/share rw
garbled line
"""


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    for name, value in (
        ("sys/fs/inotify/max_user_watches", "8192\n"),
        ("sys/user/max_inotify_watches", "100\n"),
        ("sys/fs/inotify/max_user_instances", "128\n"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(value, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("root", "kind"),
    [
        ("/srv/tree", None),
        ("/home/me/tree", "nfs4"),
        ("/home/me", "nfs4"),
        ("/home/me/fast disk/tree", None),
        ("/home/me2/tree", None),
        ("/mnt/c/tree", "9p"),
        ("/twice/tree", "cifs"),
    ],
)
def test_a_root_on_a_network_file_system_is_known_by_its_nearest_mount(
    tmp_path: Path, root: str, kind: str | None
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS, encoding="utf-8")
    assert remote_file_system(Path(root), mounts) == kind


def test_without_a_list_of_mounts_every_root_counts_as_local(tmp_path: Path) -> None:
    assert remote_file_system(Path("/home"), tmp_path / "none") is None


def test_the_tightest_of_the_limits_is_named(proc: Path) -> None:
    names = ("sys/fs/inotify/max_user_watches", "sys/user/max_inotify_watches", "sys/none")
    assert smallest_limit(names, proc) == ("user.max_inotify_watches", 100)
    assert smallest_limit(("sys/none",), proc) is None


def test_a_full_table_of_watches_names_the_limit_the_need_and_the_remedy(proc: Path) -> None:
    told = explain_refusal(OSError("OS file watch limit reached. about …"), 4210, 2.0, proc)
    assert "user.max_inotify_watches=100" in told
    assert "this tree needs 4,210" in told
    assert "every 2 s" in told
    assert "sudo sysctl user.max_inotify_watches=524288" in told


def test_too_many_handles_name_the_limit_of_handles(proc: Path) -> None:
    told = explain_refusal(RuntimeError("Error creating: Too many open files (os error 24)"), 1, 2.0, proc)
    assert "fs.inotify.max_user_instances=128" in told
    assert "ulimit -n" in told


def test_limits_that_can_not_be_read_leave_advice_without_figures(tmp_path: Path) -> None:
    told = explain_refusal(OSError("OS file watch limit reached. about …"), 5, 0.5, tmp_path)
    assert "the system doesn't tell it" in told
    assert "every 0.5 s" in told
    assert "sysctl" not in told


def test_any_other_refusal_is_told_in_the_system_s_own_words(tmp_path: Path) -> None:
    assert "No space on moon" in explain_refusal(OSError("No space on moon"), 5, 2.0, tmp_path)
