"""A call in two short lines."""

from __future__ import annotations

from typing import Any

import pytest

from afresh.engine import request_words
from afresh.verbs import TOOLS


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"query": "why  no\nfloats", "limit": 5}, "why no floats"),
        ({"ids": [3, 4]}, "#3 #4"),
        ({"id": 7, "action": "verify"}, "#7 verify"),
        ({"id": 7, "content": "new text"}, "#7 new text"),
        ({"query": 5}, ""),
        ({}, ""),
        ({"content": "x" * 900}, "x" * 199 + "…"),
    ],
)
def test_a_call_is_told_by_its_question_or_the_ids_that_it_names(
    arguments: dict[str, Any], told: str
) -> None:
    assert request_words.asked(arguments) == told


@pytest.mark.parametrize(
    ("tool", "result", "told"),
    [
        ("recall", {"result": {"nothing_relevant": False, "count": 1}}, "1 memory"),
        ("recall", {"result": {"nothing_relevant": True, "count": 0}}, "nothing relevant"),
        ("recall_context", {"items": [1, 2], "tokens": 1200}, "2 items, 1,200 tokens"),
        (
            "memory_recall_iterative",
            {"evidence_count": 4, "terminated_reason": "no_progress"},
            "4 memories, no progress",
        ),
        ("memory_exploration_recall", {"fresh": 2, "stale": 1}, "2 fresh, 1 stale"),
        ("memory_exploration_record", {"replaced": True, "id": 5}, "replaced #5"),
        ("memory_exploration_verify", {"id": 5, "status": "fresh"}, "#5 fresh"),
        ("memory_save", {"created": False, "id": 9}, "already known as #9"),
        ("memory_update", {"id": 9, "version": 2}, "#9 has version 2"),
        ("memory_delete", {"id": 9, "deleted": False}, "#9 is back"),
        ("memory_get", {"memories": [1], "missing": [7]}, "1 memory, 1 missing"),
        ("memory_answer", {"draft": {"status": "partial"}}, "partial"),
        ("workspace_status", {"readiness_state": "ready_rich"}, "ready rich"),
        ("of another day", {}, ""),
    ],
)
def test_what_came_of_a_call_is_told_in_a_few_words(tool: str, result: dict[str, Any], told: str) -> None:
    assert request_words.outcome(tool, result) == told


def test_every_tool_has_its_words() -> None:
    for verb in TOOLS:
        with pytest.raises((KeyError, TypeError)):
            request_words.outcome(verb.name, {})
