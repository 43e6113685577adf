"""What went stale, as lines for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePath
from typing import Any

from afresh.faces.render import Line, counted, line, one_line, paragraph, told_time, word_of
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
_WIDTH = 11
"""Columns of an impact's word."""
_ORDER = ("gone", "edited", "moved", "docs_only", "cosmetic", "elsewhere", "eol_only")


def stale(result: Mapping[str, Any], now: datetime) -> list[Line]:
    """Everything that does not stand, gravest first, with what happened to it."""
    lines: list[Line] = []
    for item in _from_top(result):
        lines += [*_entry(item, now), Line()]
    return [*lines, *_skipped(result), _summary(result)]


def check(result: Mapping[str, Any], failing: Sequence[Mapping[str, Any]], fail_on: str) -> list[Line]:
    """What a change makes stale as a table: each cited part that does not stand and what rests on it."""
    lines: list[Line] = []
    for item in _from_top(result):
        for place, what, impact in _parts(item):
            lines.append(line((f"{word_of(impact):<{_WIDTH}}", STYLES[impact]), place, hang=_WIDTH))
            if what:
                lines.append(line((what, "dim"), indent=_WIDTH))
        name = f"{item['kind']} #{item['id']}  {one_line(item['title'], 200)}"
        lines += [line((name, "dim"), indent=_WIDTH), Line()]
    lines += _skipped(result)
    lines.append(_summary(result))
    if result["items"]:
        if failing:
            bound = "" if fail_on == "any" else f" at least as bad as {word_of(fail_on)}"
            lines.append(line((f"Fails: {counted(len(failing), 'goes', 'go')} stale{bound}.", "bold red")))
        else:
            lines.append(line((f"Passes: nothing is as bad as {word_of(fail_on)}.", "bold green")))
    return lines


def changes(details: Iterable[Mapping[str, Any]], indent: int) -> list[Line]:
    """What happened to each cited file and to each cited part of it."""
    lines: list[Line] = []
    for detail in details:
        impact = detail["change"]
        moved = f" -> {detail['moved_to']['path']}" if detail["moved_to"] else ""
        lines.append(
            line((f"{word_of(impact):<{_WIDTH}}", STYLES[impact]), f"{detail['path']}{moved}", indent=indent)
        )
        for span in detail["spans"]:
            if not _is_whole(detail, span):
                lines.append(line((_span(span), "dim"), indent=indent + _WIDTH))
        told = _who(detail)
        if told:
            lines.append(line((told, "dim"), indent=indent + _WIDTH))
        if detail["note"]:
            lines.append(line((detail["note"], "dim"), indent=indent + _WIDTH))
    return lines


def _from_top(result: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The items with their paths from the top of the checkout, also where a folder below it was recorded."""
    for item in result["items"]:
        root, top = PurePath(item["root"]), PurePath(result["root"])
        if root == top or not root.is_relative_to(top):
            yield item
            continue
        below = f"{root.relative_to(top).as_posix()}/"
        yield {**item, **{name: _prefixed(item[name], below) for name in ("details", "diffs")}}


def _prefixed(value: Any, below: str) -> Any:
    """A value with all of its paths below a folder."""
    if isinstance(value, list):
        return [_prefixed(item, below) for item in value]
    if not isinstance(value, Mapping):
        return value
    return {
        name: f"{below}{item}" if name in ("path", "new_path") and item else _prefixed(item, below)
        for name, item in value.items()
    }


def _entry(item: Mapping[str, Any], now: datetime) -> list[Line]:
    lines = [
        line(
            ("▲ ", "yellow"),
            (f"{item['kind']} #{item['id']}", "bold"),
            ("  ", ""),
            (word_of(item["impact"]), STYLES[item["impact"]]),
            (f"  {told_time(item['updated_at'], now)}", "dim"),
        ),
        *paragraph(item["title"], 2, "bold", limit=3),
    ]
    if item["kind"] == "memo":
        lines += paragraph(item["text"], 2, limit=6)
    lines += changes(item["details"], 2)
    for file in _told_diffs(item["diffs"] or ()):
        lines += [Line(), *file_diff(file, cited_only=True, indent=2)]
    return lines


def _told_diffs(diffs: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """All but those of files whose cited parts are all compared with the place that they went to."""
    went = {file["path"] for file in diffs if file["part"]}
    return [
        file
        for file in diffs
        if file["part"]
        or file["path"] not in went
        or file["note"]
        or any(hunk["cited"] for hunk in file["hunks"])
    ]


def _parts(item: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    """(place, what happened, impact) of each cited part that does not stand, else of all in the file."""
    for detail in item["details"]:
        gone = [span for span in detail["spans"] if span["now"] not in ("unchanged", "eol_only")]
        for span in gone:
            yield _place(detail, span), _where(span), "edited" if _is_changed_move(span) else span["now"]
        if not gone:
            for span in detail["spans"] or (None,):
                place = detail["path"] if span is None else _place(detail, span)
                yield place, "" if span is None else _where(span), detail["change"]


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
    return f"{name}{found}: {word_of(span['now'])}{f' {where}' if where else ''}"


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
    told = ", ".join(f"{counts[impact]} {word_of(impact)}" for impact in _ORDER if counts[impact])
    judged = counted(result["judged"], "conclusion or memory", "conclusions and memories")
    since = f", {result['already_stale']} stale before" if result["already_stale"] else ""
    at = f" at {result['at']}" if result["at"] else ""
    if not result["items"]:
        return line(
            ("Nothing goes stale" if result["base"] else "Nothing is stale", "bold"),
            f" ({judged}{at}{since}).",
        )
    return line((f"{len(result['items'])} stale", "bold"), f": {told} ({judged}{at}{since}).")
