from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from afresh.errors import StoreFullError
from afresh.store import Store, memories
from afresh.store.memories import NewMemory

NOW = datetime(2026, 3, 1, tzinfo=UTC)

SAVE_FOREVER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
import numpy as np
from afresh.store import Store, memories, postings, vectors
from afresh.store.memories import NewMemory

store = Store.open(Path(sys.argv[1]), clock=lambda: datetime.now(UTC))
number = 0
while True:
    number += 1
    with store.write() as tx:
        new = NewMemory(project_id=1, content=f"memory {number}", content_sha256=str(number), type="fact",
                        memory_type="semantic")
        (id_,) = memories.insert(tx, [new], tx.now)
        postings.put(tx, "memory", {id_: (np.arange(30, dtype=np.uint64), np.ones(30, dtype=np.uint16))})
        vectors.put(tx, "memory", "m", {id_: np.ones((1, 384), dtype=np.float32)})
    print(id_, flush=True)
    if number % 7 == 0:
        store.checkpoint()
"""


def stored_ids(database: Path, clock: Any) -> set[int]:
    with Store.open(database, clock=clock) as store, store.read() as cursor:
        assert store.set_aside is None, store.note
        ids = {row[0] for row in cursor.execute("SELECT id FROM memories").rows()}
        whole = cursor.execute("SELECT owner_id FROM postings GROUP BY owner_id HAVING count(*) = 30").rows()
        embedded = cursor.execute("SELECT owner_id FROM vectors").rows()
    assert {row[0] for row in whole} == ids == {row[0] for row in embedded}
    return ids


@pytest.mark.parametrize("acknowledged", [1, 6, 7, 8, 40])
def test_a_kill_at_any_moment_loses_nothing_acknowledged(
    database: Path, clock: Any, acknowledged: int
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SAVE_FOREVER, str(database)],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    with process:
        assert process.stdout is not None
        told = [int(process.stdout.readline()) for _ in range(acknowledged)]
        process.send_signal(signal.SIGKILL)
        told += [int(line) for line in process.stdout if line.endswith("\n")]
    ids = stored_ids(database, clock)
    assert set(told) <= ids
    assert len(ids) <= len(told) + 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 16 MB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = sys.platform == "linux" and os.geteuid() == 0
    if mounted:
        command = ["mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", str(folder)]
        mounted = subprocess.run(command, check=False, capture_output=True).returncode == 0
    if not mounted:
        pytest.skip("a small disk can only be mounted as root on Linux")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def big(number: int) -> NewMemory:
    content = random.Random(number).randbytes(100_000).hex()
    return NewMemory(
        project_id=1, content=content, content_sha256=f"{number}", type="fact", memory_type="semantic"
    )


def count(store: Store) -> int:
    with store.read() as cursor:
        return len(cursor.execute("SELECT id FROM memories").rows())


def test_a_full_disk_is_told_and_loses_nothing_and_room_heals_it(small_disk: Path, clock: Any) -> None:
    database = small_disk / "home" / "afresh.duckdb"
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(8 * 1024 * 1024))
    with Store.open(database, clock=clock) as store:
        saved = 0

        def fill() -> None:
            nonlocal saved
            while True:
                with store.write() as tx:
                    memories.insert(tx, [big(saved)], NOW)
                saved += 1

        for _ in range(2):
            with pytest.raises(StoreFullError, match=r"is full.*Free some space"):
                fill()
            assert count(store) == saved > 0
        with contextlib.suppress(StoreFullError):
            store.checkpoint()
        assert count(store) == saved
        ballast.unlink()
        with store.write() as tx:
            memories.insert(tx, [big(-1)], NOW)
        assert count(store) == saved + 1
    with Store.open(database, clock=clock) as store:
        assert count(store) == saved + 1


def test_an_instance_that_duckdb_gave_up_is_opened_anew(store: Store) -> None:
    """As a full disk within a checkpoint leaves it."""
    import duckdb

    with store.write() as tx:
        memories.insert(tx, [big(1)], NOW)
    fatal = duckdb.FatalException("FATAL Error: database has been invalidated: No space left on device")
    with pytest.raises(StoreFullError), store.read() as cursor:
        cursor._guarded(lambda: (_ for _ in ()).throw(fatal))
    before = store._connection
    assert count(store) == 1
    assert store._connection is not before
    with store.write() as tx:
        memories.insert(tx, [big(2)], NOW)
    assert count(store) == 2
