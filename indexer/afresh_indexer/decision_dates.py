"""Reads the day that a decision record names, in the ways that people write it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_FORMS = (
    re.compile(r"(?<!\d)(?P<year>\d{4})(?P<sign>[-/.])(?P<month>\d{1,2})(?P=sign)(?P<day>\d{1,2})(?!\d)"),
    re.compile(rf"(?<!\d){_DAY}\.?\s+(?:of\s+)?{_MONTH},?\s+(?P<year>\d{{4}})(?!\d)", re.IGNORECASE),
    re.compile(rf"\b{_MONTH}\s+{_DAY},?\s+(?P<year>\d{{4}})(?!\d)", re.IGNORECASE),
    re.compile(r"(?<!\d)(?P<day>\d{1,2})\.\s?(?P<month>\d{1,2})\.\s?(?P<year>\d{4})(?!\d)"),
)
"""With slashes only where the year comes first: whether 3/4 is in March or in April nobody can tell."""


def date_in(text: str) -> date | None:
    """The first day of the calendar that a text names, or None."""
    return min(_found(text), default=(0, None), key=lambda found: found[0])[1]


def _found(text: str) -> Iterator[tuple[int, date]]:
    for form in _FORMS:
        for match in form.finditer(text):
            month = match["month"].lower()
            number = int(month) if month.isdigit() else _MONTHS.index(month[:3]) + 1
            try:
                yield match.start(), date(int(match["year"]), number, int(match["day"]))
            except ValueError:
                continue
