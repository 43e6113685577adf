"""The lock of a data folder and what it says about its holder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from afresh.errors import StoreUnwritableError
from afresh.keeper.election import Holder, Lock, describe_holder, noted_holder

HOLD = """
import sys
from pathlib import Path
from afresh.keeper.election import Lock
lock = Lock.acquire(Path(sys.argv[1]))
print("held" if lock else "refused", flush=True)
sys.stdin.read()
"""


def test_one_lock_at_a_time_and_the_next_after_its_release(tmp_path: Path) -> None:
    path = tmp_path / "keeper.lock"
    lock = Lock.acquire(path)
    assert lock is not None
    assert Lock.acquire(path) is None
    lock.release()
    again = Lock.acquire(path)
    assert again is not None
    again.release()


def test_the_lock_goes_with_its_process_however_that_ends(tmp_path: Path) -> None:
    path = tmp_path / "keeper.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        assert Lock.acquire(path) is None
        assert f"process {other.pid} (" in describe_holder(path)
        assert str(path) in describe_holder(path)
        other.kill()
        other.wait(10)
    lock = Lock.acquire(path)
    assert lock is not None
    lock.release()


def test_the_note_names_the_holder_and_goes_with_the_release(tmp_path: Path) -> None:
    path = tmp_path / "keeper.lock"
    assert noted_holder(path) is None
    lock = Lock.acquire(path)
    assert lock is not None
    holder = Holder(42, "9.9", "unix:/x y/keeper.sock")
    lock.note(Holder(1, "a much longer note than the one that follows" * 3))
    lock.note(holder)
    assert noted_holder(path) == holder
    lock.release()
    assert noted_holder(path) is None
    path.write_text('{"pid": "many"}', encoding="utf-8")
    assert noted_holder(path) is None


def test_a_holder_notices_that_its_file_was_replaced(tmp_path: Path) -> None:
    path = tmp_path / "keeper.lock"
    lock = Lock.acquire(path)
    assert lock is not None
    assert lock.is_in_place()
    path.unlink()
    assert not lock.is_in_place()
    path.touch()
    assert not lock.is_in_place()
    lock.release()


def test_the_lock_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    lock = Lock.acquire(tmp_path / "keeper.lock")
    assert lock is not None
    assert (tmp_path / "keeper.lock").stat().st_mode & 0o777 == 0o600
    lock.release()


def test_a_folder_without_room_for_the_lock_is_named_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreUnwritableError, match="AFRESH_HOME") as raised:
        Lock.acquire(tmp_path / "file" / "keeper.lock")
    assert str(tmp_path / "file") in raised.value.message


def test_the_lock_is_not_inherited_by_programs_that_the_holder_starts(tmp_path: Path) -> None:
    path = tmp_path / "keeper.lock"
    lock = Lock.acquire(path)
    assert lock is not None
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE):
        lock.release()
        again = Lock.acquire(path)
        assert again is not None
        again.release()
