"""500 seeded combinations of phrase, zone and moment, against a calendar that only walks.

The oracle adds up nothing: it goes from day to day until the words fit, and finds a window's ends by looking
at what clocks show every quarter of an hour, so that it shares no rule with what it judges.
"""

from __future__ import annotations

import calendar
import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from afresh.text.time_phrases import read_time

ZONES = (
    "America/New_York", "America/Los_Angeles", "America/Sao_Paulo", "America/Havana", "America/St_Johns",
    "Europe/Berlin", "Europe/London", "Asia/Kolkata", "Asia/Kathmandu", "Australia/Lord_Howe",
    "Pacific/Auckland", "Pacific/Apia", "Africa/Casablanca", "UTC",
)  # fmt: skip
DAY, STEP = timedelta(days=1), timedelta(minutes=15)
Fits = Callable[[date], bool]
Window = tuple[datetime | None, datetime | None]


def clock(moment: datetime, zone: ZoneInfo) -> datetime:
    return moment.astimezone(zone).replace(tzinfo=None)


def around(day: date) -> list[datetime]:
    """Every quarter of an hour that could belong to a day somewhere."""
    first = datetime(day.year, day.month, day.day, tzinfo=UTC) - timedelta(hours=30)
    return [first + count * STEP for count in range(4 * 90)]


def dawn(day: date, zone: ZoneInfo) -> datetime:
    return next(moment for moment in around(day) if clock(moment, zone).date() >= day)


def stretch(first: date, last: date, zone: ZoneInfo) -> Window:
    """From a day's first moment to the first after another."""
    return dawn(first, zone), dawn(last + DAY, zone)


def hours(day: date, first: int, last: int, zone: ZoneInfo) -> Window:
    """While clocks show hours of a day; the last hour may be of the next day."""
    begin = datetime(day.year, day.month, day.day)
    shown = [
        moment
        for moment in around(day)
        if begin + timedelta(hours=first) <= clock(moment, zone) < begin + timedelta(hours=last)
    ]
    return shown[0], shown[-1] + STEP


def run_of(day: date, same: Callable[[date], object]) -> tuple[date, date]:
    """The days before and after one that are the same in some way."""
    first = last = day
    while same(first - DAY) == same(day):
        first -= DAY
    while same(last + DAY) == same(day):
        last += DAY
    return first, last


def back(day: date, fits: Fits) -> date:
    while not fits(day):
        day -= DAY
    return day


def of_month(day: date) -> object:
    return day.year, day.month


def of_quarter(day: date) -> object:
    return day.year, (day.month - 1) // 3


def of_year(day: date) -> object:
    return day.year


def of_week(day: date) -> object:
    return day.isocalendar()[:2]


UNITS = {"week": of_week, "month": of_month, "quarter": of_quarter, "year": of_year}
Case = tuple[str, Window]


