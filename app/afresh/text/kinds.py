"""Which kind of memory a query plainly asks for, read off its words by rule."""

from __future__ import annotations

import re
from typing import Literal

_Kind = Literal["episodic", "identity", "procedural", "semantic", "working"]

_PATTERNS: tuple[tuple[_Kind, re.Pattern[str]], ...] = (
    (
        "working",
        re.compile(r"\b(working on|right now|at the moment|in progress|current task|left to do|todo)\b"),
    ),
    (
        "identity",
        re.compile(
            r"\b(who (am i|are you|is the user)|my (name|role|preferences?)|(do|does) (i|the user) prefer)\b"
        ),
    ),
    (
        "episodic",
        re.compile(
            r"\b(what happened|when did|last time|yesterday|last (week|month|night|session)|earlier today)\b"
        ),
    ),
    (
        "procedural",
        re.compile(
            r"\b(how (do|does|should|can|to)|steps? (to|for)|procedure|runbook|conventions?|workflow)\b"
        ),
    ),
)


def memory_type_asked_for(query: str) -> _Kind | None:
    """The memory type that a query asks for; None where its words don't say, and then all are searched."""
    folded = query.casefold()
    for kind, pattern in _PATTERNS:
        if pattern.search(folded):
            return kind
    return None
