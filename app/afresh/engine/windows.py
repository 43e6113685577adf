"""Which time a recall is about: the caller's bounds, else the time words of its query."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from afresh.contracts import SearchArguments, Window
from afresh.errors import InvalidArgumentError
from afresh.store.memory_filter import Axis
from afresh.text.asks_feed import asks_feed
from afresh.text.time_phrases import TimeReading, read_time
from afresh.text.time_windows import UnreadableTimeError, zone_named

_A_TICK = timedelta(microseconds=1)

Mode = Literal["topic", "activity_log"]


@dataclass(frozen=True, slots=True)
class Timing:
    """The window, the axis and the mode of one recall."""

    window: Window
    axis: Axis
    mode: Mode
    topic: str
    """The query without the words of its time; all of it where nothing else is left."""


def timing(arguments: SearchArguments, now: datetime, fiscal_first_month: int) -> Timing:
    """Settle what a recall's time is.

    Raises InvalidArgumentError for a timezone that doesn't exist, for a reference without an offset where no
    timezone is given, and for a feed without bounds.
    """
    zone = _zone(arguments.owner_timezone)
    reference = _reference(arguments.reference_time, zone, now)
    axis: Axis = arguments.temporal_axis_mode or "auto"
    is_explicit = bool(arguments.since or arguments.until)
    reading = (
        None
        if is_explicit
        else read_time(arguments.query, zone=zone, reference=reference, fiscal_first_month=fiscal_first_month)
    )
    window = _window(arguments, reading)
    if arguments.query_mode == "activity_log" and not (arguments.since and arguments.until):
        raise InvalidArgumentError(
            "query_mode: activity_log gives everything in a window and needs both since and until; "
            f"since is {_sent(arguments.since)}, until is {_sent(arguments.until)}"
        )
    mode: Mode = "topic"
    bounded = window.since is not None and window.until is not None
    if arguments.query_mode == "activity_log" or (
        arguments.query_mode == "" and bounded and asks_feed(arguments.query)
    ):
        mode = "activity_log"
    topic = reading.topic(arguments.query) if reading is not None and reading.found else arguments.query
    return Timing(window, axis, mode, topic or arguments.query)


def _sent(bound: datetime | Literal[""]) -> str:
    """A bound as a caller would write it."""
    return bound.isoformat().replace("+00:00", "Z") if bound else "not given"


def _zone(name: str) -> ZoneInfo | None:
    if not name:
        return None
    try:
        return zone_named(name)
    except UnreadableTimeError as error:
        raise InvalidArgumentError(f"owner_timezone: {error}") from None


def _reference(sent: datetime | Literal[""], zone: ZoneInfo | None, now: datetime) -> datetime:
    if sent == "":
        return now
    if sent.tzinfo is not None:
        return sent
    if zone is None:
        raise InvalidArgumentError(
            f"reference_time: {sent.isoformat()} has no offset; add one, or give owner_timezone"
        )
    return sent.replace(tzinfo=zone)


def _window(arguments: SearchArguments, reading: TimeReading | None) -> Window:
    zone = arguments.owner_timezone or None
    if arguments.since or arguments.until:
        return Window(
            since=arguments.since.astimezone(UTC) if arguments.since else None,
            until=arguments.until.astimezone(UTC) if arguments.until else None,
            source="explicit",
            timezone=zone,
        )
    if reading is None:
        return Window()
    if not reading.found:
        return Window(timezone=zone, note=reading.note)
    # What is saved in the moment of asking is meant by "up to now" too.
    until = None if reading.until is None or not reading.ends_now else reading.until + _A_TICK
    return Window(
        since=reading.since,
        until=reading.until if until is None else until,
        source="inferred",
        timezone=zone,
        note=reading.note,
    )
