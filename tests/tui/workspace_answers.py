"""A workspace at work, for pictures and behaviour of the Workspace screen."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from tests.tui.frozen import NOW, status


def change(minutes: float, *paths: str, **counts: Any) -> dict[str, Any]:
    """One batch of changes."""
    return {
        "at": (NOW - timedelta(minutes=minutes)).isoformat(),
        "paths": list(paths),
        "changed": len(paths),
        "removed": 0,
        "commits": 0,
        "lag_ms": 34.0,
        **counts,
    }


CHANGES = [
    change(2, "billing/locks.py"),
    change(3, "billing/locks.py", "billing/invoice.py", commits=1, lag_ms=41.2),
    change(11, "web/src/app/components/invoices/table/header/InvoiceTableHeaderCell.tsx", lag_ms=52.0),
    change(40, "docs/adr/0007-money-is-integer-cents.md", changed=0, removed=1),
    change(95, *(f"vendor/part{n}.py" for n in range(20)), changed=1000, lag_ms=1180.0),
    change(180, "a\u202eb.py", "c\x1b[31m.py", lag_ms=None),
]


def activity(changes: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """What `activity` answers."""
    return {
        "root": "/home/ada/shop",
        "changes": CHANGES if changes is None else changes,
        "calls": {"last_minute": 24, "p50_ms": 3.1, "p95_ms": 41.0},
        "indexing": {"files": 412, "bytes": 3_100_000, "seconds": 0.9},
        "embedded": 128,
    }


def client(name: str, kind: str, hours: float, **changes: Any) -> dict[str, Any]:
    """One that is connected."""
    return {
        "client": name,
        "kind": kind,
        "mode": "mcp" if kind == "agent" else "rpc",
        "cwd": "/home/ada/shop",
        "since": (NOW - timedelta(hours=hours)).isoformat(),
        "watching": True,
        **changes,
    }


CLIENTS = {
    "clients": [
        client("claude-code", "agent", 3),
        client("cursor-vscode", "agent", 1.5, cwd="/home/ada/billing/packages/reports/monthly/templates"),
        client("lsp", "cli", 1),
        client("tui", "cli", 0.01, watching=True),
        client("cli", "cli", 0.001, watching=False, cwd=None),
    ]
}
EXCLUDED = {
    "project": "shop",
    "root": "/home/ada/shop",
    "files": [{"path": f"assets/image{n}.png", "reason": "binary", "detail": ""} for n in range(7)]
    + [
        {"path": "data/rates-of-all-currencies-since-1999.csv", "reason": "too_large", "detail": "48.2 MB"},
        {"path": "etc/secrets.env", "reason": "unreadable", "detail": "permission denied"},
    ],
    "total": 9,
    "by_reason": {"binary": 7, "too_large": 1, "unreadable": 1},
}


def claim(text: str, reason: str, line: int, **changes: Any) -> dict[str, Any]:
    """A dead claim."""
    return {
        "memory": 12,
        "source_path": "docs/CLAUDE.md",
        "line": line,
        "kind": "path",
        "text": text,
        "reason": reason,
        "suggestion": None,
        "excerpt": "",
        **changes,
    }


CLAIMS = {
    "project": "shop",
    "root": "/home/ada/shop",
    "documents": 21,
    "memories": 4,
    "dead": [
        claim("tasks/plan.md", "the workspace has no such path", 24),
        claim(
            "Lock.release",
            "was defined in billing/locks.py and is there no more",
            177,
            kind="symbol",
            suggestion="billing/mutex.py: Mutex.release",
        ),
        claim(
            "make chekc",
            "make has nothing called chekc here",
            1,
            kind="command",
            source_path=None,
            suggestion="make check",
        ),
    ],
    "left_out": 0,
    "notes": [],
}
ANSWERS: Mapping[str, Any] = {
    "workspace_status": status(),
    "activity": activity(),
    "clients": CLIENTS,
    "excluded": EXCLUDED,
    "claims": CLAIMS,
}
