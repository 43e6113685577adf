from __future__ import annotations

import pytest

from afresh.text.asks_feed import asks_feed

FEEDS = """
    what did I do yesterday
    what did we work on last week
    what have I done today
    what happened last week
    what's new since Monday
    what has changed since yesterday
    what changed yesterday
    activity log for last week
    activity log for 2025-03-10
    show everything from Monday
    show me everything since last Friday
    list all memories from yesterday
    give me a summary of last week
    summarize yesterday
    recap of last month
    recap this week
    standup for yesterday
    timeline of last week
    catch me up on this week
    what was I working on last Tuesday
    what were we doing on Monday
    what did you save today
    what have we learned this week
    what went on over the weekend
    what's been happening since 2025-03-01
    everything from March 3 to March 7
    tell me everything that happened on Friday
    what were the changes this week
    daily log for yesterday
    history of everything in Q1
    what did the team do last week
    what did I accomplish in February
    list my activity in the last 24 hours
    show activity between Monday and Wednesday
    What did we ship last month?
    what all happened today
    my work log from last week
    changelog for last week
    what did we get done this week
    show all entries from 2025-02
""".strip().splitlines()

TOPICS = """
    why did we change the lock yesterday
    what happened to the lock yesterday
    what did we decide about retries last week
    how did the deploy go on Friday
    which tests failed yesterday
    who changed the parser last week
    where did we put the schema on Monday
    what did Anna do yesterday
    what broke in the build last night
    what changed in the parser last week
    show the migration from Monday
    list all decisions from last week
    show everything about billing since Monday
    activity log for billing last week
    activity log format
    when did we release last month
    what is the plan for today
    what do we have to do today
    what did we say about caching in March
    summary of the incident on March 3
    yesterday
    last week
    did the backup run yesterday
    what was the reason for the revert last week
    what did I learn about DuckDB yesterday
    recap of the design meeting on Friday
    what happened with issue 2024 last week
    the fix from yesterday
    what error did we see on Tuesday
    notes on the keeper from last week
    what was decided on Monday about the API
    show me the diff from yesterday
    what's new in Python 3.13 since 2024
    timeline widget changes last week
    what did we rename this month
    list open bugs since Friday
    what was the last commit yesterday
    how many tests passed today
    what did the linter report yesterday
    change log rotation since March
    session store changes last week
    event log schema last month
    what did we want to do last week
    what did we not finish yesterday
""".strip().splitlines()


@pytest.mark.parametrize("query", [query.strip() for query in FEEDS])
def test_words_that_ask_for_all_that_happened_ask_for_a_feed(query: str) -> None:
    assert asks_feed(query)
    assert asks_feed(query.capitalize() + "?")


@pytest.mark.parametrize("query", [query.strip() for query in TOPICS])
def test_a_question_about_something_is_no_feed_though_it_names_a_time(query: str) -> None:
    assert not asks_feed(query)
    assert not asks_feed(query.capitalize() + "?")


def test_no_words_ask_for_nothing() -> None:
    assert not asks_feed("?!")
