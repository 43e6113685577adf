"""Commits as memories: whose checkouts' history is followed, and what is kept of it."""

from __future__ import annotations

from dataclasses import dataclass

from afresh.store.cursor import Cursor, Transaction
from afresh.store.memory_records import COLUMNS, Memory, memory_from_row


@dataclass(frozen=True, slots=True)
class Followed:
    """How far back the history of a checkout is kept as memories."""

    depth: int
    head: str
    """The commit that was checked out when it was last read."""


def followed(cur: Cursor, checkout_id: int) -> Followed | None:
    """What is followed of a checkout's history; None where nobody asked for it."""
    row = cur.execute("SELECT depth, head FROM followed_commits WHERE checkout_id = ?", [checkout_id]).one()
    return None if row is None else Followed(int(row[0]), row[1])


def follow(tx: Transaction, checkout_id: int, depth: int, head: str) -> None:
    """Follow so many commits of a checkout from now on, read up to `head`; none at all with 0."""
    tx.execute("DELETE FROM followed_commits WHERE checkout_id = ?", [checkout_id])
    if depth:
        tx.execute("INSERT INTO followed_commits VALUES (?, ?, ?)", [checkout_id, depth, head])


def memories_of_commits(cur: Cursor, project_id: int) -> dict[str, Memory]:
    """The commits of a project that are memories, deleted ones too, by the commit's id."""
    rows = cur.execute(
        f"SELECT {COLUMNS} FROM memories WHERE project_id = ? AND source_kind = 'git' ORDER BY id DESC",
        [project_id],
    ).rows()
    return {str(memory.external_id): memory for memory in map(memory_from_row, rows)}
