"""Which stale conclusions a filter's words let through."""

from __future__ import annotations

import pytest
from tests.tui import stale_answers

from afresh.verbs import StaleItem
from afresh_tui.screens.stale_filter import Wanted, wanted

ITEMS = [StaleItem.model_validate(item) for item in stale_answers.ITEMS]


def ids(text: str) -> list[int]:
    return [item.id for item in ITEMS if wanted(text).holds(item)]


def test_a_filter_is_read_by_its_parts() -> None:
    assert wanted('author:Ada path:billing/ impact:gone "two words" one') == Wanted(
        ("two words", "one"), ("ada",), ("billing/",), ("gone",)
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", [7, 12, 44, 31]),
        ("PAYMENT", [7]),
        ("author:lovelace", [7, 12, 31]),
        ("path:.svg", [44]),
        ("path:billing impact:edited", [12]),
        ("impact:moved", [31]),
        ('"failed payment"', [7]),
        ("author:", [7, 12, 44, 31]),
        ("nobody", []),
    ],
)
def test_only_what_holds_in_all_parts_is_let_through(text: str, found: list[int]) -> None:
    assert ids(text) == found
