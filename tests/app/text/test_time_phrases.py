from __future__ import annotations

import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from afresh.text.time_phrases import MOST_WORDS, TimeReading, read_time, without_time

# Where, and when there: each row below is asked of one of these. Windows are written in local time.
ASKED = {
    "new york": ("America/New_York", "2025-03-12T10:30-04:00"),  # a Wednesday, three days into summer time
    "new york on a monday": ("America/New_York", "2025-03-10T09:00-04:00"),
    "new york in november": ("America/New_York", "2025-11-03T09:00-05:00"),  # the day after winter time began
    "new york on new year": ("America/New_York", "2025-01-01T00:15-05:00"),
    "berlin": ("Europe/Berlin", "2024-02-29T23:30+01:00"),  # a leap day; the next morning's in Kolkata
    "berlin in spring": ("Europe/Berlin", "2025-03-31T08:00+02:00"),
    "berlin in autumn": ("Europe/Berlin", "2025-10-26T12:00+01:00"),
    "kolkata": ("Asia/Kolkata", "2025-08-20T01:00+05:30"),  # still the day before in UTC
    "lord howe": ("Australia/Lord_Howe", "2025-04-07T12:00+10:30"),  # clocks move by half an hour
    "sao paulo": ("America/Sao_Paulo", "2018-11-05T12:00-02:00"),  # a day that began at 01:00
    "apia": ("Pacific/Apia", "2012-01-02T12:00+14:00"),  # December 30 was left out
}

