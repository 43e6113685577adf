"""Threads for calls."""

from __future__ import annotations

import threading

from tests.app.keeper.double import BOUND

from afresh.keeper.pool import Pool


def test_tasks_run_side_by_side_up_to_the_bound_and_the_rest_in_order() -> None:
    pool = Pool("test", 3)
    together = threading.Barrier(4)
    go = threading.Event()
    done: list[int] = []
    finished = threading.Semaphore(0)

    def meet() -> None:
        together.wait(BOUND)
        assert go.wait(BOUND)
        finished.release()

    for _ in range(3):
        pool.submit(meet)
    together.wait(BOUND)
    for number in range(5):
        pool.submit(lambda number=number: (done.append(number), finished.release()))  # type: ignore[misc]
    assert done == []
    go.set()
    for _ in range(8):
        assert finished.acquire(timeout=BOUND)
    assert sorted(done) == list(range(5))


def test_a_thread_that_is_free_is_used_again() -> None:
    pool = Pool("again", 8)
    names: set[str] = set()
    finished = threading.Event()
    for _ in range(20):
        finished.clear()
        pool.submit(lambda: (names.add(threading.current_thread().name), finished.set()))  # type: ignore[func-returns-value]
        assert finished.wait(BOUND)
    # One may still be on its way back when the next task comes.
    assert len(names) <= 3
