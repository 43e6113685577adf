"""Both ends of a window: of one phrase, of a range whose ends say which year the other means, of several."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from afresh.text.time_meanings import Term
from afresh.text.time_windows import Calendar, Period, UnreadableTimeError


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase: a period, or one side of a window."""

    first: int
    stop: int
    """Indices of words."""
    opens: Term | None
    closes: Term | None
    how: str
    """ "in", "since", "after", "before", "until" or "range"."""


@dataclass(frozen=True, slots=True)
class Window:
    since: datetime | None
    until: datetime | None


def window_of(found: Phrase, calendar: Calendar) -> Window:
    opens = found.opens.resolve(calendar) if found.opens is not None else None
    closes = found.closes.resolve(calendar) if found.closes is not None else None
    match found.how:
        case "since":
            assert opens is not None
            return _up_to_now(calendar.opening(opens.point or opens.start), calendar)
        case "after":
            assert opens is not None
            return _up_to_now(calendar.opening(opens.point or opens.end), calendar)
        case "before":
            assert closes is not None
            return Window(None, calendar.closing(closes.point or closes.start))
        case "until":
            assert closes is not None
            return Window(None, calendar.closing(closes.point or closes.end))
        case "range":
            assert found.opens is not None and found.closes is not None
            return _range_window(found.opens, found.closes, calendar)
        case _:
            assert opens is not None
            window = Window(calendar.opening(opens.start), calendar.closing(opens.end))
            if window.since == window.until:
                raise UnreadableTimeError("clocks in that timezone jumped over that time")
            return window


def _up_to_now(since: datetime, calendar: Calendar) -> Window:
    """Since a time is up to now, so that the window has both ends; from a later time on it has no end."""
    return Window(since, calendar.reference if since < calendar.reference else None)


def _range_window(first: Term, second: Term, calendar: Calendar) -> Window:
    opens, closes = _both_ends(first, second, calendar)
    since = calendar.opening(opens.point or opens.start)
    until = calendar.closing(closes.point or closes.end)
    if until <= since:
        raise UnreadableTimeError("the time ends before it begins")
    return Window(since, until)


def _both_ends(first: Term, second: Term, calendar: Calendar) -> tuple[Period, Period]:
    """Each end says which one the other is: Monday to Friday, Aug 10 to Sep 1, 2025, 2pm to 4pm yesterday."""
    if first.clock is not None and second.day is not None:
        start = second.day(calendar).start + (first.clock[0] - _zero(first.clock[0]))
        return Period(start, start, point=start), second.resolve(calendar)
    if first.clock is not None and second.clock is not None:
        opens = first.resolve(calendar)
        assert opens.point is not None
        end = opens.point + (second.clock[0] - first.clock[0]) % timedelta(days=1)
        return opens, Period(end, end, point=end)
    if first.recur is not None and second.recur is None:
        closes = second.resolve(calendar)
        if closes.start.tzinfo is None:
            return first.recur(calendar, closes.start.date(), False), closes
    opens = first.resolve(calendar)
    if second.recur is not None and opens.start.tzinfo is None:
        return opens, second.recur(calendar, opens.start.date(), True)
    return opens, second.resolve(calendar)


def _zero(moment: datetime) -> datetime:
    return moment.replace(hour=0, minute=0)


def joined(
    found: list[Window], phrases: list[str], text: str, calendar: Calendar
) -> tuple[datetime | None, datetime | None]:
    """One window of several: the inner of two, two halves, or two that touch; anything else conflicts."""
    since, until = found[0].since, found[0].until
    for other in found[1:]:
        if _touch(Window(since, until), other) and " and " in text:
            since, until = _earliest(since, other.since), _latest(until, other.until)
            continue
        open_ends = {calendar.reference, None}
        inner_since = _latest(since, other.since)
        inner_until = until if other.until in open_ends else other.until if until in open_ends else None
        inner_until = _earliest(until, other.until) if inner_until is None else inner_until
        whole = {(since, until), (other.since, other.until)}
        halves = any(None in ends or calendar.reference in ends for ends in whole)
        overlap = inner_since is None or inner_until is None or inner_since < inner_until
        if not overlap or not (halves or (inner_since, inner_until) in whole):
            raise UnreadableTimeError(f"{quoted(phrases)} name different times; give since and until")
        since, until = inner_since, inner_until
    return since, until


def _touch(one: Window, other: Window) -> bool:
    return None not in (one.since, one.until, other.since, other.until) and (
        one.until == other.since or other.until == one.since
    )


def _latest(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((moment for moment in (one, other) if moment is not None), default=None)


def _earliest(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((moment for moment in (one, other) if moment is not None), default=None)


def quoted(phrases: list[str]) -> str:
    return ", ".join(repr(phrase) for phrase in phrases)
