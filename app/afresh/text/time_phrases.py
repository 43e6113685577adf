"""Reads the time that a query names and gives it as a window: by rule, in the owner's timezone.

What is not said plainly is not guessed. A wrong window hides the right answer, so words that only may mean
a time are left alone, and words that can't be reckoned give no window and a note that says why.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from afresh.text.time_meanings import Term
from afresh.text.time_terms import Reader
from afresh.text.time_tokens import words_of
from afresh.text.time_windows import Calendar, Period, UnreadableTimeError, ZoneNeededError
from afresh.text.time_words import ALSO_WORDS, PREPOSITIONS, has_cue

LONGEST_EXPLICIT_WINDOW = timedelta(days=90)
"""The bound for windows that a caller gives; a window read off words may be longer and then says so."""

_SINCE = frozenset({"since", "starting", "beginning", "from"})
_UNTIL = frozenset({"until", "till", "til", "by"})
_TO = frozenset({"to", "until", "till", "til", "through", "thru", "-", "–", "—"})
_VAGUE = frozenset({"recently", "lately"})


@dataclass(frozen=True, slots=True)
class TimeReading:
    """What the time words of a query mean."""

    phrase: str
    """The words, as they stand in the query; several phrases are joined by ", "."""
    start: int
    """Where they begin in the query, in characters."""
    end: int
    """Where they end."""
    since: datetime | None
    """The window's first moment, in UTC; None where it is open, or where there is no window."""
    until: datetime | None
    """The first moment after the window, in UTC; None where it is open, or where there is no window."""
    needs_timezone: bool
    """Whether the words mean something else in another timezone."""
    ends_now: bool
    """Whether `until` is the moment of asking and nothing else: what is saved in that moment may be meant."""
    note: str | None
    """Why there is no window, fit for a person."""

    @property
    def found(self) -> bool:
        """Whether there is a window, open at one end or not."""
        return self.since is not None or self.until is not None

    @property
    def bounded(self) -> bool:
        """Whether the window has both ends."""
        return self.since is not None and self.until is not None

    @property
    def over_bound(self) -> bool:
        """Whether the window is longer than a caller may give one."""
        return (
            self.since is not None
            and self.until is not None
            and self.until - self.since > LONGEST_EXPLICIT_WINDOW
        )


@dataclass(frozen=True, slots=True)
class _Found:
    """A phrase: a period, or one side of a window."""

    first: int
    stop: int
    """Indices of words."""
    opens: Term | None
    closes: Term | None
    how: str
    """ "in", "since", "after", "before", "until" or "range"."""


@dataclass(frozen=True, slots=True)
class _Window:
    since: datetime | None
    until: datetime | None


def read_time(
    query: str, *, zone: ZoneInfo | None, reference: datetime, fiscal_first_month: int = 1
) -> TimeReading | None:
    """Give the time that a query names; None where it names none.

    Args:
        query: any text.
        zone: the owner's timezone; without it calendar words give no window and a note.
        reference: the moment of asking, aware.
        fiscal_first_month: the month 1..12 in which the fiscal year begins, for quarters.
    """
    text = query
    if not has_cue(query):
        return None
    reader = Reader(words_of(text))
    found = list(_phrases(reader))
    if not found:
        return _vague(query, reader)
    calendar = Calendar(reference, zone, fiscal_first_month)
    spans = [(reader.at(one.first).start, reader.at(one.stop - 1).end) for one in found]
    phrases = [query[start:end] for start, end in spans]
    since: datetime | None = None
    until: datetime | None = None
    note: str | None = None
    try:
        since, until = _joined([_window(one, calendar) for one in found], phrases, query, calendar)
    except ZoneNeededError:
        note = (
            f"{_quoted(phrases)} needs a timezone: give owner_timezone, such as Europe/Berlin;"
            " no window was applied"
        )
    except UnreadableTimeError as reason:
        note = f"{reason}; no window was applied"
    except (OverflowError, ValueError):
        note = f"{_quoted(phrases)} lies outside the years 1 to 9999; no window was applied"
    return TimeReading(
        phrase=", ".join(phrases),
        start=spans[0][0],
        end=spans[-1][1],
        since=since,
        until=until,
        needs_timezone=calendar.used_zone,
        ends_now=until is not None and until == calendar.reference,
        note=note,
    )


# --- phrases ------------------------------------------------------------------------------------------


def _phrases(reader: Reader) -> Iterator[_Found]:
    index = 0
    while index < len(reader.words):
        found = _phrase(reader, index)
        if found is None:
            index += 1
        else:
            yield found
            index = found.stop


def _phrase(reader: Reader, index: int) -> _Found | None:
    word = reader.at(index)
    if word.kind == "word":
        return _between(reader, index) or _bound(reader, index) or _plain(reader, index)
    return _plain(reader, index)


def _between(reader: Reader, index: int) -> _Found | None:
    opener = reader.text(index)
    if opener not in ("between", "from", "since", "starting"):
        return None
    first = reader.term(_past_article(reader, index + 1))
    if first is None:
        return None
    joints = (
        ("and",) if opener == "between" else (*_TO, "and") if opener == "from" else ("to", "until", "till")
    )
    return _range(reader, index, first, frozenset(joints))


