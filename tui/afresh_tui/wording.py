"""Values as words: counts, ages, sizes, and the marks that are never told by colour alone. Pure."""

from __future__ import annotations

from datetime import datetime, tzinfo

_AGES = (
    (31_557_600, "y", "year"),
    (2_629_800, "mo", "month"),
    (604_800, "w", "week"),
    (86_400, "d", "day"),
    (3600, "h", "hour"),
    (60, "m", "minute"),
)


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: `1 file`, `2,000 files`."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def word_of(name: str) -> str:
    """A name of the contracts as words: `docs only` for `docs_only`."""
    return name.replace("_", " ")


def short_age(moment: datetime, now: datetime) -> str:
    """How long ago, in four columns at most: `now`, `5m`, `3h`, `2d`, `7w`, `11mo`, `3y`."""
    seconds = (now - moment).total_seconds()
    if seconds < 60:
        return "now"
    size, unit, _ = next(age for age in _AGES if seconds >= age[0])
    return f"{int(seconds // size)}{unit}"


def long_age(moment: datetime, now: datetime) -> str:
    """How long ago, in words: `just now`, `3 hours ago`, `in 2 days`."""
    seconds = (now - moment).total_seconds()
    if abs(seconds) < 60:
        return "just now"
    size, _, unit = next(age for age in _AGES if abs(seconds) >= age[0])
    told = counted(int(abs(seconds) // size), unit)
    return f"{told} ago" if seconds > 0 else f"in {told}"


def told_time(moment: datetime, zone: tzinfo) -> str:
    """A time in a zone, to the minute."""
    return f"{moment.astimezone(zone):%Y-%m-%d %H:%M}"


def told_bytes(size: int) -> str:
    """A size: `812 bytes`, `1.5 MB`."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000:
            return f"{size} bytes" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} TB"


def told_ms(milliseconds: float) -> str:
    """A duration: `0.4 ms`, `38 ms`, `1.2 s`, `3 min 5 s`."""
    if milliseconds < 1000:
        return f"{milliseconds:.1f} ms" if milliseconds < 10 else f"{milliseconds:.0f} ms"
    seconds = milliseconds / 1000
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def freshness_mark(status: str | None, impact: str | None = None) -> tuple[str, str, str]:
    """A sign, a word and a style for how a thing stands; a thing without sources has no mark.

    The sign is enough where there is no room for the word.
    """
    if status is None:
        return " ", "", "$text-muted"
    if status == "fresh":
        return "●", "fresh", "$text-success"
    style = "$text-error" if impact in ("edited", "gone") else "$text-warning"
    return "▲", word_of(impact) if impact else "stale", style
