"""What there is of memos, and of memories that cite files, in few words: to see which were written since."""

from __future__ import annotations

from typing import NamedTuple

from afresh.store.cursor import Cursor
from afresh.store.owners import Owner

_CITED = "id IN (SELECT owner_id FROM citations WHERE owner = 'memory')"


class LearnedState(NamedTuple):
    """A memo or a memory, without its texts and files."""

    project_id: int
    version: int
    living: bool
    """Neither retired nor deleted nor superseded."""


def mark(cur: Cursor) -> tuple[int, ...]:
    """Numbers that are others after any of them was written: a scan of few columns."""
    memos = cur.execute("SELECT count(*), coalesce(sum(version), 0)::BIGINT FROM memos").one()
    cited = cur.execute("SELECT count(*) FROM citations WHERE owner = 'memory'").one()
    assert memos is not None and cited is not None
    if not cited[0]:
        return (*memos, 0)
    memories = cur.execute(
        "SELECT count(*), sum(version)::BIGINT, count(deleted_at), count(superseded_by), "
        f"coalesce(sum(superseded_by), 0)::BIGINT FROM memories WHERE {_CITED}"
    ).one()
    assert memories is not None
    return (*memos, *cited, *memories)


def states(cur: Cursor) -> dict[tuple[Owner, int], LearnedState]:
    """The state of every memo and of every memory that cites files."""
    found: dict[tuple[Owner, int], LearnedState] = {}
    for id_, *state in cur.execute(
        "SELECT id, project_id, version, retired_at IS NULL AND superseded_by IS NULL FROM memos"
    ).rows():
        found["memo", id_] = LearnedState(*state)
    for id_, *state in cur.execute(
        "SELECT id, project_id, version, deleted_at IS NULL AND superseded_by IS NULL FROM memories "
        f"WHERE {_CITED}"
    ).rows():
        found["memory", id_] = LearnedState(*state)
    return found


def roots(cur: Cursor) -> list[tuple[int, str]]:
    """Under which folders they cite files: (project id, absolute path), each once."""
    return [
        (project_id, root)
        for project_id, root in cur.execute(
            "SELECT DISTINCT project_id, root FROM memos UNION "
            "SELECT DISTINCT memories.project_id, citations.root FROM citations "
            "JOIN memories ON memories.id = citations.owner_id WHERE citations.owner = 'memory'"
        ).rows()
    ]
