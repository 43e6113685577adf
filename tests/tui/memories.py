"""Memories of a project called shop, as recall and browse give them out."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from tests.tui.frozen import NOW

_TEXTS = (
    (
        "decision",
        "billing/invoices",
        "Invoices are totalled in integer cents; the report converts to the customer's currency at the last "
        "moment, so that no rounding is done twice.\n\n"
        "Floats were tried in 2024 and cost us 0.3 % of all totals.",
        {"status": "fresh"},
        ("money",),
        "billing/invoice.py",
    ),
    (
        "lesson",
        "billing/locks",
        "Two transfers that lock their accounts in different orders block each other: always lock by "
        "account id.",
        {"status": "stale", "impact": "edited", "changed_files": ["billing/locks.py"]},
        ("locks", "postgres"),
        "billing/locks.py",
    ),
    ("convention", "", "Releases are cut from tags on Tuesdays, never from a branch.", None, (), "README.md"),
    (
        "fact",
        "ops/database",
        "The staging database is refreshed from production every night at 02:00 UTC, with names masked.",
        None,
        ("staging",),
        None,
    ),
    (
        "solution",
        "web/cart",
        "A cart that shows 0 after login: the session cookie is bound to the old domain. Clear it on "
        "redirect.",
        {"status": "stale", "impact": "moved", "changed_files": ["web/cart.ts"]},
        (),
        "web/cart.ts",
    ),
    (
        "decision",
        "api/errors",
        "Errors of the API carry a stable `kind`, a text for people and nothing of the internals.",
        {"status": "stale", "impact": "gone", "missing_files": ["api/errors.py"]},
        ("api",),
        "api/errors.py",
    ),
)


def memory(id_: int, **changes: Any) -> dict[str, Any]:
    """The memory of that id, as a recall gives it."""
    kind, path, content, freshness, tags, source = _TEXTS[id_ % len(_TEXTS)]
    told: dict[str, Any] = {
        "id": id_,
        "type": kind,
        "memory_type": "semantic",
        "project": "shop",
        "path": path,
        "content": content,
        "score": round(0.94 - 0.07 * (id_ % 9), 2),
        "tags": list(tags),
        "agent_id": None if id_ % 2 else "claude-code",
        "branch": "main",
        "created_at": (NOW - timedelta(hours=7 * id_ + 2)).isoformat(),
        "updated_at": (NOW - timedelta(hours=7 * id_ + 2)).isoformat(),
        "event_time": None,
        "source": {"kind": "file" if source == "README.md" else "agent", "path": None},
        "superseded_by": None,
        "freshness": None
        if freshness is None
        else {"changed_files": [], "missing_files": [], "impact": None, **freshness},
    }
    if source == "README.md":
        told["source"] |= {"path": "README.md", "line": 41}
    return {**told, **changes}


def recall(*memories: Mapping[str, Any], query: str = "money", **changes: Any) -> dict[str, Any]:
    """The answer of a recall."""
    found: dict[str, Any] = {
        "query": query,
        "count": len(memories),
        "memories": list(memories),
        "nothing_relevant": not memories,
        "nearest": [],
        "window": {},
        "mode": "topic",
        "order": "relevance",
        "next_cursor": None,
        "retrieval": "hybrid",
        "explain": None,
    }
    return {"result": {**found, **changes}}


def browse(total: int = 6, **changes: Any) -> Any:
    """Answers of browse over so many memories."""

    def answer(arguments: Mapping[str, Any], _on_event: object) -> Mapping[str, Any]:
        offset, limit = arguments.get("offset", 0), arguments.get("limit", 100)
        ids = range(offset, min(offset + limit, total))
        told = {"total": total, "offset": offset, "window": {}}
        return {**told, "memories": [memory(id_) for id_ in ids], **changes}

    return answer


def got(arguments: Mapping[str, Any], _on_event: object) -> Mapping[str, Any]:
    """The answer of memory_get."""
    return {"memories": [record(id_) for id_ in arguments["ids"]], "missing": []}


def record(id_: int, **changes: Any) -> dict[str, Any]:
    """The whole memory of that id."""
    source = _TEXTS[id_ % len(_TEXTS)][5]
    cited = [] if source in (None, "README.md") else [source]
    told = {name: value for name, value in memory(id_).items() if name not in ("score", "expired")}
    spans = [{"start_line": 12, "end_line": 31, "symbol": "Lock.acquire"}]
    return {
        **told,
        "agent_instance_id": None,
        "session_id": None,
        "expires_at": None,
        "deleted_at": None,
        "version": 1,
        "files": [{"path": path, "sha256": "0" * 64, "size": 900, "spans": spans} for path in cited],
        "history": None,
        **changes,
    }


EXPLAIN = {
    "hits": [
        {"id": 0, "score": 0.94, "parts": {"words": 0.41, "meaning": 0.48, "recency": 0.07, "length": -0.02}},
        {"id": 1, "score": 0.87, "parts": {"words": 0.36, "meaning": 0.46, "recency": 0.05, "length": 0.0}},
    ],
    "steps": [
        {"step": "filter", "detail": "1284 memories may be returned", "elapsed_ms": 0.4},
        {"step": "embed", "detail": "all-MiniLM-L6-v2", "elapsed_ms": 3.1},
        {"step": "rank", "detail": "hybrid", "elapsed_ms": 4.6},
        {"step": "read", "detail": "6 memories", "elapsed_ms": 1.9},
    ],
}
