"""Reading and hashing: what is read, when stamps may be trusted, and what never blocks or leads astray."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh_indexer.fingerprint import (
    CHUNK_BYTES,
    COARSE_GRANULARITY_NS,
    NotRegularFile,
    Unhashed,
    UnhashedReason,
    eol_free,
    hash_bytes,
    hash_file,
    hash_many,
    is_racy,
    read_regular,
    unchanged,
)
from afresh_indexer.records import FileRecord

MILLISECOND = 1_000_000
NEVER_WHOLE_SECONDS = 1_700_000_000_123_456_789


def hexadecimal(data: bytes) -> str:
    return sha256(data).hexdigest()


def record_of(path: Path, hashed_at_ns: int) -> FileRecord:
    stamps = path.lstat()
    return FileRecord(
        path=path.name,
        size=stamps.st_size,
        mtime_ns=stamps.st_mtime_ns,
        ctime_ns=stamps.st_ctime_ns,
        inode=stamps.st_ino,
        sha256="",
        eol_sha256="",
        language=None,
        hashed_at_ns=hashed_at_ns,
    )


def test_the_second_hash_forgets_the_kind_of_line_ends() -> None:
    plain, without = hash_bytes(b"a\r\nb\rc\n")
    assert plain == hexadecimal(b"a\r\nb\rc\n")
    assert without == hexadecimal(b"a\nb\nc\n")
    assert hash_bytes(b"a\nb\n") == (hexadecimal(b"a\nb\n"),) * 2
    assert eol_free(b"\r\r\n\n\r") == b"\n\n\n\n"


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from([b"\r", b"\n", b"\r\n", b"x", b"\xff\x00"]), max_size=12).map(b"".join),
    st.integers(-6, 6),
)
def test_a_streamed_file_has_the_hashes_of_its_bytes_wherever_chunks_end(
    tmp_path_factory: pytest.TempPathFactory, tail: bytes, shift: int
) -> None:
    file = tmp_path_factory.mktemp("streamed") / "file"
    data = b"y" * (CHUNK_BYTES + shift) + tail + b"\rz\r\n"
    file.write_bytes(data)
    digest = hash_file(file)
    assert (digest.sha256, digest.eol_sha256) == hash_bytes(data)
    assert digest.settled
    file.unlink()


def test_reading_stops_at_the_limit_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"0123456789")
    assert read_regular(tmp_path / "f", 10).data == b"0123456789"
    assert read_regular(tmp_path / "f", 10).whole
    beginning = read_regular(tmp_path / "f", 4)
    assert (beginning.data, beginning.whole, beginning.settled) == (b"0123", False, True)
    (tmp_path / "empty").write_bytes(b"")
    assert read_regular(tmp_path / "empty", 10).data == b""


def test_a_pipe_a_folder_and_a_link_are_refused_without_blocking(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "target").write_bytes(b"x")
    (tmp_path / "link").symlink_to("target")
    for name in ("pipe", "."):
        with pytest.raises(NotRegularFile):
            read_regular(tmp_path / name, 10)
    with pytest.raises(OSError) as caught:
        read_regular(tmp_path / "link", 10)
    assert caught.value.errno == errno.ELOOP


def change_while_read(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[int], object], times: int
) -> Callable[[], int]:
    """Run `change` right after each of the first `times` reads."""
    real_read = os.read
    reads = 0

    def read(descriptor: int, count: int) -> bytes:
        nonlocal reads
        data = real_read(descriptor, count)
        reads += 1
        if reads <= times:
            change(reads)
        return data

    monkeypatch.setattr(os, "read", read)
    return lambda: reads


def test_a_file_that_changes_while_it_is_read_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"old")
    change_while_read(monkeypatch, lambda n: file.write_bytes(b"new content"), times=1)
    content = read_regular(file, 100)
    assert (content.data, content.settled) == (b"new content", True)
    assert content.stamps.st_size == 11


def test_a_file_that_never_holds_still_is_given_up_after_three_readings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"0")
    reads = change_while_read(monkeypatch, lambda n: file.write_bytes(b"x" * (n + 1)), times=99)
    assert not read_regular(file, 100, attempts=3).settled
    assert reads() == 3


def test_a_stamp_from_before_the_hash_is_trusted_and_one_as_young_as_it_is_not() -> None:
    at = NEVER_WHOLE_SECONDS
    assert not is_racy(at - 30 * MILLISECOND, at)
    assert is_racy(at - 10 * MILLISECOND, at)
    assert is_racy(at, at)
    assert is_racy(at + 1, at)
    assert not is_racy(at - 10 * MILLISECOND, at, granularity_ns=MILLISECOND)


def test_stamps_of_whole_seconds_are_trusted_only_after_two() -> None:
    second = 1_700_000_000_000_000_000
    assert is_racy(second, second + COARSE_GRANULARITY_NS)
    assert not is_racy(second, second + COARSE_GRANULARITY_NS + 1)


def test_a_change_in_the_same_tick_with_every_stamp_equal_is_not_taken_for_no_change(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_bytes(b"one")
    os.utime(file, ns=(NEVER_WHOLE_SECONDS, NEVER_WHOLE_SECONDS))
    known = record_of(file, hashed_at_ns=NEVER_WHOLE_SECONDS + 5 * MILLISECOND)
    stamps = file.lstat()
    assert not unchanged(known, stamps, granularity_ns=10 * MILLISECOND)
    assert unchanged(known, stamps, granularity_ns=MILLISECOND)


@pytest.mark.parametrize("field", ["st_size", "st_mtime_ns", "st_ctime_ns", "st_ino"])
def test_each_stamp_alone_gives_a_change_away(tmp_path: Path, field: str) -> None:
    class Stamps:
        def __init__(self, real: os.stat_result) -> None:
            self._real = real

        def __getattr__(self, name: str) -> Any:
            return getattr(self._real, name) + (name == field)

    file = tmp_path / "f"
    file.write_bytes(b"x")
    real = file.lstat()
    known = record_of(file, hashed_at_ns=real.st_mtime_ns + 10 * COARSE_GRANULARITY_NS)
    assert unchanged(known, real)
    assert not unchanged(known, Stamps(real))  # type: ignore[arg-type]


def test_many_files_are_hashed_or_have_a_reason(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "a/b").mkdir(parents=True)
    (root / "a/b/f").write_bytes(b"f" * 200_000)
    (root / "small").write_bytes(b"s")
    (root / "large").write_bytes(b"l" * 300_000)
    (root / "inside").symlink_to("a/b/f")
    (tmp_path / "outside").write_bytes(b"o")
    (root / "leads-out").symlink_to(tmp_path / "outside")
    (root / "folder-out").symlink_to(tmp_path)
    (root / "folder-in").symlink_to("a")
    os.mkfifo(root / "pipe")
    paths = ["a/b/f", "small", "large", "inside", "leads-out", "folder-out/outside", "folder-in/b/f", "gone"]
    paths += ["small/below", "pipe", "a", "../outside"]
    found = hash_many(root, paths, limit_bytes=250_000)
    whole = hexadecimal(b"f" * 200_000)
    assert list(found) == paths
    assert [found[p] for p in ("a/b/f", "inside", "folder-in/b/f")] == [whole] * 3
    assert found["small"] == hexadecimal(b"s")
    reasons = {path: result.reason for path, result in found.items() if isinstance(result, Unhashed)}
    assert reasons == {
        "large": UnhashedReason.TOO_LARGE,
        "leads-out": UnhashedReason.OUTSIDE_ROOT,
        "folder-out/outside": UnhashedReason.OUTSIDE_ROOT,
        "gone": UnhashedReason.MISSING,
        "small/below": UnhashedReason.MISSING,
        "pipe": UnhashedReason.NOT_REGULAR,
        "a": UnhashedReason.NOT_REGULAR,
        "../outside": UnhashedReason.OUTSIDE_ROOT,
    }


def test_what_exceeds_the_budget_of_a_call_is_left_to_the_gate(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / name).write_bytes(b"x" * 100)
    found = hash_many(tmp_path, ["a", "b", "c"], limit_bytes=1000, budget_bytes=250)
    assert found["a"] == found["b"] == hexadecimal(b"x" * 100)
    left = found["c"]
    assert isinstance(left, Unhashed) and left.reason is UnhashedReason.OVER_BUDGET


def test_a_store_through_a_memory_map_is_seen_by_hashing_whatever_the_stamps_say(tmp_path: Path) -> None:
    import mmap

    file = tmp_path / "f"
    file.write_bytes(b"before")
    before = hash_many(tmp_path, ["f"], limit_bytes=100)["f"]
    with file.open("r+b") as opened, mmap.mmap(opened.fileno(), 6) as mapped:
        mapped[0:6] = b"after!"
        assert hash_many(tmp_path, ["f"], limit_bytes=100)["f"] == hexadecimal(b"after!") != before


def test_no_descriptor_stays_open(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"x")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("f")
    lowest = os.open(tmp_path, os.O_RDONLY)
    os.close(lowest)
    hash_many(tmp_path, ["f", "pipe", "link", "gone"], limit_bytes=10)
    hash_file(tmp_path / "f")
    read_regular(tmp_path / "f", 10)
    with pytest.raises(NotRegularFile):
        hash_file(tmp_path / "pipe")
    again = os.open(tmp_path, os.O_RDONLY)
    os.close(again)
    assert again == lowest
