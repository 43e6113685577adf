"""An answer as a page, its citations as rows, and a cited record with the quote lit. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import TYPE_CHECKING

from textual.content import Content

from afresh_tui.inert import inert, one_line, shown
from afresh_tui.wording import counted, long_age, short_age, told_ms, told_time

if TYPE_CHECKING:
    from afresh.answer_verbs import VerifiedAnswer
    from afresh.contracts import AnswerEvidence, AnswerResult, QuoteCitation

LIT = "$match-text on $match"
_STATUS: Mapping[str, tuple[str, str, str]] = {
    "supported": ("●", "supported by its sources", "$text-success"),
    "inferred": ("◐", "inferred from its sources", "$text-success"),
    "partial": ("◐", "a part of the answer", "$text-warning"),
    "insufficient": ("○", "what is remembered doesn't suffice", "$text-warning"),
}
_STATES: Mapping[str, tuple[str, str, str]] = {
    "stands": ("●", "stands", "$text-success"),
    "moved": ("●", "moved", "$text-success"),
    "changed": ("✗", "changed", "$text-error"),
    "deleted": ("✗", "deleted", "$text-error"),
}
_STATE = 9
STEPS: Mapping[str, str] = {
    "search": "searched",
    "contradictions": "looked for contradictions",
    "draft": "drafted",
    "followup": "searched once more",
    "verification": "verified",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One step of an answer that is on its way."""

    name: str
    told: str
    elapsed_ms: float
    """Since its beginning."""


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation with its number and its record."""

    number: int
    """From 1."""
    citation: QuoteCitation
    record: AnswerEvidence


def cited(result: AnswerResult) -> list[Cited]:
    """The citations in the order of the claims, each with its record."""
    records = {record.id: record for record in result.evidence}
    quotes = [citation for claim in result.draft.claims for citation in claim.citations]
    return [
        Cited(number, citation, records[citation.source_id])
        for number, citation in enumerate(quotes, 1)
        if citation.source_id in records
    ]


def steps_page(query: str, steps: Sequence[Step]) -> list[Content]:
    """What was done so far."""
    lines = [Content.styled(inert(query), "bold"), Content("")]
    lines += [
        Content.assemble(
            ("● ", "$text-success"),
            STEPS.get(step.name, step.name),
            (f"  {one_line(step.told, 200)}", "$text-muted"),
            (f"  {told_ms(step.elapsed_ms)}", "$text-muted"),
        )
        for step in steps
    ]
    return [*lines, Content.styled("◌ working…", "$text-warning")]


def page(query: str, result: AnswerResult, verified: VerifiedAnswer | None) -> list[Content]:
    """The answer with what speaks against it, what is missing and how it was found."""
    draft = result.draft
    sign, word, style = _STATUS[draft.status]
    lines = [Content.styled(inert(query), "bold"), Content("")]
    text = result.answer
    if result.caveat is not None:
        text = text.removesuffix(f"\n\nCaveat: {result.caveat}")
    lines += [Content(row) for row in inert(text).split("\n")]
    lines += [Content(""), Content.assemble((f"{sign} {word}", style), _numbers(result))]
    if result.caveat is not None:
        lines.append(Content.assemble(("▲ caveat  ", "$text-warning"), inert(result.caveat)))
    lines += _against(result)
    if draft.missing is not None:
        parts = (draft.missing.subject, draft.missing.relation, draft.missing.time)
        lines.append(
            Content.assemble(
                ("○ missing  ", "$text-warning"), inert(" · ".join(part for part in parts if part))
            )
        )
    if draft.rejection:
        lines.append(Content.assemble(("○ refused  ", "$text-warning"), inert(draft.rejection)))
    if result.verification is not None and result.verification.reason:
        mark = "● checked  " if result.verification.supported else "✗ checked  "
        ok = "$text-success" if result.verification.supported else "$text-error"
        lines.append(Content.assemble((mark, ok), inert(result.verification.reason)))
    if verified is not None:
        lines += [Content(""), *_proved(verified)]
    return [*lines, Content(""), Content.styled(_how(result), "$text-muted"), *_note(result)]


def _numbers(result: AnswerResult) -> tuple[str, str]:
    numbers = "".join(f" [{item.number}]" for item in cited(result))
    return f" {numbers}", "$text-secondary"


def _against(result: AnswerResult) -> list[Content]:
    negative = result.negative
    if negative is None or negative.decision == "no_contradiction":
        return []
    word = "contradicted" if negative.decision == "hard_contradict" else "perhaps contradicted"
    lines = [
        Content.assemble(
            (f"▲ {word} {negative.contradiction_score:.2f}  ", "$text-warning"), inert(negative.rationale)
        )
    ]
    lines += [
        Content.assemble((f"  #{item.id}  ", "$text-secondary"), one_line(item.content, 300))
        for item in negative.negative_evidence
    ]
    return lines


def _proved(verified: VerifiedAnswer) -> list[Content]:
    quotes = ("● every quote stands", "$text-success")
    if not verified.quotes_stand:
        gone = sum(item.state in ("changed", "deleted") for item in verified.citations)
        quotes = (f"✗ {counted(gone, 'quote')} gone from its record", "$text-error")
    sources = ("● its sources are current", "$text-success")
    if not verified.sources_current:
        sources = ("▲ a source was replaced, or files that it cites changed", "$text-warning")
    return [Content.assemble(("Verified again: ", "bold"), quotes, "  ", sources)]


def _how(result: AnswerResult) -> str:
    by = f"by a language model, {counted(result.llm_calls, 'call')}"
    by = by if result.mode == "llm" else "by whole sentences of its sources"
    searches = counted(result.search_calls, "search", "searches")
    return f"{by} · {searches} · {counted(len(result.evidence), 'record')} · answer {result.answer_id}"


def _note(result: AnswerResult) -> list[Content]:
    return [Content.styled(inert(result.note), "$text-muted")] if result.note else []


def citation_row(item: Cited, verified: VerifiedAnswer | None, width: int, now: datetime) -> Content:
    """Its number, how it stands, its record, the quote and the record's age."""
    found = next((v for v in verified.citations if v.number == item.number), None) if verified else None
    sign, word, style = _STATES[found.state] if found else ("", "", "$text-muted")
    if found is not None and found.state in ("stands", "moved"):
        if found.superseded_by is not None:
            sign, word, style = "▲", "replaced", "$text-warning"
        elif found.freshness is not None and found.freshness.status == "stale":
            sign, word, style = "▲", "stale", "$text-warning"
    head = f"[{item.number}] ".ljust(5)
    record = f"#{item.record.id} ".ljust(7)
    state = f"{sign} {word}".ljust(_STATE + 2) if verified else ""
    age = short_age(item.record.event_time or item.record.created_at, now).rjust(4)
    room = max(width - len(head) - len(record) - len(state) - 6, 8)
    quote = Content(f"“{one_line(item.citation.quote, 400)}”").truncate(room, ellipsis=True, pad=True)
    return Content.assemble(
        (head, "bold $text-primary"),
        (state, style),
        (record, "$text-secondary"),
        quote,
        (f" {age} ", "$text-muted"),
    )


def record_page(item: Cited, now: datetime, zone: tzinfo) -> tuple[list[Content], int, int]:
    """A record with the quote lit; the paragraph and the offset at which it begins."""
    record = item.record
    when = record.event_time or record.created_at
    where = "" if record.source.path is None else f"  ·  {record.source.path}:{record.source.line or 1}"
    head = [
        Content.assemble(
            (f"[{item.number}] ", "bold $text-primary"),
            (f"#{record.id} {inert(record.type)}", "bold"),
            (f"  {long_age(when, now)}, {told_time(when, zone)}{inert(where)}", "$text-muted"),
        )
    ]
    if record.superseded_by is not None:
        head.append(Content.styled(f"▲ replaced by #{record.superseded_by}", "$text-warning"))
    if record.cut:
        head.append(Content.styled("a part of the record, as it was read", "$text-muted"))
    head.append(Content(""))
    made = shown(record.content)
    start, end = made.at(item.citation.start), made.at(item.citation.end)
    text = Content(made.text).stylize(LIT, start, end)
    rows = list(text.split("\n", allow_blank=True))
    line = made.text.count("\n", 0, start)
    return [*head, *rows], len(head) + line, start - (made.text.rfind("\n", 0, start) + 1)
