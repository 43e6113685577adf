"""Requests as the engine tells them, for pictures and behaviour of the Requests screen."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from tests.tui.frozen import NOW

from afresh.errors import NotFoundError

_ROWS: tuple[tuple[str, str, str, str, str | None, float, float], ...] = (
    ("claude-code", "recall", "why are invoices totalled in cents", "3 memories", None, 0.4, 11.2),
    ("claude-code", "memory_exploration_recall", "how does locking work?", "1 fresh, 1 stale", None, 2, 8.4),
    ("Zed", "memory_save", "", "content is required", "invalid_arguments", 4, 0.3),
    (
        "claude-code",
        "memory_exploration_record",
        "Where are currency conversions rounded, and which of the two tables of rates counts?",
        "recorded #77",
        None,
        9,
        31.0,
    ),
    (
        "cursor-vscode",
        "recall_context",
        "change how invoices are totalled",
        "6 items, 1,480 tokens",
        None,
        21,
        14.0,
    ),
    (
        "claude-code",
        "memory_recall_iterative",
        "which decision about money does the report rest on",
        "7 memories, converged",
        None,
        64,
        4312.0,
    ),
    ("cursor-vscode", "memory_get", "#812 #813", "1 memory, 1 missing", None, 200, 1.1),
    ("agent \x1b[31mred\x1b[0m", "memory_update", "#12 \u202erenamed", "#12 has version 4", None, 3000, 5.0),
)


def summaries(count: int = len(_ROWS)) -> list[dict[str, Any]]:
    """So many requests, the newest first, with ids down to 1."""
    made = []
    for number in range(count):
        client, tool, asked, outcome, error_kind, minutes, took = _ROWS[number % len(_ROWS)]
        made.append(
            {
                "id": count - number,
                "client": client,
                "kind": "agent",
                "cwd": "/home/ada/shop",
                "session": None,
                "tool": tool,
                "asked": asked,
                "outcome": outcome,
                "arguments_length": 40,
                "result_length": 0 if error_kind else 900,
                "error_kind": error_kind,
                "started_at": (NOW - timedelta(minutes=minutes, hours=number // 8)).isoformat(),
                "elapsed_ms": took,
            }
        )
    return made


def listed(*, count: int = len(_ROWS), running: int = 0, kept: bool = True) -> Any:
    """What `requests` answers, page by page and by its filters."""
    everything = summaries(count)

    def answer(arguments: Mapping[str, Any], _emit: object) -> dict[str, Any]:
        found = [
            row
            for row in everything
            if arguments.get("tool") in (None, row["tool"])
            and (arguments.get("client") or "") in row["client"]
            and (not arguments.get("failed") or row["error_kind"])
        ]
        page = [row for row in found if row["id"] < arguments.get("before", 10**9)][: arguments["limit"]]
        return {
            "requests": page,
            "total": len(found),
            "running": [began(number)["call"] for number in range(running)],
            "kept": kept,
            "days": 30,
        }

    return answer


def whole(arguments: Mapping[str, Any], _emit: object = None, /, **changes: Any) -> Any:
    """What `request` answers."""
    rows = {row["id"]: row for row in summaries()} | {row["id"]: row for row in summaries(300)}
    rows |= {row["id"]: row for row in summaries()}
    row = rows.get(arguments["id"])
    if row is None:
        return NotFoundError(f"there is no request {arguments['id']}")
    failed = row["error_kind"] is not None
    return {
        **row,
        "session": "s-4f2a",
        "arguments": {"query": row["asked"], "limit": 5},
        "arguments_cut": False,
        "result": None
        if failed
        else {"count": 3, "memories": [{"id": 12, "content": "Invoices are totalled in integer cents."}]},
        "result_cut": False,
        "error": row["outcome"] if failed else None,
        "redacted": 0,
        **changes,
    }


def began(number: int) -> dict[str, Any]:
    """The event of a call that begins."""
    return {
        "kind": "call_began",
        "call": {
            "number": number,
            "client": "claude-code",
            "kind": "agent",
            "tool": "memory_recall_iterative",
            "started_at": (NOW - timedelta(seconds=8)).isoformat(),
        },
    }


def ended(number: int, **changes: Any) -> dict[str, Any]:
    """The event of one that ends."""
    request = {**summaries()[0], "id": 900 + number, "asked": "arrived just now", **changes}
    return {"kind": "call_ended", "number": number, "request": request}


ANSWERS: Mapping[str, Any] = {"requests": listed(), "request": whole}
