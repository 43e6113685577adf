"""Runs as lines for people: their steps as they come, their evidence, and how two of them differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from afresh.faces.render import Line, counted, line, one_line, paragraph, told_seconds, told_time

_LINES_SHOWN = 6
"""Of one piece of evidence."""

_ENDINGS: Mapping[str, str] = {
    "converged": "enough was found",
    "max_iters": "no searches were left",
    "no_progress": "nothing new was left to ask or to find",
    "decomposer_empty": "there was nothing to ask",
    "search_error": "a search failed",
    "planner_error": "the planner failed",
}


def live(event: Mapping[str, Any]) -> list[Line]:
    """One event of a run; nothing for events of other kinds."""
    match event.get("kind"):
        case "decomposition" if len(event["sub_queries"]) > 1:
            parts = "; ".join(one_line(query, 60) for query in event["sub_queries"])
            return [line(("parts  ", "dim"), parts)]
        case "iteration":
            return _step(event["step"], event["total"])
        case _:
            return []


def iterated(result: Mapping[str, Any]) -> list[Line]:
    """The evidence, best first, and how the run ended."""
    lines: list[Line] = []
    for item in result["evidence"]:
        source = item["source"]
        where = "" if source["path"] is None else f" · {source['path']}:{source['line'] or 1}"
        when = (item["event_time"] or item["created_at"])[:10]
        lines.append(
            line((f"#{item['id']}", "bold"), f"  {item['score']:.2f}  {item['type']} · {when}{where}")
        )
        lines += paragraph(item["content"], 4, limit=_LINES_SHOWN)
        lines.append(Line())
    used = result["provenance"]["planner"]
    by = used["model"] if used["kind"] == "llm" else "bridge terms"
    lines.append(
        line(
            (f"{counted(result['evidence_count'], 'memory', 'memories')} found", "bold"),
            f" in {counted(result['iterations_used'], 'search', 'searches')}, planned by {by}: ",
            _ending(result["terminated_reason"]),
            f" (run {result['provenance']['run_id']})",
        )
    )
    return lines


def run(result: Mapping[str, Any], now: datetime) -> list[Line]:
    """A stored run as it went."""
    lines = [
        line((f"Run {result['id']}", "bold"), f"  {one_line(result['query'])}"),
        line(
            f"{told_time(result['started_at'], now)} in {result['project']}, "
            f"{told_seconds(result['elapsed_ms'] / 1000)}, planned by {_planner(result)}",
            indent=2,
        ),
    ]
    if result["replay_of"] is not None:
        lines.append(line(f"a replay of run {result['replay_of']}", indent=2))
    lines.append(Line())
    for step in result["iterations"]:
        lines += _step(step | {"hits_returned": len(step["hits"])}, result["max_iters"])
    lines += [Line(), line("Ended: ", _ending(result["terminated_reason"]))]
    if result["error"]:
        lines.append(line((result["error"], "red"), indent=2))
    lines.append(Line())
    for item in result["evidence"]:
        if item["content"] is None:
            text, style = "deleted since", "dim"
        else:
            text, style = one_line(item["content"]), ""
        changed = [("  changed since", "yellow")] if item["changed"] else []
        lines.append(line((f"#{item['id']}", "bold"), f"  {item['score']:.2f}  ", (text, style), *changed))
    return lines


def replayed(result: Mapping[str, Any]) -> list[Line]:
    """What is the same in a run and its replay, and what isn't."""
    lines: list[Line] = []
    for step in result["iterations"]:
        mark = ("same    ", "green") if step["same"] else ("differs ", "yellow")
        lines.append(
            line(f"{step['iter']}  ", mark, one_line(step["sub_query_now"] or step["sub_query"] or ""))
        )
        if step["sub_query"] != step["sub_query_now"]:
            lines.append(line((f"before: {step['sub_query'] or 'no such step'}", "dim"), indent=11))
            lines.append(line((f"now: {step['sub_query_now'] or 'no such step'}", "dim"), indent=11))
        lines += _ids("no longer found", step["lost_hits"], 11)
        lines += _ids("found now", step["new_hits"], 11)
    if result["terminated_reason"] != result["terminated_reason_now"]:
        lines.append(
            line(
                "Ended ",
                _ending(result["terminated_reason"]),
                "; now ",
                _ending(result["terminated_reason_now"]),
            )
        )
    lines += _ids("evidence lost", result["lost_evidence"], 0)
    lines += _ids("evidence gained", result["new_evidence"], 0)
    lines += _ids("evidence that reads otherwise now", result["changed_evidence"], 0)
    if not result["same_order"]:
        lines.append(line("The evidence stands in another order."))
    told = "the same" if result["same"] else "not the same"
    index = (
        "the memories are what they were" if result["same_index"] else "memories were added or changed since"
    )
    lines.append(
        line((f"Run {result['id']} and its replay {result['replay_id']} are {told}", "bold"), f"; {index}.")
    )
    return lines


def _step(step: Mapping[str, Any], most: int) -> list[Line]:
    new = len(step["new_evidence_ids"])
    lines = [
        line(
            (f"{step['iter']}/{most}  ", "dim"),
            (one_line(step["sub_query"], 100), "bold"),
            (f"  {counted(step['hits_returned'], 'hit')}, {new} new, {step['elapsed_ms']:.0f} ms", "dim"),
        )
    ]
    if step["partial_answer"]:
        lines.append(line(one_line(step["partial_answer"], 120), indent=6))
    if step["planner_error"]:
        lines.append(line((step["planner_error"], "red"), indent=6))
    return lines


def _planner(result: Mapping[str, Any]) -> str:
    if result["planner"] == "bridge":
        return "bridge terms"
    return f"{result['model']} in {counted(result['llm_calls'], 'call')}"


def _ending(reason: str) -> str:
    return f"{_ENDINGS.get(reason, reason)} ({reason})"


def _ids(told: str, ids: Sequence[int], indent: int) -> list[Line]:
    return [line(f"{told}: {', '.join(f'#{id_}' for id_ in ids)}", indent=indent)] if ids else []
