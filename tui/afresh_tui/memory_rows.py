"""Memories as rows of a list and as a page of the preview. Pure: columns in, content out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from rich.cells import cell_len, set_cell_size
from textual.content import Content, Span

from afresh_tui.inert import inert, one_line, shown
from afresh_tui.matching import lit
from afresh_tui.wording import counted, freshness_mark, long_age, short_age, told_time

if TYPE_CHECKING:
    from afresh.contracts import CitedSource, ExplainedHit, ExplainStep, MemoryRecord, RecalledMemory

_TYPES = 10
"""Columns of a memory's type: `convention` is the longest."""
_AGE = 4
_SCORE = 4
_SOURCES = 3
LIT = "$match-text on $match"
"""How a word that was matched looks."""
_LIT_BEGINNING = 20_000
"""So much of a text is searched for words to light when a row is drawn."""


@dataclass(frozen=True, slots=True)
class Row:
    """One memory in a list."""

    memory: RecalledMemory
    scored: bool
    """Whether it has a score to show."""
    near: bool = False
    """It is no answer: only the nearest."""


def row_lines(row: Row, width: int, now: datetime, query: str) -> list[Content]:
    """Two lines: mark, type, beginning, age and score; then where it belongs and where it came from.

    The mark is a sign with a colour, and stands beside its word in the second line.
    """
    memory = row.memory
    status, impact = _standing(memory)
    sign, word, style = freshness_mark(status, impact)
    tail = short_age(memory.event_time or memory.created_at, now).rjust(_AGE)
    if row.scored:
        tail += f"  {memory.score:.2f}"
    tail += " "
    room = width - 2 - _TYPES - 1 - len(tail) - 2
    text = _beginning(memory.content, max(room, 8), query, dim=row.near)
    kind = one_line(memory.type, _TYPES).ljust(_TYPES)
    first = Content.assemble(
        ("~ ", "$text-muted") if row.near else (f"{sign} ", style),
        (f"{kind} ", "$text-muted" if row.near else "$text-secondary"),
        text,
        (f"  {tail}", "$text-muted"),
    )
    parts: list[str | tuple[str, str]] = [(" " * 2, "")]
    told = [
        part
        for part in (
            f"#{memory.id}",
            one_line(memory.path, 60),
            _source(memory),
            ", ".join(one_line(tag, 30) for tag in memory.tags),
            f"superseded by #{memory.superseded_by}" if memory.superseded_by is not None else "",
            "expired" if memory.expired else "",
        )
        if part
    ]
    if word:
        parts += [(word, style), (" · ", "$text-muted")]
    parts.append((" · ".join(told), "$text-muted"))
    return [first, Content.assemble(*parts)]


