from __future__ import annotations

import hashlib
import random
from datetime import UTC, datetime, timedelta

import pytest

from afresh.errors import StoreCorruptError
from afresh.store import Store, citations, memos, snapshots
from afresh.store.citations import Citation, FileCitation
from afresh.store.snapshots import SnapshotsPut

NOW = datetime(2026, 3, 1, tzinfo=UTC)
PLENTY = 10**9
NOISE = random.Random(1)


def noise(size: int) -> bytes:
    """Bytes that don't compress, the same in each run."""
    return NOISE.randbytes(size)


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def put(store: Store, *contents: bytes, limit: int = PLENTY, hours: int = 0) -> SnapshotsPut:
    with store.write() as tx:
        moment = NOW + timedelta(hours=hours)
        return snapshots.put(tx, {sha(c): snapshots.pack(c) for c in contents}, limit_bytes=limit, now=moment)


def kept(store: Store, *contents: bytes) -> list[bool]:
    with store.read() as cursor:
        return [snapshots.get(cursor, sha(content)) == content for content in contents]


def cite(store: Store, *contents: bytes, retired: bool = False) -> int:
    """A memo that rests on these contents."""
    files = [FileCitation(sha(c), sha(c), sha(c), len(c), 0, 0, 0, 0) for c in contents]
    with store.write() as tx:
        memo, _ = memos.record(
            tx,
            project_id=1,
            root="/",
            question="q",
            question_key=sha(b"".join(contents)),
            conclusion="c",
            files=files,
            now=NOW,
        )
        memos.set_retired(tx, memo.id, retired=retired, note="", now=NOW)
    return memo.id


@pytest.mark.parametrize("data", [b"", b"text\r\n" * 1000, bytes(range(256))])
def test_bytes_come_back_as_they_were(store: Store, data: bytes) -> None:
    assert put(store, data) == SnapshotsPut((sha(data),), ())
    assert kept(store, data) == [True]


def test_a_content_is_kept_once_and_compressed(store: Store) -> None:
    data = b"the same line\n" * 10_000
    put(store, data)
    put(store, data)
    with store.read() as cursor:
        assert cursor.execute("SELECT size FROM snapshots").rows() == [(len(data),)]
        assert snapshots.total_bytes(cursor) < len(data) / 50
        assert snapshots.get(cursor, sha(b"unknown")) is None


def test_the_oldest_that_nothing_rests_on_make_room(store: Store) -> None:
    oldest, cited, middle, new = (noise(1000) for _ in range(4))
    put(store, oldest, hours=1)
    put(store, cited)
    put(store, middle, hours=2)
    cite(store, cited)
    assert put(store, new, limit=3300, hours=3).refused == ()
    assert kept(store, oldest, cited, middle, new) == [False, True, True, True]


def test_new_ones_are_refused_where_no_room_can_be_made(store: Store) -> None:
    cited, large, small = noise(1000), noise(3000), noise(500)
    put(store, cited)
    cite(store, cited)
    result = put(store, cited, large, small, limit=2000)
    assert result == SnapshotsPut((sha(cited), sha(small)), (sha(large),))
    assert kept(store, cited, large, small) == [True, False, True]
    with store.read() as cursor:
        assert snapshots.total_bytes(cursor) <= 2000


def test_what_is_put_again_is_not_dropped_for_its_company(store: Store) -> None:
    there, new = noise(1000), noise(1000)
    put(store, there)
    assert put(store, there, new, limit=1500).refused == (sha(new),)
    assert kept(store, there) == [True]


def test_pruning_keeps_what_conclusions_that_count_rest_on(store: Store) -> None:
    live, retired, in_memory, loose = (noise(100) for _ in range(4))
    put(store, live, retired, in_memory, loose)
    cite(store, live)
    cite(store, retired, retired=True)
    with store.write() as tx:
        tx.execute(
            "INSERT INTO memories (id, project_id, content, content_sha256, type, memory_type, path, tags, "
            "created_at, updated_at, version, source_kind, term_count) "
            "VALUES (1, 1, 'c', 's', 'fact', 'semantic', '', [], ?, ?, 1, 'agent', 0)",
            [NOW.replace(tzinfo=None)] * 2,
        )
        file = FileCitation("f", sha(in_memory), "e", 1, 0, 0, 0, 0)
        citations.put_all(tx, "memory", {1: Citation("/", (file,))})
        assert snapshots.prune(tx) == 2
        assert snapshots.prune(tx) == 0
    assert kept(store, live, retired, in_memory, loose) == [True, False, True, False]


def test_a_damaged_snapshot_is_told_by_its_hash(store: Store) -> None:
    put(store, b"fine")
    with store.write() as tx:
        tx.execute("UPDATE snapshots SET content = 'no zstd'::BLOB")
    with store.read() as cursor, pytest.raises(StoreCorruptError, match=sha(b"fine")):
        snapshots.get(cursor, sha(b"fine"))
