"""The calendar behind time words: local days, weeks, months and quarters as moments in UTC.

Periods are reckoned in the owner's local time and turned into moments only at their bounds, so that a day of
23 or 25 hours, a month's end or a leap year needs no rule of its own. Nothing here reads a text or a clock.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from afresh.errors import InvalidArgumentError

_DAY = timedelta(days=1)
_MIDNIGHT = time()
_MICROSECOND = timedelta(microseconds=1)
_YEARS_TO_TRY = 9
"""A February 29 may be eight years away, around a century that is no leap year."""
_MACHINES_OWN = frozenset({"localtime", "posixrules", "Factory"})


class UnreadableTimeError(Exception):
    """Words that mean a time, which can't be given as a window; the text says why and is fit for a note."""


class ZoneNeededError(UnreadableTimeError):
    """A calendar word was met and no timezone is known."""


def zone_named(name: str) -> ZoneInfo:
    """Give the timezone of an IANA name.

    Raises:
        InvalidArgumentError: there is no such timezone.
    """
    try:
        if name in _MACHINES_OWN:
            raise KeyError(name)
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise InvalidArgumentError(
            f"owner_timezone {name!r} is no timezone; give an IANA name, such as Europe/Berlin or UTC"
        ) from None


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of time, half-open."""

    start: datetime
    """Local and naive, or in UTC and aware where the words named no calendar."""
    end: datetime
    """Of the same kind as `start`."""
    point: datetime | None = None
    """What "since", "before" and the like refer to, where it is one moment and no stretch."""


Build = Callable[["Calendar", int], Period | None]
"""A period of a year; None where that year has none (February 29, week 53)."""


class Calendar:
    """The calendar as one owner sees it at one moment."""

    def __init__(self, reference: datetime, zone: ZoneInfo | None, fiscal_first_month: int) -> None:
        """Take the moment of asking (aware), the owner's zone if known, and the fiscal year's first month."""
        self.reference = reference.astimezone(UTC)
        self.fiscal_first_month = fiscal_first_month
        self.used_zone = False
        """Whether anything was asked that depends on the zone."""
        self._zone = zone

    @property
    def zone(self) -> ZoneInfo:
        self.used_zone = True
        if self._zone is None:
            raise ZoneNeededError
        return self._zone

    @property
    def now(self) -> datetime:
        """The moment of asking, local and naive."""
        return self.reference.astimezone(self.zone).replace(tzinfo=None)

    @property
    def today(self) -> date:
        return self.now.date()

    def opening(self, moment: datetime) -> datetime:
        """A window's first moment in UTC; in a night's repeated hour the first, in a skipped one its end."""
        return self._moment(moment, fold=0)

    def closing(self, moment: datetime) -> datetime:
        """A window's end in UTC; in a repeated hour the second, but a day ends where the next begins."""
        return self._moment(moment, fold=0 if moment.time() == _MIDNIGHT else 1)

    def _moment(self, moment: datetime, *, fold: int) -> datetime:
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
        found = moment.replace(tzinfo=self.zone, fold=fold).astimezone(UTC)
        if found.astimezone(self.zone).replace(tzinfo=None) == moment:
            return found
        return self._end_of_gap(moment)

    def _end_of_gap(self, moment: datetime) -> datetime:
        """The moment at which clocks jumped over a local time that never was."""
        before = moment.replace(tzinfo=self.zone, fold=1).astimezone(UTC)
        after = moment.replace(tzinfo=self.zone, fold=0).astimezone(UTC)
        old = before.astimezone(self.zone).utcoffset()
        while after - before > _MICROSECOND:
            middle = before + (after - before) // 2
            if middle.astimezone(self.zone).utcoffset() == old:
                before = middle
            else:
                after = middle
        return after


# --- periods by name ----------------------------------------------------------------------------------


def starts(day: date) -> datetime:
    return datetime.combine(day, _MIDNIGHT)


