"""Compares a root with what was known of it and gives out the difference, a batch at a time.

Paths come from the ignore rules, each is looked at by its stamps, and only what these don't vouch for is
read.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from afresh_indexer.errors import RootRefused
from afresh_indexer.fingerprint import (
    DEFAULT_GRANULARITY_NS,
    Content,
    NotRegularFile,
    hash_bytes,
    hash_file,
    read_regular,
    unchanged,
)
from afresh_indexer.ignore import IgnoreRules, Listing
from afresh_indexer.records import Batch, Excluded, ExcludedReason, FileRecord
from afresh_indexer.walk import BINARY_PROBE_BYTES, is_binary, judge_stamps

DEFAULT_BATCH_FILES = 500

BATCH_BYTES = 64 << 20
"""A batch ends here too, so that large files don't keep small ones waiting."""

WHOLE_BYTES = 2 << 20
"""A file up to this length is held in memory while it is hashed; others are streamed."""

LanguageOf = Callable[[str, bytes | None], str | None]


@dataclass(frozen=True, slots=True)
class ScanOptions:
    """How files are read and judged, the same for every file of a scan."""

    max_bytes: int
    clock_ns: Callable[[], int]
    language_of: LanguageOf
    granularity_ns: int


def scan(
    root: Path,
    known: Mapping[str, FileRecord],
    excluded_known: Mapping[str, Excluded],
    *,
    rules: IgnoreRules,
    max_bytes: int,
    clock_ns: Callable[[], int],
    language_of: LanguageOf,
    batch_files: int = DEFAULT_BATCH_FILES,
    only: Collection[str] | None = None,
    granularity_ns: int = DEFAULT_GRANULARITY_NS,
) -> Iterator[Batch]:
    """The batches that lead from `known` and `excluded_known` to what is on the disk; at least one.

    `only` limits the comparison to these paths and all below them, relative to the root. The first batch has
    `total`, everything that can be told without reading, and the first files read; a renamed folder is
    therefore gone and there again in one step. `clock_ns` is the clock that stamps files, in nanoseconds.

    Raises RootRefused when the root is gone or was replaced meanwhile, ValueError for a path in `only` that
    leaves the root, and GitFailed; in none of these cases is anything called removed.
    """
    top = os.fspath(root)
    identity = _identity(top)
    limits = _limits(only)
    in_scope = _scope(limits)
    with ThreadPoolExecutor(1) as pool:
        # Most of a scan finds nothing new: while git lists what there is, the known files are looked at.
        listed = pool.submit(rules.listing, limits)
        vouched = _vouched(top, known, in_scope, max_bytes, granularity_ns)
        listing = listed.result()
    survey = _survey(top, listing, known, vouched, excluded_known, in_scope, max_bytes, granularity_ns)
    if _identity(top) != identity:
        raise RootRefused(f"{root} was replaced while it was read; index it again")
    options = ScanOptions(max_bytes, clock_ns, language_of, granularity_ns)
    return _batches(top, survey, known, excluded_known, options, batch_files)


@dataclass(slots=True)
class _Survey:
    """What the stamps alone tell."""

    total: int = 0
    to_read: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    included_again: list[str] = field(default_factory=list)


def _vouched(
    top: str,
    known: Mapping[str, FileRecord],
    in_scope: Callable[[str], bool] | None,
    max_bytes: int,
    granularity_ns: int,
) -> set[str]:
    """The known paths whose stamps say that they are as they were."""
    start = top.rstrip(os.path.sep) + "/"
    lstat = os.lstat
    vouched: set[str] = set()
    for path, record in known.items():
        if in_scope is not None and not in_scope(path):
            continue
        try:
            stamps = lstat(start + path)
        except OSError:
            continue
        if unchanged(record, stamps, granularity_ns) and record.size <= max_bytes:
            vouched.add(path)
    return vouched


