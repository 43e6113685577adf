from __future__ import annotations

from datetime import date

import pytest

from afresh.text.days import NamedDays, named_days


def _day(year: int, month: int, day: int) -> NamedDays:
    ordinal = date(year, month, day).toordinal()
    return NamedDays(ordinal, ordinal)


@pytest.mark.parametrize(
    "text",
    [
        "on 3 June 2026",
        "June 3, 2026",
        "the 3rd of June, 2026",
        "Jun 3rd 2026",
        "at 2026-06-03?",
        "3 JUN. 2026",
    ],
)
def test_a_day_is_read_however_it_is_written(text: str) -> None:
    assert named_days(text) == [_day(2026, 6, 3)]


def test_a_month_is_all_its_days() -> None:
    (month,) = named_days("what changed in February 2028")
    assert (month.first, month.last) == (date(2028, 2, 1).toordinal(), date(2028, 2, 29).toordinal())


def test_several_days_are_read_in_order() -> None:
    assert named_days("2026-01-02 or 4 May 2026") == [_day(2026, 1, 2), _day(2026, 5, 4)]


@pytest.mark.parametrize(
    "text",
    ["31 February 2026", "2026-13-01", "0000-01-01", "June", "3 June", "2026", "may 5 of us", ""],
)
def test_what_names_no_day_names_none(text: str) -> None:
    assert named_days(text) == []
