from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from afresh.text.days import UNKNOWN_DAY
from afresh.text.threads import NO_THREAD, NO_TIME, Links, Place, Threads, seen, shifted

_DAY_US = 86_400_000_000


def _order(threads: Threads, rows: int, first: int) -> list[int]:
    links = threads.links(rows)
    assert links is not None
    followed = [first]
    while (following := int(links.after[followed[-1]])) >= 0:
        assert int(links.before[following]) == followed[-1]
        followed.append(following)
    return followed


def test_documents_of_a_thread_follow_one_another_in_time() -> None:
    threads = Threads()
    for row, time in enumerate([30, 10, 20]):
        threads.add(row, row, Place(7, time))
    assert _order(threads, 3, 1) == [1, 2, 0]


def test_equal_times_are_in_the_order_of_their_ids() -> None:
    threads = Threads()
    for row, doc_id in enumerate([5, 3, 4]):
        threads.add(row, doc_id, Place(7, 10))
    assert _order(threads, 3, 1) == [1, 2, 0]


def test_threads_do_not_touch_and_what_stands_alone_has_no_neighbour() -> None:
    threads = Threads()
    for row, thread in enumerate([1, 2, NO_THREAD, 1, 2]):
        threads.add(row, row, Place(thread, row))
    links = threads.links(5)
    assert links is not None
    assert links.after.tolist() == [3, 4, -1, -1, -1]
    assert Threads().links(0) is None


def test_a_removed_document_leaves_its_neighbours_side_by_side() -> None:
    threads = Threads()
    for row in range(3):
        threads.add(row, row, Place(1, row))
    threads.remove(1)
    threads.remove(1)
    assert _order(threads, 3, 0) == [0, 2]


def test_days_are_kept_for_what_stands_alone_too() -> None:
    threads = Threads()
    threads.add(0, 0, Place(NO_THREAD, 3 * _DAY_US))
    threads.add(1, 1, Place())
    assert threads.days(2).tolist() == [719_163 + 3, UNKNOWN_DAY]


def test_what_happened_at_another_time_than_was_said_stands_there_alone() -> None:
    threads = Threads()
    for row in range(3):
        threads.add(row, row, Place(1, row * _DAY_US))
    threads.move(0, 0, Place(1, 5 * _DAY_US))
    threads.move(1, 1, Place())
    assert _order(threads, 3, 2) == [2, 0]
    assert threads.days(3).tolist() == [719_163 + 5, UNKNOWN_DAY, 719_163 + 2]


def test_links_lead_to_nothing_that_the_search_may_not_see() -> None:
    links = Links(np.array([-1, 0, 1], np.int32), np.array([1, 2, -1], np.int32))
    found = seen(links, np.array([True, False, True]))
    assert found is not None
    assert found.before.tolist() == [-1, -1, -1]
    assert found.after.tolist() == [-1, -1, -1]
    assert seen(None, np.array([True])) is None


def test_values_are_shifted_along_the_links() -> None:
    assert shifted(np.array([1.0, 2.0, 3.0]), np.array([-1, 0, 1], np.int32)).tolist() == [0.0, 1.0, 2.0]


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=30),
    st.sets(st.integers(0, 29)),
)
def test_one_by_one_from_arrays_and_renumbered_are_the_same(
    placed: list[tuple[int, int]], removed: set[int]
) -> None:
    one_by_one = Threads()
    for row, (thread, time) in enumerate(placed):
        one_by_one.add(row, row, Place(thread, time))
    for row in removed:
        one_by_one.remove(row)
    kept = [row for row in range(len(placed)) if row not in removed]
    moved = np.full(len(placed), -1, np.int32)
    moved[kept] = np.arange(len(kept), dtype=np.int32)
    ids = np.array(kept, np.int64)
    loaded = Threads.of(
        ids,
        (
            ids,
            np.array([placed[row][0] for row in kept], np.int64),
            np.array([placed[row][1] for row in kept], np.int64),
        ),
    )
    renumbered = one_by_one.renumbered(moved)
    for threads in (loaded, renumbered):
        links = threads.links(len(kept))
        before = one_by_one.links(len(placed))
        if before is None:
            assert links is None
            continue
        assert links is not None
        expected = [-1 if (row := before.after[old]) < 0 else int(moved[row]) for old in kept]
        assert links.after.tolist() == expected


def test_a_time_that_is_not_known_is_no_day() -> None:
    ids = np.array([4], np.int64)
    threads = Threads.of(ids, (ids, np.array([9], np.int64), np.array([NO_TIME], np.int64)))
    assert threads.days(1).tolist() == [UNKNOWN_DAY]