def _beginning(content: str, room: int, query: str, *, dim: bool) -> Content:
    """The beginning of a text in so many columns, or from before its first match where that is further on."""
    flat = one_line(content[:_LIT_BEGINNING], 4000)
    spans = lit(flat, query) if query else []
    if spans and cell_len(flat[: spans[0][1]]) > room - 2:
        cut = max(spans[0][0] - room // 3, 0)
        blank = flat.find(" ", cut, spans[0][0])
        cut = blank + 1 if blank >= 0 else cut
        flat = f"…{flat[cut:]}"
        spans = [(start - cut + 1, end - cut + 1) for start, end in spans]
    fits = flat if cell_len(flat) <= room else f"{set_cell_size(flat, room - 1)}…"
    padded = fits + " " * (room - cell_len(fits))
    marks = [Span(start, min(end, len(fits)), LIT) for start, end in spans if start < len(fits)]
    return Content(padded, [*([Span(0, len(padded), "$text-muted")] if dim else []), *marks])


def _standing(memory: RecalledMemory | MemoryRecord) -> tuple[str | None, str | None]:
    return (memory.freshness.status, memory.freshness.impact) if memory.freshness else (None, None)


def _source(memory: RecalledMemory) -> str:
    source = memory.source
    if source.path:
        return f"{one_line(source.path, 80)}:{source.line}" if source.line else one_line(source.path, 80)
    return f"by {one_line(memory.agent_id, 40)}" if memory.agent_id else ""


# --- the preview ----------------------------------------------------------------------------------------


def preview(
    row: Row,
    record: MemoryRecord | None,
    explained: ExplainedHit | None,
    steps: Sequence[ExplainStep],
    query: str,
    now: datetime,
    zone: tzinfo,
    width: int,
) -> list[Content]:
    """A whole memory as paragraphs: what it is, how it stands, its text with the matched words lit, its
    sources.

    `record` is None until it was read; `explained` where its score is to be taken apart.
    """
    memory = row.memory
    lines = [_title(memory), _when(memory, now, zone)]
    standing = _told_standing(memory)
    if standing is not None:
        lines.append(standing)
    lines.append(Content(""))
    if explained is not None:
        lines += [*explained_bars(explained, steps, width), Content("")]
    lines += lit_paragraphs(memory.content, query)
    sources = _sources(memory, record)
    if sources:
        lines += [Content(""), *sources]
    return lines


def lit_paragraphs(text: str, query: str) -> list[Content]:
    """A text line by line, inert, with the words of a query lit."""
    plain = shown(text.rstrip()).text
    spans = lit(plain, query) if query else []
    made = Content(plain, [Span(start, end, LIT) for start, end in spans])
    return list(made.split("\n", allow_blank=True))


def _title(memory: RecalledMemory) -> Content:
    parts: list[str | tuple[str, str]] = [
        (f"#{memory.id} ", "bold $text-primary"),
        (one_line(memory.type, 20), "bold"),
    ]
    if memory.path:
        parts += [("  ", ""), (one_line(memory.path, 200), "$text-secondary")]
    parts.append((f"  {one_line(memory.project, 60)}", "$text-muted"))
    return Content.assemble(*parts)


def _when(memory: RecalledMemory, now: datetime, zone: tzinfo) -> Content:
    told = [f"saved {long_age(memory.created_at, now)}, {told_time(memory.created_at, zone)}"]
    if memory.event_time is not None and memory.event_time != memory.created_at:
        told.append(f"happened {told_time(memory.event_time, zone)}")
    if memory.agent_id:
        told.append(f"by {one_line(memory.agent_id, 60)}")
    if memory.branch:
        told.append(f"on {one_line(memory.branch, 60)}")
    if memory.superseded_by is not None:
        told.append(f"superseded by #{memory.superseded_by}")
    if memory.expired:
        told.append("expired")
    return Content.styled(" · ".join(told), "$text-muted")


def _told_standing(memory: RecalledMemory) -> Content | None:
    if memory.freshness is None:
        return None
    sign, word, style = freshness_mark(*_standing(memory))
    changed = [*memory.freshness.changed_files, *memory.freshness.missing_files]
    files = "" if not changed else f"  {', '.join(one_line(path, 80) for path in changed[:_SOURCES])}"
    more = f" and {len(changed) - _SOURCES} more" if len(changed) > _SOURCES else ""
    return Content.assemble((f"{sign} {word}", f"bold {style}"), (f"{files}{more}", style))


def _sources(memory: RecalledMemory, record: MemoryRecord | None) -> list[Content]:
    lines: list[Content] = []
    if memory.source.path:
        lines.append(_source_line("from", f"{inert(memory.source.path)}", memory.source.line))
    for cited in record.files if record is not None else ():
        lines += _cited(cited)
    if record is not None and record.version > 1:
        told = f"changed {counted(record.version - 1, 'time')}, the earlier states are kept"
        lines.append(Content.styled(told, "$text-muted"))
    return lines


def _cited(cited: CitedSource) -> list[Content]:
    if not cited.spans:
        return [_source_line("cites", inert(cited.path), None)]
    return [
        _source_line("cites", inert(cited.path), span.start_line, span.end_line, inert(span.symbol or ""))
        for span in cited.spans
    ]


def _source_line(
    word: str, path: str, first: int | None, last: int | None = None, symbol: str = ""
) -> Content:
    lines = "" if first is None else f":{first}" if last in (None, first) else f":{first}-{last}"
    return Content.assemble(
        (f"{word} ", "$text-muted"),
        (f"{path}{lines}", "underline $text-primary"),
        f"  {symbol}" if symbol else "",
    )


# --- explain --------------------------------------------------------------------------------------------


def explained_bars(hit: ExplainedHit, steps: Sequence[ExplainStep], width: int) -> list[Content]:
    """A score as bars by part, and the steps of the search with their times."""
    names = {name: inert(name) for name in hit.parts}
    label = max([*(len(name) for name in names.values()), 5])
    room = max(min(width - label - 12, 40), 4)
    widest = max([*(abs(part) for part in hit.parts.values()), 1e-9])
    lines = [Content.assemble(("score ", "bold"), (f"{hit.score:.3f}", "bold $text-primary"))]
    for name, part in sorted(hit.parts.items(), key=lambda item: -abs(item[1])):
        lines.append(
            Content.assemble(
                (f"{names[name].rjust(label)} ", "$text-muted"),
                (bar(abs(part) / widest, room).ljust(room), "$text-error" if part < 0 else "$bar"),
                f" {part:+.3f}",
            )
        )
    told = " · ".join(f"{inert(step.step)} {step.elapsed_ms:.1f} ms" for step in steps)
    if told:
        lines.append(Content.styled(told, "$text-muted"))
    return lines


def bar(share: float, width: int) -> str:
    """A bar of so many columns at share 1, in halves of a column."""
    whole, half = divmod(round(max(0.0, min(share, 1.0)) * width * 2), 2)
    return "━" * whole + "╸" * half


def told_window(window: Mapping[str, object]) -> str:
    """A window of time in words; empty for none."""
    since, until = window.get("since"), window.get("until")
    parts = [f"from {since:%Y-%m-%d}" if isinstance(since, datetime) else ""]
    parts.append(f"to {until:%Y-%m-%d}" if isinstance(until, datetime) else "")
    return " ".join(part for part in parts if part)
