"""Indexing, status and the doctor's report as lines for people."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from afresh.faces.render import (
    Line,
    columns,
    counted,
    line,
    one_line,
    told_bytes,
    told_seconds,
    told_time,
)

_STATES = {"ok": ("● ok", "green"), "warning": ("▲ warning", "yellow"), "error": ("✖ error", "red")}


def indexed(result: Mapping[str, Any]) -> list[Line]:
    """What an index found, left out and why, and how long it took."""
    head = line((f"{result['project']}", "bold"), f"  {result['root']}")
    if not any(result.get(key) for key in ("read", "added", "changed", "removed", "commits")):
        told = f"nothing changed: no file was opened ({counted(result['files'], 'file')} checked"
        return [head, line(f"{told} in {told_seconds(result['elapsed_s'])})", indent=2)]
    languages = sorted(result["languages"].items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{name} {count:,}" for name, count in languages[:8])
    more = f" and {len(languages) - 8} more" if len(languages) > 8 else ""
    rows: list[tuple[tuple[str, str], str]] = [
        (
            ("files", "dim"),
            f"{result['files']:,} ({told_bytes(result['bytes'])}): {result['added']:,} added, "
            f"{result['changed']:,} changed, {result['removed']:,} removed",
        ),
        (("symbols", "dim"), f"{result['symbols']:,}"),
        (("languages", "dim"), f"{shown}{more}" if shown else "none known"),
        (("notes", "dim"), f"{result['notes']:,}"),
        (("left out", "dim"), _left_out(result)),
    ]
    if result.get("commits"):
        rows.append((("commits", "dim"), f"{result['commits']:,} messages"))
    if result["outline_errors"]:
        rows.append((("outlines", "dim"), f"{counted(result['outline_errors'], 'file')} could not be parsed"))
    rows.append(
        (
            ("time", "dim"),
            f"{told_seconds(result['elapsed_s'])} (hashes current after {told_seconds(result['hashed_s'])}, "
            f"outlines after {told_seconds(result['outlined_s'])})",
        )
    )
    examples = []
    for item in result["excluded_examples"][:5]:
        detail = f" ({item['detail']})" if item["detail"] else ""
        examples.append(line((f"{item['path']}: {_words(item['reason'])}{detail}", "dim"), indent=4))
    return [head, *columns(rows, indent=2), *examples]


def status(result: Mapping[str, Any], now: datetime) -> list[Line]:
    """The workspace at a glance."""
    files, memos, watch = result["files"], result["memos"], result["watch"]
    model, llm, keeper = result["model"], result["llm"], result["keeper"]
    by_type = ", ".join(f"{name} {count:,}" for name, count in sorted(result["memories"]["by_type"].items()))
    watching = watch["mode"]
    if watch["lag_ms"] is not None:
        watching += f", {watch['lag_ms']:.0f} ms behind"
    if watch.get("reason"):
        watching += f" ({watch['reason']})"
    vectors = (
        f", {counted(model['vectors_pending'], 'vector')} to come" if model.get("vectors_pending") else ""
    )
    searching = f"{model['id']} ({model['source']})" if model["id"] else model["source"]
    provider = f"{llm['provider']} {llm['model'] or ''}".rstrip() if llm["provider"] else "none"
    if llm["reachable"] is False:
        provider += " (not reachable)"
    where = "in this process" if keeper.get("in_process") else f"process {keeper['pid']}"
    left_out = result.get("excluded_by_reason") or {}
    reasons = ", ".join(f"{_words(reason)} {count:,}" for reason, count in sorted(left_out.items()))
    rows: list[tuple[tuple[str, str], str | tuple[str, str]]] = [
        (("state", "dim"), _words(result["readiness_state"])),
        (
            ("files", "dim"),
            f"{files['indexed']:,} indexed, {files['pending']:,} pending, {files['excluded']:,} left out, "
            f"{counted(files['errors'], 'error')}",
        ),
        *([(("left out", "dim"), reasons)] if reasons else []),
        (("symbols", "dim"), f"{result.get('symbols', 0):,}"),
        (("memories", "dim"), f"{result['memories']['total']:,}{f' ({by_type})' if by_type else ''}"),
        (
            ("conclusions", "dim"),
            (f"● {memos['fresh']:,} fresh  ▲ {memos['stale']:,} stale", "yellow" if memos["stale"] else ""),
        ),
        (("watch", "dim"), watching),
        *([(("last change", "dim"), told_time(changed, now))] if (changed := watch["last_change"]) else []),
        (("model", "dim"), f"{searching}{vectors}"),
        (("llm", "dim"), provider),
        (
            ("keeper", "dim"),
            f"{where}, version {keeper['version']}, up {told_seconds(keeper['uptime_s'])}, "
            f"database {told_bytes(keeper['database_bytes'])}",
        ),
    ]
    head = line((f"{result['project'] or 'no project here'}", "bold"), f"  {result['root'] or ''}")
    return [head, *columns(rows, indent=2)]


def projects(result: Mapping[str, Any]) -> list[Line]:
    """Every project with its roots and counts."""
    if not result["projects"]:
        return [line("No project is known yet: `afresh index` makes one.")]
    lines: list[Line] = []
    for project in result["projects"]:
        counts = (
            f"{counted(project['memories'], 'memory', 'memories')}, {counted(project['memos'], 'conclusion')}"
        )
        lines.append(line((project["name"], "bold"), f"  {counts}"))
        lines += [line((root, "dim"), indent=2) for root in project["roots"]]
    return lines


def keeper(result: Mapping[str, Any]) -> list[Line]:
    """The keeper's process."""
    return columns(
        [
            (("process", "dim"), str(result["pid"])),
            (("version", "dim"), result["version"]),
            (("up", "dim"), told_seconds(result["uptime_s"])),
            (("clients", "dim"), str(result.get("clients", 0))),
            (("transport", "dim"), result.get("transport") or "unknown"),
            (("database", "dim"), told_bytes(result["database_bytes"])),
        ]
    )