WINDOWS = [
    # --- days
    ("new york", "what did I do yesterday", "2025-03-11T00:00-04:00", "2025-03-12T00:00-04:00"),
    ("new york", "what did we change today?", "2025-03-12T00:00-04:00", "2025-03-13T00:00-04:00"),
    ("new york", "what is due tomorrow", "2025-03-13T00:00-04:00", "2025-03-14T00:00-04:00"),
    ("new york", "the day before yesterday", "2025-03-10T00:00-04:00", "2025-03-11T00:00-04:00"),
    ("kolkata", "yesterday's notes", "2025-08-19T00:00+05:30", "2025-08-20T00:00+05:30"),
    ("berlin", "today", "2024-02-29T00:00+01:00", "2024-03-01T00:00+01:00"),
    ("new york on new year", "yesterday", "2024-12-31T00:00-05:00", "2025-01-01T00:00-05:00"),
    ("new york", "yesterday and today", "2025-03-11T00:00-04:00", "2025-03-13T00:00-04:00"),
    # --- the nights on which clocks change
    ("new york on a monday", "what broke yesterday", "2025-03-09T00:00-05:00", "2025-03-10T00:00-04:00"),
    ("new york in november", "what broke yesterday", "2025-11-02T00:00-04:00", "2025-11-03T00:00-05:00"),
    ("berlin in spring", "yesterday", "2025-03-30T00:00+01:00", "2025-03-31T00:00+02:00"),
    ("berlin in autumn", "today", "2025-10-26T00:00+02:00", "2025-10-27T00:00+01:00"),
    ("lord howe", "yesterday", "2025-04-06T00:00+11:00", "2025-04-07T00:00+10:30"),
    ("sao paulo", "yesterday", "2018-11-04T01:00-02:00", "2018-11-05T00:00-02:00"),
    ("new york on a monday", "at 3am yesterday", "2025-03-09T03:00-04:00", "2025-03-09T04:00-04:00"),
    ("new york on a monday", "yesterday at 2:30am", "2025-03-09T03:00-04:00", "2025-03-09T03:30-04:00"),
    ("new york in november", "yesterday at 1am", "2025-11-02T01:00-04:00", "2025-11-02T02:00-05:00"),
    ("new york in november", "since yesterday 1:30am", "2025-11-02T01:30-04:00", "2025-11-03T09:00-05:00"),
    ("new york in november", "yesterday before 1:30am", "2025-11-02T00:00-04:00", "2025-11-02T01:30-05:00"),
    ("new york in november", "the last 24 hours", "2025-11-02T09:00-05:00", "2025-11-03T09:00-05:00"),
    ("new york in november", "last week", "2025-10-27T00:00-04:00", "2025-11-03T00:00-05:00"),
    # --- so long ago
    ("new york", "3 days ago", "2025-03-09T00:00-05:00", "2025-03-10T00:00-04:00"),
    ("new york", "two weeks ago", "2025-02-24T00:00-05:00", "2025-03-03T00:00-05:00"),
    ("new york", "a month ago", "2025-02-01T00:00-05:00", "2025-03-01T00:00-05:00"),
    ("berlin", "12 months ago", "2023-02-01T00:00+01:00", "2023-03-01T00:00+01:00"),
    ("new york", "2 quarters ago", "2024-07-01T00:00-04:00", "2024-10-01T00:00-04:00"),
    ("new york", "a year ago", "2024-01-01T00:00-05:00", "2025-01-01T00:00-05:00"),
    ("kolkata", "an hour ago", "2025-08-19T23:30+05:30", "2025-08-20T00:30+05:30"),
    ("kolkata", "20 minutes ago", "2025-08-20T00:30+05:30", "2025-08-20T00:50+05:30"),
    ("kolkata", "half an hour ago", "2025-08-20T00:15+05:30", "2025-08-20T00:45+05:30"),
    ("new york", "3d ago", "2025-03-09T00:00-05:00", "2025-03-10T00:00-04:00"),
    # --- last, this, next
    ("new york", "last week", "2025-03-03T00:00-05:00", "2025-03-10T00:00-04:00"),
    ("new york", "this week", "2025-03-10T00:00-04:00", "2025-03-17T00:00-04:00"),
    ("new york", "next week", "2025-03-17T00:00-04:00", "2025-03-24T00:00-04:00"),
    ("new york", "the week before last", "2025-02-24T00:00-05:00", "2025-03-03T00:00-05:00"),
    ("new york", "in the previous month", "2025-02-01T00:00-05:00", "2025-03-01T00:00-05:00"),
    ("berlin", "last month", "2024-01-01T00:00+01:00", "2024-02-01T00:00+01:00"),
    ("new york on new year", "last month", "2024-12-01T00:00-05:00", "2025-01-01T00:00-05:00"),
    ("new york", "this quarter", "2025-01-01T00:00-05:00", "2025-04-01T00:00-04:00"),
    ("new york", "last quarter", "2024-10-01T00:00-04:00", "2025-01-01T00:00-05:00"),
    ("new york", "last year", "2024-01-01T00:00-05:00", "2025-01-01T00:00-05:00"),
    ("new york", "last weekend", "2025-03-08T00:00-05:00", "2025-03-10T00:00-04:00"),
    ("berlin in autumn", "last weekend", "2025-10-18T00:00+02:00", "2025-10-20T00:00+02:00"),
    ("berlin in autumn", "this weekend", "2025-10-25T00:00+02:00", "2025-10-27T00:00+01:00"),
    ("new york", "over the weekend", "2025-03-08T00:00-05:00", "2025-03-10T00:00-04:00"),
    # --- up to now
    ("new york", "the last 7 days", "2025-03-05T09:30-05:00", "2025-03-12T10:30-04:00"),
    ("new york", "in the past week", "2025-03-05T09:30-05:00", "2025-03-12T10:30-04:00"),
    ("kolkata", "the last 90 minutes", "2025-08-19T23:30+05:30", "2025-08-20T01:00+05:30"),
    ("kolkata", "last 24h", "2025-08-19T01:00+05:30", "2025-08-20T01:00+05:30"),
    ("berlin in spring", "the last month", "2025-02-01T00:00+01:00", "2025-03-01T00:00+01:00"),
    ("berlin in spring", "in the past month", "2025-02-28T08:00+01:00", "2025-03-31T08:00+02:00"),
    ("berlin", "over the past year", "2023-02-28T23:30+01:00", "2024-02-29T23:30+01:00"),
    ("new york", "earlier today", "2025-03-12T00:00-04:00", "2025-03-12T10:30-04:00"),
    ("new york", "so far this month", "2025-03-01T00:00-05:00", "2025-03-12T10:30-04:00"),
    ("new york", "later this week", "2025-03-12T10:30-04:00", "2025-03-17T00:00-04:00"),
    # --- weekdays
    ("new york", "what did we say on Monday", "2025-03-10T00:00-04:00", "2025-03-11T00:00-04:00"),
    ("new york on a monday", "on Monday", "2025-03-10T00:00-04:00", "2025-03-11T00:00-04:00"),
    ("new york on a monday", "last Monday", "2025-03-03T00:00-05:00", "2025-03-04T00:00-05:00"),
    ("new york", "last Friday", "2025-03-07T00:00-05:00", "2025-03-08T00:00-05:00"),
    ("new york", "this Friday", "2025-03-14T00:00-04:00", "2025-03-15T00:00-04:00"),
    ("new york", "next Wednesday", "2025-03-19T00:00-04:00", "2025-03-20T00:00-04:00"),
    ("new york", "on Tuesday last week", "2025-03-04T00:00-05:00", "2025-03-05T00:00-05:00"),
    ("new york", "what happened Friday?", "2025-03-07T00:00-05:00", "2025-03-08T00:00-05:00"),
    ("new york", "the Sunday before March 3", "2025-03-02T00:00-05:00", "2025-03-03T00:00-05:00"),
    # --- months, quarters, years, weeks
    ("new york", "in March", "2025-03-01T00:00-05:00", "2025-04-01T00:00-04:00"),
    ("new york", "in april", "2024-04-01T00:00-04:00", "2024-05-01T00:00-04:00"),
    ("new york", "last March", "2024-03-01T00:00-05:00", "2024-04-01T00:00-04:00"),
    ("berlin", "February 2024", "2024-02-01T00:00+01:00", "2024-03-01T00:00+01:00"),
    ("berlin", "decisions of Feb 2023", "2023-02-01T00:00+01:00", "2023-03-01T00:00+01:00"),
    ("kolkata", "in May", "2025-05-01T00:00+05:30", "2025-06-01T00:00+05:30"),
    ("new york", "in 2024", "2024-01-01T00:00-05:00", "2025-01-01T00:00-05:00"),
    ("kolkata", "in Q3", "2025-07-01T00:00+05:30", "2025-10-01T00:00+05:30"),
    ("kolkata", "in Q4", "2024-10-01T00:00+05:30", "2025-01-01T00:00+05:30"),
    ("kolkata", "Q2 2025", "2025-04-01T00:00+05:30", "2025-07-01T00:00+05:30"),
    ("kolkata", "2025-Q2", "2025-04-01T00:00+05:30", "2025-07-01T00:00+05:30"),
    ("kolkata", "the second quarter of 2025", "2025-04-01T00:00+05:30", "2025-07-01T00:00+05:30"),
    ("kolkata", "H1 2025", "2025-01-01T00:00+05:30", "2025-07-01T00:00+05:30"),
    ("kolkata", "FY25 Q1", "2025-01-01T00:00+05:30", "2025-04-01T00:00+05:30"),
    ("new york", "in week 9", "2025-02-24T00:00-05:00", "2025-03-03T00:00-05:00"),
    ("new york", "week 12", "2024-03-18T00:00-04:00", "2024-03-25T00:00-04:00"),
    ("new york", "2025-W07", "2025-02-10T00:00-05:00", "2025-02-17T00:00-05:00"),
    ("new york", "week 1 of 2025", "2024-12-30T00:00-05:00", "2025-01-06T00:00-05:00"),
    ("new york", "in week 53", "2020-12-28T00:00-05:00", "2021-01-04T00:00-05:00"),
    ("new york", "the week of March 5", "2025-03-03T00:00-05:00", "2025-03-10T00:00-04:00"),
    ("berlin", "early February", "2024-02-01T00:00+01:00", "2024-02-11T00:00+01:00"),
    ("berlin", "mid-January 2024", "2024-01-11T00:00+01:00", "2024-01-21T00:00+01:00"),
    ("berlin in spring", "the end of last month", "2025-02-21T00:00+01:00", "2025-03-01T00:00+01:00"),
    ("berlin", "the second half of 2023", "2023-07-01T00:00+02:00", "2024-01-01T00:00+01:00"),
    # --- dates
    ("new york", "on 2025-03-09", "2025-03-09T00:00-05:00", "2025-03-10T00:00-04:00"),
    ("new york", "what happened on Aug 10", "2024-08-10T00:00-04:00", "2024-08-11T00:00-04:00"),
    ("new york", "March 3rd, 2025", "2025-03-03T00:00-05:00", "2025-03-04T00:00-05:00"),
    ("new york", "the 10th of August 2024", "2024-08-10T00:00-04:00", "2024-08-11T00:00-04:00"),
    ("new york", "10 Aug 2024", "2024-08-10T00:00-04:00", "2024-08-11T00:00-04:00"),
    ("berlin in spring", "on Feb 29", "2024-02-29T00:00+01:00", "2024-03-01T00:00+01:00"),
    ("berlin in spring", "am 13.03.2025", "2025-03-13T00:00+01:00", "2025-03-14T00:00+01:00"),
    ("new york", "2025/03/09", "2025-03-09T00:00-05:00", "2025-03-10T00:00-04:00"),
    ("new york", "12/25/2024", "2024-12-25T00:00-05:00", "2024-12-26T00:00-05:00"),
    ("new york", "3 days before March 12", "2025-03-09T00:00-05:00", "2025-03-10T00:00-04:00"),
    # --- ranges
    ("kolkata", "Aug 10 to Sep 1", "2025-08-10T00:00+05:30", "2025-09-02T00:00+05:30"),
    ("new york", "Aug 10-20, 2024", "2024-08-10T00:00-04:00", "2024-08-21T00:00-04:00"),
    ("new york", "from Dec 20 to Jan 5", "2024-12-20T00:00-05:00", "2025-01-06T00:00-05:00"),
    ("new york", "between March 3 and 10", "2025-03-03T00:00-05:00", "2025-03-11T00:00-04:00"),
    ("new york", "from Aug 10 until Sep 1, 2023", "2023-08-10T00:00-04:00", "2023-09-02T00:00-04:00"),
    ("new york", "between Monday and Wednesday", "2025-03-10T00:00-04:00", "2025-03-13T00:00-04:00"),
    ("new york", "from Friday to Monday", "2025-03-07T00:00-05:00", "2025-03-11T00:00-04:00"),
    ("new york", "Monday to Wednesday last week", "2025-03-03T00:00-05:00", "2025-03-06T00:00-05:00"),
    ("new york", "from November to January", "2024-11-01T00:00-04:00", "2025-02-01T00:00-05:00"),
    ("new york", "between 2023 and 2024", "2023-01-01T00:00-05:00", "2025-01-01T00:00-05:00"),
    ("kolkata", "Q1-Q2 2025", "2025-01-01T00:00+05:30", "2025-07-01T00:00+05:30"),
    ("new york", "after March 3 and before March 9", "2025-03-04T00:00-05:00", "2025-03-09T00:00-05:00"),
    # --- one side
    ("new york", "since Monday", "2025-03-10T00:00-04:00", "2025-03-12T10:30-04:00"),
    ("new york", "since 3 days ago", "2025-03-09T00:00-05:00", "2025-03-12T10:30-04:00"),
    ("new york", "from Monday on", "2025-03-10T00:00-04:00", "2025-03-12T10:30-04:00"),
    ("kolkata", "since 2 hours ago", "2025-08-19T23:00+05:30", "2025-08-20T01:00+05:30"),
    ("new york", "after March 9", "2025-03-10T00:00-04:00", "2025-03-12T10:30-04:00"),
    ("new york", "since tomorrow", "2025-03-13T00:00-04:00", None),
    ("new york", "before Monday", None, "2025-03-10T00:00-04:00"),
    ("new york", "until Monday", None, "2025-03-11T00:00-04:00"),
    ("new york", "by the end of March 2024", None, "2024-04-01T00:00-04:00"),
    ("new york", "before 2024", None, "2024-01-01T00:00-05:00"),
    ("new york", "as of March 3", None, "2025-03-04T00:00-05:00"),
    ("new york", "more than two weeks ago", None, "2025-02-24T00:00-05:00"),
    # --- times of day
    ("new york", "yesterday morning", "2025-03-11T05:00-04:00", "2025-03-11T12:00-04:00"),
    ("new york", "this afternoon", "2025-03-12T12:00-04:00", "2025-03-12T18:00-04:00"),
    ("new york", "tonight", "2025-03-12T18:00-04:00", "2025-03-13T05:00-04:00"),
    ("new york on a monday", "last night", "2025-03-09T18:00-04:00", "2025-03-10T05:00-04:00"),
    ("new york", "at 3pm yesterday", "2025-03-11T15:00-04:00", "2025-03-11T16:00-04:00"),
    ("new york", "yesterday at 15:30", "2025-03-11T15:30-04:00", "2025-03-11T16:30-04:00"),
    ("new york", "what did we merge at 9am", "2025-03-12T09:00-04:00", "2025-03-12T10:00-04:00"),
    ("new york", "what did we merge at 3 p.m.", "2025-03-11T15:00-04:00", "2025-03-11T16:00-04:00"),
    ("new york", "since 9am", "2025-03-12T09:00-04:00", "2025-03-12T10:30-04:00"),
    ("new york", "from 2pm to 4pm yesterday", "2025-03-11T14:00-04:00", "2025-03-11T16:00-04:00"),
    ("new york", "Monday between 2 pm and 4 pm", "2025-03-10T14:00-04:00", "2025-03-10T16:00-04:00"),
    ("new york", "on Monday after 3pm", "2025-03-10T15:00-04:00", "2025-03-11T00:00-04:00"),
    ("new york", "the morning of March 3", "2025-03-03T05:00-05:00", "2025-03-03T12:00-05:00"),
    ("kolkata", "since 2025-08-01T10:00:00Z", "2025-08-01T15:30+05:30", "2025-08-20T01:00+05:30"),
]  # fmt: skip


