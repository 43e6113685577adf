"""recall in time: windows that are given or read off the words, orders, feeds, and what comes first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from afresh.errors import InvalidArgumentError

DAY = timedelta(days=1)
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def at(moment):
    return moment.isoformat()


@pytest.fixture
def diary(desk):
    """Ten notes about locks, one a day, the last today."""
    ids = []
    for day in range(10):
        desk.clock.now = NOW - (9 - day) * DAY
        saved = desk.ask("memory_save", content=f"Lock number {day} of the billing job was changed.")
        ids.append(saved.id)
    desk.clock.now = NOW
    return ids


def recall(desk, query="which lock of the billing job was changed", **arguments):
    return desk.ask("recall", query=query, **{"limit": 50, **arguments}).result


def ids_of(result):
    return [memory.id for memory in result.memories]


def test_a_window_is_half_open(desk, diary):
    result = recall(desk, since=at(NOW - 3 * DAY), until=at(NOW - DAY))
    assert sorted(ids_of(result)) == diary[6:8]
    assert (result.window.source, result.window.since) == ("explicit", NOW - 3 * DAY)


def test_time_words_are_read_with_the_owners_timezone(desk, diary):
    result = recall(
        desk, "which lock of the billing job was changed yesterday", owner_timezone="Europe/Berlin"
    )
    assert ids_of(result) == [diary[8]]
    assert (result.window.source, result.window.timezone) == ("inferred", "Europe/Berlin")
    assert result.window.until == datetime(2026, 2, 28, 23, 0, tzinfo=UTC)


def test_without_a_timezone_no_window_is_applied_and_the_note_says_so(desk, diary):
    result = recall(desk, "which lock of the billing job was changed yesterday")
    assert len(result.memories) == 10
    assert (result.window.since, result.window.source) == (None, None)
    assert "owner_timezone" in result.window.note


def test_a_reference_moves_now(desk, diary):
    result = recall(
        desk,
        "which lock of the billing job was changed yesterday",
        owner_timezone="UTC",
        reference_time="2026-02-26",
    )
    assert ids_of(result) == [diary[5]]


def test_what_is_returned_can_be_in_the_order_of_time(desk, diary):
    assert ids_of(recall(desk, time_order="asc")) == diary
    result = recall(desk, time_order="desc")
    assert (ids_of(result), result.order, result.mode) == (diary[::-1], "desc", "topic")


def test_the_axis_says_which_time_counts(desk, diary):
    old = desk.ask(
        "memory_save",
        content="The lock of the billing job was changed in May.",
        event_time="2025-05-04T10:00:00Z",
    ).id
    window = {"since": "2025-05-01T00:00:00Z", "until": "2025-06-01T00:00:00Z"}
    assert ids_of(recall(desk, **window)) == [old]
    assert ids_of(recall(desk, temporal_axis_mode="event", **window)) == [old]
    assert ids_of(recall(desk, temporal_axis_mode="recorded", **window)) == []


def test_a_feed_pages_through_everything_in_the_window_in_order(desk, diary):
    arguments = {
        "query": "anything at all",
        "query_mode": "activity_log",
        "since": at(NOW - 9 * DAY),
        "until": at(NOW + DAY),
        "limit": 3,
    }
    seen, following = [], None
    while True:
        page = desk.ask("recall", **arguments, **({"cursor": following} if following else {})).result
        seen += ids_of(page)
        assert (page.mode, page.order) == ("activity_log", "asc")
        # What is saved meanwhile comes at the end, and nothing is given twice.
        if len(seen) == 6:
            late = desk.ask("memory_save", content="A late note about something else.").id
        following = page.next_cursor
        if following is None:
            break
    assert seen == [*diary, late]


def test_a_question_that_plainly_asks_for_a_feed_gets_one(desk, diary):
    result = recall(desk, "what did we do yesterday", owner_timezone="UTC")
    assert (result.mode, ids_of(result)) == ("activity_log", [diary[8]])
    assert recall(desk, "what did we do yesterday", owner_timezone="UTC", query_mode="topic").mode == "topic"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"query_mode": "activity_log"}, "needs both since and until"),
        (
            {"query_mode": "activity_log", "since": "2026-01-01T00:00:00Z"},
            "since is 2026-01-01T00:00:00Z, until is not given",
        ),
        ({"since": "2026-01-01T00:00:00"}, "RFC 3339 with an offset"),
        ({"since": "2026-01-02T00:00:00Z", "until": "2026-01-01T00:00:00Z"}, "until must be after since"),
        ({"since": "2026-01-01T00:00:00Z", "until": "2026-04-02T00:00:01Z"}, "90 days apart at most"),
        ({"owner_timezone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"reference_time": "2026-01-01T00:00:00"}, "has no offset"),
        ({"reference_time": "soon"}, "ISO 8601"),
        ({"cursor": "nonsense"}, "only a feed has pages"),
        ({"temporal_axis_mode": "both"}, "temporal_axis_mode"),
        ({"limit": 0}, "limit"),
        ({"limit": 51}, "limit"),
        ({"query": ""}, "query"),
        ({"memory_type": "opinion"}, "memory_type"),
    ],
)
def test_what_cannot_be_is_refused_by_name(desk, diary, arguments, told):
    with pytest.raises(InvalidArgumentError, match=told):
        recall(desk, **arguments)


def test_a_cursor_that_is_none_is_refused(desk, diary):
    window = {"query_mode": "activity_log", "since": at(NOW - 9 * DAY), "until": at(NOW)}
    following = recall(desk, limit=2, **window).next_cursor
    with pytest.raises(InvalidArgumentError, match="none of this tool"):
        recall(desk, cursor="nonsense", **window)
    with pytest.raises(InvalidArgumentError, match="first page"):
        recall(desk, cursor=following, time_order="desc", **window)


def test_a_reference_at_the_end_of_time_is_answered(desk, diary):
    result = recall(
        desk, "what changed next year", owner_timezone="UTC", reference_time="9999-12-31T23:00:00Z"
    )
    assert result.window.since is None and result.window.note


def test_ninety_days_are_allowed(desk, diary):
    assert recall(desk, since="2026-01-01T00:00:00Z", until="2026-04-01T00:00:00Z").memories


def test_working_memories_come_first_and_the_own_sessions_before_others(desk, diary):
    other = desk.ask(
        "memory_save",
        content="Right now the lock of the billing job is being changed by another.",
        memory_type="working",
        session_id="theirs",
    ).id
    own = desk.ask(
        "memory_save",
        content="The lock of the billing job: half of it is changed.",
        memory_type="working",
        session_id="mine",
    ).id
    result = recall(desk, prefer_working=True, session_id="mine", limit=3)
    assert ids_of(result)[:2] == [own, other] and len(result.memories) == 3


def test_a_guess_at_the_answer_is_searched_beside_the_query(desk):
    saved = desk.ask("memory_save", content="Retries use exponential backoff with jitter, five at most.").id
    assert saved not in ids_of(recall(desk, "policy when the upstream misbehaves"))
    found = recall(
        desk,
        "policy when the upstream misbehaves",
        hypothetical_answer="Requests are retried with exponential backoff and jitter.",
    )
    assert ids_of(found) == [saved]


def test_explained_parts_sum_to_the_score(desk, diary):
    result = recall(desk, explain=True, hypothetical_answer="Lock number 3 was changed.")
    for hit in result.explain.hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=1e-5)
