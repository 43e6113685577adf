"""Two runs side by side: where their searches, their evidence and their endings differ. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from rich.cells import cell_len
from textual.content import Content

from afresh_tui.screens.run_story import Step, Story
from afresh_tui.screens.run_timeline import ending
from afresh_tui.widgets.diff_fold import cut, fold_words
from afresh_tui.wording import counted, long_age, told_ms

SIDE_BY_SIDE = 72
"""Columns from which the two have a side each; below, one follows the other."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What two runs found otherwise. Ids are in the order of the run that has them."""

    lost: tuple[int, ...]
    gained: tuple[int, ...]
    is_same_order: bool
    is_same_index: bool
    """They searched the same memories."""
    same_steps: int
    """How many searches asked and found the same."""

    @property
    def is_none(self) -> bool:
        return not (self.lost or self.gained) and self.is_same_order


def difference(one: Story, two: Story) -> Difference:
    """Compare the evidence of two runs, and their searches in their order."""
    had, has = [piece.id for piece in one.evidence], [piece.id for piece in two.evidence]
    return Difference(
        lost=tuple(id_ for id_ in had if id_ not in set(has)),
        gained=tuple(id_ for id_ in has if id_ not in set(had)),
        is_same_order=[id_ for id_ in had if id_ in set(has)] == [id_ for id_ in has if id_ in set(had)],
        is_same_index=one.index == two.index,
        same_steps=sum(is_same(a, b) for a, b in zip(one.steps, two.steps, strict=False)),
    )


def is_same(one: Step, two: Step) -> bool:
    """Whether two searches asked the same and found the same, in the same order."""
    return one.query == two.query and [hit.id for hit in one.hits] == [hit.id for hit in two.hits]


def comparison(one: Story, two: Story, now: datetime, width: int) -> list[Content]:
    """Both runs, search by search, with what is the same said once."""
    differs = difference(one, two)
    lines = [*_verdict(one, two, differs, width), Content("")]
    lines += _beside(_title(one, now), _title(two, now), width)
    for number, (a, b) in enumerate(zip_longest(one.steps, two.steps), start=1):
        lines.append(Content(""))
        if a is not None and b is not None and is_same(a, b):
            lines.append(Content.assemble((f"Search {number}  ", "bold"), ("= the same", "$text-success")))
            lines += [Content(f"  {row}") for row in fold_words(a.query, width - 3)]
            lines.append(
                Content.styled(f"  {a.found} found, {len(a.new)} new, in the same order", "$text-muted")
            )
        else:
            lines.append(Content.assemble((f"Search {number}  ", "bold"), ("≠ differs", "$text-warning")))
            lines += _beside(_step(a, b), _step(b, a), width)
    lines += [Content(""), Content.styled("How they ended", "bold")]
    lines += _beside(_end(one), _end(two), width)
    lines += [Content(""), *_evidence(one, two, differs, width)]
    return lines


def _verdict(one: Story, two: Story, differs: Difference, width: int) -> Iterator[Content]:
    is_same_run = (
        differs.is_none
        and one.ending == two.ending
        and differs.same_steps == len(one.steps) == len(two.steps)
    )
    told = f"Runs {one.id} and {two.id} are {'the same' if is_same_run else 'not the same'}"
    index = "they searched the same memories" if differs.is_same_index else "memories changed between them"
    style = "bold $text-success" if is_same_run else "bold $text-warning"
    for row in fold_words(f"{'=' if is_same_run else '≠'} {told}; {index}.", width - 1):
        yield Content.styled(row, style)


def _title(story: Story, now: datetime) -> list[Content]:
    age = f", {long_age(story.started_at, now)}" if story.started_at is not None else ""
    replay = f", a replay of {story.replay_of}" if story.replay_of is not None else ""
    return [
        Content.styled(f"Run {story.id}{age}{replay}", "bold $text-primary"),
        Content.styled(story.query, "bold"),
        Content.styled(f"planned by {story.planner}", "$text-muted"),
    ]


def _step(step: Step | None, other: Step | None) -> list[Content]:
    if step is None:
        return [Content.styled("no such search", "$text-muted")]
    is_same_query = other is not None and step.query == other.query
    lines = [Content.styled(step.query, "" if is_same_query else "$text-accent")]
    lines.append(
        Content.styled(f"{step.found} found, {len(step.new)} new · {told_ms(step.elapsed_ms)}", "$text-muted")
    )
    if other is not None:
        known = {hit.id for hit in other.hits}
        alone = [hit.id for hit in step.hits if hit.id not in known]
        if alone:
            lines.append(Content.styled(f"only here: {_told(alone)}", "$text-warning"))
    if step.concluded:
        lines.append(Content(step.concluded.replace("\n", " ")))
    return lines


def _end(story: Story) -> list[Content]:
    facts = f"{counted(len(story.steps), 'search', 'searches')} · {told_ms(story.elapsed_ms)}"
    return [ending(story), Content.styled(facts, "$text-muted")]


def _evidence(one: Story, two: Story, differs: Difference, width: int) -> Iterator[Content]:
    yield Content.styled("Evidence", "bold")
    shared = len(one.evidence) - len(differs.lost)
    told = [f"{counted(shared, 'memory', 'memories')} in both"]
    if not differs.is_same_order:
        told.append("in another order")
    yield Content(" · ".join(told))
    for ids, run, sign, style in (
        (differs.lost, one, "−", "$text-error"),
        (differs.gained, two, "+", "$text-success"),
    ):
        pieces = {piece.id: piece for piece in run.evidence}
        for id_ in ids:
            name, where = f"{sign} #{id_}", f"  only in run {run.id}  "
            text = (pieces[id_].content or "deleted since").replace("\n", " ")
            shown = cut(text, max(1, width - cell_len(name + where)))
            yield Content.assemble((name, style), (where, "$text-muted"), shown)


def _beside(left: Sequence[Content], right: Sequence[Content], width: int) -> Iterator[Content]:
    """Two columns, each wrapped by itself; where there is no room for two, one after the other."""
    if width < SIDE_BY_SIDE:
        for label, column in (("┌ ", left), ("└ ", right)):
            for number, line in enumerate(_folded(column, width - 3)):
                yield Content.styled(label if number == 0 else "  ", "$text-muted") + line
        return
    half = (width - 3) // 2
    blank = Content("")
    for one, two in zip_longest(_folded(left, half), _folded(right, half), fillvalue=blank):
        padding = " " * max(0, half - cell_len(one.plain))
        yield one + Content.assemble(padding, (" │ ", "$border")) + two


def _folded(lines: Sequence[Content], width: int) -> list[Content]:
    """Lines of one style, folded between words."""
    found: list[Content] = []
    for line in lines:
        at = 0
        for row in fold_words(line.plain, width):
            start = line.plain.find(row, at) if row else at
            if start < 0:
                found.append(Content(row))
                continue
            found.append(line[start : start + len(row)])
            at = start + len(row)
    return found


def _told(ids: Sequence[int]) -> str:
    shown = " ".join(f"#{id_}" for id_ in ids[:12])
    return f"{shown} and {len(ids) - 12} more" if len(ids) > 12 else shown