def read(where: str, query: str, **more: int) -> TimeReading | None:
    zone, moment = ASKED[where]
    return read_time(query, zone=ZoneInfo(zone), reference=datetime.fromisoformat(moment), **more)


def moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(("where", "query", "since", "until"), WINDOWS)
def test_a_phrase_means_its_window(where: str, query: str, since: str | None, until: str | None) -> None:
    found = read(where, query)
    assert found is not None
    assert (found.since, found.until, found.note) == (moment(since), moment(until), None)
    assert [query[start:end] in found.phrase for start, end in found.spans] == [True] * len(found.spans)
    assert (found.start, found.end) == (found.spans[0][0], found.spans[-1][1])


def test_the_table_is_wide_enough() -> None:
    zones = {ASKED[where][0] for where, *_ in WINDOWS}
    assert len(WINDOWS) >= 60
    assert len(zones) >= 5


def test_the_days_on_which_clocks_change_have_23_and_25_hours() -> None:
    for where, hours in (("new york on a monday", 23), ("new york in november", 25), ("sao paulo", 23)):
        found = read(where, "yesterday")
        assert found is not None and found.since is not None and found.until is not None
        assert found.until - found.since == timedelta(hours=hours)


def test_an_hour_that_clocks_jumped_over_gives_no_window_and_says_so() -> None:
    found = read("new york on a monday", "yesterday at 2am")
    assert found is not None and not found.found
    assert found.note is not None and "jumped" in found.note


