from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from afresh.errors import InvalidArgumentError, StoreError, StoreHeldError
from afresh.store import Store, memories
from afresh.store.memories import NewMemory

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def new(content: str, **fields: Any) -> NewMemory:
    values: dict[str, Any] = {
        "project_id": 1,
        "content": content,
        "content_sha256": content,
        "type": "fact",
        "memory_type": "semantic",
        **fields,
    }
    return NewMemory(**values)


def contents(store: Store) -> list[str]:
    with store.read() as cursor:
        return [row[0] for row in cursor.execute("SELECT content FROM memories ORDER BY id").rows()]


def save(store: Store, content: str) -> int:
    with store.write() as tx:
        (id_,) = memories.insert(tx, [new(content)], NOW)
    return id_


def test_a_written_row_is_read_back(store: Store) -> None:
    save(store, "one")
    assert contents(store) == ["one"]


def test_an_error_in_the_block_undoes_the_write_and_is_raised_again(store: Store) -> None:
    with pytest.raises(KeyError, match="mine"), store.write() as tx:
        memories.insert(tx, [new("lost")], NOW)
        raise KeyError("mine")
    assert contents(store) == []
    save(store, "next")
    assert contents(store) == ["next"]


def test_a_statement_error_that_the_block_swallows_still_fails_the_write(store: Store) -> None:
    before = store.generation
    with pytest.raises(StoreError, match="nothing was stored"), store.write() as tx:
        memories.insert(tx, [new("lost")], NOW)
        with contextlib.suppress(StoreError):
            tx.execute("SELECT no_such_column FROM memories")
    assert contents(store) == []
    assert store.generation == before


def test_nothing_more_runs_after_a_failed_statement(store: Store) -> None:
    with pytest.raises(StoreError, match="failed before"), store.write() as tx:
        with pytest.raises(StoreError):
            tx.execute("SELECT * FROM no_such_table")
        tx.execute("SELECT 1")


def test_a_commit_that_duckdb_would_discard_is_an_error(store: Store) -> None:
    """The trap itself: an aborted transaction commits without complaint and stores nothing."""
    with pytest.raises(StoreError), store.write() as tx:
        memories.insert(tx, [new("lost")], NOW)
        with pytest.raises(StoreError):
            tx.execute("SELECT 1 / 'x'::INTEGER")
    assert contents(store) == []


def test_an_error_while_rows_are_fetched_counts_as_a_failed_statement(store: Store) -> None:
    with pytest.raises(StoreError), store.write() as tx:
        memories.insert(tx, [new("lost")], NOW)
        with contextlib.suppress(StoreError):
            tx.execute("SELECT error('late') FROM range(3)").rows()
    assert contents(store) == []


def test_a_text_that_is_not_unicode_is_refused_and_nothing_is_stored(store: Store) -> None:
    with pytest.raises(StoreError, match="surrogate"):
        save(store, "broken \ud800 text")
    assert contents(store) == []


@pytest.mark.parametrize("text", ["", "a\0b", "漢字 😀 עברית", "'; DROP TABLE memories; --", "x" * 100_000])
def test_any_text_comes_back_as_it_was(store: Store, text: str) -> None:
    save(store, text)
    assert contents(store) == [text]


def test_a_read_cannot_write(store: Store) -> None:
    with store.read() as cursor, pytest.raises(StoreError, match="read-only"):
        cursor.execute("DELETE FROM memories")


def test_a_read_sees_one_state_while_writes_go_on(store: Store) -> None:
    save(store, "before")
    with store.read() as cursor:
        first = cursor.execute("SELECT count(*) FROM memories").one()
        save(store, "during")
        assert cursor.execute("SELECT count(*) FROM memories").one() == first
    assert contents(store) == ["before", "during"]


def test_a_write_inside_a_write_is_refused_instead_of_waiting_for_itself(store: Store) -> None:
    with store.write(), pytest.raises(RuntimeError, match="inside a write"), store.write():
        pass
    save(store, "after")
    assert contents(store) == ["after"]


def test_the_generation_grows_with_writes_that_change_something(store: Store) -> None:
    before = store.generation
    with store.write() as tx:
        tx.execute("SELECT 1")
    assert store.generation == before
    save(store, "one")
    assert store.generation == before + 1


def test_the_transaction_knows_when_it_began(store: Store, clock: Any) -> None:
    moment = clock.forward(hours=1)
    with store.write() as tx:
        assert tx.now == moment


def test_two_saves_of_one_content_at_the_same_moment_make_one_row(store: Store) -> None:
    barrier = threading.Barrier(8, timeout=20)
    ids: list[int] = []

    def work() -> None:
        barrier.wait()
        with store.write() as tx:
            same = memories.find_same(tx, 1, "fact", "same")
            ids.append(same.id if same else memories.insert(tx, [new("same")], NOW)[0])

    run_in_threads([work] * 8)
    assert len(set(ids)) == 1
    assert contents(store) == ["same"]


