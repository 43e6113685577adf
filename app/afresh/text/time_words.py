"""Words of time: which there are, what they stand for, and a text cut into words that know what they are.

Most queries name no time. One search for a cue settles that, before anything else is done or imported.
"""

from __future__ import annotations

import re

_MONTH_NAMES = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_WEEKDAY_NAMES = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

MONTHS = {name: number for number, name in enumerate(_MONTH_NAMES, 1)}
MONTHS_SHORT = {name[:3]: number for name, number in MONTHS.items() if len(name) > 3} | {"sept": 9}
WEEKDAYS = {name: number for number, name in enumerate(_WEEKDAY_NAMES)}
WEEKDAYS_SHORT = {
    "mon": 0,
    "tue": 1,
    "tues": 1,
    "wed": 2,
    "thu": 3,
    "thur": 3,
    "thurs": 3,
    "fri": 4,
    "sat": 5,
}
"""Without "sun", which in a developer's texts is a company, a platform or a star."""
UNITS = {
    form: unit
    for unit in ("minute", "hour", "day", "week", "fortnight", "month", "quarter", "year")
    for form in (unit, unit + "s")
} | {"min": "minute", "mins": "minute", "hr": "hour", "hrs": "hour"}
COUNTED_UNITS = UNITS | {
    "m": "minute", "h": "hour", "d": "day", "w": "week", "wk": "week", "wks": "week", "mo": "month",
    "y": "year", "yr": "year", "yrs": "year",
}  # fmt: skip
"""With the short forms that stand after a number only: "last 24h", "3d ago"."""
_NUMBER_WORDS = "one two three four five six seven eight nine ten eleven twelve"
NUMBERS = {word: number for number, word in enumerate(_NUMBER_WORDS.split(), 1)} | {"a": 1, "an": 1}
ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
PARTS_OF_DAY = {"morning": (5, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (21, 29)}
"""From and to in hours after midnight."""
NAMES_OF_PEOPLE = frozenset({"jan", "april", "may", "june", "august"})
"""Months that write commits: after "by" and "from" they are taken for a person."""
ALSO_WORDS = frozenset({"may", "march"})
"""Months that are common words; small letters need more than a preposition before them."""

_FOLLOWERS_TEXT = """
    a about all and any at but by can could did do does for from had has have how i if in is it my no of on or
    our please should show so some than that the their then there they this to till until us was we were what
    when where which who why with would you your
"""
FOLLOWERS = frozenset(_FOLLOWERS_TEXT.split())
"""Words that can follow a time; after "in 2024" another word ("files", "bytes") makes it a count."""
_DONE_TEXT = """
    broke changed crashed decided deployed did discussed done failed fixed had happened learned merged said
    saved shipped was went were worked wrote
"""
DONE = frozenset(_DONE_TEXT.split())
"""Words of a query that speaks of something that was."""
_HABIT_TEXT = """
    always cron daily do does doesn't don't each every hourly never nightly run runs schedule scheduled should
    usually weekly
"""
HABIT = frozenset(_HABIT_TEXT.split())
"""Words of a query that speaks of what is always so."""
_ACTIVITY_TEXT = """
    activity changes commits decisions deploy deployment discussion entries events fixes incident incidents
    issues log logs meeting meetings memories news notes outage prs progress release releases review session
    sessions standup summary tasks updates work
"""
ACTIVITY = frozenset(_ACTIVITY_TEXT.split())
"""What can belong to today without "today's" meaning "of these times"."""
PREPOSITIONS = frozenset(
    ("in", "on", "during", "of", "around", "about", "throughout", "within", "over", "at", "for")
)
IN = frozenset(("in", "during", "throughout"))
WITHIN = frozenset(("in", "within", "over", "during", "for"))
NOT_THE_MONTH = frozenset(("be", "have", "not", "also", "well", "still", "only", "never", "need", "or"))
"""Words after "may" that make it a verb."""
SHIFT = {
    "last": -1, "previous": -1, "past": -1, "prior": -1, "this": 0, "current": 0, "next": 1, "coming": 1,
}  # fmt: skip
PARTS = {"early": 0, "beginning": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
"""Thirds."""
VAGUE = frozenset(("few", "couple", "several", "some", "many"))

_UNIT = r"(?:minute|min|hour|hr|day|week|fortnight|month|quarter|year)s?"
_CUE = re.compile(
    rf"""(?<![^\W_])(?:
      yesterday | today | tonight | tomorrow | recently | lately | weekend | noon | midnight
    | (?:mon|tues|wednes|thurs|fri|satur|sun)day | mon | tues? | wed | thu(?:rs?)? | fri | sat
    | january | february | march | april | may | june | july | august | september | october
    | november | december
    | jan | feb | mar | apr | jun | jul | aug | sept? | oct | nov | dec
    | ago | (?:this|last)\s+(?:morning|afternoon|evening|night) | the\s+other\s+day | before\s+last
    | (?:last|this|past|previous|next|current|the|that)\s+(?:\S+\s+)?(?:\S+\s+)?{_UNIT}
    | (?:last|past|previous)\s+\d+\s?(?:m|h|d|w|wks?|mo|y|yrs?)
    | q[1-4] | h[12] | fy\s?\d{{2,4}} | fiscal | quarter | (?:week|kw|cw|w)\s?\d{{1,2}}
    | \d{{1,2}}(?:\s?[ap]\.?m | o'?clock) | \d{{1,2}}:\d\d
    | \d{{4}}-(?:\d\d|w\d|q\d) | \d{{4}}/\d | \d{{1,2}}[./]\d{{1,2}}[./]\d{{4}} | \d{{4}}
    )(?![^\W_])|\d{{4}}-?[wq]?\d""",
    re.VERBOSE,
)


_STARTS_TEXT = """
    the a an these yesterday tomorrow today tonight day week weekend month quarter year half first second
    third fourth earlier later so calendar iso kw cw fy fiscal noon midnight early mid late beginning
    start middle end morning afternoon evening night
"""
STARTS = frozenset(
    {*_STARTS_TEXT.split(), *MONTHS, *MONTHS_SHORT, *WEEKDAYS, *WEEKDAYS_SHORT, *NUMBERS, *VAGUE, *SHIFT}
)
"""The words with which a time can begin."""


def has_cue(query: str) -> bool:
    """Whether a text may name a time in English; false for nearly every query that names none."""
    return _CUE.search(query.casefold()) is not None