def test_a_day_that_a_country_left_out_gives_no_window() -> None:
    found = read("apia", "on 2011-12-30")
    assert found is not None and not found.found
    assert found.note is not None and "jumped" in found.note


@pytest.mark.parametrize(
    ("first_month", "query", "since", "until"),
    [
        (7, "FY25", "2024-07-01T00:00-04:00", "2025-07-01T00:00-04:00"),
        (7, "FY2025 Q1", "2024-07-01T00:00-04:00", "2024-10-01T00:00-04:00"),
        (7, "fiscal year 2025", "2024-07-01T00:00-04:00", "2025-07-01T00:00-04:00"),
        (7, "in Q3", "2025-01-01T00:00-05:00", "2025-04-01T00:00-04:00"),
        (7, "Q4 FY24", "2024-04-01T00:00-04:00", "2024-07-01T00:00-04:00"),
        (7, "last fiscal year", "2023-07-01T00:00-04:00", "2024-07-01T00:00-04:00"),
        (2, "this quarter", "2025-02-01T00:00-05:00", "2025-05-01T00:00-04:00"),
        (2, "Q4 FY25", "2024-11-01T00:00-04:00", "2025-02-01T00:00-05:00"),
        (1, "this fiscal year", "2025-01-01T00:00-05:00", "2026-01-01T00:00-05:00"),
    ],
)
def test_quarters_follow_the_fiscal_year(first_month: int, query: str, since: str, until: str) -> None:
    found = read("new york", query, fiscal_first_month=first_month)
    assert found is not None
    assert (found.since, found.until) == (moment(since), moment(until))


