"""A run as a timeline: each search with what it found and what was concluded, then the evidence. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from textual.content import Content

from afresh_tui.screens.run_story import BRIDGE, ENDINGS, FAILED, SIGNS, Evidence, Step, Story, origin_of
from afresh_tui.widgets.diff_fold import fold_words
from afresh_tui.wording import counted, long_age, told_ms

_EVIDENCE_LINES = 3
_IDS = 24
"""Ids of one search that are told; k may be fifty."""

Part = str | tuple[str, str]


def timeline(story: Story, now: datetime, width: int) -> list[Content]:
    """The whole of a run in lines that fit into so many columns; the rail at the left joins its steps."""
    lines = [*_headed("◆ ", "$text-primary", story.query, "bold", width)]
    lines += _railed(_about(story, now), width, "$text-muted")
    if len(story.parts) > 1:
        lines += _railed([f"split into {counted(len(story.parts), 'question')}:"], width, "$text-muted")
        for number, part in enumerate(story.parts, start=1):
            lines += _railed([f"{number}. {part}"], width, "")
    for step in story.steps:
        lines.append(_rail())
        lines += _step(story, step, width)
    lines.append(_rail())
    lines += _end(story, width)
    if story.evidence:
        lines += [Content(""), *evidence(story.evidence, width)]
    return lines


def evidence_line(story: Story, now: datetime, width: int) -> int:
    """In which line of the timeline the evidence begins."""
    if not story.evidence:
        return 0
    return len(timeline(story, now, width)) - len(evidence(story.evidence, width))


def evidence(pieces: Sequence[Evidence], width: int) -> list[Content]:
    """Every piece, best first, and how it was reached."""
    lines = [Content.styled(f"Evidence, best first ({len(pieces)})", "bold $text-primary")]
    for piece in pieces:
        lines.append(Content(""))
        head: list[Part] = [(f"#{piece.id}", "bold"), (f"  {piece.score:.2f}", "$text-muted")]
        if piece.is_changed:
            head.append(("  ≠ changed since", "$text-warning"))
        lines.append(Content.assemble(*head))
        if piece.content is None:
            lines.append(Content.styled("  deleted since", "$text-muted"))
        else:
            lines += _shortened(piece.content, width)
        for row in fold_words(f"↳ {reached(piece)}", width - 3):
            lines.append(Content.styled(f"  {row}", "$text-success"))
    return lines


def _shortened(text: str, width: int) -> Iterator[Content]:
    rows = [row for line in text.split("\n") if line.strip() for row in fold_words(line, width - 3)]
    for row in rows[:_EVIDENCE_LINES]:
        yield Content(f"  {row}")
    if len(rows) > _EVIDENCE_LINES:
        left = counted(len(rows) - _EVIDENCE_LINES, "more line")
        yield Content.styled(f"  … {left}", "$text-muted")


def reached(piece: Evidence) -> str:
    """How a piece was reached, in words: which searches found it, the first of them first."""
    if not piece.reached:
        return "found on the way"
    first, *others = piece.reached
    told = f"first found by search {first.search}, in place {first.place}"
    if not others:
        return told
    again = ", ".join(f"{one.search} (place {one.place})" for one in others)
    return f"{told}; again by {'search' if len(others) == 1 else 'searches'} {again}"


def ending(story: Story) -> Content:
    """How a run ended, in plain words with the contract's own behind."""
    if story.ending is None:
        return Content.styled("◌ on its way …", "$text-accent")
    sign = SIGNS.get(story.ending, "◐")
    words = ENDINGS.get(story.ending, story.ending)
    return Content.assemble(
        (f"{sign} {words}", style_of(story.ending)), (f" ({story.ending})", "$text-muted")
    )


def style_of(reason: str) -> str:
    """The colour of an ending."""
    if reason in FAILED:
        return "$text-error"
    return "$text-success" if reason == "converged" else "$text-warning"


