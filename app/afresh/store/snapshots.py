"""The bytes of recorded files, kept by content so that a later diff can be shown; compressed and bounded."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

import zstandard

from afresh.errors import StoreCorruptError
from afresh.store.columns import stored
from afresh.store.cursor import Column, Constant, Cursor, Transaction

_AT_ONCE_BYTES = 1024 * 1024
"""Compressed bytes that one statement inserts."""
_CITED = """
    SELECT c.sha256 FROM citations AS c JOIN memories AS m ON m.id = c.owner_id
    WHERE c.owner = 'memory' AND m.deleted_at IS NULL
    UNION SELECT c.sha256 FROM citations AS c JOIN memos AS m ON m.id = c.owner_id
    WHERE c.owner = 'memo' AND m.retired_at IS NULL AND m.superseded_by IS NULL
"""
"""What conclusions that count rest on; the other snapshots may be dropped where room is needed."""


@dataclass(frozen=True, slots=True)
class SnapshotsPut:
    """What became of the contents that were handed over."""

    stored: tuple[str, ...]
    """Hashes that are there now, those that were there before included."""
    refused: tuple[str, ...]
    """Hashes for which there was no room."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A content as it is kept: what waits for its transaction takes no more room than in it."""

    content: bytes
    """Compressed."""
    size: int
    """Bytes before that."""


def pack(data: bytes) -> Packed:
    """Compress a content."""
    # The result comes in a block as large as the content; only a copy takes its own size alone.
    return Packed(bytes(memoryview(zstandard.ZstdCompressor(level=3).compress(data))), len(data))


def put(tx: Transaction, contents: Mapping[str, Packed], *, limit_bytes: int, now: datetime) -> SnapshotsPut:
    """Keep contents by their sha256, never more than `limit_bytes` of compressed ones in all.

    For room the oldest ones that nothing rests on any more go; where that isn't enough, new ones are refused.
    Record what cites the contents first, in the same transaction.
    """
    there = set(_known(tx, contents))
    packed = {sha: item.content for sha, item in contents.items() if sha not in there}
    if not packed:
        return SnapshotsPut(tuple(contents), ())
    room = limit_bytes - total_bytes(tx)
    wanted = sum(len(data) for data in packed.values())
    if wanted > room:
        room += _drop_oldest(tx, wanted - room, keep=there)
    fitting: dict[str, bytes] = {}
    for sha, data in packed.items():
        if len(data) <= room:
            room -= len(data)
            fitting[sha] = data
    for part in _parts(fitting):
        tx.insert(
            "snapshots",
            {
                "sha256": Column("VARCHAR", part),
                "content": Column("BLOB", [fitting[sha] for sha in part]),
                "size": Column("BIGINT", [contents[sha].size for sha in part]),
            },
            {"created_at": Constant("TIMESTAMP", stored(now))},
        )
    refused = tuple(sha for sha in packed if sha not in fitting)
    return SnapshotsPut(tuple(sha for sha in contents if sha not in refused), refused)


def _parts(contents: Mapping[str, bytes]) -> Iterator[list[str]]:
    """The hashes of some contents, so many at a time as are handed to the database at once.

    It makes several copies of what it is handed.
    """
    part: list[str] = []
    size = 0
    for sha, data in contents.items():
        part.append(sha)
        size += len(data)
        if size >= _AT_ONCE_BYTES:
            yield part
            part, size = [], 0
    if part:
        yield part


def get(cur: Cursor, sha256: str) -> bytes | None:
    """The content with that hash, or None where none was kept.

    Raises StoreCorruptError.
    """
    row = cur.execute("SELECT content FROM snapshots WHERE sha256 = ? LIMIT 1", [sha256]).one()
    return None if row is None else unpacked(sha256, row[0])


def get_many(cur: Cursor, shas: Iterable[str]) -> dict[str, bytes]:
    """The contents with these hashes; those that were not kept, and damaged ones, are left out."""
    rows = cur.execute(
        "SELECT sha256, content FROM snapshots WHERE sha256 IN (SELECT unnest(?::VARCHAR[]))",
        [sorted(set(shas))],
    ).rows()
    found: dict[str, bytes] = {}
    for sha256, content in rows:
        with suppress(StoreCorruptError):
            found[sha256] = unpacked(sha256, content)
    return found


def unpacked(sha256: str, content: bytes) -> bytes:
    """The bytes that a snapshot's compressed content stands for.

    Raises StoreCorruptError.
    """
    try:
        return zstandard.ZstdDecompressor().decompress(content)
    except zstandard.ZstdError as error:
        raise StoreCorruptError(
            f"the snapshot {sha256} can't be unpacked ({error}): its diff can't be shown; nothing else "
            "is affected"
        ) from error


def prune(tx: Transaction) -> int:
    """Drop every snapshot that nothing rests on any more; how many there were."""
    rows = tx.execute(f"DELETE FROM snapshots WHERE sha256 NOT IN ({_CITED}) RETURNING sha256").rows()
    return len(rows)


def total_bytes(cur: Cursor) -> int:
    """Bytes of all snapshots, compressed."""
    row = cur.execute("SELECT coalesce(sum(octet_length(content)), 0) FROM snapshots").one()
    return int(row[0]) if row is not None else 0


def _known(cur: Cursor, shas: Iterable[str]) -> list[str]:
    rows = cur.execute(
        "SELECT sha256 FROM snapshots WHERE sha256 IN (SELECT unnest(?::VARCHAR[]))", [list(shas)]
    ).rows()
    return [row[0] for row in rows]


def _drop_oldest(tx: Transaction, needed: int, *, keep: Collection[str]) -> int:
    """Drop unreferenced snapshots, oldest first, until `needed` bytes are free; how many became free."""
    rows = tx.execute(
        f"SELECT sha256, octet_length(content) FROM snapshots WHERE sha256 NOT IN ({_CITED}) "
        "ORDER BY created_at, sha256"
    ).rows()
    freed = 0
    dropped: list[str] = []
    for sha, size in rows:
        if freed >= needed:
            break
        if sha not in keep:
            dropped.append(sha)
            freed += size
    if dropped:
        tx.execute("DELETE FROM snapshots WHERE sha256 IN (SELECT unnest(?::VARCHAR[]))", [dropped])
    return freed
