"""Answers as lines for people: their steps as they come, their citations, and how these stand now."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from afresh.faces.render import (
    Line,
    counted,
    freshness_mark,
    line,
    one_line,
    paragraph,
    told_seconds,
    told_time,
)

_STATES: Mapping[str, tuple[str, str]] = {
    "stands": ("stands", "green"),
    "moved": ("stands elsewhere in its record", "green"),
    "changed": ("no longer in its record", "red"),
    "deleted": ("its record was deleted", "red"),
}
_QUOTE = 160
"""Characters of a quote beside its number."""


def live(event: Mapping[str, Any]) -> list[Line]:
    """One event of an answer; nothing for events of other kinds."""
    if event.get("kind") != "answer_step":
        return []
    step = event["step"]
    return [
        line(
            (f"{event['done']}/{event['total']}  ", "dim"),
            (step["name"], "bold"),
            f"  {one_line(step['told'], 100)}",
            (f"  {step['elapsed_ms']:.0f} ms", "dim"),
        )
    ]


def answered(result: Mapping[str, Any]) -> list[Line]:
    """The answer, where each of its quotes stands, and how it was found."""
    draft = result["draft"]
    lines = [*paragraph(result["answer"], 0), Line()]
    lines += _sources(result)
    if draft["status"] == "insufficient":
        lines += _why_not(draft)
    elif draft["missing"] is not None:
        lines += [line(("Missing: ", "bold"), _missing(draft["missing"])), Line()]
    by = "a language model" if result["mode"] == "llm" else "quoting whole sentences"
    calls = f", {counted(result['llm_calls'], 'call')}" if result["llm_calls"] else ""
    lines.append(
        line(
            (draft["status"], "bold"),
            f" by {by}{calls}, from {counted(len(result['evidence']), 'record')} of "
            f"{counted(result['search_calls'], 'search', 'searches')} (answer {result['answer_id']})",
        )
    )
    return lines


def verified(result: Mapping[str, Any], now: datetime) -> list[Line]:
    """A stored answer with each of its quotes as it stands now."""
    lines = [
        line((f"Answer {result['id']}", "bold"), f"  {one_line(result['query'])}"),
        line(
            f"{told_time(result['answered_at'], now)} in {result['project']}, "
            f"{told_seconds(result['elapsed_ms'] / 1000)}, {result['draft']['status']}",
            indent=2,
        ),
        Line(),
        *paragraph(result["answer"], 2),
        Line(),
    ]
    for citation in result["citations"]:
        lines.append(
            line(
                (f"[{citation['number']}] ", "bold"),
                f"#{citation['source_id']}  ",
                _STATES[citation["state"]],
                *_aged(citation),
            )
        )
        lines.append(line((f"“{one_line(citation['quote'], _QUOTE)}”", "dim"), indent=4))
    if not result["citations"]:
        lines.append(line("It has no citation."))
    if result["quotes_stand"] and result["sources_current"]:
        told = ("Every quote stands, and no source changed.", "green")
    elif result["quotes_stand"]:
        told = ("Every quote stands, but not every source is current.", "yellow")
    else:
        told = ("Not every quote stands any more; ask again.", "red")
    return [*lines, Line(), line(told)]


def _sources(result: Mapping[str, Any]) -> Iterator[Line]:
    """Each citation under its number; with its quote where the answer doesn't have it."""
    evidence = {item["id"]: item for item in result["evidence"]}
    number = 0
    for claim in result["draft"]["claims"]:
        for citation in claim["citations"]:
            number += 1
            item = evidence[citation["source_id"]]
            source = item["source"]
            where = "" if source["path"] is None else f" · {source['path']}:{source['line'] or 1}"
            when = (item["event_time"] or item["created_at"])[:10]
            yield line(
                (f"[{number}] ", "bold"),
                f"#{item['id']}  {item['type']} · {when}{where} · "
                f"characters {citation['start']} to {citation['end']}",
            )
            if result["mode"] == "llm":
                yield line((f"“{one_line(citation['quote'], _QUOTE)}”", "dim"), indent=4)
    if number:
        yield Line()


def _why_not(draft: Mapping[str, Any]) -> Iterator[Line]:
    if draft["rejection"]:
        yield from paragraph(f"Refused: {draft['rejection']}", 0)
    if draft["missing"] is not None:
        yield line(("Missing: ", "bold"), _missing(draft["missing"]))
    yield Line()


def _missing(missing: Mapping[str, Any]) -> str:
    parts = [missing["subject"], missing["relation"], missing["time"]]
    return one_line(" · ".join(part for part in parts if part), 200) or "something that was asked"


def _aged(citation: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What became of a citation's record."""
    if citation["superseded_by"] is not None:
        yield f"  replaced since by #{citation['superseded_by']}", "yellow"
    if citation["expired"]:
        yield "  expired", "yellow"
    if citation["freshness"] is not None:
        mark, style = freshness_mark(citation["freshness"])
        yield f"  {mark}", style
