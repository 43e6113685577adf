"""Text for people: lines of styled spans, written plain to a pipe and in colour to a terminal.

Results hold text that others wrote, so everything that is shown passes through `inert` first: a memory
can't move the cursor, change colours or turn the reading direction of a terminal.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TextIO

_DANGEROUS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""C0 without tab and line feed, DEL, C1, the marks that turn text direction, and lone surrogates."""


def inert(text: object) -> str:
    """Text that a terminal only shows: control characters become visible pictures or escapes."""
    plain = str(text).replace("\r\n", "\n").expandtabs(4)
    return _DANGEROUS.sub(_visible, plain)


def one_line(text: object, limit: int = 76) -> str:
    """The beginning of a text on one line, with an ellipsis where it was cut."""
    flat = " ".join(inert(text).split())
    return flat if len(flat) <= limit else f"{flat[: limit - 1].rstrip()}…"


def _visible(match: re.Match[str]) -> str:
    code = ord(match.group())
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


@dataclass(frozen=True, slots=True)
class Line:
    """One line, or a paragraph that a terminal wraps, each part with its style."""

    parts: tuple[tuple[str, str], ...] = ()
    """Text and rich style; "" is the terminal's own."""
    indent: int = 0
    hang: int = 0
    """Columns at the beginning that stay empty in what a terminal wraps, such as a line's number."""

    @property
    def plain(self) -> str:
        text = "".join(part for part, _ in self.parts)
        return f"{' ' * self.indent}{text}".rstrip()


def line(*parts: str | tuple[str, str], indent: int = 0, hang: int = 0) -> Line:
    """A line of parts; a part without a style is a plain string. Every part is made inert."""
    pairs = tuple((part, "") if isinstance(part, str) else part for part in parts)
    return Line(tuple((inert(text), style) for text, style in pairs), indent, hang)


def paragraph(text: object, indent: int, style: str = "", *, limit: int | None = None) -> list[Line]:
    """A text as it was written, line by line; from `limit` lines on, how many were left out."""
    rows = inert(text).strip("\n").split("\n")
    shown = rows if limit is None or len(rows) <= limit else rows[:limit]
    lines = [Line(((row.rstrip(), style),), indent) for row in shown]
    if len(shown) < len(rows):
        lines.append(Line(((f"… {counted(len(rows) - len(shown), 'more line')}", "dim"),), indent))
    return lines


def columns(rows: Sequence[Sequence[str | tuple[str, str]]], *, indent: int = 0) -> list[Line]:
    """Rows with their cells aligned; the last cell of a row is as long as it wants."""
    cells = [[(cell, "") if isinstance(cell, str) else cell for cell in row] for row in rows]
    widths: dict[int, int] = {}
    for row in cells:
        for at, (text, _) in enumerate(row[:-1]):
            widths[at] = max(widths.get(at, 0), len(inert(text)))
    return [
        Line(
            tuple(
                (inert(text).ljust(widths[at]) + "  " if at < len(row) - 1 else inert(text), style)
                for at, (text, style) in enumerate(row)
            ),
            indent,
        )
        for row in cells
    ]


def write(lines: Iterable[Line], stream: TextIO) -> None:
    """Write lines: to a terminal wrapped and in its colours (NO_COLOR is honoured), else as plain text."""
    if not stream.isatty():
        stream.writelines(f"{item.plain}\n" for item in lines)
        stream.flush()
        return
    from rich.console import Console
    from rich.padding import Padding
    from rich.text import Text

    console = Console(file=stream, highlight=False, markup=False, emoji=False)
    for item in lines:
        text = Text()
        for part, style in item.parts:
            text.append(part, style=style)
        if item.hang:
            head, *rest = text.divide([item.hang])
            room = max(8, console.width - item.indent - item.hang)
            wrapped = Text().join(rest).wrap(console, room, overflow="fold") or [Text()]
            gutter = Text(" " * item.hang)
            text = Text("\n").join((gutter if at else head) + row for at, row in enumerate(wrapped))
        console.print(Padding(text, (0, 0, 0, item.indent), expand=False) if item.indent else text)


# --- words for values -------------------------------------------------------------------------------------


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: `1 file`, `2,000 files`."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def word_of(name: str) -> str:
    """A name of the contracts as a word: `docs only` for `docs_only`."""
    return name.replace("_", " ")


def told_time(moment: str | None, now: datetime) -> str:
    """An RFC 3339 time, relative and absolute: `3 hours ago (2026-05-01 14:02 UTC)`."""
    if moment is None:
        return "never"
    try:
        then = datetime.fromisoformat(moment.replace("Z", "+00:00")).astimezone(UTC)
    except ValueError:
        return inert(moment)
    return f"{_relative((now - then).total_seconds())} ({then:%Y-%m-%d %H:%M} UTC)"


def _relative(seconds: float) -> str:
    if abs(seconds) < 60:
        return "just now"
    for size, unit in (
        (31_557_600, "year"),
        (2_629_800, "month"),
        (86_400, "day"),
        (3600, "hour"),
        (60, "minute"),
    ):
        if abs(seconds) >= size:
            told = counted(int(abs(seconds) // size), unit)
            return f"{told} ago" if seconds > 0 else f"in {told}"
    raise AssertionError("a minute is the smallest unit")


def told_bytes(size: int) -> str:
    """A size as people read it: `1.5 MB`."""
    amount = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if amount < 1000 or unit == "GB":
            return f"{size} bytes" if unit == "bytes" else f"{amount:.1f} {unit}"
        amount /= 1000
    raise AssertionError("every size is below the last unit's bound")


def told_seconds(seconds: float) -> str:
    """A duration as people read it: `0.42 s`, `3 min 5 s`, `2 h 10 min`."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def freshness_mark(freshness: Mapping[str, Any]) -> tuple[str, str]:
    """`● fresh` or `▲ stale (2 changed, 1 missing)`, never told by colour alone; with its style."""
    if freshness["status"] == "fresh":
        return "● fresh", "green"
    found = [
        f"{len(freshness[key])} {word}"
        for key, word in (
            ("changed_files", "changed"),
            ("missing_files", "missing"),
            ("unverifiable_files", "unverifiable"),
        )
        if freshness.get(key)
    ]
    impact = freshness.get("impact")
    worst = f": {impact.replace('_', ' ')}" if impact else ""
    return f"▲ stale ({', '.join(found)}){worst}" if found else f"▲ stale{worst}", "yellow"
