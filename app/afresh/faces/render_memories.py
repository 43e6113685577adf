"""Memories and conclusions as lines for people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from afresh.faces.render import (
    Line,
    columns,
    counted,
    freshness_mark,
    inert,
    line,
    one_line,
    paragraph,
    told_time,
)

_SHOWN_LINES = 12
"""Lines of one memory in a list; `afresh get` shows it whole."""


def recall(result: Mapping[str, Any], now: datetime) -> list[Line]:
    """What a recall found, best first, or the nearest set apart where nothing was relevant."""
    found = result["result"]
    lines: list[Line] = []
    for at, memory in enumerate(found["memories"], start=1):
        lines += [*memory_entry(memory, now, f"{at}. "), Line()]
    if found["nothing_relevant"] or not found["memories"]:
        lines.append(line(("Nothing relevant is remembered.", "bold")))
        if found["nearest"]:
            lines.append(line(("The nearest, which are not answers:", "dim")))
            for memory in found["nearest"]:
                told = f"#{memory['id']} {one_line(memory['content'], 64)}"
                lines += [line(("~ ", "dim"), told, indent=2), *_origin(memory, 4)]
    note = found["window"].get("note")
    for told in (note, found.get("retrieval_note")):
        if told:
            lines.append(line((f"note: {told}", "dim")))
    if found.get("explain"):
        lines = [*_trimmed(lines), *_explained(found["explain"])]
    return _trimmed(lines)


def context(result: Mapping[str, Any]) -> list[Line]:
    """A pack for a prompt, as it is."""
    if not result["items"]:
        return [line(("Nothing relevant is remembered.", "bold"))]
    return paragraph(result["text"], 0)


def memory_entry(memory: Mapping[str, Any], now: datetime, number: str = "") -> list[Line]:
    """One recalled memory: what it is, its beginning, and where it came from."""
    marks: list[str | tuple[str, str]] = [(number, "dim"), (f"#{memory['id']} {memory['type']}", "bold")]
    if memory["path"]:
        marks.append(f"  {one_line(memory['path'], 40)}")
    marks.append((f"  score {memory['score']:.2f}", "dim"))
    if memory["superseded_by"] is not None:
        marks.append((f"  superseded by #{memory['superseded_by']}", "yellow"))
    if memory.get("expired"):
        marks.append(("  expired", "yellow"))
    when = memory["event_time"] or memory["created_at"]
    return [
        line(*marks),
        *paragraph(memory["content"], 3, limit=_SHOWN_LINES),
        *([line(freshness_mark(memory["freshness"]), indent=3)] if memory["freshness"] else []),
        *_origin(memory, 3),
        line((f"{told_time(when, now)} in {memory['project']}{_tags(memory['tags'])}", "dim"), indent=3),
    ]


def records(result: Mapping[str, Any], now: datetime) -> list[Line]:
    """Whole memories, each with everything that is known of it."""
    lines: list[Line] = []
    for record in result["memories"]:
        mark = freshness_mark(record["freshness"]) if record["freshness"] else ("", "")
        lines.append(line((f"#{record['id']} {record['type']}", "bold"), f"  {record['path']}  ", mark))
        lines += paragraph(record["content"], 3)
        facts: list[tuple[str, str]] = [
            ("project", record["project"]),
            ("saved", told_time(record["created_at"], now)),
        ]
        if record["updated_at"] != record["created_at"]:
            facts.append(("updated", f"{told_time(record['updated_at'], now)}, version {record['version']}"))
        for label, key in (("happened", "event_time"), ("expires", "expires_at"), ("deleted", "deleted_at")):
            if record[key]:
                facts.append((label, told_time(record[key], now)))
        for key in ("branch", "agent_id", "agent_instance_id", "session_id"):
            if record[key]:
                facts.append((key.replace("_", " "), record[key]))
        if record["superseded_by"] is not None:
            facts.append(("superseded by", f"#{record['superseded_by']}"))
        if record["tags"]:
            facts.append(("tags", ", ".join(record["tags"])))
        facts.append(("source", _source(record["source"])))
        facts += [("cites", _cited(file)) for file in record["files"]]
        lines += columns([((label, "dim"), text) for label, text in facts], indent=3)
        for version in record["history"] or ():
            told = told_time(version["changed_at"], now)
            reason = f": {one_line(version['reason'])}" if version["reason"] else ""
            lines.append(line((f"version {version['version']}, until {told}{reason}", "dim"), indent=3))
            lines += paragraph(version["content"], 6, "dim", limit=_SHOWN_LINES)
        lines.append(Line())
    return _trimmed(lines)


def saved(result: Mapping[str, Any]) -> list[Line]:
    """The answer to a save: its number, and what stands near it."""
    if result["created"]:
        first = f"Saved #{result['id']} ({result['type']}) in {result['project']}."
    else:
        first = f"Already saved as #{result['id']} in {result['project']}; nothing was added."
    lines = [line((first, "bold"))]
    if result["supersedes"] is not None:
        lines.append(line(f"It replaces #{result['supersedes']}.", indent=3))
    lines += redactions(result["redacted"])
    if result["near"]:
        lines.append(line(("Near it stand, to supersede or to leave:", "dim"), indent=3))
        lines += [
            line(f"#{near['id']} ({near['score']:.2f}) {one_line(near['content'], 60)}", indent=3)
            for near in result["near"]
        ]
    return lines


def redactions(found: list[Mapping[str, Any]]) -> list[Line]:
    """What was taken out before anything was stored."""
    if not found:
        return []
    told = ", ".join(f"{item['kind']} ({item['count']})" for item in found)
    return [line((f"Secrets were redacted: {told}.", "yellow"), indent=3)]


def recorded(result: Mapping[str, Any]) -> list[Line]:
    """The answer to a record: its number and the files that were hashed."""
    verb = "Replaced the conclusion of" if result["replaced"] else "Recorded"
    lines = [line((f"{verb} memo #{result['id']} in {result['project']}.", "bold"))]
    lines += [line(_cited(file), indent=3) for file in result["files"]]
    return [*lines, *redactions(result.get("redacted", []))]


def explored(result: Mapping[str, Any], now: datetime) -> list[Line]:
    """Conclusions that answer like questions, each judged, with what changed under it."""
    lines: list[Line] = []
    for at, memo in enumerate(result["results"], start=1):
        lines.append(
            line(
                (f"{at}. ", "dim"),
                (f"#{memo['id']} ", "bold"),
                freshness_mark(memo),
                (f"  score {memo['score']:.2f}", "dim"),
            )
        )
        lines += paragraph(memo["question"], 3, "bold", limit=_SHOWN_LINES)
        lines += paragraph(memo["conclusion"], 3, limit=_SHOWN_LINES)
        lines += _changes(memo)
        lines.append(line((f"read from {', '.join(memo['files'])}", "dim"), indent=3))
        lines.append(line((f"recorded {told_time(memo['updated_at'], now)}", "dim"), indent=3))
        lines.append(Line())
    if not result["results"]:
        lines.append(line(("Nothing was concluded about that yet.", "bold")))
    else:
        left_out = f", {counted(result['left_out'], 'stale one')} left out" if result.get("left_out") else ""
        lines.append(line((f"{result['fresh']} fresh, {result['stale']} stale{left_out}", "dim")))
    if result.get("gated"):
        lines.append(
            line(("note: more than 64 MB are cited, so sizes and times were compared for some files", "dim"))
        )
    return _trimmed(lines)


def verified(result: Mapping[str, Any]) -> list[Line]:
    """The answer to what was said of a conclusion."""
    said = {
        "verify": f"Memo #{result['id']} holds as of now.",
        "retire": f"Memo #{result['id']} is retired; `afresh memo undo {result['id']}` brings it back.",
        "undo": f"The last change of memo #{result['id']} is taken back.",
    }
    return [line((said[result["action"]], "bold")), line(freshness_mark(result), indent=3)]


def memo(result: Mapping[str, Any], now: datetime) -> list[Line]:
    """One whole conclusion with its history."""
    retired = result["retired_at"]
    lines = [
        line(
            (f"#{result['id']} ", "bold"),
            freshness_mark(result),
            (f"  retired {told_time(retired, now)}" if retired else "", "yellow"),
        ),
        *paragraph(result["question"], 3, "bold"),
        *paragraph(result["conclusion"], 3),
        *_changes(result),
        *(line(_cited(file), indent=3) for file in result["files"]),
        *columns(
            [
                (("project", "dim"), f"{result['project']} ({result['root']})"),
                (("recorded", "dim"), told_time(result["recorded_at"], now)),
                (("updated", "dim"), told_time(result["updated_at"], now)),
            ],
            indent=3,
        ),
    ]
    for version in result["history"]:
        note = f": {one_line(version['note'])}" if version["note"] else ""
        told = (
            f"version {version['version']}, {version['action']} {told_time(version['changed_at'], now)}{note}"
        )
        lines.append(line((told, "dim"), indent=3))
        lines += paragraph(version["conclusion"], 6, "dim", limit=_SHOWN_LINES)
    return lines


def _changes(memo: Mapping[str, Any]) -> list[Line]:
    told = {detail["path"]: detail for detail in memo.get("details") or ()}
    lines: list[Line] = []
    for path in (*memo["changed_files"], *memo["missing_files"]):
        detail = told.get(path)
        what = "missing" if path in memo["missing_files"] else "changed"
        if detail:
            what = detail["change"].replace("_", " ")
            if detail["moved_to"]:
                what += f" to {detail['moved_to']['path']}:{detail['moved_to']['start_line']}"
            if detail["commit"]:
                commit = detail["commit"]
                what += f" by {commit['author']} in {commit['id'][:10]} {one_line(commit['subject'], 40)}"
        lines.append(line(("▲ ", "yellow"), f"{path}: {what}", indent=3))
    for item in memo.get("unverifiable_files", ()):
        reason = item["reason"].replace("_", " ")
        lines.append(line(("▲ ", "yellow"), f"{item['path']}: can't be verified ({reason})", indent=3))
    return lines


def _origin(memory: Mapping[str, Any], indent: int) -> list[Line]:
    source = memory["source"]
    if source["kind"] in ("agent", "cli") or not source.get("path"):
        return []
    return [line((f"from {_source(source)}", "cyan"), indent=indent)]


def _source(source: Mapping[str, Any]) -> str:
    path, number, external = source.get("path"), source.get("line"), source.get("external_id")
    place = f"{path}:{number}" if path and number else path or ""
    return " ".join(
        str(part) for part in (place or source["kind"], f"({external})" if external else "") if part
    )


def _cited(file: Mapping[str, Any]) -> str:
    spans = ", ".join(
        f"{span['symbol']} (lines {span['start_line']}-{span['end_line']})"
        if span.get("symbol")
        else f"lines {span['start_line']}-{span['end_line']}"
        for span in file["spans"]
    )
    return f"{file['path']}  sha256 {file['sha256'][:12]}{f'  {spans}' if spans else ''}"


def _tags(tags: list[str]) -> str:
    return "".join(f" [{tag}]" for tag in tags)


def _explained(explain: Mapping[str, Any]) -> list[Line]:
    lines = [Line(), line(("How it was found", "bold"))]
    lines += columns(
        [
            (f"{step['step']}", (f"{step['elapsed_ms']:.1f} ms", "dim"), one_line(step["detail"], 60))
            for step in explain["steps"]
        ],
        indent=2,
    )
    lines += columns(
        [
            (
                f"#{hit['id']}",
                f"{hit['score']:.3f}",
                " ".join(f"{inert(name)} {part:+.3f}" for name, part in hit["parts"].items()),
            )
            for hit in explain["hits"]
        ],
        indent=2,
    )
    return lines


def _trimmed(lines: list[Line]) -> list[Line]:
    while lines and not lines[-1].plain:
        lines.pop()
    return lines
