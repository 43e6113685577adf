"""Commit messages as memories, for who asked for them: what was done, when, and in the author's words."""

from __future__ import annotations

from pathlib import Path

from afresh.engine.core import Engine, Indexed
from afresh.engine.save import content_hash
from afresh.engine.workspace_notes import NoteChanges
from afresh.errors import InvalidArgumentError
from afresh.store import commits, memories
from afresh.store.memory_records import NewMemory
from afresh.store.projects import Checkout, Project
from afresh.text.phrases import document_terms
from afresh.text.redact import redact
from afresh.text.tokens import count_terms
from afresh_indexer.commits import CommitMessage, head_commit, recent_commits, unreachable
from afresh_indexer.errors import GitFailed

_LONGEST = 100_000
"""Characters of a message: what any memory may have."""
_UNREACHABLE = "its commit is in no branch any more"


def follow_commits(engine: Engine, project: Project, checkout: Checkout, depth: int) -> int:
    """Keep the last `depth` commits of a checkout as memories, from now on; how many are new.

    With 0 nothing is followed any more, and what was kept stays. A commit that an amendment or a rebase
    replaced is taken out. Raises InvalidArgumentError where there is no history.
    """
    root = Path(checkout.root)
    try:
        head = head_commit(root) or ""
        told = recent_commits(root, depth)
    except GitFailed as error:
        raise InvalidArgumentError(f"history: {error}") from None
    with engine.store.read() as cursor:
        kept = commits.memories_of_commits(cursor, project.id)
    here = {commit.id for commit in told}
    living = [id_ for id_, memory in kept.items() if memory.deleted_at is None and id_ not in here]
    gone = unreachable(root, living) if told else set()
    changes = NoteChanges()
    with engine.exclusive():
        with engine.write() as tx:
            now = engine.clock()
            back = [kept[commit.id] for commit in told if commit.id in kept and kept[commit.id].deleted_at]
            for memory in back:
                # One that a person deleted stays so.
                if memories.history(tx, memory.id)[-1].reason == _UNREACHABLE:
                    memories.restore(tx, memory.id, now)
                    changes.back[memory.id] = memory.content
            fresh = [_memory(project, commit) for commit in reversed(told) if commit.id not in kept]
            for id_, new in zip(memories.insert(tx, fresh, now), fresh, strict=True):
                changes.added[id_] = Indexed(document_terms(new.content), None)
            if gone:
                changes.gone += memories.tombstone(tx, [kept[id_].id for id_ in gone], _UNREACHABLE, now)
            commits.follow(tx, checkout.id, depth, head)
            engine.store_index(tx, "memory", changes.added)
        changes.show(engine)
    return len(changes.added)


def follow_on(engine: Engine, project: Project, checkout: Checkout) -> int:
    """Take in what was committed since, where the history is followed; how many are new."""
    with engine.store.read() as cursor:
        followed = commits.followed(cursor, checkout.id)
    if followed is None:
        return 0
    try:
        if (head_commit(Path(checkout.root)) or "") == followed.head:
            return 0
    except GitFailed:
        # The repository is gone, or in the making: what was kept stays.
        return 0
    return follow_commits(engine, project, checkout, followed.depth)


def _memory(project: Project, commit: CommitMessage) -> NewMemory:
    text = redact(commit.message[:_LONGEST]).text
    return NewMemory(
        project_id=project.id,
        content=text,
        content_sha256=content_hash(text),
        type="fact",
        memory_type="episodic",
        tags=(f"author:{commit.author}"[:100],),
        event_time=commit.written,
        source_kind="git",
        external_id=commit.id,
        term_count=count_terms(text).length,
    )
