"""Finds the bytes that a file once had among the versions that git kept of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from afresh_indexer.git_objects import GitObjects

BATCH_BYTES = 16 * 1024 * 1024
"""Versions are read in batches of about this size, so that memory stays flat however large they are."""

_DATE = re.compile(rb"\n?\x01([0-9]+)\n?")
_CHANGE = re.compile(rb"\n?:[0-7]{6} [0-7]{6} ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) [A-Z][0-9]*")


@dataclass(frozen=True, slots=True)
class _Version:
    oid: str
    committed: int
    """Seconds since 1970."""


def find_blob(
    objects: GitObjects,
    path: str,
    size: int | None,
    sha256: str,
    recorded_at: datetime | None,
    commits: int,
    *,
    as_it_is: bool = False,
) -> bytes | None:
    """The version of `path` whose bytes in a work tree had this size and SHA-256, or None. Raises GitFailed.

    At most `commits` commits of HEAD's history are looked at, and as many of all other references' and
    their logs'.
    """
    tried: set[str] = set()
    for options in (["--follow", "HEAD"], ["--all", "--reflog"]):
        versions = _versions(objects, path, options, commits)
        if recorded_at is not None:
            moment = recorded_at.timestamp()
            versions.sort(key=lambda version: abs(version.committed - moment))
        oids = [oid for oid in dict.fromkeys(version.oid for version in versions) if oid not in tried]
        tried.update(oids)
        found = _with_hash(objects, oids, size, sha256, as_it_is=as_it_is)
        if found is not None:
            return found
    return None


def _versions(objects: GitObjects, path: str, options: list[str], commits: int) -> list[_Version]:
    """Both sides of each change of the path, newest first; none where there is no commit yet."""
    command = ["log", "--raw", "--no-abbrev", "-z", "-m", "-M", "--no-show-signature", "--no-color"]
    command += ["--format=%x01%ct", f"--max-count={commits}", *options, "--", path]
    result = objects.run(command)
    if result.returncode != 0:
        return []
    versions: list[_Version] = []
    committed = 0
    for piece in result.stdout.split(b"\0"):
        if date := _DATE.fullmatch(piece):
            committed = int(date[1])
        elif change := _CHANGE.fullmatch(piece):
            versions.append(_Version(change[2].decode("ascii"), committed))
            versions.append(_Version(change[1].decode("ascii"), committed))
    return versions


def _with_hash(
    objects: GitObjects, oids: list[str], size: int | None, sha256: str, *, as_it_is: bool
) -> bytes | None:
    """The bytes of the one that has the hash, as it is or with its line ends converted."""
    sizes = dict(zip(oids, objects.sizes(oids), strict=True))
    same = [oid for oid in oids if sizes[oid] is not None and size in (None, sizes[oid])]
    near: list[str] = []
    if size is not None and not as_it_is:
        # A conversion adds or takes away one byte a line, and a line has one byte at least.
        near = [
            oid
            for oid in oids
            if sizes[oid] not in (None, size) and size <= 2 * (sizes[oid] or 0) <= 4 * size
        ]
    for group in (same, near):
        for batch in _batches(group, sizes):
            for data in objects.blobs(batch).values():
                for variant in (data,) if as_it_is else line_end_variants(data):
                    if size in (None, len(variant)) and hashlib.sha256(variant).hexdigest() == sha256:
                        return variant
    return None


def _batches(oids: list[str], sizes: dict[str, int | None]) -> Iterator[list[str]]:
    batch: list[str] = []
    total = 0
    for oid in oids:
        batch.append(oid)
        total += sizes[oid] or 0
        if total >= BATCH_BYTES:
            yield batch
            batch, total = [], 0
    if batch:
        yield batch


def line_end_variants(data: bytes) -> Iterator[bytes]:
    """The bytes that a work tree may have of a blob: as they are, with CRLF for every LF, and without any."""
    yield data
    unix = data.replace(b"\r\n", b"\n")
    if b"\n" in data:
        yield unix.replace(b"\n", b"\r\n")
    if unix != data:
        yield unix