# --- zones, notes -------------------------------------------------------------------------------------

NOON = datetime(2025, 3, 12, 12, tzinfo=UTC)


@pytest.mark.parametrize("query", ["yesterday", "since Monday", "last 2 months", "in Q3", "on 2025-03-09"])
def test_calendar_words_without_a_timezone_give_no_window_and_say_what_they_need(query: str) -> None:
    found = read_time(query, zone=None, reference=NOON)
    assert found is not None and not found.found and found.needs_timezone
    assert found.note is not None and "owner_timezone" in found.note and found.phrase in found.note


@pytest.mark.parametrize(
    ("query", "since"),
    [
        ("in the last 3 hours", NOON - timedelta(hours=3)),
        ("the past 7 days", NOON - timedelta(days=7)),
        ("since 2025-03-01T00:00:00+02:00", datetime(2025, 2, 28, 22, tzinfo=UTC)),
    ],
)
def test_what_needs_no_timezone_asks_for_none(query: str, since: datetime) -> None:
    found = read_time(query, zone=None, reference=NOON)
    assert found is not None and found.since == since and found.until == NOON
    assert found.ends_now and not found.needs_timezone and found.note is None


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("last week or in January", "'last week', 'January' name different times"),
        ("after Monday and before last Friday", "name different times"),
        ("on 2025-02-30", "'2025-02-30' is no day"),
        ("on 2025-13-01", "'2025-13-01' is no day"),
        ("on Feb 30, 2024", "'February 30, 2024' is no day"),
        ("in 2025-W53", "'2025-w53' is no week"),
        ("on 03/04/2025", "of March or of April"),
        ("from March 10, 2025 to March 3, 2025", "ends before it begins"),
        ("a few days ago", "'a few days ago' names no exact time"),
        ("the last couple of weeks", "names no exact time"),
        ("what changed recently", "'recently' names no exact time"),
        ("the other day", "names no exact time"),
        ("since 2025-03-01T25:00:00Z", "is no time"),
        ("the last 999999 years", "outside the years 1 to 9999"),
    ],
)
def test_what_cannot_be_reckoned_gives_no_window_and_says_why(query: str, says: str) -> None:
    found = read("new york", query)
    assert found is not None and not found.found
    assert found.note is not None and says in found.note and found.note.endswith("no window was applied")


