"""How runs look in a list. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from rich.cells import cell_len
from textual.content import Content

from afresh_tui.inert import one_line
from afresh_tui.screens.run_story import SIGNS, Story
from afresh_tui.screens.run_timeline import style_of
from afresh_tui.widgets.diff_fold import cut
from afresh_tui.wording import counted, short_age, told_ms

if TYPE_CHECKING:
    from afresh.verbs import ListedRun


def row(
    run: ListedRun, now: datetime, width: int, lines: int, *, is_new: bool, is_first: bool
) -> list[Content]:
    """A run by its ending, its question and its age; `is_first` of the two that are to be compared."""
    sign = SIGNS.get(run.terminated_reason, "◐")
    lead = Content.assemble((f"{sign} ", style_of(run.terminated_reason)))
    if is_first:
        lead += Content.styled("⇄ ", "bold $text-accent")
    if is_new:
        lead += Content.styled("new ", "bold $text-accent")
    about = f"{run.evidence_count} found"
    age = short_age(run.started_at, now)
    if lines == 1:
        return [_ended(lead, one_line(run.query), f"{about} {age:>4}", width)]
    name = f"#{run.id}" if run.replay_of is None else f"#{run.id} replays #{run.replay_of}"
    facts = [name, about, counted(run.iterations, "search", "searches"), told_ms(run.elapsed_ms)]
    if run.project == "%":
        facts.insert(1, "all projects")
    first = _ended(lead, one_line(run.query), age, width)
    return [first, Content.styled(cut(f"  {' · '.join(facts)}", width), "$text-muted")]


def live_row(story: Story, width: int, lines: int) -> list[Content]:
    """The run that is on its way, or was taken back."""
    is_over = story.ending is not None
    lead = Content.assemble((f"{SIGNS.get(story.ending or '', '◌')} ", "$text-accent"))
    searches = f"{len(story.steps)} of {story.max_iters}"
    told = "taken back" if story.ending == "cancelled" else "failed" if is_over else searches
    first = _ended(lead, one_line(story.query), told, width)
    found = sum(len(step.new) for step in story.steps)
    about = f"  {'not stored' if is_over else 'on its way'} · {counted(found, 'memory', 'memories')} so far"
    return [first] if lines == 1 else [first, Content.styled(cut(about, width), "$text-muted")]


def _ended(lead: Content, text: str, end: str, width: int) -> Content:
    """A text with something at the right end of its line."""
    room = width - cell_len(lead.plain) - cell_len(end) - 1
    shown = cut(text, room)
    padding = " " * max(1, room - cell_len(shown) + 1)
    return lead + Content.assemble(shown, padding, (end, "$text-muted"))
