"""Requests as rows of a list and as a page. Pure: columns in, content out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from textual.content import Content

from afresh_tui.conditions import Conditions
from afresh_tui.inert import inert, one_line
from afresh_tui.wording import counted, long_age, short_age, told_ms, told_time, word_of

if TYPE_CHECKING:
    from afresh.activity_verbs import RequestResult, RequestSummary, RunningCall

_TOOLS: dict[str, str] = {
    "memory_save": "save",
    "memory_update": "update",
    "memory_delete": "delete",
    "memory_get": "get",
    "memory_answer": "answer",
    "memory_recall_iterative": "iterate",
    "memory_exploration_record": "record",
    "memory_exploration_recall": "explore",
    "memory_exploration_verify": "verify",
    "recall_context": "context",
    "workspace_status": "status",
}
"""Tools by the words that the command line has for them, which fit a column."""
_NAME = 14
"""Columns of a tool's word and of a client's name, so that what follows stands in line."""
_AGE = 4
_TOOK = 7


@dataclass(frozen=True, slots=True)
class Again:
    """A request that was repeated here."""

    result: Any
    """As JSON has it; None where it failed."""
    error: str | None
    elapsed_ms: float


def tool_word(tool: str) -> str:
    """A tool in one word."""
    return _TOOLS.get(tool, tool)


def row_lines(request: RequestSummary, width: int, now: datetime) -> list[Content]:
    """Two lines: sign, tool, what was asked and how long ago; then who asked, what came of it, how long it
    took."""
    failed = request.error_kind is not None
    sign = ("✗ ", "$text-error") if failed else ("✓ ", "$text-success")
    asked = request.asked or "–"
    first = _line(sign, tool_word(request.tool), asked, short_age(request.started_at, now), width)
    outcome = (inert(request.outcome), "$text-error" if failed else "")
    return [first, _second(request.client, outcome, told_ms(request.elapsed_ms), width)]


def running_lines(call: RunningCall, width: int, now: datetime) -> list[Content]:
    """One that has not ended, in two lines too."""
    first = _line(
        ("◌ ", "$text-warning"),
        tool_word(call.tool),
        "running",
        short_age(call.started_at, now),
        width,
    )
    return [first, _second(call.client, ("not answered yet", "$text-muted"), "", width)]


def _line(sign: tuple[str, str], tool: str, asked: str, end: str, width: int) -> Content:
    room = max(width - 2 - _NAME - 1 - _AGE - 2, 8)
    text = Content(one_line(asked, 400)).truncate(room, ellipsis=True, pad=True)
    return Content.assemble(
        sign,
        (one_line(tool, _NAME).ljust(_NAME) + " ", "$text-secondary"),
        text,
        (f" {end.rjust(_AGE)} ", "$text-muted"),
    )


def _second(client: str, outcome: tuple[str, str], took: str, width: int) -> Content:
    room = max(width - 2 - _NAME - 1 - _TOOK - 2, 8)
    text, style = outcome
    told = Content.styled(one_line(text, 400), style).truncate(room, ellipsis=True, pad=True)
    return Content.assemble(
        "  ",
        (one_line(client, _NAME).ljust(_NAME) + " ", "$text-muted"),
        told,
        (f" {took.rjust(_TOOK)} ", "$text-muted"),
    )


def page(request: RequestResult, again: Again | None, conditions: Conditions) -> list[Content]:
    """One request, whole as far as it was kept."""
    now, zone = conditions.clock(), conditions.zone
    failed = request.error_kind is not None
    sign = ("✗ ", "$text-error") if failed else ("✓ ", "$text-success")
    when = f"{long_age(request.started_at, now)}, {told_time(request.started_at, zone)}"
    lines = [
        Content.assemble(sign, (inert(request.tool), "bold"), (f"  #{request.id}", "$text-muted")),
        Content.styled(f"{when}  ·  took {told_ms(request.elapsed_ms)}", "$text-muted"),
        Content.styled(inert(_who(request, conditions)), "$text-muted"),
    ]
    if request.redacted:
        lines.append(Content.styled(f"{counted(request.redacted, 'secret')} taken out", "$text-warning"))
    lines += [Content(""), _heading("Arguments"), *_value(request.arguments, request.arguments_cut)]
    lines += _cut(request.arguments_cut, request.arguments_length)
    lines.append(Content(""))
    if again is not None:
        lines += _repeated(request, again)
    if failed:
        lines.append(Content.styled(f"Failed: {word_of(request.error_kind or '')}", "bold $text-error"))
        lines += [Content(row) for row in inert(request.error or "").split("\n")]
    else:
        lines += [_heading("Result"), *_value(request.result, request.result_cut)]
        lines += _cut(request.result_cut, request.result_length)
    return lines


def running_page(call: RunningCall, now: datetime) -> list[Content]:
    """What is known of one that has not ended."""
    return [
        Content.assemble(("◌ ", "$text-warning"), (inert(call.tool), "bold")),
        Content.styled(f"{inert(call.client)}, begun {long_age(call.started_at, now)}", "$text-muted"),
        Content(""),
        Content("Not answered yet; it is shown whole as soon as it is."),
    ]


def as_text(request: RequestResult) -> str:
    """A request to be copied, as JSON that a person reads."""
    return json.dumps(request.model_dump(mode="json"), ensure_ascii=False, indent=2)


def _repeated(request: RequestResult, again: Again) -> list[Content]:
    took = f", took {told_ms(again.elapsed_ms)}"
    if again.error is not None:
        lines = [Content.styled(f"Repeated: failed{took}", "bold $text-error"), Content(inert(again.error))]
    elif again.result == request.result and not request.result_cut:
        lines = [Content.styled(f"Repeated: the same result{took}", "bold $text-success")]
    else:
        head = Content.styled(f"Repeated: another result{took}", "bold $text-warning")
        lines = [head, *_value(again.result, False)]
    return [*lines, Content("")]


def _who(request: RequestResult, conditions: Conditions) -> str:
    kind = "agent" if request.kind == "agent" else "editor"
    parts = [f"{request.client} ({kind})"]
    if request.cwd:
        parts.append(f"in {conditions.shown_path(request.cwd)}")
    if request.session:
        parts.append(f"session {request.session}")
    return "  ·  ".join(parts)


def _heading(text: str) -> Content:
    return Content.styled(text, "bold $text-primary")


def _value(value: Any, cut: bool) -> Sequence[Content]:
    text = value if cut and isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)
    return [Content(row) for row in inert(text).split("\n")]


def _cut(cut: bool, length: int) -> list[Content]:
    if not cut:
        return []
    return [Content.styled(f"… the whole had {length:,} characters", "$text-muted")]