def _about(story: Story, now: datetime) -> list[str]:
    parts = [f"run {story.id}" if story.id is not None else "not stored yet"]
    if story.replay_of is not None:
        parts.append(f"a replay of run {story.replay_of}")
    if story.started_at is not None:
        parts.append(long_age(story.started_at, now))
    if story.project:
        parts.append("over all projects" if story.project == "%" else f"in {story.project}")
    if story.planner:
        parts.append(f"planned by {story.planner}")
    parts.append(f"at most {counted(story.max_iters, 'search', 'searches')}")
    return [" · ".join(parts)]


def _step(story: Story, step: Step, width: int) -> Iterator[Content]:
    sign, style = ("✗ ", "$text-error") if step.error else ("● ", "$text-primary")
    yield from _headed(sign, style, f"{step.number}. {step.query}", "bold", width)
    facts = [origin_of(story, step), f"{step.found} found, {len(step.new)} new"]
    yield from _railed([" · ".join(facts)], width, "$text-muted")
    known = [hit.id for hit in step.hits if hit.id not in set(step.new)]
    yield from _ids("+ new  ", step.new, width, "$text-success")
    yield from _ids("= known", known, width, "$text-muted")
    if step.concluded:
        yield from _labelled("knows", step.concluded, width, "")
    if step.error:
        yield from _labelled("failed", step.error, width, "$text-error")
    elif step.is_done:
        yield from _labelled("next", "nothing: it is enough", width, "$text-success")
    elif step.next_query:
        yield from _labelled("next", step.next_query, width, "$text-accent")
    yield from _labelled("took", _times(step, story), width, "$text-muted")


def _times(step: Step, story: Story) -> str:
    """How long a search and its planning took, and in how many calls to a model."""
    calls = f" in {counted(step.calls, 'call')}" if step.calls and story.planner not in ("", BRIDGE) else ""
    if step.search_ms is None or step.planner_ms is None:
        return f"{told_ms(step.elapsed_ms)}{calls}"
    return f"search {told_ms(step.search_ms)}, plan {told_ms(step.planner_ms)}{calls}"


def _ids(label: str, ids: Sequence[int], width: int, style: str) -> Iterator[Content]:
    if ids:
        told = " ".join(f"#{id_}" for id_ in ids[:_IDS])
        rest = f" and {len(ids) - _IDS} more" if len(ids) > _IDS else ""
        yield from _labelled(label, f"{told}{rest}", width, style)


def _labelled(label: str, text: str, width: int, style: str) -> Iterator[Content]:
    rows = [row for line in text.split("\n") for row in fold_words(line, max(12, width - 12))]
    for number, row in enumerate(rows):
        shown = f"{label:<8}" if number == 0 else " " * 8
        yield Content.assemble(("│ ", "$border"), (shown, "$text-muted"), (row, style))


def _end(story: Story, width: int) -> Iterator[Content]:
    end = ending(story)
    lead, *rows = fold_words(end.plain, width - 1)
    yield end if not rows else end[: len(lead)]
    at = len(lead) + 1
    for row in rows:
        yield Content("  ") + end[at : at + len(row)]
        at += len(row) + 1
    if story.ending is None:
        return
    if story.error:
        for row in fold_words(story.error, width - 3):
            yield Content.styled(f"  {row}", "$text-error")
    facts = [counted(len(story.steps), "search", "searches")]
    if story.llm_calls:
        facts.append(f"{counted(story.llm_calls, 'call')} to the model")
    facts += [told_ms(story.elapsed_ms), counted(len(story.evidence), "memory", "memories")]
    for row in fold_words(" · ".join(facts), width - 3):
        yield Content.styled(f"  {row}", "$text-muted")


def _headed(sign: str, sign_style: str, text: str, style: str, width: int) -> Iterator[Content]:
    rows = [row for line in text.split("\n") for row in fold_words(line, width - 3)]
    for number, row in enumerate(rows):
        lead = (sign, sign_style) if number == 0 else ("│ ", "$border")
        yield Content.assemble(lead, (row, style))


def _railed(texts: Iterable[str], width: int, style: str) -> Iterator[Content]:
    for text in texts:
        for row in fold_words(text, width - 3):
            yield Content.assemble(("│ ", "$border"), (row, style))


def _rail() -> Content:
    return Content.styled("│", "$border")
