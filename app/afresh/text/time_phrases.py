"""Reads the time that a query names and gives it as a window: by rule, in the owner's timezone.

What is not said plainly is not guessed. A wrong window hides the right answer, so words that only may mean
a time are left alone, and words that can't be reckoned give no window and a note that says why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from afresh.text.time_bounds import Phrase, joined, quoted, window_of
from afresh.text.time_languages import translated
from afresh.text.time_meanings import Term
from afresh.text.time_terms import Reader
from afresh.text.time_tokens import words_of
from afresh.text.time_windows import Calendar, UnreadableTimeError, ZoneNeededError
from afresh.text.time_words import ALSO_WORDS, PREPOSITIONS, has_cue

LONGEST_EXPLICIT_WINDOW = timedelta(days=90)
"""The bound for windows that a caller gives; a window read off words may be longer and then says so."""

MOST_WORDS = 200
"""A longer query is a text and no question: its dates are what it is about."""

_SINCE = frozenset({"since", "starting", "beginning", "from"})
_UNTIL = frozenset({"until", "till", "til", "by"})
_TO = frozenset({"to", "until", "till", "til", "through", "thru", "-", "–", "—"})
_JOINTS = {"between": frozenset({"and"}), "from": _TO | {"and"}}
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
    spans: tuple[tuple[int, int], ...]
    """Where each phrase begins and ends in the query, in characters."""

    def topic(self, query: str) -> str:
        """The query without its time words; all of it where no word is left."""
        rest = _left(query, self.spans)
        return rest if any(sign.isalnum() for sign in rest) else query

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
    calendar = Calendar(reference, zone, fiscal_first_month)
    named = _named(query)
    if named is None:
        return None
    if not named.found:
        return _vague(query, named.reader)
    return _reading(query, named, calendar)


def without_time(query: str) -> str:
    """The query without the words that name a time."""
    named = _named(query)
    return _left(query, named.spans if named is not None else [])


def _left(query: str, spans: Sequence[tuple[int, int]]) -> str:
    rest, at = "", 0
    for start, end in spans:
        rest, at = f"{rest}{query[at:start]} ", end
    return f"{rest}{query[at:]}".strip()


@dataclass(frozen=True, slots=True)
class _Named:
    """The times that a query names, before any is reckoned."""

    reader: Reader
    found: list[Phrase]
    spans: list[tuple[int, int]]
    english: str
    """The text that was read."""


def _named(query: str) -> _Named | None:
    vague: _Named | None = None
    if len(query) > 16 * MOST_WORDS:
        return None
    if has_cue(query):
        words = words_of(query)
        if len(words) > MOST_WORDS:
            return None
        reader = Reader(words)
        found = list(_phrases(reader))
        spans = [(reader.at(one.first).start, reader.at(one.stop - 1).end) for one in found]
        if found:
            return _Named(reader, found, spans, query)
        vague = _Named(reader, [], [], query)
    other = translated(query)
    if other is not None:
        reader = Reader(words_of(other.text))
        found = list(_phrases(reader))
        if found:
            return _Named(reader, found, [(other.start, other.end)], other.text)
    return vague


def _reading(query: str, named: _Named, calendar: Calendar) -> TimeReading:
    spans = named.spans
    phrases = [query[start:end] for start, end in spans]
    since: datetime | None = None
    until: datetime | None = None
    note: str | None = None
    try:
        since, until = joined(
            [window_of(one, calendar) for one in named.found], phrases, named.english, calendar
        )
    except ZoneNeededError:
        note = (
            f"{quoted(phrases)} needs a timezone: give owner_timezone, such as Europe/Berlin;"
            " no window was applied"
        )
    except UnreadableTimeError as reason:
        note = f"{reason}; no window was applied"
    except (OverflowError, ValueError):
        note = f"{quoted(phrases)} lies outside the years 1 to 9999; no window was applied"
    return TimeReading(
        phrase=", ".join(phrases),
        start=spans[0][0],
        end=spans[-1][1],
        since=since,
        until=until,
        needs_timezone=calendar.used_zone,
        ends_now=until is not None and until == calendar.reference,
        note=note,
        spans=tuple(spans),
    )


# --- phrases ------------------------------------------------------------------------------------------


def _phrases(reader: Reader) -> Iterator[Phrase]:
    index = 0
    while index < len(reader.words):
        found = _phrase(reader, index)
        if found is None:
            index += 1
        else:
            yield found
            index = found.stop


def _phrase(reader: Reader, index: int) -> Phrase | None:
    word = reader.at(index)
    if word.kind == "word":
        return _between(reader, index) or _bound(reader, index) or _plain(reader, index)
    return _plain(reader, index)


def _between(reader: Reader, index: int) -> Phrase | None:
    opener = reader.text(index)
    if opener not in ("between", "from", "since", "starting"):
        return None
    first = reader.term(_past_article(reader, index + 1))
    if first is None:
        return None
    return _range(reader, index, first, _JOINTS.get(opener, _TO))


def _range(reader: Reader, index: int, first: Term, joints: frozenset[str]) -> Phrase | None:
    at = first.stop + (reader.text(first.stop) in ("up", ","))
    if reader.text(at) not in joints:
        return None
    at = _past_article(reader, at + 1)
    second = reader.day_of_month_after(at, first) or reader.term(at)
    if second is None:
        return None
    return Phrase(index, second.stop, first, second, "range")


def _bound(reader: Reader, index: int) -> Phrase | None:
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
            return Phrase(index, term.stop, term, None, "in")
        return Phrase(index, term.stop + 1, term, None, "since")
    if how in ("before", "until"):
        return Phrase(index, term.stop, None, term, how)
    return Phrase(index, term.stop, term, None, how)


def _plain(reader: Reader, index: int) -> Phrase | None:
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
    return Phrase(index, term.stop, term, None, "in") if led or alone or term.strong else None


def _past_article(reader: Reader, index: int) -> int:
    return index + (reader.text(index) in ("about", "around"))


def _vague(query: str, reader: Reader) -> TimeReading | None:
    for index, word in enumerate(reader.words):
        other = (word.text, reader.text(index + 1)) == ("the", "other") and reader.text(index + 2) == "day"
        if other or (word.text in _VAGUE and reader.text(index - 1) not in ("least", "most", "more")):
            end = reader.at(index + 2).end if other else word.end
            phrase = query[word.start : end]
            note = f"{phrase!r} names no exact time; no window was applied"
            return TimeReading(phrase, word.start, end, None, None, False, False, note, ())
    return None
