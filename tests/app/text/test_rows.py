from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.text.rows import RowTable


def test_a_changed_document_has_a_new_row_and_its_old_one_is_dead() -> None:
    table = RowTable(np.array([3, 5, 9]))
    assert table.append(5) == 3
    assert table.row(5) == 3
    assert table.alive.tolist() == [True, False, True, True]
    assert table.dead == 1


def test_unknown_documents_are_left_out() -> None:
    table = RowTable(np.array([3, 5]))
    assert table.rows(np.array([1, 3, 4, 5, 99])).tolist() == [0, 1]
    assert RowTable().rows(np.array([1])).tolist() == []
    assert table.kill(4) is None


@given(
    st.lists(st.tuples(st.sampled_from(["append", "kill"]), st.integers(-20, 20)), max_size=80),
    st.sets(st.integers(-20, 20), max_size=8),
)
@settings(max_examples=120, deadline=None, derandomize=True)
def test_the_table_agrees_with_a_dictionary(steps: list[tuple[str, int]], first: set[int]) -> None:
    table = RowTable(np.array(sorted(first), np.int64))
    expected = {doc: row for row, doc in enumerate(sorted(first))}
    rows = len(first)
    for step, doc in steps:
        if step == "append":
            assert table.append(doc) == rows
            expected[doc] = rows
            rows += 1
        else:
            assert table.kill(doc) == expected.pop(doc, None)
    asked = np.arange(-25, 25)
    assert table.rows(asked).tolist() == [expected[d] for d in asked.tolist() if d in expected]
    assert int(table.alive.sum()) == len(expected) == len(table) - table.dead


def test_thousands_of_documents_out_of_order_are_all_found() -> None:
    ids = np.random.default_rng(1).permutation(5_000)
    table = RowTable()
    for doc in ids.tolist():
        table.append(doc)
    assert table.ids[table.rows(np.arange(5_000))].tolist() == list(range(5_000))
