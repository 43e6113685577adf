"""Reads what the calendar names: dates, months, weekdays, weeks, quarters and years, last, this and next.

A grammar by hand over the words of a query. Every rule says whether its words mean a time by themselves or
only after a preposition, because "march", "second" or "2024" mostly mean something else to a developer.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial

from afresh.text import time_meanings as meanings
from afresh.text import time_windows as windows
from afresh.text.time_meanings import Term
from afresh.text.time_reader import WordReader
from afresh.text.time_words import (
    ALSO_WORDS,
    IN,
    MONTHS,
    MONTHS_SHORT,
    NAMES_OF_PEOPLE,
    NOT_THE_MONTH,
    ORDINALS,
    PARTS,
    PARTS_OF_DAY,
    PREPOSITIONS,
    SHIFT,
    UNITS,
    WEEKDAYS,
    WEEKDAYS_SHORT,
    WITHIN,
)


class DateReader(WordReader):
    """Reads the names of the calendar."""

    def _weekday(self, index: int) -> Term | None:
        at = index
        shift = SHIFT.get(self.text(index))
        if shift is not None:
            at += 1
        word = self.at(at)
        number = WEEKDAYS.get(word.text)
        short = number is None
        if short:
            number = WEEKDAYS_SHORT.get(word.text) if word.capital else None
        if number is None or word.kind != "word":
            return None
        if self.text(index - 1) in ("every", "each", "black", "cyber", "per", "casual", "weekly"):
            return None
        after = self._of_shifted_week(at + 1)
        if shift is None and after is not None:
            stop, weeks = after
            return Term(stop, partial(meanings.weekday_in_week, number, weeks), is_day=True)
        if shift is None:
            recur = partial(meanings.weekday_near, number)
            told = self.at(at + 1).kind == "stop" and self.tells()
            strong = not short and (word.possessive or self.text(at + 1) in PARTS_OF_DAY or told)
            if self.habit() and self.text(index - 1) == "on":
                return None
            return Term(
                at + 1, meanings.latest(recur), strong, PREPOSITIONS - {"of"}, is_day=True, recur=recur
            )
        if shift == 0:
            return Term(at + 1, partial(meanings.weekday_in_week, number, 0), is_day=True)
        return Term(at + 1, partial(meanings.weekday_beside_today, number, shift), is_day=True)

    def _of_shifted_week(self, index: int) -> tuple[int, int] | None:
        at = index + (self.text(index) in ("of", "in"))
        if self.text(at) in SHIFT and self.text(at + 1) == "week":
            return at + 2, SHIFT[self.text(at)]
        return None

    def _calendar_date(self, index: int) -> Term | None:
        word = self.at(index)
        match word.kind:
            case "date":
                year, month, day = (int(part) for part in re.split(r"[-/]", word.text))
                return Term(index + 1, partial(meanings.exact_day, word.text, year, month, day), is_day=True)
            case "local_date":
                return self._local_date(index)
            case "moment":
                return Term(index + 1, partial(meanings.stamp, word.text))
            case "year_month":
                year, month = int(word.text[:4]), int(word.text[5:])
                return Term(index + 1, lambda _: windows.months(year, month, 1), strong=False)
            case _:
                return None

    def _local_date(self, index: int) -> Term:
        text = self.text(index)
        first, second, year = (int(part) for part in re.split(r"[./]", text))
        stop = index + 1
        if "." in text or first > 12:
            return Term(stop, partial(meanings.exact_day, text, year, second, first), is_day=True)
        if second > 12 or first == second:
            return Term(stop, partial(meanings.exact_day, text, year, first, second), is_day=True)
        reason = f"{text!r} can be a day of {meanings.month_name(first)} or of {meanings.month_name(second)}"
        return Term(stop, partial(meanings.refuse, f"{reason}; write it as YYYY-MM-DD"))

    def _month(self, index: int) -> Term | None:
        at = index + (self.text(index) == "the")
        word = self.at(at)
        if word.kind == "ordinal" or (word.kind == "number" and at == index):
            month_at = at + 1 + (self.text(at + 1) == "of")
            month = self._month_word(month_at, named=True)
            if month is None or (word.kind == "number" and (len(word.text) > 2 or month_at != at + 1)):
                return None
            return self._day_of_month(month_at + 1, month, int(re.sub(r"\D", "", word.text)), strong=True)
        if at != index:
            return None
        shift = SHIFT.get(word.text)
        if shift is not None:
            month = self._month_word(at + 1, named=True)
            if month is None:
                return None
            return Term(at + 2, partial(meanings.named_beside, meanings.month_in(month), shift))
        month = self._month_word(at, named=True)
        if month is None:
            return None
        following = self.at(at + 1)
        if following.kind == "ordinal" or (following.kind == "number" and len(following.text) <= 2):
            number = int(re.sub(r"\D", "", following.text))
            clear = following.kind == "ordinal" or self.year_at(at + 2) is not None or self._clear_month(at)
            if 1 <= number <= 31:
                return self._day_of_month(at + 2, month, number, strong=clear)
        year = self.year_at(at + 1 + (self.text(at + 1) == "of"))
        if year is not None:
            stop, number = year
            strong = word.capital or word.text in MONTHS.keys() - ALSO_WORDS
            return Term(stop, lambda _: windows.months(number, month, 1), strong)
        if self._month_word(at, named=False) is None:
            return None
        build = meanings.month_in(month)
        recur = partial(meanings.yearly_near, build)
        led_by = PREPOSITIONS if self._clear_month(at) else IN
        return Term(at + 1, meanings.latest(recur), False, led_by, recur=recur)

    def _day_of_month(self, index: int, month: int, day: int, *, strong: bool) -> Term:
        year = self.year_at(index + (self.text(index) in (",", "of")))
        if year is not None:
            stop, number = year
            text = f"{meanings.month_name(month)} {day}, {number}"
            return Term(stop, partial(meanings.exact_day, text, number, month, day), is_day=True, month=month)
        build = partial(meanings.day_in, month, day)
        recur = partial(meanings.yearly_near, build)
        return Term(index, meanings.latest(recur), strong, is_day=True, recur=recur, month=month)

    def day_of_month_after(self, index: int, first: Term) -> Term | None:
        """The second day of "March 3 to 10" or "Aug 10-20, 2025", which names no month of its own."""
        word = self.at(index)
        if first.month is None or word.kind not in ("number", "ordinal") or len(word.text) > 4:
            return None
        day = int(re.sub(r"\D", "", word.text))
        if word.text in UNITS or self.text(index + 1) in UNITS or not 1 <= day <= 31:
            return None
        return self._day_of_month(index + 1, first.month, day, strong=True)

    def _month_word(self, index: int, *, named: bool) -> int | None:
        """The month of a word; `named`: something beside it (a day, a year, "last") says that it is one."""
        word = self.at(index)
        if word.kind != "word":
            return None
        month = MONTHS.get(word.text)
        if named:
            return month or MONTHS_SHORT.get(word.text)
        if word.possessive and word.text in NAMES_OF_PEOPLE:
            return None
        if month is None:
            return MONTHS_SHORT.get(word.text) if word.capital else None
        if word.text in ALSO_WORDS and not word.capital and not self.may_follow(index + 1):
            return None
        if word.text == "may" and self.text(index + 1) in NOT_THE_MONTH:
            return None
        if word.text in NAMES_OF_PEOPLE and self.text(index - 1) in ("by", "from"):
            return None
        return month

    def _clear_month(self, index: int) -> bool:
        word = self.at(index)
        return word.capital or word.text in MONTHS.keys() - ALSO_WORDS

    def _week(self, index: int) -> Term | None:
        word = self.at(index)
        if word.kind == "iso_week":
            exact = partial(meanings.exact_week, word.text, int(word.text[:4]), int(word.text[-2:]))
            return Term(index + 1, exact)
        at = index
        number: int | None = None
        if word.kind == "week_number" and word.capital:
            number, at = int(re.sub(r"\D", "", word.text)), index + 1
        else:
            at += self.text(at) in ("calendar", "iso")
            if self.text(at) in ("week", "kw", "cw") and self.at(at + 1).kind == "number":
                number, at = int(self.text(at + 1)), at + 2
        if number is None:
            at = index + (self.text(index) == "the")
            inner = (
                self.term(at + 2 + (self.text(at + 2) == "the")) if self.matches(at, "week", "of") else None
            )
            if inner is None or not inner.is_day:
                return None
            return Term(inner.stop, partial(meanings.week_around, inner.resolve))
        if not 1 <= number <= 53 or (self.text(at) == "of" and self.year_at(at + 1) is None):
            return None
        year_found = self.year_at(at + (self.text(at) in ("of", ",")))
        if year_found is not None:
            stop, year = year_found
            return Term(stop, partial(meanings.exact_week, f"week {number} of {year}", year, number))
        if not self.may_follow(at):
            return None
        build = partial(meanings.week_in, number)
        recur = partial(meanings.yearly_near, build)
        return Term(at, meanings.latest(recur), False, recur=recur)

    def _quarter(self, index: int) -> Term | None:
        word = self.at(index)
        at = index + (word.text == "the")
        if word.kind == "year_quarter":
            digits = (
                re.sub(r"\D", "", word.text.replace("q", "", 1)) if word.text[0] != "q" else word.text[1:]
            )
            number = int(word.text[1]) if word.text[0] == "q" else int(digits[-1])
            year = int(re.sub(r"\D", "", word.text)[1:] if word.text[0] == "q" else digits[:4])
            return Term(index + 1, meanings.fiscal(year, 3 * (number - 1), 3))
        if word.kind == "fiscal_year" or self.matches(index, "fiscal", "year") or word.text == "fy":
            return self._fiscal_year(index)
        if self.year_at(index) and self.at(index + 1).kind in ("quarter", "half"):
            return replace(self._of_fiscal_year(index + 1, int(word.text)), stop=index + 2)
        if self.at(at).kind in ("quarter", "half") and at == index:
            stop = at + 1
        elif self.text(at) in ORDINALS and self.text(at + 1) == "quarter":
            stop = at + 2
        elif self.text(at) in ("first", "second") and self.text(at + 1) == "half":
            return self._half(at)
        else:
            return None
        after = stop + (self.text(stop) in ("of", ",", "in"))
        if year_found := self.year_at(after):
            return replace(self._of_fiscal_year(at, year_found[1]), stop=year_found[0])
        if self.at(after).kind == "fiscal_year":
            year = meanings.year_of(self.text(after))
            return replace(self._of_fiscal_year(at, year), stop=after + 1)
        if not self.may_follow(stop) or self.at(at).kind == "half":
            return None
        first, count = self._months_of(at)
        build = partial(meanings.fiscal_in, first, count)
        recur = partial(meanings.yearly_near, build)
        return Term(stop, meanings.latest(recur), False, recur=recur)

    def _months_of(self, index: int) -> tuple[int, int]:
        """Which months of a fiscal year a quarter or half is: how many to skip, and how many it has."""
        word = self.at(index)
        if word.kind == "half":
            return 6 * (int(word.text[1]) - 1), 6
        number = int(word.text[1]) if word.kind == "quarter" else ORDINALS[word.text]
        return 3 * (number - 1), 3

    def _of_fiscal_year(self, index: int, year: int) -> Term:
        first, count = self._months_of(index)
        return Term(index + 1, meanings.fiscal(year, first, count))

    def _fiscal_year(self, index: int) -> Term | None:
        word = self.at(index)
        if word.kind == "fiscal_year":
            stop, year = index + 1, meanings.year_of(word.text)
        else:
            at = index + (2 if word.text == "fiscal" else 1)
            number = self.at(at)
            if number.kind != "number" or len(number.text) not in (2, 4):
                return None
            stop, year = at + 1, meanings.year_of(number.text)
        if self.at(stop).kind in ("quarter", "half"):
            return self._of_fiscal_year(stop, year)
        return Term(stop, meanings.fiscal(year, 0, 12))

    def _half(self, index: int) -> Term | None:
        part = ORDINALS[self.text(index)] - 1
        if self.text(index + 2) != "of":
            return None
        whole = self._whole(index + 3)
        return None if whole is None else Term(whole.stop, partial(meanings.part, whole.resolve, part, 2))

    def _year(self, index: int) -> Term | None:
        at = index + (self.text(index) == "the")
        at += self.text(at) == "year"
        if at == index + 1 and self.text(index) == "the":
            return None
        found = self.year_at(at)
        if (
            found is None
            or not self.may_follow(found[0])
            or self.text(index - 1) in ("issue", "line", "port")
        ):
            return None
        stop, year = found
        if self.text(index - 1) == "to" and self.text(index - 2) == "up":
            return None
        return Term(stop, lambda _: windows.months(year, 1, 12), False, IN)

    def _part_of_a_period(self, index: int) -> Term | None:
        """Early March; the middle of last month; the end of 2024."""
        at = index + (self.text(index) == "the")
        part = PARTS.get(self.text(at))
        if part is None:
            return None
        short = self.text(at) in ("early", "mid", "late")
        if not short and self.text(at + 1) != "of":
            return None
        whole = self._whole(at + (1 if short else 2))
        if whole is None:
            return None
        return Term(whole.stop, partial(meanings.part, whole.resolve, part, 3), whole.strong or short)

    def _whole(self, index: int) -> Term | None:
        """Something that has a beginning, a middle and an end."""
        if self.text(index) == "the" and self.text(index + 1) in ("week", "month", "quarter", "year"):
            if not self.tells():
                return None
            return Term(index + 2, partial(meanings.shifted_unit, self.text(index + 1), 0), strong=False)
        for rule in (self._month, self._shifted, self._quarter, self._year):
            found = rule(index)
            if found is not None:
                return None if found.is_day else found
        return None

    def _shifted(self, index: int) -> Term | None:
        at = index
        if self.text(index) in ("the", "a"):
            at += 1
        word, unit = self.text(at), UNITS.get(self.text(at + 1))
        if self.matches(at, "weekend") or self.matches(at + 1, "weekend"):
            return self._weekend(index, at)
        if unit is None and self.matches(at, "week", "before", "last"):
            return Term(at + 3, partial(meanings.shifted_unit, "week", -2))
        if self.matches(at + 1, "before", "last") and self.text(at) in ("month", "quarter", "year"):
            return Term(at + 3, partial(meanings.shifted_unit, self.text(at), -2))
        if word not in SHIFT or self.text(at + 2) == "of":
            return None
        if self.text(at + 1) in ("fiscal", "calendar") and self.text(at + 2) in ("year", "quarter"):
            named = f"{self.text(at + 1)} year" if self.text(at + 2) == "year" else "quarter"
            return Term(at + 3, partial(meanings.shifted_unit, named, SHIFT[word]))
        if unit is None or self.text(at + 1).endswith("s"):
            return None
        if unit in ("hour", "minute", "day"):
            within = self.text(index - 1) in ("in", "within", "over", "during", "for", "since") and at > index
            rolling = SHIFT[word] == -1 and (within or word == "past" or (unit, word) == ("hour", "last"))
            if not rolling or not self.may_follow(at + 2):
                return None
            return Term(at + 2, partial(meanings.rolling, unit, 1))
        if word in ("past", "prior") or (at > index and word == "last" and self.text(index - 1) in WITHIN):
            return Term(at + 2, partial(meanings.rolling, unit, 1)) if word != "prior" else None
        if unit == "fortnight":
            return Term(at + 2, partial(meanings.rolling, unit, 1)) if word == "last" else None
        if self.text(at + 2) == "on" and self.text(at + 3) in WEEKDAYS and unit == "week":
            number = WEEKDAYS[self.text(at + 3)]
            return Term(at + 4, partial(meanings.weekday_in_week, number, SHIFT[word]), is_day=True)
        if at > index and word in ("this", "current", "next") and self.text(index) == "a":
            return None
        plain = word in ("last", "this", "next")
        return Term(at + 2, partial(meanings.shifted_unit, unit, SHIFT[word]), plain)

    def _weekend(self, index: int, at: int) -> Term | None:
        shift = SHIFT.get(self.text(at))
        if shift is not None:
            return Term(at + 2, partial(meanings.weekend, shift))
        if at > index and self.matches(at, "weekend"):
            strong = self.text(index - 1) in ("over", "at", "on", "during")
            return Term(at + 1, partial(meanings.weekend, None), strong) if strong else None
        return None
