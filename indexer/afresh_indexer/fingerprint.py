"""Reads and hashes files: never blocks, never follows a link, and trusts timestamps only so far."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from afresh_indexer.records import Excluded, FileRecord

DEFAULT_GRANULARITY_NS = 20_000_000
"""Changes closer than this can carry one timestamp: a kernel stamps by its tick, 1 to 10 ms; here doubled."""

COARSE_GRANULARITY_NS = 2_000_000_000
"""The same where stamps are whole seconds; FAT keeps only even ones."""

CHUNK_BYTES = 1 << 20

_READ_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
"""Not following a link that was put there a moment ago, nor waiting for a pipe's other end."""


class NotRegularFile(OSError):
    """What was opened is a folder, a pipe, a socket or a device."""


@dataclass(frozen=True, slots=True)
class Content:
    """A file's bytes with the stamps that they belong to."""

    data: bytes
    stamps: os.stat_result
    """From the open file, before the first byte was read."""
    whole: bool
    """False where the file is longer than the limit: then `data` is its beginning."""
    settled: bool
    """False where it went on changing while it was read: these bytes may be of two versions."""


@dataclass(frozen=True, slots=True)
class Digest:
    """A file's hashes with the stamps that they belong to."""

    sha256: str
    eol_sha256: str
    stamps: os.stat_result
    settled: bool


def eol_free(data: bytes) -> bytes:
    """The bytes with CRLF and a lone CR as LF."""
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in data else data


def hash_bytes(data: bytes) -> tuple[str, str]:
    """The SHA-256 of the bytes, and of the same without their kind of line ends, both hexadecimal."""
    digest = sha256(data).hexdigest()
    return digest, sha256(eol_free(data)).hexdigest() if b"\r" in data else digest


def open_regular(path: str | Path) -> tuple[int, os.stat_result]:
    """Open a regular file for reading: its descriptor, for the caller to close, and its stamps.

    Raises NotRegularFile, or OSError with ELOOP where the last part of the path is a link.
    """
    descriptor = os.open(path, _READ_FLAGS)
    try:
        stamps = os.fstat(descriptor)
        if not stat.S_ISREG(stamps.st_mode):
            raise NotRegularFile(errno.EINVAL, "not a regular file", os.fspath(path))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, stamps


def read_regular(path: str | Path, limit: int, attempts: int = 3) -> Content:
    """Read up to `limit` bytes of a regular file, again if it changes meanwhile, at most `attempts` times.

    Raises what `open_regular` raises.
    """
    content = _read_once(path, limit)
    while not content.settled and attempts > 1:
        attempts -= 1
        content = _read_once(path, limit)
    return content


def hash_file(path: str | Path, attempts: int = 3) -> Digest:
    """Hash a regular file of any size in flat memory, again if it changes meanwhile.

    Raises what `open_regular` raises.
    """
    digest = _hash_once(path)
    while not digest.settled and attempts > 1:
        attempts -= 1
        digest = _hash_once(path)
    return digest


def is_racy(mtime_ns: int, hashed_at_ns: int, granularity_ns: int = DEFAULT_GRANULARITY_NS) -> bool:
    """Whether a change after the hash could have left the timestamp as it was.

    It is git's rule for entries as young as its index: a stamp from before the hash by more than the clock's
    step can't be given again. Where stamps are whole seconds the step is taken as two.
    """
    step = COARSE_GRANULARITY_NS if mtime_ns % 1_000_000_000 == 0 else granularity_ns
    return mtime_ns >= hashed_at_ns - step


def unchanged(
    known: FileRecord | Excluded, stamps: os.stat_result, granularity_ns: int = DEFAULT_GRANULARITY_NS
) -> bool:
    """Whether the stamps on the disk prove, as far as stamps can, that the file is the one that was read.

    A write through a memory map may leave every stamp alone, so that this decides what a scan reads, and
    never by itself what is called fresh.
    """
    return (
        known.mtime_ns == stamps.st_mtime_ns
        and known.size == stamps.st_size
        and known.ctime_ns == stamps.st_ctime_ns
        and known.inode == stamps.st_ino
        and not is_racy(known.mtime_ns, known.hashed_at_ns, granularity_ns)
    )


class UnhashedReason(StrEnum):
    """Why a file has no hash."""

    MISSING = "missing"
    OUTSIDE_ROOT = "outside_root"
    """Its path, links followed, leads out of the root."""
    TOO_LARGE = "too_large"
    UNREADABLE = "unreadable"
    NOT_REGULAR = "not_regular"
    OVER_BUDGET = "over_budget"
    """The bytes allowed for the whole call were spent before it."""


@dataclass(frozen=True, slots=True)
class Unhashed:
    """A file that could not, or may not, be hashed."""

    reason: UnhashedReason
    detail: str = ""


