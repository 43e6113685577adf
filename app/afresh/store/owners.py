"""Memories and memos are both searched, so postings, vectors, the queue and citations serve either."""

from __future__ import annotations

from typing import Literal, TypeAlias

Owner: TypeAlias = Literal["memory", "memo"]
"""Whose row it is."""

OWNERS: tuple[Owner, ...] = ("memory", "memo")

TEXTS: dict[Owner, str] = {
    "memory": "SELECT id, project_id, content AS text FROM memories WHERE deleted_at IS NULL",
    "memo": "SELECT id, project_id, question AS text FROM memos",
}
"""The rows that can be searched, with the text that they are found by. A deleted memory leaves the search and
comes back with its restoration; a retired memo stays in it, since whoever asks names the memos that count."""