EVERYWHERE = """
    yesterday; tomorrow; last year; next year; in March; last 2 years; this week; since Monday; on Feb 29;
    in week 53; in Q1; last 30 days; today; tonight; between Monday and Friday; FY25
"""


@pytest.mark.parametrize("year", [1, 9999])
@pytest.mark.parametrize("zone", ["Pacific/Auckland", "America/Los_Angeles"])
@pytest.mark.parametrize("query", [query.strip() for query in EVERYWHERE.split(";")])
def test_the_first_and_the_last_year_never_overflow(year: int, zone: str, query: str) -> None:
    for month, day in ((1, 1), (6, 15), (12, 31)):
        asked = datetime(year, month, day, 12, tzinfo=UTC)
        found = read_time(query, zone=ZoneInfo(zone), reference=asked)
        assert found is not None
        assert found.found is (found.note is None)


def test_a_window_beyond_the_calendar_says_so() -> None:
    for query, asked in (("yesterday", datetime(1, 1, 1, 12)), ("next year", datetime(9999, 5, 1))):
        found = read_time(query, zone=ZoneInfo("UTC"), reference=asked.replace(tzinfo=UTC))
        assert found is not None and not found.found
        assert found.note is not None and "years 1 to 9999" in found.note


def test_a_window_longer_than_a_caller_may_give_says_so() -> None:
    longer, shorter = read("new york", "last year"), read("new york", "last month")
    assert longer is not None and longer.found and longer.over_bound
    assert shorter is not None and not shorter.over_bound


