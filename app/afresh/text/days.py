"""Days that a query names outright ("3 June 2026", "2026-06-03", "in June 2026").

They say which memories are meant without a zone or a clock: a day off by one at midnight is still the nearest
guess, and what a window must never do, hiding what lies outside, a day named here doesn't do either.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date

UNKNOWN_DAY = -1
"""Of a document that happened at no known time."""

_NUMBER = {
    name[:length].casefold(): number
    for number, name in enumerate(calendar.month_name)
    if name
    for length in (3, len(name))
} | {"sept": 9}
"""Python's names of months are English unless a locale is set, which afresh never does."""
_MONTH = "|".join(sorted(_NUMBER, key=len, reverse=True))
_NAMED = re.compile(
    r"\b(?P<iso>(?P<y1>\d{4})-(?P<m1>\d{1,2})-(?P<d1>\d{1,2}))\b"
    rf"|\b(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{_MONTH})\.?,?\s+(?P<y2>\d{{4}})\b"
    rf"|\b(?P<m3>{_MONTH})\.?\s+(?P<d3>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y3>\d{{4}})\b"
    rf"|\b(?P<m4>{_MONTH})\.?,?\s+(?:of\s+)?(?P<y4>\d{{4}})\b"
)


@dataclass(frozen=True, slots=True)
class NamedDays:
    """A day or a month, as proleptic ordinals; both ends belong to it."""

    first: int
    last: int


def named_days(text: str) -> list[NamedDays]:
    """The days and months that a text names with their year, in order."""
    found = []
    for match in _NAMED.finditer(text.casefold()):
        said = {name[0]: value for name, value in match.groupdict().items() if value and name != "iso"}
        year, month = int(said["y"]), _NUMBER.get(said["m"]) or int(said["m"])
        if year < 1 or not 1 <= month <= 12:
            continue
        last = calendar.monthrange(year, month)[1]
        if "d" not in said:
            begin = date(year, month, 1).toordinal()
            found.append(NamedDays(begin, begin + last - 1))
        elif 1 <= int(said["d"]) <= last:
            day = date(year, month, int(said["d"])).toordinal()
            found.append(NamedDays(day, day))
    return found