def hash_many(
    root: str | Path, paths: Iterable[str], *, limit_bytes: int, budget_bytes: int | None = None
) -> dict[str, str | Unhashed]:
    """The SHA-256 of each of `paths` (relative to `root`) as it is on the disk now, or why there is none.

    A file longer than `limit_bytes` is TOO_LARGE; once `budget_bytes` are read, the others are OVER_BUDGET.
    Links are followed as long as they stay inside the root. Judging 500 files is a matter of system calls,
    so that folders are resolved once each and one buffer serves all files.
    """
    top = os.path.realpath(root)
    folders: dict[str, str | None] = {}
    buffer = memoryview(bytearray(1 << 16))
    left = budget_bytes
    results: dict[str, str | Unhashed] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if folder not in folders:
            folders[folder] = _inside(top, f"{top}/{folder}")
        real_folder = folders[folder]
        if real_folder is None or name in ("", ".", ".."):
            results[path] = Unhashed(UnhashedReason.OUTSIDE_ROOT, f"{path} leads out of {top}")
            continue
        result, count = _hash_now(top, f"{real_folder}/{name}", buffer, limit_bytes, left)
        results[path] = result
        if left is not None:
            left -= count
    return results


def _read_once(path: str | Path, limit: int) -> Content:
    descriptor, before = open_regular(path)
    try:
        # One byte more than there should be: a read that comes back shorter has met the end of the file.
        wanted = min(before.st_size, limit) + 1
        data = os.read(descriptor, wanted)
        while 0 < len(data) < min(wanted, before.st_size):
            more = os.read(descriptor, wanted - len(data))
            if not more:
                break
            data += more
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    whole = before.st_size <= limit
    settled = _same(before, after) and (not whole or len(data) == before.st_size)
    return Content(data=data[:limit], stamps=before, whole=whole, settled=settled)


def _hash_once(path: str | Path) -> Digest:
    descriptor, before = open_regular(path)
    plain = sha256()
    without = None
    ended_in_cr = False
    length = 0
    buffer = bytearray(CHUNK_BYTES)
    view = memoryview(buffer)
    try:
        with open(descriptor, "rb", buffering=0, closefd=False) as file:
            # A file that is appended to faster than it is read would never end.
            while length <= before.st_size and (count := file.readinto(view)):
                length += count
                chunk = view[:count]
                if without is None and buffer.find(b"\r", 0, count) >= 0:
                    # Up to here the two streams are the same bytes.
                    without = plain.copy()
                plain.update(chunk)
                if without is not None:
                    piece = bytes(chunk)
                    if ended_in_cr and piece.startswith(b"\n"):
                        piece = piece[1:]
                    without.update(eol_free(piece))
                    ended_in_cr = chunk[-1] == 0x0D
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    digest = plain.hexdigest()
    return Digest(
        sha256=digest,
        eol_sha256=digest if without is None else without.hexdigest(),
        stamps=before,
        settled=_same(before, after) and length == before.st_size,
    )


def _same(before: os.stat_result, after: os.stat_result) -> bool:
    return (
        before.st_mtime_ns == after.st_mtime_ns
        and before.st_size == after.st_size
        and before.st_ctime_ns == after.st_ctime_ns
    )


def _inside(top: str, path: str) -> str | None:
    real = os.path.realpath(path)
    return real if real == top or real.startswith(top.rstrip(os.path.sep) + os.path.sep) else None


def _hash_now(
    top: str, full: str, buffer: memoryview, limit: int, left: int | None
) -> tuple[str | Unhashed, int]:
    """One file's hash and the bytes that it took."""
    try:
        try:
            descriptor, stamps = open_regular(full)
        except OSError as error:
            if error.errno not in (errno.ELOOP, errno.EMLINK):
                raise
            target = _inside(top, full)
            if target is None:
                return Unhashed(UnhashedReason.OUTSIDE_ROOT, f"{full} is a link that leads out of {top}"), 0
            descriptor, stamps = open_regular(target)
        try:
            size = stamps.st_size
            if size > limit:
                return Unhashed(UnhashedReason.TOO_LARGE, f"{size:,} bytes, over the limit of {limit:,}"), 0
            if left is not None and size > left:
                return Unhashed(UnhashedReason.OVER_BUDGET, f"{size:,} bytes, with {left:,} left"), 0
            return _hash_descriptor(descriptor, size, buffer)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return Unhashed(UnhashedReason.MISSING), 0
    except NotRegularFile as error:
        return Unhashed(UnhashedReason.NOT_REGULAR, str(error.strerror)), 0
    except OSError as error:
        return Unhashed(UnhashedReason.UNREADABLE, error.strerror or str(error)), 0


if hasattr(os, "readv"):

    def _read_into(descriptor: int, buffer: memoryview) -> int:
        return os.readv(descriptor, [buffer])

else:

    def _read_into(descriptor: int, buffer: memoryview) -> int:
        data = os.read(descriptor, len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _hash_descriptor(descriptor: int, size: int, buffer: memoryview) -> tuple[str, int]:
    hasher = sha256()
    length = 0
    # The size was right when the file was opened; to ask for its end once more costs as much as to read.
    while length < size and (count := _read_into(descriptor, buffer)):
        hasher.update(buffer[:count])
        length += count
    return hasher.hexdigest(), length