def doctor(result: Mapping[str, Any]) -> list[Line]:
    """One line a check, with advice below what is not well."""
    rows = columns([(_STATES[check["state"]], check["name"], check["detail"]) for check in result["checks"]])
    lines: list[Line] = []
    for row, check in zip(rows, result["checks"], strict=True):
        lines.append(row)
        if check.get("advice") and check["state"] != "ok":
            lines.append(line(("→ ", "dim"), check["advice"], indent=4))
    return lines


def change(event: Mapping[str, Any]) -> list[Line]:
    """One change that the watch saw."""
    facts = [f"{event['changed']:,} changed", f"{event['removed']:,} removed"]
    if event.get("lag_ms") is not None:
        facts.append(f"{event['lag_ms']:.0f} ms")
    text = event.get("message") or ", ".join(map(str, event["paths"]))
    return [line(one_line(text, 200), (f"  ({', '.join(facts)})", "dim"))]


def meanwhile(result: Mapping[str, Any]) -> list[Line]:
    """What changed between a summary and the watch that follows it; nothing where nothing did."""
    facts = [f"{result[name]:,} {name}" for name in ("added", "changed", "removed") if result[name]]
    return [line("changed since the summary", (f"  ({', '.join(facts)})", "dim"))] if facts else []


def watching(event: Mapping[str, Any]) -> list[Line]:
    """How the workspace is watched from now on."""
    reason = f": {event['reason']}" if event.get("reason") else ""
    told = {"native": "watching by file events", "polling": "watching by polling", "off": "not watching"}
    return [line((f"{told.get(event['mode'], event['mode'])}{reason}", "dim"))]


def _left_out(result: Mapping[str, Any]) -> str:
    excluded = {reason: count for reason, count in result["excluded"].items() if count}
    told = [f"{count:,} {_words(reason)}" for reason, count in sorted(excluded.items())]
    ignored = f"{result['ignored']:,} ignored by rule ({result['ignore_source']})"
    return "; ".join([*told, ignored])


def _words(name: str) -> str:
    return name.replace("_", " ")
