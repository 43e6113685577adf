"""How stale conclusions look in a list, and the sentences around it. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from afresh_tui.inert import inert, one_line
from afresh_tui.screens.stale_filter import authors_of
from afresh_tui.widgets.diff_fold import cut, cut_left
from afresh_tui.wording import counted, freshness_mark, long_age, short_age, word_of

if TYPE_CHECKING:
    from afresh.verbs import StaleItem, StaleResult

IMPACTS = ("gone", "edited", "moved", "docs_only", "cosmetic", "elsewhere", "eol_only")
"""From the gravest to the lightest."""
_WORD = 10


def row(item: StaleItem, now: datetime, width: int, lines: int) -> list[Content]:
    """One item: its impact and question, and below, where there is room, its files, who and when."""
    sign, word, style = freshness_mark("stale", item.impact)
    if lines == 1:
        age = short_age(item.updated_at, now)
        room = width - _WORD - 2 - cell_len(age) - 1
        title = cut(one_line(item.title), room)
        padding = " " * max(1, room - cell_len(title) + 1)
        return [Content.assemble((f"{sign} {word:<{_WORD}}", style), title, padding, (age, "$text-muted"))]
    first = Content.assemble((f"{sign} {word:<{_WORD}}", style), cut(one_line(item.title), width - _WORD - 2))
    author = next((f"{one_line(name, 18)} " for name in authors_of(item)), "")
    tail = f" · {author}{short_age(item.updated_at, now)}"
    path = cut_left(_paths(item), width - cell_len(tail) - 2)
    return [first, Content.styled(f"  {path}{tail}", "$text-muted")]


def _paths(item: StaleItem) -> str:
    """The file that weighs most, and how many others."""
    changed = [*item.missing_files, *item.changed_files] or item.files
    first = inert(changed[0]) if changed else "no file"
    return f"{first} +{len(changed) - 1}" if len(changed) > 1 else first


def summary(result: StaleResult, shown: Sequence[StaleItem], filtered: bool) -> str:
    """What the list holds: how many of each impact, and how many stand."""
    counts = Counter[str](item.impact for item in shown)
    told = ", ".join(f"{counts[impact]:,} {word_of(impact)}" for impact in IMPACTS if counts[impact])
    count = f"{len(shown):,} of {len(result.items):,} stale" if filtered else f"{len(shown):,} stale"
    skipped = f" · {len(result.skipped):,} not judged" if result.skipped else ""
    return f"{count}{f': {told}' if told else ''}{skipped} · {result.fresh:,} fresh"


def nothing(result: StaleResult) -> Content:
    """What is said where nothing is stale."""
    if not result.judged:
        return Content.assemble(
            ("Nothing was recorded yet.\n\n", "bold"),
            "Conclusions about code, recorded by an agent or with `afresh record`,\n"
            "are judged here against the disk.",
        )
    stand = counted(result.fresh, "conclusion or memory stands", "conclusions and memories stand")
    skipped = f"\n{counted(len(result.skipped), 'other')} could not be judged." if result.skipped else ""
    return Content.assemble(
        ("● Nothing is stale.\n\n", "bold $text-success"),
        f"{stand} as recorded.{skipped}",
    )


def heading(item: StaleItem, now: datetime) -> str:
    """One line about an item, above its text."""
    what = f"Memo #{item.id}" if item.kind == "memo" else f"Memory #{item.id}"
    age = long_age(item.updated_at, now)
    return f"{what} · {word_of(item.impact)} · recorded {age} · {counted(len(item.files), 'file')}"


def conclusion(item: StaleItem, *, with_title: bool) -> list[Content]:
    """An item's question, unless it can be read elsewhere, and what was concluded, as paragraphs."""
    text = [Content(line) for line in inert(item.text).strip("\n").split("\n")]
    if item.kind == "memory" or not with_title:
        return text
    return [Content.styled(one_line(item.title, 2000), "bold"), *text]