def days(first: date, count: int) -> Period:
    return Period(starts(first), starts(first + count * _DAY))


def day_of(year: int, month: int, day: int) -> Period | None:
    """A day of the calendar; None where that month has none."""
    return days(date(year, month, day), 1) if 1 <= day <= monthrange(year, month)[1] else None


def week_with(day: date) -> Period:
    """The week of a day, Monday to Sunday as ISO 8601 has it."""
    return days(day - day.weekday() * _DAY, 7)


def iso_week(year: int, week: int) -> Period | None:
    """A numbered week of ISO 8601; None where that year has none of that number."""
    try:
        return days(date.fromisocalendar(year, week, 1), 7)
    except ValueError:
        return None


def months(year: int, month: int, count: int) -> Period:
    """So many months from a month on, which may lie beyond that year's ends."""
    return Period(starts(_first(year, month)), starts(_first(year, month + count)))


def _first(year: int, month: int) -> date:
    turn, index = divmod(month - 1, 12)
    return date(year + turn, index + 1, 1)


def shifted(moment: datetime, count: int) -> datetime:
    """The same time so many months away, on the month's last day where it is shorter."""
    first = _first(moment.year, moment.month + count)
    return moment.replace(
        year=first.year, month=first.month, day=min(moment.day, monthrange(first.year, first.month)[1])
    )


def fiscal_year(calendar: Calendar, day: date) -> int:
    """The fiscal year of a day; it is named after the calendar year in which it ends."""
    return day.year + (calendar.fiscal_first_month > 1 and day.month >= calendar.fiscal_first_month)


def fiscal_months(calendar: Calendar, year: int, skipped: int, count: int) -> Period:
    """So many months of a fiscal year, after some that are skipped."""
    first = calendar.fiscal_first_month
    return months(year - (first > 1), first + skipped, count)


def quarter_of(calendar: Calendar, day: date, away: int) -> Period:
    """The quarter of a day, or one so many quarters away."""
    since_first = (day.month - calendar.fiscal_first_month) % 3
    return months(day.year, day.month - since_first + 3 * away, 3)


def weekend_of(day: date) -> Period:
    """Saturday and Sunday of a day's week."""
    return days(day + (5 - day.weekday()) * _DAY, 2)


def part_of(period: Period, part: int, parts: int) -> Period:
    """A third of a month, year or week, or a half: by whole months of a year, else by days.

    A month's thirds are the days 1 to 10, 11 to 20 and the rest, as people count them.
    """
    first, last = period.start.date(), period.end.date()
    length = (last - first).days
    if length > 31:
        count = (last.year - first.year) * 12 + last.month - first.month
        begin, end = count * part // parts, count * (part + 1) // parts
        return months(first.year, first.month + begin, end - begin)
    step = 10 if (parts, length >= 28) == (3, True) else length // parts
    begin = part * step
    return days(first + begin * _DAY, (length if part == parts - 1 else begin + step) - begin)


# --- periods that come again --------------------------------------------------------------------------


def weekday_from(limit: date, weekday: int, *, forward: bool) -> Period:
    """The first such weekday from a day on, or the last up to it; the day itself counts."""
    away = (weekday - limit.weekday()) % 7 if forward else -((limit.weekday() - weekday) % 7)
    return days(limit + away * _DAY, 1)


def yearly_from(calendar: Calendar, build: Build, limit: date, *, forward: bool) -> Period:
    """Of a period that comes every year the first that isn't over by a day, or the last begun by it.

    Raises:
        UnreadableTimeError: there is none within the years 1 to 9999.
    """
    moment = starts(limit)
    step = 1 if forward else -1
    for away in range(-1, _YEARS_TO_TRY):
        year = limit.year + step * away
        found = build(calendar, year) if 1 <= year <= 9999 else None
        if found is not None and (found.end > moment if forward else found.start <= moment):
            return found
    raise UnreadableTimeError("there is no such day near that time")