def _range(reader: Reader, index: int, first: Term, joints: frozenset[str]) -> _Found | None:
    at = first.stop + (reader.text(first.stop) in ("up", ","))
    if reader.text(at) not in joints:
        return None
    at = _past_article(reader, at + 1)
    second = reader.day_of_month_after(at, first) or reader.term(at)
    if second is None:
        return None
    return _Found(index, second.stop, first, second, "range")


def _bound(reader: Reader, index: int) -> _Found | None:
    word = reader.text(index)
    at = index + 1
    if word == "prior" and reader.text(at) == "to":
        how, at = "before", at + 1
    elif (word, reader.text(at)) in (("up", "to"), ("up", "until"), ("as", "of")):
        how, at = "until", at + 1
    elif word == "on" and reader.text(at) == "or" and reader.text(at + 1) in ("before", "after"):
        how, at = ("until" if reader.text(at + 1) == "before" else "since"), at + 2
    elif word in ("more", "less") and reader.text(at) == "than":
        how, at = ("before" if word == "more" else "since"), at + 1
    elif word in ("before", "after"):
        how = word
    elif word in _SINCE:
        how = "since"
    elif word in _UNTIL:
        how = "until"
    else:
        return None
    term = reader.term(_past_article(reader, at))
    if term is None or (word in ("more", "less") and reader.text(term.stop - 1) != "ago"):
        return None
    if word == "from":
        onward = reader.text(term.stop) in ("on", "onward", "onwards", "forward")
        if not onward:
            return _Found(index, term.stop, term, None, "in")
        return _Found(index, term.stop + 1, term, None, "since")
    if how in ("before", "until"):
        return _Found(index, term.stop, None, term, how)
    return _Found(index, term.stop, term, None, how)


def _plain(reader: Reader, index: int) -> _Found | None:
    term = reader.term(index)
    if term is None:
        return None
    before = reader.text(index - (2 if reader.text(index - 1) == "the" else 1))
    led = before in term.led_by
    alone = index == 0 and reader.at(term.stop).kind == "stop" and term.stop >= len(reader.words) - 1
    alone = (
        alone and (reader.at(0).capital or reader.text(0) not in ALSO_WORDS) and term.led_by == PREPOSITIONS
    )
    ranged = _range(reader, index, term, _TO)
    if ranged is not None and (led or (ranged.closes is not None and ranged.closes.strong)):
        return ranged
    return _Found(index, term.stop, term, None, "in") if led or alone or term.strong else None


def _past_article(reader: Reader, index: int) -> int:
    return index + (reader.text(index) in ("about", "around"))


def _vague(query: str, reader: Reader) -> TimeReading | None:
    for index, word in enumerate(reader.words):
        other = (word.text, reader.text(index + 1)) == ("the", "other") and reader.text(index + 2) == "day"
        if other or (word.text in _VAGUE and reader.text(index - 1) not in ("least", "most", "more")):
            end = reader.at(index + 2).end if other else word.end
            phrase = query[word.start : end]
            note = f"{phrase!r} names no exact time; no window was applied"
            return TimeReading(phrase, word.start, end, None, None, False, False, note)
    return None


# --- windows ------------------------------------------------------------------------------------------


def _window(found: _Found, calendar: Calendar) -> _Window:
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
            return _Window(None, calendar.closing(closes.point or closes.start))
        case "until":
            assert closes is not None
            return _Window(None, calendar.closing(closes.point or closes.end))
        case "range":
            assert found.opens is not None and found.closes is not None
            return _range_window(found.opens, found.closes, calendar)
        case _:
            assert opens is not None
            window = _Window(calendar.opening(opens.start), calendar.closing(opens.end))
            if window.since == window.until:
                raise UnreadableTimeError("clocks in that timezone jumped over that time")
            return window


def _up_to_now(since: datetime, calendar: Calendar) -> _Window:
    """Since a time is up to now, so that the window has both ends; from a later time on it has no end."""
    return _Window(since, calendar.reference if since < calendar.reference else None)


def _range_window(first: Term, second: Term, calendar: Calendar) -> _Window:
    opens, closes = _both_ends(first, second, calendar)
    since = calendar.opening(opens.point or opens.start)
    until = calendar.closing(closes.point or closes.end)
    if until <= since:
        raise UnreadableTimeError("the time ends before it begins")
    return _Window(since, until)


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


def _joined(
    found: list[_Window], phrases: list[str], query: str, calendar: Calendar
) -> tuple[datetime | None, datetime | None]:
    """One window of several: the inner of two, two halves, or two that touch; anything else conflicts."""
    since, until = found[0].since, found[0].until
    for other, phrase in zip(found[1:], phrases[1:], strict=True):
        if _touch(_Window(since, until), other) and f"{phrases[0]} and {phrase}" in query:
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
            raise UnreadableTimeError(f"{_quoted(phrases)} name different times; give since and until")
        since, until = inner_since, inner_until
    return since, until


def _touch(one: _Window, other: _Window) -> bool:
    return None not in (one.since, one.until, other.since, other.until) and (
        one.until == other.since or other.until == one.since
    )


def _latest(one: datetime | None, other: datetime | None) -> datetime | None:
    return max((moment for moment in (one, other) if moment is not None), default=None)


def _earliest(one: datetime | None, other: datetime | None) -> datetime | None:
    return min((moment for moment in (one, other) if moment is not None), default=None)


def _quoted(phrases: list[str]) -> str:
    return ", ".join(repr(phrase) for phrase in phrases)
