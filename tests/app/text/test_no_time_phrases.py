from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from afresh.text.time_phrases import read_time

# What developers ask: time words that mean none, numbers that are no years, names that are no months.
QUERIES = """
    May I use the cache here?
    may the force of the linter be with you
    what may fail when the lock expires
    march through the list and drop nulls
    order of march in the batch loader
    the last commit hash
    second retry after a timeout
    python 3.11 support
    upgrade to 2025.1 or keep 2024.3.2
    issue 2024
    fix line 2024 of the parser
    top 10 slow queries
    last resort fallback
    how it works now
    what does the config look like now
    today's design of the store
    how does the lock work today
    which database do we use today
    as of today which flags are supported
    the last element of the array
    last N lines of the log
    the first and last name fields
    this module versus that module
    next() on an empty iterator
    next page cursor
    previous value of the counter
    past the end of the buffer
    day of week calculation
    week numbers in the date picker
    monthly invoice job
    nightly build failures
    daily standup notes template
    why is the month column zero based
    Q4_K_M quantization
    Q4 quantization of the model
    h1 and h2 headings
    w3 validator
    16:9 aspect ratio
    error at 12:30 in main.ts
    src/main.py:12:30 type error
    port 2048 in use
    allocate 2024 bytes in the pool
    between 1024 and 2048 bytes
    up to 2024 connections
    retry within 30 days policy
    30 days retention policy
    timeout after 5 minutes of inactivity
    expires in 3 days
    5 minutes cache ttl
    run every Monday
    cron on Mondays at 3am
    the job that runs at 3am
    does the backup run on Monday
    do we deploy on Friday?
    monday.com integration
    Black Friday load test
    Sun RPC library
    sat solver performance
    mon process manager
    wed to the framework
    convert dec 10 to hex
    oct 755 permissions
    jan's branch of the parser
    review by April
    message from June about locks
    August's pull request
    the yesterday() helper function
    last_week variable in report.py
    `last week` label in the UI
    the "yesterday" button does nothing
    logs/2025-03-10.txt format
    migration 2025-03-10-add-index.sql
    v2025-03-10 tag
    CVE-2024-1234 impact
    RFC 3339 parsing
    ISO 8601 week dates
    utf-8 in 2 places
    a day in the life of a packet
    once a week job
    least recently used cache
    most recently modified file first
    up to date dependencies
    day-to-day operations
    year 2038 problem
    get the current year in Go
    copy previous month button
    last day of the month rule
    end of the month rollover bug
    last minute change of heart
    the second half of the file
    the first quarter of the buffer
    last quarter of the ring buffer
    early return in handler
    late binding closures
    mid-level engineers
    start of the transaction
    end of file
    before the migration runs
    after the release
    since the last release
    since version 2
    by default
    until the lock is free
    from main to develop
    between client and server
    half an hour timeout
    noon mode in settings
    midnight theme colours
    evening theme
    morning briefing feature
    weekend shift pattern
    is the weekend handled in the calendar
    sort by date descending
    Wednesday is spelled wrong in the enum
    enum of Monday and Tuesday
    parse "next Friday" correctly
    August Ferdinand Möbius strip
    the March algorithm of Rubin
    Jan wrote the parser
    mar file format
""".strip().splitlines()


@pytest.mark.parametrize("query", [query.strip() for query in QUERIES])
def test_a_query_that_names_no_time_gets_no_window_and_no_note(query: str) -> None:
    asked = datetime(2025, 3, 12, 14, 30, tzinfo=UTC)
    assert read_time(query, zone=ZoneInfo("America/New_York"), reference=asked) is None


@pytest.mark.parametrize("query", [query.strip() for query in QUERIES])
def test_nor_does_it_in_capitals_at_its_beginning(query: str) -> None:
    asked = datetime(2025, 3, 12, 14, 30, tzinfo=UTC)
    text = query.strip()[0].upper() + query.strip()[1:] + "?"
    assert read_time(text, zone=ZoneInfo("Europe/Berlin"), reference=asked) is None
