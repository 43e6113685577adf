"""How memos, and memories that cite files, stand under one folder: judged from the disk, to be compared."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from afresh.engine.core import Engine
from afresh.engine.freshness import DiskJudge, Verdict
from afresh.store import citations, memories, memos
from afresh.store.citations import FileCitation
from afresh.store.cursor import Cursor
from afresh.store.memos import Memo
from afresh.store.owners import Owner


@dataclass(frozen=True, slots=True)
class Learned:
    """A memo or a memory, as far as it can turn."""

    owner: Owner
    id: int
    project_id: int
    root: str
    files: tuple[FileCitation, ...]
    living: bool
    """Whether it is in its project's lists: neither retired nor deleted nor superseded."""


@dataclass(frozen=True, slots=True)
class Stand:
    """How one stood when it was judged."""

    verdict: Verdict
    hashes: tuple[str | None, ...]
    """Of its changed files: one that changes again turns nothing, but differs in another way."""

    @property
    def is_stale(self) -> bool:
        return self.verdict.status == "stale"


def load(cursor: Cursor, owner: Owner, ids: Iterable[int]) -> list[Learned]:
    """These memos, or those of these memories that cite files; ids that don't exist are left out."""
    wanted = [id_ for id_ in ids if 0 < id_ < 2**63]
    if not wanted:
        return []
    if owner == "memo":
        return [_of_memo(memo) for memo in memos.many(cursor, wanted)]
    cited = citations.of(cursor, wanted)
    return [
        Learned(
            "memory",
            memory.id,
            memory.project_id,
            cited[memory.id].root,
            cited[memory.id].files,
            memory.deleted_at is None and memory.superseded_by is None,
        )
        for memory in memories.get(cursor, list(cited), include_deleted=True)
    ]


def of_project(engine: Engine, cursor: Cursor, project_id: int) -> list[Learned]:
    """What a project's list of stale ones is chosen from."""
    found = [_of_memo(memo) for memo in engine.memos_of(project_id).values()]
    cited = citations.of_memories(cursor, project_id, engine.clock())
    return found + [
        Learned("memory", id_, project_id, citation.root, citation.files, True)
        for id_, citation in cited.items()
    ]


def stands(pairs: Iterable[tuple[Learned, Path]]) -> Iterator[tuple[Learned, Path, Stand]]:
    """Judge each under the folder given with it; a file is read once."""
    judge = DiskJudge()
    wanted = list(pairs)
    by_view: dict[Path, list[FileCitation]] = {}
    for learned, view in wanted:
        by_view.setdefault(view, []).extend(learned.files)
    for view, files in by_view.items():
        judge.read(view, files)
    for learned, view in wanted:
        verdict = judge.judge(view, learned.files)
        yield learned, view, Stand(verdict, tuple(judge.sha256(view, path) for path in verdict.changed))


def _of_memo(memo: Memo) -> Learned:
    living = memo.retired_at is None and memo.superseded_by is None
    return Learned("memo", memo.id, memo.project_id, memo.root, memo.files, living)
