"""What agents and editors asked, as lines for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from afresh.faces.render import Line, columns, counted, line, one_line, paragraph, told_time, word_of

_WIDEST = 48
"""Columns of what was asked."""


def requests(result: Mapping[str, Any], now: datetime) -> list[Line]:
    """A page of requests, newest last, so that the latest stands above the next prompt."""
    lines: list[Line] = []
    if not result["kept"]:
        lines.append(line(("Requests are not kept: AFRESH_REQUESTS is off.", "dim")))
    if not result["requests"]:
        return lines or [line("No request is known: agents and editors have asked nothing that fits.")]
    rows = [_row(request, now) for request in reversed(result["requests"])]
    lines += columns(rows)
    left = result["total"] - len(result["requests"])
    if left > 0:
        oldest = min(request["id"] for request in result["requests"])
        lines.append(line((f"{left:,} more; older ones: --before {oldest}", "dim")))
    return lines


def request(result: Mapping[str, Any], now: datetime) -> list[Line]:
    """One request, whole as far as it was kept."""
    lines = [
        line((f"#{result['id']}", "bold"), f"  {result['tool']}"),
        line(f"{told_time(result['started_at'], now)}, {_took(result['elapsed_ms'])}", indent=2),
        line(f"{result['client']} ({result['kind']})", *_where(result), indent=2),
    ]
    if result["redacted"]:
        lines.append(line((f"{counted(result['redacted'], 'secret')} taken out", "yellow"), indent=2))
    lines += [Line(), line(("arguments", "bold"))]
    lines += _value(result["arguments"], result["arguments_cut"], result["arguments_length"])
    lines.append(Line())
    if result["error_kind"] is not None:
        lines += [line((f"✖ {word_of(result['error_kind'])}", "red")), *paragraph(result["error"], 2)]
    else:
        lines.append(line(("result", "bold")))
        lines += _value(result["result"], result["result_cut"], result["result_length"])
    return lines


def followed(event: Mapping[str, Any], now: datetime) -> list[Line]:
    """A call that has ended; nothing for other events."""
    if event.get("kind") != "call_ended":
        return []
    return columns([_row(event["request"], now)])


def _row(request: Mapping[str, Any], now: datetime) -> Sequence[str | tuple[str, str]]:
    failed = request["error_kind"] is not None
    told = one_line(request["outcome"], 60)
    return [
        (f"#{request['id']}", "bold"),
        (_moment(request["started_at"], now), "dim"),
        one_line(request["client"], 20),
        request["tool"],
        (_took(request["elapsed_ms"]).rjust(7), "dim"),
        one_line(request["asked"], _WIDEST),
        (f"✖ {told}", "red") if failed else told,
    ]


def _moment(moment: str, now: datetime) -> str:
    """The time of day where that is today's, else the day before it."""
    then = datetime.fromisoformat(moment.replace("Z", "+00:00")).astimezone(UTC)
    return f"{then:%H:%M:%S}" if then.date() == now.astimezone(UTC).date() else f"{then:%m-%d %H:%M}"


def _took(milliseconds: float) -> str:
    return f"{milliseconds:.1f} ms" if milliseconds < 100 else f"{milliseconds / 1000:.2f} s"


def _where(result: Mapping[str, Any]) -> list[str]:
    session = f", session {result['session']}" if result["session"] else ""
    return [f" in {result['cwd']}{session}"] if result["cwd"] else [session] if session else []


def _value(value: Any, cut: bool, length: int) -> list[Line]:
    text = value if cut else json.dumps(value, ensure_ascii=False, indent=2)
    lines = paragraph(text, 2)
    if cut:
        lines.append(line((f"… cut: the whole had {length:,} characters", "dim"), indent=2))
    return lines
