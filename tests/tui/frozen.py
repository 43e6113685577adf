"""An app over a scripted engine in which nothing moves by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from afresh_tui.app import AfreshApp
from afresh_tui.conditions import Conditions
from afresh_tui.scripted import Answer, ScriptedEngine

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
FROZEN = Conditions(
    clock=lambda: NOW,
    zone=UTC,
    zone_name="UTC",
    home=Path("/home/ada"),
    live=False,
    blink=False,
    animate=False,
    debounce=0.0,
)
SIZES = {"80x24": (80, 24), "100x32": (100, 32), "120x36": (120, 36)}
THEMES = ("afresh-dark", "afresh-light")


def status(**changes: Any) -> dict[str, Any]:
    """A `workspace_status` of a project called shop."""
    told: dict[str, Any] = {
        "project": "shop",
        "root": "/home/ada/shop",
        "readiness_state": "ready_rich",
        "files": {"indexed": 412, "pending": 0, "excluded": 9, "errors": 1},
        "memories": {"total": 1284, "by_type": {"fact": 612, "decision": 301, "lesson": 371}},
        "memos": {"fresh": 41, "stale": 7},
        "watch": {"mode": "native", "lag_ms": 34.0, "last_change": "2026-03-01T11:58:00Z", "reason": ""},
        "model": {"id": "all-MiniLM-L6-v2", "source": "bundled", "vectors_pending": 0},
        "llm": {"provider": "ollama", "model": "qwen3:8b", "reachable": True},
        "keeper": {
            "pid": 4711,
            "version": "0.1.0",
            "uptime_s": 5400.0,
            "database_bytes": 48_000_000,
            "clients": 3,
            "transport": "unix",
            "in_process": False,
        },
        "languages": {"python": 301, "typescript": 88},
        "symbols": 5120,
        "excluded_by_reason": {"too large": 2, "binary": 7},
        "projects": ["shop", "billing"],
    }
    return {**told, **changes}


def engine(answers: Mapping[str, Answer] | None = None) -> ScriptedEngine:
    """A scripted engine that knows its workspace and its keeper."""
    told = status()
    return ScriptedEngine(
        answers={"workspace_status": told, "keeper_status": told["keeper"], **(answers or {})}
    )


def app(
    over: ScriptedEngine | None = None, *, first: str = "recall", theme: str = "afresh-dark", **changes: Any
) -> AfreshApp:
    """The app over it; further arguments change the conditions."""
    made = AfreshApp(over or engine(), replace(FROZEN, theme=theme, **changes), first=first)
    # On a machine that is busy a notice would be gone before it is looked at.
    made.NOTIFICATION_TIMEOUT = 3600.0  # type: ignore[misc]
    return made


async def settled(pilot: Pilot[Any]) -> None:
    """Wait until every worker is done and every message was handled."""
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()