def test_reads_are_right_while_another_thread_writes(store: Store) -> None:
    """Rows come in tens; a shared connection would mix up results, a torn read would see a part of ten."""
    done = threading.Event()
    wrong: list[object] = []

    def write() -> None:
        try:
            for number in range(40):
                with store.write() as tx:
                    memories.insert(tx, [new(f"{number}", term_count=number) for _ in range(10)], NOW)
        finally:
            done.set()

    def read(offset: int) -> None:
        rounds = 0
        while not done.is_set() or rounds < 5:
            rounds += 1
            with store.read() as cursor:
                wanted = offset + rounds
                row = cursor.execute("SELECT ?::BIGINT, count(*) FROM memories", [wanted]).one()
                again = cursor.execute("SELECT count(*), ?::BIGINT FROM memories", [wanted]).one()
            if row is None or again is None or row[0] != wanted or row[1] % 10 or again != (row[1], wanted):
                wrong.append((row, again, wanted))

    run_in_threads([write, *(partial(read, n * 10_000) for n in range(4))])
    assert wrong == []
    assert len(contents(store)) == 400


def test_a_checkpoint_empties_the_log_beside_an_open_reader(store: Store) -> None:
    save(store, "one")
    assert store.log_bytes() > 0
    with store.read() as cursor:
        cursor.execute("SELECT count(*) FROM memories").rows()
        store.checkpoint()
        assert cursor.execute("SELECT count(*) FROM memories").one() == (1,)
    assert store.log_bytes() == 0
    assert contents(store) == ["one"]


def test_the_log_grows_past_duckdbs_own_limit_without_a_checkpoint(store: Store) -> None:
    with store.write() as tx:
        tx.execute("INSERT INTO postings SELECT 'memory', i, hash(i), 1 FROM range(400000) AS t(i)")
    with store.write() as tx:
        tx.execute(
            "INSERT INTO snapshots SELECT i::VARCHAR, repeat('x', 1000)::BLOB, 1, now()::TIMESTAMP "
            "FROM range(20000) AS t(i)"
        )
    assert store.log_bytes() > 16 * 1024 * 1024


def test_a_backup_holds_everything_and_goes_on_counting_ids(store: Store, tmp_path: Path, clock: Any) -> None:
    last = save(store, "kept")
    target = tmp_path / "copies" / "it's a copy.duckdb"
    size = store.backup(target)
    assert size == target.stat().st_size > 0
    assert [path.name for path in target.parent.iterdir()] == [target.name]
    save(store, "later")
    with Store.open(target, clock=clock) as copy:
        assert contents(copy) == ["kept"]
        assert save(copy, "new") > last


def test_a_backup_does_not_overwrite(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "mine.txt"
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(InvalidArgumentError, match=r"mine\.txt exists"):
        store.backup(target)
    assert target.read_text(encoding="utf-8") == "mine"


def test_a_backup_beside_writes_is_one_state(store: Store, tmp_path: Path, clock: Any) -> None:
    with store.write() as tx:
        tx.execute("INSERT INTO postings SELECT 'memory', i, hash(i), 1 FROM range(200000) AS t(i)")
    started, stop = threading.Event(), threading.Event()

    def write() -> None:
        while not stop.is_set():
            with store.write() as tx:
                memories.insert(tx, [new("pair")], NOW)
                memories.insert(tx, [new("pair")], NOW)
            started.set()

    def back_up() -> None:
        try:
            assert started.wait(20)
            store.backup(tmp_path / "copy.duckdb")
        finally:
            stop.set()

    run_in_threads([write, back_up])
    with Store.open(tmp_path / "copy.duckdb", clock=clock) as copy:
        assert len(contents(copy)) % 2 == 0


def test_a_backup_that_fails_leaves_no_file_and_the_store_works_on(store: Store, tmp_path: Path) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("", encoding="utf-8")
    with pytest.raises(StoreError, match="can't be written"):
        store.backup(blocked / "copy.duckdb")
    save(store, "one")
    assert contents(store) == ["one"]


def test_a_closed_store_says_so(database: Path, clock: Any) -> None:
    store = Store.open(database, clock=clock)
    store.close()
    store.close()
    with pytest.raises(StoreError, match="is closed"), store.read():
        pass
    with pytest.raises(StoreError, match="is closed"), store.write():
        pass


def test_closing_waits_for_a_running_read(database: Path, clock: Any) -> None:
    store = Store.open(database, clock=clock)
    reading, release = threading.Event(), threading.Event()
    seen: list[object] = []

    def read() -> None:
        with store.read() as cursor:
            reading.set()
            release.wait(4)
            seen.append(cursor.execute("SELECT 7").one())

    def close() -> None:
        assert reading.wait(20)
        release.set()
        store.close()

    run_in_threads([read, close])
    assert seen == [(7,)]


def test_a_second_opening_in_one_process_is_refused(store: Store, database: Path, clock: Any) -> None:
    with pytest.raises(StoreHeldError, match="open in this process already"):
        Store.open(database.parent / ".." / "home" / database.name, clock=clock)
    save(store, "still works")


def run_in_threads(jobs: list[Callable[[], None]]) -> None:
    """Run all at once and raise the first error of any."""
    errors: list[BaseException] = []

    def guarded(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - carried over to the test's own thread
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    if errors:
        raise errors[0]