VOCABULARY = """
    yesterday today tomorrow tonight the a an last this next past previous week weeks month year quarter
    day days hour hours minutes weekend fortnight monday friday Sat march March May Feb 29 30 31 0 1 12 99
    2024 2025 9999 0001 1st 31st 3pm 13pm 25:61 14:00 noon midnight am pm Q1 Q4 q9 H2 FY25 FY W53 2025-W53
    2025-02-30 0000-00-00 2025-03-09T02:30 2025-03-09T02:30+99:00 99/99/9999 13.13.2024 since until before
    after from to between and by of in on at during - – , . ? ago early mid end beginning half first third
    fiscal earlier later so far few more less than up as or week's Monday's other recently gestern 昨天 3月
    hier nous il y 999999 ² ٣ İ \0
"""


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.sampled_from(VOCABULARY.split()), max_size=12).map(" ".join), st.sampled_from(sorted(ASKED))
)
def test_no_words_in_any_order_are_an_error(query: str, where: str) -> None:
    for zone in (ZoneInfo(ASKED[where][0]), None):
        found = read_time(query, zone=zone, reference=datetime.fromisoformat(ASKED[where][1]))
        if found is not None:
            assert found.found is (found.note is None)
            assert found.since is None or found.until is None or found.since < found.until
            assert 0 <= found.start <= found.end <= len(query)


@given(st.text(max_size=60))
def test_no_text_is_an_error(query: str) -> None:
    read_time(query, zone=None, reference=NOON)
    without_time(query)


# --- what is left -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "rest"),
    [
        ("why did we change the lock yesterday", "why did we change the lock"),
        ("last week, what was decided about retries?", ", what was decided about retries?"),
        ("since Monday but before Wednesday", "but"),
        ("how does it work", "how does it work"),
    ],
)
def test_the_topic_is_the_query_without_its_time(query: str, rest: str) -> None:
    assert re.sub(r"\s+", " ", without_time(query)) == rest


def test_a_query_that_is_all_time_keeps_its_words_as_its_topic() -> None:
    found = read("new york", "last week")
    assert found is not None and found.topic("last week") == "last week"


def test_a_pasted_text_is_not_read_for_times() -> None:
    assert read("new york", "on Monday " + "line of a log " * MOST_WORDS) is None
    assert read("new york", "2025-03-09 " * (MOST_WORDS + 1)) is None


def test_words_in_quotes_are_talked_about_and_not_meant() -> None:
    assert read("new york", 'what does the "last week" button do') is None
    assert read("new york", "where is `yesterday` computed") is None
    assert read("new york", '"yesterday"') is not None


def test_reading_english_loads_no_date_library() -> None:
    code = (
        "import sys; from datetime import UTC, datetime; from afresh.text.time_phrases import read_time;"
        "[read_time(query, zone=None, reference=datetime(2025, 3, 12, tzinfo=UTC))"
        " for query in ('what did I do yesterday', 'how does the lock work', 'since May 3')];"
        "sys.exit('dateparser' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], timeout=60, check=False).returncode == 0
