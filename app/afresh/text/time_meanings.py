"""What a term of time stands for, once the moment of asking and the timezone are known.

A query is read before it is reckoned: a term says what was named, and its meaning is a function of the
calendar. Only so can one end of a range say which year or week the other belongs to.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from afresh.text import time_windows as windows
from afresh.text.time_windows import Build, Calendar, Period, UnreadableTimeError
from afresh.text.time_words import MONTHS, PREPOSITIONS

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)

Resolve = Callable[[Calendar], Period]
Recur = Callable[[Calendar, date, bool], Period]


@dataclass(frozen=True, slots=True)
class Term:
    """A time that some words name."""

    stop: int
    """The index of the word after it."""
    resolve: Resolve
    strong: bool = True
    """Whether it is a time without a preposition."""
    led_by: frozenset[str] = PREPOSITIONS
    """The prepositions that make it one, if it isn't."""
    is_day: bool = False
    """Whether a part or an hour of it can be named."""
    recur: Recur | None = None
    """For what comes again every week or year: the one nearest a day, forward or backward."""
    month: int | None = None
    """The month of a day of a month, so that "March 3 to 10" can be completed."""
    clock: tuple[datetime, datetime] | None = None
    """For a time without a day: its hour on the first day of the calendar."""
    day: Resolve | None = None
    """For a time on a day: the day."""


def day_away(count: int) -> Resolve:
    return lambda calendar: windows.days(calendar.today + count * DAY, 1)


def exact_day(text: str, year: int, month: int, day: int, _: Calendar) -> Period:
    found = windows.day_of(year, month, day) if 1 <= month <= 12 and year else None
    if found is None:
        raise UnreadableTimeError(f"{text!r} is no day of the calendar")
    return found


def exact_week(text: str, year: int, week: int, _: Calendar) -> Period:
    found = windows.iso_week(year, week)
    if found is None:
        raise UnreadableTimeError(f"{text!r} is no week of the calendar")
    return found


def stamp(text: str, _: Calendar) -> Period:
    try:
        moment = datetime.fromisoformat(text.upper().replace(",", "."))
    except ValueError:
        raise UnreadableTimeError(f"{text.upper()!r} is no time of the calendar") from None
    moment = moment if moment.tzinfo is None else moment.astimezone(UTC)
    return Period(moment, moment + HOUR, point=moment)


def refuse(reason: str, _: Calendar) -> Period:
    raise UnreadableTimeError(reason)


def vague(phrase: str, _: Calendar) -> Period:
    raise UnreadableTimeError(f"{phrase!r} names no exact time")


def latest(recur: Recur) -> Resolve:
    return lambda calendar: recur(calendar, calendar.today, False)


def weekday_near(number: int, _: Calendar, limit: date, forward: bool) -> Period:
    return windows.weekday_from(limit, number, forward=forward)


def weekday_in_week(number: int, weeks: int, calendar: Calendar) -> Period:
    monday = calendar.today - calendar.today.weekday() * DAY
    return windows.days(monday + (7 * weeks + number) * DAY, 1)


def weekday_beside_day(day: Resolve, number: int | None, away: int, calendar: Calendar) -> Period:
    """The nearest such weekday, or weekend where no number is given, on one side of a day."""
    limit = day(calendar).start.date()
    if number is None:
        saturday = windows.weekday_from(limit - 2 * DAY if away < 0 else limit + DAY, 5, forward=away > 0)
        return windows.weekend_of(saturday.start.date())
    return windows.weekday_from(limit + away * DAY, number, forward=away > 0)


def away_from(day: Resolve, unit: str, count: int, calendar: Calendar) -> Period:
    """The day, or the week or month around the day, so far from a day."""
    start = day(calendar).start
    match unit:
        case "day":
            return windows.days(start.date() + count * DAY, 1)
        case "week" | "fortnight":
            return windows.week_with(start.date() + count * _EXACT[unit])
        case "month" | "quarter" | "year":
            moved = windows.shifted(start, count * _IN_MONTHS[unit])
            return windows.months(moved.year, moved.month, 1)
        case _:
            raise UnreadableTimeError(f"{abs(count)} {unit}s beside a day is no day")


def weekday_beside_today(number: int, shift: int, calendar: Calendar) -> Period:
    return windows.weekday_from(calendar.today + shift * DAY, number, forward=shift > 0)


def yearly_near(build: Build, calendar: Calendar, limit: date, forward: bool) -> Period:
    return windows.yearly_from(calendar, build, limit, forward=forward)


def month_in(month: int) -> Build:
    return lambda _, year: windows.months(year, month, 1)


