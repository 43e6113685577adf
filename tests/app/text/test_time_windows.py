from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from afresh.errors import InvalidArgumentError
from afresh.text.time_windows import Calendar, day_of, days, iso_week, months, part_of, shifted, zone_named

NEW_YORK = ZoneInfo("America/New_York")
NOON = datetime(2025, 3, 12, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "name", ["Mars/Olympus", "", "Europe", "../etc/passwd", "CEST+2", "localtime", "\0", "é"]
)
def test_a_timezone_that_does_not_exist_is_refused_by_name(name: str) -> None:
    with pytest.raises(InvalidArgumentError, match="owner_timezone") as refused:
        zone_named(name)
    assert repr(name) in refused.value.message


@pytest.mark.parametrize("name", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
def test_a_timezone_is_known_by_its_name(name: str) -> None:
    assert zone_named(name).key == name


def test_a_skipped_hour_opens_and_closes_where_clocks_jumped() -> None:
    calendar = Calendar(NOON, NEW_YORK, 1)
    jump = datetime(2025, 3, 9, 7, tzinfo=UTC)
    assert calendar.opening(datetime(2025, 3, 9, 2, 30)) == jump
    assert calendar.closing(datetime(2025, 3, 9, 2, 59, 59)) == jump


def test_a_repeated_hour_opens_at_its_first_and_closes_at_its_second_passing() -> None:
    calendar = Calendar(NOON, NEW_YORK, 1)
    assert calendar.opening(datetime(2025, 11, 2, 1, 30)) == datetime(2025, 11, 2, 5, 30, tzinfo=UTC)
    assert calendar.closing(datetime(2025, 11, 2, 1, 30)) == datetime(2025, 11, 2, 6, 30, tzinfo=UTC)


def test_a_repeated_midnight_ends_one_day_where_it_begins_the_next() -> None:
    calendar = Calendar(NOON, ZoneInfo("America/Havana"), 1)
    midnight = datetime(2025, 11, 2)
    assert calendar.opening(midnight) == calendar.closing(midnight) == datetime(2025, 11, 2, 4, tzinfo=UTC)


@given(
    st.dates(date(1900, 1, 1), date(2200, 12, 31)), st.sampled_from(["Europe/Berlin", "Asia/Kolkata", "UTC"])
)
def test_days_follow_each_other_without_a_gap_or_an_overlap(day: date, zone: str) -> None:
    calendar = Calendar(NOON, ZoneInfo(zone), 1)
    today, tomorrow = days(day, 1), days(day + timedelta(days=1), 1)
    assert calendar.closing(today.end) == calendar.opening(tomorrow.start)
    assert (
        timedelta(hours=20)
        < calendar.closing(today.end) - calendar.opening(today.start)
        < timedelta(hours=28)
    )


@pytest.mark.parametrize(
    ("moment", "count", "expected"),
    [
        (datetime(2024, 3, 31, 8), -1, datetime(2024, 2, 29, 8)),
        (datetime(2025, 3, 31, 8), -1, datetime(2025, 2, 28, 8)),
        (datetime(2024, 2, 29), -12, datetime(2023, 2, 28)),
        (datetime(2025, 1, 15), -13, datetime(2023, 12, 15)),
        (datetime(2025, 11, 30), 3, datetime(2026, 2, 28)),
    ],
)
def test_months_away_end_with_the_month(moment: datetime, count: int, expected: datetime) -> None:
    assert shifted(moment, count) == expected


def test_days_and_weeks_that_no_calendar_has_are_none() -> None:
    assert day_of(2025, 2, 29) is None
    assert day_of(2025, 4, 0) is None
    assert iso_week(2025, 53) is None
    assert iso_week(2020, 53) is not None


@given(st.integers(1900, 2100), st.integers(1, 12), st.sampled_from([2, 3]), st.sampled_from([1, 3, 12]))
def test_the_parts_of_a_period_cover_it_in_order(year: int, month: int, parts: int, count: int) -> None:
    whole = months(year, month, count)
    cut = [part_of(whole, part, parts) for part in range(parts)]
    assert cut[0].start == whole.start
    assert cut[-1].end == whole.end
    assert all(one.end == other.start for one, other in pairwise(cut))