def _survey(
    top: str,
    listing: Listing,
    known: Mapping[str, FileRecord],
    vouched: set[str],
    excluded_known: Mapping[str, Excluded],
    in_scope: Callable[[str], bool] | None,
    max_bytes: int,
    granularity_ns: int,
) -> _Survey:
    survey = _Survey(total=len(listing.paths) + len(listing.bad_names) + len(listing.unreadable))
    present = vouched.intersection(listing.paths)
    left_out: dict[str, Excluded] = {}
    start = top.rstrip(os.path.sep) + "/"
    for path in listing.paths:
        if path in present:
            continue
        try:
            stamps = os.lstat(start + path)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            left_out[path] = Excluded(path, ExcludedReason.UNREADABLE, error.strerror or str(error))
            continue
        verdict = judge_stamps(top, path, stamps, max_bytes)
        if verdict is not None:
            # A folder in place of a tracked file: what is in it is listed under its own paths.
            if not _is_folder(stamps):
                left_out[path] = verdict
            continue
        before = excluded_known.get(path)
        if (
            before is not None
            and before.reason is ExcludedReason.BINARY
            and unchanged(before, stamps, granularity_ns)
        ):
            left_out[path] = before
            continue
        survey.to_read.append(path)
    present.update(survey.to_read)
    for path in listing.bad_names:
        left_out[path] = Excluded(path, ExcludedReason.BAD_NAME, "its name is not valid UTF-8")
    for path in listing.unreadable:
        left_out[path] = Excluded(path, ExcludedReason.UNREADABLE, "the folder can't be looked into")
    survey.removed = [path for path in known if path not in present and (in_scope is None or in_scope(path))]
    survey.excluded = [entry for entry in left_out.values() if excluded_known.get(entry.path) != entry]
    survey.included_again = [
        path
        for path in excluded_known
        # Of those to be read it is known only then.
        if path not in left_out and path not in present and (in_scope is None or in_scope(path))
    ]
    return survey


def _batches(
    top: str,
    survey: _Survey,
    known: Mapping[str, FileRecord],
    excluded_known: Mapping[str, Excluded],
    options: ScanOptions,
    batch_files: int,
) -> Iterator[Batch]:
    looked_at = survey.total - len(survey.to_read)
    building = _Building(
        removed=list(survey.removed),
        excluded=list(survey.excluded),
        included_again=list(survey.included_again),
    )
    total: int | None = survey.total
    waiting = iter(survey.to_read)
    exhausted = False
    while not exhausted:
        count = 0
        for path in waiting:
            building.take(top, path, known, excluded_known, options)
            count += 1
            if count >= batch_files or building.bytes_read >= BATCH_BYTES:
                break
        else:
            exhausted = True
        if exhausted and not count and total is None:
            return
        yield building.finished(listed=looked_at + count, total=total)
        building, looked_at, total = _Building(), 0, None


