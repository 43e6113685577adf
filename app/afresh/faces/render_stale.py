"""What went stale, as lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from afresh.faces.render import Line, columns, counted, line, one_line, paragraph, told_time
from afresh.faces.render_diff import file_diff

STYLES = {
    "gone": "bold red",
    "edited": "red",
    "moved": "yellow",
    "docs_only": "cyan",
    "cosmetic": "cyan",
    "elsewhere": "dim",
    "eol_only": "dim",
}
"""An impact is always told by its word; the colour only helps."""
_ORDER = ("gone", "edited", "moved", "docs_only", "cosmetic", "elsewhere", "eol_only")


def stale(result: Mapping[str, Any], now: datetime) -> list[Line]:
    """Everything that does not stand, gravest first, with what happened to it."""
    lines: list[Line] = []
    for item in result["items"]:
        lines += [*_entry(item, now), Line()]
    return [*lines, *_skipped(result), _summary(result)]


def check(result: Mapping[str, Any], failing: Sequence[Mapping[str, Any]], fail_on: str) -> list[Line]:
    """What a change makes stale as a table, a row for each cited part that does not stand, and a verdict."""
    rows: list[list[str | tuple[str, str]]] = []
    for item in result["items"]:
        first = True
        for place, what, impact in _parts(item):
            name = f"{item['kind']} #{item['id']}" if first else ""
            rows.append([(_word(impact), STYLES[impact]), (name, "bold"), place, (what, "dim")])
            first = False
        rows.append(["", "", (one_line(item["title"], 60), "dim"), ""])
    lines = columns(rows)
    if rows:
        lines.append(Line())
    lines += _skipped(result)
    lines.append(_summary(result))
    if result["items"]:
        if failing:
            bound = "" if fail_on == "any" else f" at least as bad as {_word(fail_on)}"
            lines.append(line((f"Fails: {counted(len(failing), 'goes', 'go')} stale{bound}.", "bold red")))
        else:
            lines.append(line((f"Passes: nothing is as bad as {_word(fail_on)}.", "bold green")))
    return lines


def changes(details: Iterable[Mapping[str, Any]], indent: int) -> list[Line]:
    """What happened to each cited file and to each cited part of it."""
    lines: list[Line] = []
    for detail in details:
        impact = detail["change"]
        moved = f" -> {detail['moved_to']['path']}" if detail["moved_to"] else ""
        lines.append(
            line((f"{_word(impact):<10}", STYLES[impact]), f"{detail['path']}{moved}", indent=indent)
        )
        for span in detail["spans"]:
            if not _is_whole(detail, span):
                lines.append(line((_span(span), "dim"), indent=indent + 10))
        told = _who(detail)
        if told:
            lines.append(line((told, "dim"), indent=indent + 10))
        if detail["note"]:
            lines.append(line((detail["note"], "dim"), indent=indent + 10))
    return lines


def _entry(item: Mapping[str, Any], now: datetime) -> list[Line]:
    lines = [
        line(
            ("▲ ", "yellow"),
            (f"{item['kind']} #{item['id']}", "bold"),
            ("  ", ""),
            (_word(item["impact"]), STYLES[item["impact"]]),
            (f"  {told_time(item['updated_at'], now)}", "dim"),
        ),
        *paragraph(item["title"], 2, "bold", limit=3),
    ]
    if item["kind"] == "memo":
        lines += paragraph(item["text"], 2, limit=6)
    lines += changes(item["details"], 2)
    for file in item["diffs"] or ():
        lines += [Line(), *file_diff(file, cited_only=True)]
    return lines


def _parts(item: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    """(place, what happened, impact) of each cited part that does not stand."""
    for detail in item["details"]:
        told = False
        for span in detail["spans"]:
            if span["now"] in ("unchanged", "eol_only") and detail["change"] != "eol_only":
                continue
            told = True
            impact = "edited" if _is_changed_move(span) else span["now"]
            yield _place(detail, span), _where(span), impact
        if not told:
            yield detail["path"], "", detail["change"]


def _place(detail: Mapping[str, Any], span: Mapping[str, Any]) -> str:
    if _is_whole(detail, span):
        return str(detail["path"])
    part = span["symbol"] or f"{span['start_line']}-{span['end_line']}"
    return f"{detail['path']}{'#' if span['symbol'] else ':'}{part}"


def _where(span: Mapping[str, Any]) -> str:
    to = span["moved_to"]
    if to is not None:
        name = f"#{to['symbol']}" if to["symbol"] else f":{to['start_line']}"
        return f"-> {to['path']}{name} ({to['content']})"
    if span["now_start_line"] is not None and span["now_start_line"] != span["start_line"]:
        return f"now at line {span['now_start_line']}"
    return ""


def _span(span: Mapping[str, Any]) -> str:
    name = span["symbol"] or f"lines {span['start_line']} to {span['end_line']}"
    found = " (named in the text)" if span["derived"] else ""
    where = _where(span)
    return f"{name}{found}: {_word(span['now'])}{f' {where}' if where else ''}"


def _who(detail: Mapping[str, Any]) -> str:
    commit = detail["commit"]
    if commit is not None:
        return f"{commit['id'][:10]} {commit['author']}: {one_line(commit['subject'], 200)}"
    return "not committed" if detail["uncommitted"] else ""


def _is_whole(detail: Mapping[str, Any], span: Mapping[str, Any]) -> bool:
    """Whether a span only says that the file was cited as a whole."""
    return (
        len(detail["spans"]) == 1
        and span["symbol"] is None
        and span["now"] == detail["change"]
        and (span["start_line"] == 1)
    )


def _is_changed_move(span: Mapping[str, Any]) -> bool:
    return span["moved_to"] is not None and span["moved_to"]["content"] == "changed"


def _skipped(result: Mapping[str, Any]) -> list[Line]:
    return [
        line((f"note: {item['kind']} #{item['id']} was not judged: {item['reason']}", "dim"))
        for item in result["skipped"]
    ]


def _summary(result: Mapping[str, Any]) -> Line:
    counts = Counter(item["impact"] for item in result["items"])
    told = ", ".join(f"{counts[impact]} {_word(impact)}" for impact in _ORDER if counts[impact])
    judged = counted(result["judged"], "conclusion and memory", "conclusions and memories")
    since = f", {result['already_stale']} stale before" if result["already_stale"] else ""
    at = f" at {result['at']}" if result["at"] else ""
    if not result["items"]:
        return line(
            ("Nothing goes stale" if result["base"] else "Nothing is stale", "bold"),
            f" ({judged}{at}{since}).",
        )
    return line((f"{len(result['items'])} stale", "bold"), f": {told} ({judged}{at}{since}).")


def _word(impact: str) -> str:
    return impact.replace("_", " ")
