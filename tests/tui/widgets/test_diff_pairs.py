"""Which lines stand beside each other in a split diff."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh_tui.widgets.diff_pairs import pairs


def test_a_line_stands_beside_its_likest_and_what_is_new_beside_nothing() -> None:
    removed = ["first = one(a)", "third = three(c)"]
    added = ["first = one(a, b)", "second = brand_new_thing", "third = three(c, d)"]
    assert pairs(removed, added) == [(0, 0), (None, 1), (1, 2)]


def test_lines_without_a_likeness_share_rows_from_the_top() -> None:
    assert pairs(["alpha beta", "gamma"], ["one", "two", "three"]) == [(0, 0), (1, 1), (None, 2)]


@pytest.mark.parametrize(("removed", "added"), [([], ["a", "b"]), (["a", "b"], [])])
def test_one_side_alone_stands_beside_nothing(removed: list[str], added: list[str]) -> None:
    assert len(pairs(removed, added)) == 2


_LINES = st.lists(st.sampled_from(["a b c", "a b d", "x", "", "y z", "a b"]), max_size=12)


@given(_LINES, _LINES)
def test_every_line_is_shown_once_and_in_its_order(removed: list[str], added: list[str]) -> None:
    found = pairs(removed, added)
    assert [left for left, _ in found if left is not None] == list(range(len(removed)))
    assert [right for _, right in found if right is not None] == list(range(len(added)))
    assert (None, None) not in found


def test_a_very_long_run_is_paired_by_position() -> None:
    removed, added = ["same"] * 300, ["same"] * 310
    assert pairs(removed, added)[:3] == [(0, 0), (1, 1), (2, 2)]
    assert len(pairs(removed, added)) == 310
