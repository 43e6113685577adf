"""Dead claims as lines for people: by document, in the order of its lines, then by memory."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from afresh.faces.render import Line, counted, line, one_line


def claims(result: Mapping[str, Any]) -> list[Line]:
    """What notes name that is not there, each with its line, the reason, and what was probably meant."""
    lines: list[Line] = []
    for _, group in groupby(result["dead"], key=_origin):
        found = list(group)
        width = len(str(max(claim["line"] for claim in found)))
        lines.append(_heading(found[0]))
        for claim in found:
            lines += _entry(claim, width)
        lines.append(Line())
    for told in result["notes"]:
        lines.append(line((f"note: {told}", "dim")))
    return [*lines, _summary(result)]


def _origin(claim: Mapping[str, Any]) -> tuple[str, int]:
    path = claim["source_path"]
    return ("", claim["memory"]) if path is None else (path, 0)


def _heading(claim: Mapping[str, Any]) -> Line:
    if claim["source_path"] is not None:
        return line((claim["source_path"], "bold"))
    return line((f"memory #{claim['memory']}", "bold"), (f"  {one_line(claim['excerpt'], 58)}", "dim"))


def _entry(claim: Mapping[str, Any], width: int) -> list[Line]:
    indent = 2 + width + 2
    # A path is long enough once.
    reason = (
        claim["reason"].removeprefix(f"{claim['text']} ").replace(f" no {claim['text']}", " no such path")
    )
    entry = [
        line((f"{claim['line']:>{width}}  ", "dim"), (claim["text"], "red"), indent=2),
        line((reason, "dim"), indent=indent),
    ]
    if claim["suggestion"] is not None:
        entry.append(line(("perhaps ", "dim"), (claim["suggestion"], "green"), indent=indent))
    return entry


def _summary(result: Mapping[str, Any]) -> Line:
    count = len(result["dead"]) + result["left_out"]
    read = (
        f"{counted(result['documents'], 'document')} and "
        f"{counted(result['memories'], 'saved memory', 'saved memories')} read"
    )
    if not count:
        return line(("No dead claims", "bold"), f" ({read}).")
    more = f", {result['left_out']:,} of them not listed" if result["left_out"] else ""
    return line((counted(count, "dead claim"), "bold"), f"{more} ({read}).")