def day_in(month: int, day: int, _: Calendar, year: int) -> Period | None:
    return windows.day_of(year, month, day)


def week_in(number: int, _: Calendar, year: int) -> Period | None:
    return windows.iso_week(year, number)


def fiscal_in(first: int, count: int, calendar: Calendar, year: int) -> Period:
    return windows.fiscal_months(calendar, year, first, count)


def fiscal(year: int, first: int, count: int) -> Resolve:
    return lambda calendar: windows.fiscal_months(calendar, year, first, count)


def named_beside(build: Build, shift: int, calendar: Calendar) -> Period:
    """Last March is over, this March is of this year, next March hasn't begun."""
    year = calendar.today.year
    found = build(calendar, year)
    assert found is not None
    today = windows.starts(calendar.today)
    if shift < 0 and found.end > today:
        found = build(calendar, year - 1)
    elif shift > 0 and found.start <= today:
        found = build(calendar, year + 1)
    assert found is not None
    return found


def shifted_unit(unit: str, shift: int, calendar: Calendar) -> Period:
    today = calendar.today
    match unit:
        case "week":
            return windows.week_with(today + 7 * shift * DAY)
        case "month":
            return windows.months(today.year, today.month + shift, 1)
        case "quarter":
            return windows.quarter_of(calendar, today, shift)
        case "fiscal year":
            return windows.fiscal_months(calendar, windows.fiscal_year(calendar, today) + shift, 0, 12)
        case _:
            return windows.months(today.year + shift, 1, 12)


def weekend(shift: int | None, calendar: Calendar) -> Period:
    """The last one is over, this one is this week's, and "the weekend" is the latest that has begun."""
    today = calendar.today
    if shift is None:
        return windows.weekend_of(today if today.weekday() >= 5 else today - 7 * DAY)
    return windows.weekend_of(today + 7 * shift * DAY)


def part(whole: Resolve, part: int, parts: int, calendar: Calendar) -> Period:
    return windows.part_of(whole(calendar), part, parts)


def week_around(day: Resolve, calendar: Calendar) -> Period:
    return windows.week_with(day(calendar).start.date())


def before_or_after_now(whole: Resolve, later: bool, calendar: Calendar) -> Period:
    period = whole(calendar)
    return Period(calendar.reference, period.end) if later else Period(period.start, calendar.reference)


_EXACT = {
    "minute": timedelta(minutes=1),
    "hour": HOUR,
    "day": DAY,
    "week": 7 * DAY,
    "fortnight": 14 * DAY,
}
_IN_MONTHS = {"month": 1, "quarter": 3, "year": 12}


def rolling(unit: str, count: int, calendar: Calendar) -> Period:
    """Up to now: exact multiples of 24 hours for days and weeks, the same time of a day for months."""
    if unit in _EXACT:
        return Period(calendar.reference - count * _EXACT[unit], calendar.reference)
    return Period(windows.shifted(calendar.now, -count * _IN_MONTHS[unit]), calendar.reference)


def ago(unit: str, count: int, calendar: Calendar) -> Period:
    """The day, week, month or year so long ago; around the moment for hours and minutes.

    People round: an hour may be half an hour off, and minutes may be half their number.
    """
    if unit in ("hour", "minute"):
        point = calendar.reference - count * _EXACT[unit]
        off = _EXACT[unit] / 2 * (1 if unit == "hour" else count)
        return Period(point - off, point + off, point=point)
    if unit == "day":
        return windows.days(calendar.today - count * DAY, 1)
    if unit == "fortnight":
        unit, count = "week", 2 * count
    return shifted_unit(unit, -count, calendar)


def on_day(day: Resolve, clock: tuple[datetime, datetime], calendar: Calendar) -> Period:
    first = day(calendar).start
    zero = datetime.combine(date.min, time())
    start = first + (clock[0] - zero)
    return Period(start, first + (clock[1] - zero), point=start)


def latest_clock(clock: tuple[datetime, datetime], calendar: Calendar) -> Period:
    """The last time that a clock showed it."""
    today = on_day(day_away(0), clock, calendar)
    return today if today.start <= calendar.now else on_day(day_away(-1), clock, calendar)


def hours_of(day: Resolve, first: int, last: int, calendar: Calendar) -> Period:
    start = day(calendar).start
    return Period(start + first * HOUR, start + last * HOUR)


def year_of(text: str) -> int:
    digits = re.sub(r"\D", "", text)
    return int(digits) + (2000 if len(digits) == 2 else 0)


def month_name(month: int) -> str:
    return next(name.capitalize() for name, number in MONTHS.items() if number == month)
