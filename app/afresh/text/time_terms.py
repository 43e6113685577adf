"""Reads any time off the words of a query: "yesterday", "3pm on Monday", "the last 7 days", "an hour ago"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time
from functools import partial

from afresh.text import time_meanings as meanings
from afresh.text.time_dates import DateReader
from afresh.text.time_meanings import DAY, HOUR, Term
from afresh.text.time_tokens import Word
from afresh.text.time_words import (
    ACTIVITY,
    COUNTED_UNITS,
    NUMBERS,
    PARTS_OF_DAY,
    STARTS,
    UNITS,
    VAGUE,
    WEEKDAYS,
)


class Reader(DateReader):
    """Reads times off the words of one query."""

    def __init__(self, words: Sequence[Word]) -> None:
        super().__init__(words)
        self._known: dict[int, Term | None] = {}

    def term(self, index: int) -> Term | None:
        """The longest time that begins at a word, with the part of the day or the hour that goes with it."""
        if index not in self._known:
            self._known[index] = self._read(index) if self._may_start(index) else None
        return self._known[index]

    def _may_start(self, index: int) -> bool:
        word = self.at(index)
        if word.text in ("the", "a", "an", "these"):
            word = self.at(index + 1)
        return word.kind not in ("other", "stop", "dash") and (
            word.kind != "word" or word.text in STARTS or word.text in UNITS
        )

    def _read(self, index: int) -> Term | None:
        for rule in (
            self._beside,
            self._time_of_a_day,
            self._relative_day,
            self._part_of_a_period,
            self._counted,
            self._of_now,
            self._calendar_date,
            self._month,
            self._weekday,
            self._shifted,
            self._week,
            self._quarter,
            self._year,
            self._clock,
        ):
            found = rule(index)
            if found is not None:
                return self._with_time(found)
        return None

    def _relative_day(self, index: int) -> Term | None:
        at = index + (self.text(index) == "the")
        if self.matches(at, "day", "before", "yesterday"):
            return Term(at + 3, meanings.day_away(-2), is_day=True)
        if self.matches(at, "day", "after", "tomorrow"):
            return Term(at + 3, meanings.day_away(2), is_day=True)
        if at != index or self.at(index).kind != "word":
            return None
        match self.text(index):
            case "yesterday":
                return Term(index + 1, meanings.day_away(-1), is_day=True)
            case "tomorrow":
                return Term(index + 1, meanings.day_away(1), is_day=True)
            case "today":
                return (
                    Term(index + 1, meanings.day_away(0), is_day=True)
                    if self._today_is_a_day(index)
                    else None
                )
            case "tonight":
                return Term(index + 1, partial(meanings.hours_of, meanings.day_away(0), 18, 29))
            case _:
                return None

    def _today_is_a_day(self, index: int) -> bool:
        if self.at(index).possessive:
            return self.text(index + 1) in ACTIVITY
        if self.text(index - 1) in ("of", "until", "to") and self.text(index - 2) in ("as", "up"):
            return False
        before = {word.text for word in self.words[:index]}
        present = before & {
            "do",
            "does",
            "is",
            "are",
            "works",
            "work",
            "use",
            "used",
            "uses",
            "looks",
            "handled",
        }
        done = before & {
            "did", "was", "were", "had", "happened", "changed", "i", "doing", "done", "been", "have", "has",
            "planned", "show", "list", "everything", "anything", "saved", "learned", "new", "log",
        }  # fmt: skip
        return not present or bool(done)

    def _of_now(self, index: int) -> Term | None:
        """Earlier today, later this week, so far this month; this morning, last night."""
        word = self.text(index)
        part = PARTS_OF_DAY.get(self.text(index + 1))
        if part is not None and word == "this":
            return Term(index + 2, partial(meanings.hours_of, meanings.day_away(0), *part))
        if part is not None and word == "last":
            first, last = (18, 29) if self.text(index + 1) == "night" else part
            return Term(index + 2, partial(meanings.hours_of, meanings.day_away(-1), first, last))
        at = index + (2 if self.matches(index, "so", "far") else 1)
        if word not in ("earlier", "later") and at == index + 1:
            return None
        if self.text(at) == "today":
            whole: Term | None = Term(at + 1, meanings.day_away(0))
        else:
            whole = self._shifted(at) if self.text(at) == "this" else None
        if whole is None:
            return None
        return Term(whole.stop, partial(meanings.before_or_after_now, whole.resolve, word == "later"))

    def _counted(self, index: int) -> Term | None:
        """Three days ago; the last 7 days; the past two hours."""
        at = index + (self.text(index) in ("the", "these"))
        if self.text(at) in ("last", "past", "previous", "prior"):
            stop, count = self._number(at + 1)
            unit = COUNTED_UNITS.get(self.text(stop))
            if stop > at + 1 and unit is not None:
                if count is None:
                    return Term(stop + 1, partial(meanings.vague, self.phrase(at, stop)))
                return Term(stop + 1, partial(meanings.rolling, unit, count))
            return None
        stop, count = self._number(index)
        unit = COUNTED_UNITS.get(self.text(stop))
        if self.matches(index, "half", "an", "hour", "ago"):
            return Term(index + 4, partial(meanings.ago, "minute", 30))
        if stop == index or unit is None:
            return None
        if self.text(stop + 1) == "ago":
            if count is None:
                return Term(stop + 2, partial(meanings.vague, self.phrase(index, stop + 1)))
            return Term(stop + 2, partial(meanings.ago, unit, count), is_day=unit == "day")
        if self.text(stop + 1) in ("before", "after") and count is not None:
            other = self._day_after(stop + 2)
            if other is not None:
                away = count if self.text(stop + 1) == "after" else -count
                return Term(other.stop, partial(meanings.away_from, other.resolve, unit, away))
        return None

    def _half_of_day(self, found: Term) -> Term | None:
        """Monday after 3pm; yesterday before noon."""
        hour = self._hour_at(found.stop + 1)
        if hour is None or self.text(found.stop) not in ("after", "since", "before", "until", "till"):
            return None
        zero = datetime.combine(date.min, time())
        point = datetime.combine(date.min, time(hour[1], hour[2]))
        later = self.text(found.stop) in ("after", "since")
        clock = (point, zero + DAY) if later else (zero, point)
        return Term(hour[0], partial(meanings.on_day, found.resolve, clock), day=found.resolve)

    def _beside(self, index: int) -> Term | None:
        """The Sunday before March 3; the week after 2025-03-10; the weekend before last Friday."""
        at = index + (self.text(index) == "the")
        at += self.text(at) == "last"
        named = self.text(at)
        if self.text(at + 1) not in ("before", "after") or named not in (*WEEKDAYS, "day", "week", "weekend"):
            return None
        other = self._day_after(at + 2)
        if other is None:
            return None
        away = 1 if self.text(at + 1) == "after" else -1
        if named in ("day", "week"):
            return Term(
                other.stop, partial(meanings.away_from, other.resolve, named, away), is_day=named == "day"
            )
        weekday = WEEKDAYS.get(named)
        return Term(
            other.stop, partial(meanings.weekday_beside_day, other.resolve, weekday, away), is_day=True
        )

    def _day_after(self, index: int) -> Term | None:
        other = self.term(index + (self.text(index) == "the"))
        return other if other is not None and other.is_day and other.day is None else None

    def _number(self, index: int) -> tuple[int, int | None]:
        """A number in figures or words and the index after it; None for "a few" and the like."""
        at = index
        if self.text(at) in VAGUE or (self.text(at) == "a" and self.text(at + 1) in VAGUE):
            at += 1 + (self.text(at) == "a")
            return at + (self.text(at) == "of"), None
        word = self.at(at)
        if word.kind == "number":
            return at + 1, int(word.text)
        if word.text in NUMBERS:
            return at + 1, NUMBERS[word.text]
        return index, None

    def _clock(self, index: int) -> Term | None:
        found = self._hour_at(index)
        if found is None:
            return None
        stop, hour, minute, strong = found
        start = datetime.combine(date.min, time(hour, minute))
        clock = (start, start + HOUR)
        strong = strong and self.text(index - 1) == "at" and self.tells()
        return Term(stop, partial(meanings.latest_clock, clock), strong, frozenset(), clock=clock)

    def _hour_at(self, index: int) -> tuple[int, int, int, bool] | None:
        """Where an hour's words end, its hour and minute, and whether nothing else is written so."""
        word = self.at(index)
        if word.text in ("noon", "midnight") and word.kind == "word":
            return index + 1, 12 if word.text == "noon" else 0, 0, False
        if word.kind not in ("clock", "number"):
            return None
        digits = re.sub(r"[^\d:]", "", word.text).split(":")
        hour, minute = int(digits[0]), int(digits[1]) if len(digits) > 1 else 0
        suffix, stop = word.text[-2:], index + 1
        if suffix not in ("am", "pm"):
            suffix = self.text(stop)
            stop += suffix in ("am", "pm")
        if suffix in ("am", "pm"):
            if not 1 <= hour <= 12 or minute > 59:
                return None
            return stop, hour % 12 + 12 * (suffix == "pm"), minute, True
        if word.kind == "number" or hour > 23 or minute > 59:
            return None
        return stop, hour, minute, False

    def _time_of_a_day(self, index: int) -> Term | None:
        """3pm yesterday; 14:00 on Monday; the morning of March 3."""
        at = index + (self.text(index) == "the")
        part = PARTS_OF_DAY.get(self.text(at))
        found = self._hour_at(index)
        if part is not None and self.text(at + 1) in ("of", "on"):
            after = at + 2
        elif found is not None:
            after = found[0] + (self.text(found[0]) in ("on", "of", ","))
        else:
            return None
        day = self.term(after) if self.at(after).kind not in ("clock",) else None
        if day is None or not day.is_day or day.day is not None:
            return None
        if part is not None:
            return Term(day.stop, partial(meanings.hours_of, day.resolve, *part), day=day.resolve)
        assert found is not None
        start = datetime.combine(date.min, time(found[1], found[2]))
        clock = (start, start + HOUR)
        return Term(day.stop, partial(meanings.on_day, day.resolve, clock), day=day.resolve)

    def _with_time(self, found: Term) -> Term:
        """A day followed by a part or an hour of it: "yesterday morning", "Monday from 2pm to 4pm"."""
        if not found.is_day:
            return found
        at = found.stop
        if self.text(at) in ("in", "during") and self.text(at + 1) == "the":
            at += 2
        part = PARTS_OF_DAY.get(self.text(at))
        if part is not None:
            return Term(at + 1, partial(meanings.hours_of, found.resolve, *part), day=found.resolve)
        if half := self._half_of_day(found):
            return half
        at = found.stop + (self.text(found.stop) in ("at", "around", "about", "from", "between", ","))
        first = self._hour_at(at)
        if first is None or (at == found.stop and not first[3] and self.at(at).kind != "clock"):
            return found
        start = datetime.combine(date.min, time(first[1], first[2]))
        stop, end = first[0], start + HOUR
        if self.text(stop) in ("to", "until", "till", "and", "-", "–"):
            second = self._hour_at(stop + 1)
            if second is not None:
                stop, end = second[0], datetime.combine(date.min, time(second[1], second[2]))
        if end <= start:
            end += DAY
        return Term(stop, partial(meanings.on_day, found.resolve, (start, end)), day=found.resolve)
