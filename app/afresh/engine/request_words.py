"""A call of a tool in two short lines: what was asked, and what came of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SHOWN = 200
"""Characters of each."""
_SUBJECTS = ("query", "question", "prompt", "content", "action")
"""The arguments that say what a call is about, the first that is there."""


def asked(arguments: Mapping[str, Any]) -> str:
    """What a call is about: its question or text, or the ids that it names."""
    parts: list[str] = []
    ids = arguments.get("ids", arguments.get("id"))
    if isinstance(ids, list):
        parts.append(" ".join(f"#{id_}" for id_ in ids[:20]))
    elif ids is not None:
        parts.append(f"#{ids}")
    subject = next((arguments[name] for name in _SUBJECTS if isinstance(arguments.get(name), str)), "")
    return _one_line(" ".join([*parts, subject]))


def outcome(tool: str, result: Mapping[str, Any]) -> str:
    """What a call brought, as a few words; empty for a tool that isn't known."""
    match tool:
        case "recall":
            found = result["result"]
            return "nothing relevant" if found["nothing_relevant"] else _memories(found["count"])
        case "recall_context":
            return f"{_counted(len(result['items']), 'item')}, {_counted(result['tokens'], 'token')}"
        case "memory_recall_iterative":
            ending = result["terminated_reason"].replace("_", " ")
            return f"{_memories(result['evidence_count'])}, {ending}"
        case "memory_exploration_recall":
            return f"{result['fresh']:,} fresh, {result['stale']:,} stale"
        case "memory_exploration_record":
            return f"{'replaced' if result['replaced'] else 'recorded'} #{result['id']}"
        case "memory_exploration_verify":
            return f"#{result['id']} {result['status']}"
        case "memory_save":
            return f"{'saved' if result['created'] else 'already known as'} #{result['id']}"
        case "memory_update":
            return f"#{result['id']} has version {result['version']}"
        case "memory_delete":
            return f"#{result['id']} {'deleted' if result['deleted'] else 'is back'}"
        case "memory_get":
            missing = f", {len(result['missing']):,} missing" if result["missing"] else ""
            return f"{_memories(len(result['memories']))}{missing}"
        case "memory_answer":
            return str(result["draft"]["status"])
        case "workspace_status":
            return str(result["readiness_state"]).replace("_", " ")
        case _:
            return ""


def failure(error: str) -> str:
    """An error on one line."""
    return _one_line(error)


def _memories(count: int) -> str:
    return _counted(count, "memory", "memories")


def _counted(count: int, noun: str, plural: str | None = None) -> str:
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def _one_line(text: str) -> str:
    flat = " ".join(text[: SHOWN * 4].split())
    return flat if len(flat) <= SHOWN else f"{flat[: SHOWN - 1].rstrip()}…"
