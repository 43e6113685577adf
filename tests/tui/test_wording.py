"""Values as words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from afresh_tui import wording

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ago", "short", "long"),
    [
        (timedelta(seconds=3), "now", "just now"),
        (timedelta(minutes=5), "5m", "5 minutes ago"),
        (timedelta(hours=1), "1h", "1 hour ago"),
        (timedelta(days=6), "6d", "6 days ago"),
        (timedelta(days=20), "2w", "2 weeks ago"),
        (timedelta(days=200), "6mo", "6 months ago"),
        (timedelta(days=4000), "10y", "10 years ago"),
        (timedelta(days=-2), "now", "in 2 days"),
    ],
)
def test_an_age_is_told_short_and_long(ago: timedelta, short: str, long: str) -> None:
    assert wording.short_age(NOW - ago, NOW) == short
    assert wording.long_age(NOW - ago, NOW) == long
    assert len(short) <= 4


def test_counts_sizes_and_durations_have_their_units() -> None:
    assert wording.counted(1, "file") == "1 file"
    assert wording.counted(2000, "memory", "memories") == "2,000 memories"
    assert wording.told_bytes(812) == "812 bytes"
    assert wording.told_bytes(48_000_000) == "48.0 MB"
    assert wording.told_bytes(3 * 10**15) == "3000.0 TB"
    assert [wording.told_ms(ms) for ms in (0.42, 38, 1200, 185_000)] == [
        "0.4 ms",
        "38 ms",
        "1.2 s",
        "3 min 5 s",
    ]


def test_a_mark_of_freshness_differs_by_its_sign_and_its_word_and_not_by_colour_alone() -> None:
    marks = [
        wording.freshness_mark(*how) for how in ((None,), ("fresh",), ("stale", "moved"), ("stale", "gone"))
    ]
    assert [mark[:2] for mark in marks] == [(" ", ""), ("●", "fresh"), ("▲", "moved"), ("▲", "gone")]
    assert wording.freshness_mark("stale", None)[1] == "stale"