def a_day_ago(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    count = dice.randint(1, 400)
    day = today
    for _ in range(count):
        day -= DAY
    return f"{count} days ago" if count > 1 else "a day ago", stretch(day, day, zone)


def a_unit_ago(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    unit = dice.choice(sorted(UNITS))
    count = dice.randint(1, 6)
    first, last = run_of(today, UNITS[unit])
    for _ in range(count):
        first, last = run_of(first - DAY, UNITS[unit])
    said = f"last {unit}" if count == 1 else f"{count} {unit}s ago"
    return said, stretch(first, last, zone)


def this_or_next(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    unit, word = dice.choice(sorted(UNITS)), dice.choice(("this", "next"))
    first, last = run_of(today, UNITS[unit])
    if word == "next":
        first, last = run_of(last + DAY, UNITS[unit])
    return f"{word} {unit}", stretch(first, last, zone)


def near_today(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    said, away = dice.choice(
        (("yesterday", -1), ("today", 0), ("tomorrow", 1), ("the day before yesterday", -2))
    )
    return said, stretch(today + away * DAY, today + away * DAY, zone)


def a_weekday(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    number, word = dice.randrange(7), dice.choice(("on", "last"))
    day = back(today - DAY if word == "last" else today, lambda day: day.weekday() == number)
    return f"{word} {calendar.day_name[number]}", stretch(day, day, zone)


def since_a_weekday(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    number = dice.randrange(7)
    day = back(today, lambda day: day.weekday() == number)
    return f"since {calendar.day_name[number]}", (dawn(day, zone), now)


def a_month(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    number = dice.randint(1, 12)
    first, last = run_of(back(today, lambda day: day.month == number), of_month)
    return f"in {calendar.month_name[number]}", stretch(first, last, zone)


def a_month_of_a_year(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    year, number = dice.randint(2016, 2030), dice.randint(1, 12)
    name = dice.choice((calendar.month_name, calendar.month_abbr))[number]
    last = max(day for day in calendar.Calendar().itermonthdates(year, number) if day.month == number)
    return f"during {name} {year}", stretch(date(year, number, 1), last, zone)


def a_quarter(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    number = dice.randint(1, 4)
    first, last = run_of(back(today, lambda day: (day.month + 2) // 3 == number), of_quarter)
    return f"in Q{number}", stretch(first, last, zone)


def an_iso_week(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    year, number = dice.randint(2016, 2030), dice.randint(1, 52)
    first, last = run_of(back(date(year, 12, 31), lambda day: of_week(day) == (year, number)), of_week)
    said = dice.choice((f"{year}-W{number:02}", f"in week {number} of {year}"))
    return said, stretch(first, last, zone)


def a_day_of_a_month(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    day = today - dice.randrange(365) * DAY
    found = back(today, lambda other: (other.month, other.day) == (day.month, day.day))
    name = calendar.month_abbr[day.month]
    return dice.choice((f"on {name} {day.day}", f"on {day.day} {name}")), stretch(found, found, zone)


def a_date(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    day = today + dice.randint(-900, 900) * DAY
    long = f"{calendar.month_name[day.month]} {day.day}, {day.year}"
    return f"on {dice.choice((day.isoformat(), long))}", stretch(day, day, zone)


def before_a_date(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    day = today + dice.randint(-900, 900) * DAY
    word = dice.choice(("before", "until"))
    return f"{word} {day}", (None, dawn(day if word == "before" else day + DAY, zone))


def a_range(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    first = today + dice.randint(-900, 100) * DAY
    last = first + dice.randint(1, 120) * DAY
    said = dice.choice(("from {} to {}", "between {} and {}", "{} - {}", "from {} until {}"))
    return said.format(first, last), stretch(first, last, zone)


def a_range_without_years(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    first = today - dice.randrange(300) * DAY
    last = first + dice.randint(1, 60) * DAY
    names = [f"{calendar.month_abbr[day.month]} {day.day}" for day in (first, last)]
    begin = back(today, lambda day: (day.month, day.day) == (first.month, first.day))
    end = begin
    while (end.month, end.day) != (last.month, last.day):
        end += DAY
    return f"{names[0]} to {names[1]}", stretch(begin, end, zone)


def weekdays_in_a_row(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    first, last = dice.sample(range(7), 2)
    begin = back(today, lambda day: day.weekday() == first)
    end = begin
    while end.weekday() != last:
        end += DAY
    return f"from {calendar.day_name[first]} to {calendar.day_name[last]}", stretch(begin, end, zone)


def a_part_of_a_day(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    said, away, first, last = dice.choice(
        (
            ("yesterday morning", -1, 5, 12),
            ("yesterday afternoon", -1, 12, 18),
            ("tonight", 0, 18, 29),
            ("last night", -1, 18, 29),
            ("this morning", 0, 5, 12),
        )
    )
    return said, hours(today + away * DAY, first, last, zone)


def an_hour(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    """Hours that clocks may show twice, but never jump over as a whole."""
    hour, away = dice.choice((0, 1, 4, 5, 9, 13, 15, 22)), dice.randint(0, 1)
    said = f"{(hour + 11) % 12 + 1}{'pm' if hour >= 12 else 'am'}"
    day = today - away * DAY
    return f"at {said} {('today', 'yesterday')[away]}", hours(day, hour, hour + 1, zone)


def up_to_now(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    unit, size = dice.choice((("minutes", 60), ("hours", 3600), ("days", 86_400), ("weeks", 604_800)))
    count = dice.randint(2, 90)
    return f"the last {count} {unit}", (datetime.fromtimestamp(now.timestamp() - count * size, UTC), now)


def a_weekend(dice: random.Random, today: date, now: datetime, zone: ZoneInfo) -> Case:
    sunday = back(today - DAY, lambda day: day.weekday() == 6)
    return "last weekend", stretch(sunday - DAY, sunday, zone)


KINDS = (
    a_day_ago, a_unit_ago, this_or_next, near_today, a_weekday, since_a_weekday, a_month, a_month_of_a_year,
    a_quarter, an_iso_week, a_day_of_a_month, a_date, before_a_date, a_range, a_range_without_years,
    weekdays_in_a_row, a_part_of_a_day, an_hour, up_to_now, a_weekend,
)  # fmt: skip


def changes(zone: ZoneInfo) -> list[datetime]:
    """The moments at which a zone's clocks change, to the day, over some years."""
    days = [datetime(2016, 1, 1, tzinfo=UTC) + count * DAY for count in range(14 * 365)]
    return [
        day for day in days if (day + DAY).astimezone(zone).utcoffset() != day.astimezone(zone).utcoffset()
    ]


def combinations() -> list[tuple[str, str, datetime, Window]]:
    dice = random.Random(20250309)
    nights = {name: changes(ZoneInfo(name)) for name in ZONES}
    found: list[tuple[str, str, datetime, Window]] = []
    for count in range(500):
        name = dice.choice(ZONES)
        zone = ZoneInfo(name)
        if nights[name] and dice.random() < 0.5:
            now = dice.choice(nights[name]) + timedelta(seconds=dice.randint(0, 3 * 86_400))
        else:
            now = datetime(2016, 1, 1, tzinfo=UTC) + timedelta(seconds=dice.randint(0, 14 * 365 * 86_400))
        said, window = KINDS[count % len(KINDS)](dice, clock(now, zone).date(), now, zone)
        found.append((said, name, now, window))
    return found


def test_500_windows_are_those_of_a_calendar_that_only_walks() -> None:
    wrong = []
    for said, zone, now, expected in combinations():
        found = read_time(f"what was saved {said}", zone=ZoneInfo(zone), reference=now)
        got = None if found is None else (found.since, found.until)
        if got != expected:
            wrong.append((said, zone, now.isoformat(), expected, found))
    assert wrong == []


def test_the_combinations_meet_days_of_other_than_24_hours() -> None:
    lengths = {until - since for _, _, _, (since, until) in combinations() if since and until}
    assert {timedelta(hours=23), timedelta(hours=25)} <= lengths


@pytest.mark.parametrize("said", ["yesterday", "last week", "since Monday", "in the last 2 months"])
def test_the_same_question_means_the_same_twice(said: str) -> None:
    now = datetime(2025, 11, 2, 12, tzinfo=UTC)
    first, second = (read_time(said, zone=ZoneInfo("America/Havana"), reference=now) for _ in range(2))
    assert first == second