@dataclass(slots=True)
class _Building:
    """A batch while it grows."""

    changed: list[FileRecord] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    excluded: list[Excluded] = field(default_factory=list)
    included_again: list[str] = field(default_factory=list)
    read: int = 0
    bytes_read: int = 0

    def take(
        self,
        top: str,
        path: str,
        known: Mapping[str, FileRecord],
        excluded_known: Mapping[str, Excluded],
        options: ScanOptions,
    ) -> None:
        """Read one file and put its verdict where it belongs."""
        verdict = self._read(top, path, options)
        if isinstance(verdict, FileRecord):
            if known.get(path) != verdict:
                self.changed.append(verdict)
            if path in excluded_known:
                self.included_again.append(path)
            return
        if path in known:
            self.removed.append(path)
        if verdict is None:
            if path in excluded_known:
                self.included_again.append(path)
        elif excluded_known.get(path) != verdict:
            self.excluded.append(verdict)

    def _read(self, top: str, path: str, options: ScanOptions) -> FileRecord | Excluded | None:
        """The file's record, why it has none, or None where it is gone."""
        full = f"{top.rstrip(os.path.sep)}/{path}"
        hashed_at = options.clock_ns()
        try:
            content = read_regular(full, WHOLE_BYTES)
            self.read += 1
            if is_binary(content.data):
                self.bytes_read += len(content.data)
                return _binary(path, content, hashed_at)
            if content.whole:
                digests = hash_bytes(content.data)
                stamps, settled = content.stamps, content.settled
            else:
                digest = hash_file(full)
                digests = (digest.sha256, digest.eol_sha256)
                stamps, settled = digest.stamps, digest.settled
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return self._failed(top, path, error, options)
        if stamps.st_size > options.max_bytes:
            return judge_stamps(top, path, stamps, options.max_bytes)
        self.bytes_read += stamps.st_size
        return FileRecord(
            path=path,
            size=stamps.st_size,
            mtime_ns=stamps.st_mtime_ns,
            ctime_ns=stamps.st_ctime_ns,
            inode=stamps.st_ino,
            sha256=digests[0],
            eol_sha256=digests[1],
            language=options.language_of(path, content.data[:BINARY_PROBE_BYTES]),
            # Zero is older than any stamp: a file that would not hold still is read again next time.
            hashed_at_ns=hashed_at if settled else 0,
        )

    def _failed(self, top: str, path: str, error: OSError, options: ScanOptions) -> Excluded | None:
        """What it is that could not be read as a file: it may have been replaced a moment ago."""
        if isinstance(error, NotRegularFile) or error.errno in (errno.ELOOP, errno.EMLINK):
            try:
                stamps = os.lstat(f"{top.rstrip(os.path.sep)}/{path}")
            except OSError:
                return None
            return None if _is_folder(stamps) else judge_stamps(top, path, stamps, options.max_bytes)
        return Excluded(path, ExcludedReason.UNREADABLE, error.strerror or str(error))

    def finished(self, listed: int, total: int | None) -> Batch:
        """The batch, sealed."""
        return Batch(
            changed=tuple(self.changed),
            removed=tuple(self.removed),
            excluded=tuple(self.excluded),
            included_again=tuple(self.included_again),
            listed=listed,
            read=self.read,
            total=total,
        )


def _binary(path: str, content: Content, hashed_at_ns: int) -> Excluded:
    stamps = content.stamps
    return Excluded(
        path,
        ExcludedReason.BINARY,
        "it has a NUL byte near its beginning",
        size=stamps.st_size,
        mtime_ns=stamps.st_mtime_ns,
        ctime_ns=stamps.st_ctime_ns,
        inode=stamps.st_ino,
        hashed_at_ns=hashed_at_ns if content.settled else 0,
    )


def _is_folder(stamps: os.stat_result) -> bool:
    return stat.S_ISDIR(stamps.st_mode)


def _identity(top: str) -> tuple[int, int]:
    try:
        stamps = os.lstat(top)
    except OSError as error:
        raise RootRefused(f"the root {top} can't be read: {error.strerror}; is its disk there?") from None
    if not _is_folder(stamps):
        raise RootRefused(f"the root {top} is no folder any more")
    return stamps.st_dev, stamps.st_ino


def _limits(only: Collection[str] | None) -> list[str] | None:
    """The paths of `only` in their plain form; None where the whole root is meant."""
    if only is None:
        return None
    limits: dict[str, None] = {}
    for path in only:
        parts = [part for part in path.split("/") if part not in ("", ".")]
        if path.startswith("/") or ".." in parts:
            raise ValueError(f"{path!r} is not below the root; give paths relative to it")
        if not parts:
            return None
        if ".git" not in parts:
            limits["/".join(parts)] = None
    return list(limits)


def _scope(limits: Iterable[str] | None) -> Callable[[str], bool] | None:
    """Whether a path is at or below one of `limits`; folders are decided once each. None stands for all."""
    if limits is None:
        return None
    tops = frozenset(limits)
    decided: dict[str, bool] = {"": False}

    def below(folder: str) -> bool:
        inside = decided.get(folder)
        if inside is None:
            inside = folder in tops or below(folder.rpartition("/")[0])
            decided[folder] = inside
        return inside

    return lambda path: path in tops or below(path.rpartition("/")[0])
