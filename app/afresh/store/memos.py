"""Memos: conclusions with the question they answer and the files they rest on.

The same question in the same project is the same memo: its id and its first time stay, and every earlier
state is kept in its history.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from afresh.errors import InvalidArgumentError, NotFoundError
from afresh.store import citations
from afresh.store.citations import Citation, FileCitation
from afresh.store.columns import aware, aware_or_none, matching, stored, stored_or_none
from afresh.store.cursor import Cursor, Transaction
from afresh.store.spans import Span

__all__ = [
    "FileCitation",
    "Memo",
    "MemoHistory",
    "Span",
    "get",
    "history",
    "many",
    "of_project",
    "record",
    "set_retired",
    "supersede",
    "undo",
    "verify",
]


@dataclass(frozen=True, slots=True)
class Memo:
    """A conclusion as it stands. Times are aware, in UTC."""

    id: int
    project_id: int
    root: str
    """Absolute path of the folder that its files' paths are relative to."""
    question: str
    question_key: str
    """What makes two questions the same."""
    conclusion: str
    recorded_at: datetime
    """When its question was first answered."""
    updated_at: datetime
    retired_at: datetime | None
    superseded_by: int | None
    version: int
    files: tuple[FileCitation, ...] = ()


@dataclass(frozen=True, slots=True)
class MemoHistory:
    """A memo as it was before one change."""

    version: int
    root: str
    question: str
    conclusion: str
    files: tuple[FileCitation, ...]
    updated_at: datetime
    retired_at: datetime | None
    superseded_by: int | None
    action: str
    """record, verify, retire, restore, supersede or undo: what was then done to it."""
    note: str
    changed_at: datetime


_COLUMNS = (
    "id, project_id, root, question, question_key, conclusion, recorded_at, updated_at, retired_at, "
    "superseded_by, version"
)
_TIMES = (6, 7, 8)
"""Which of them are times."""


def record(
    tx: Transaction,
    *,
    project_id: int,
    root: str,
    question: str,
    question_key: str,
    conclusion: str,
    files: Sequence[FileCitation],
    now: datetime,
) -> tuple[Memo, bool]:
    """Record a conclusion; the memo, and whether it took an earlier one's place.

    A retired or superseded memo of the same question comes back with the new conclusion.
    """
    row = tx.execute(
        f"SELECT {_COLUMNS} FROM memos WHERE project_id = ? AND question_key = ?", [project_id, question_key]
    ).one()
    if row is None:
        made = tx.execute(
            "INSERT INTO memos SELECT nextval('memo_ids'), ?, ?, ?, ?, ?, ?, ?, NULL, NULL, 1 RETURNING id",
            [project_id, root, question, question_key, conclusion, stored(now), stored(now)],
        ).one()
        assert made is not None
        id_ = int(made[0])
    else:
        id_ = int(row[0])
        _keep(tx, existing(tx, id_), "record", "", now)
        tx.execute(
            "UPDATE memos SET root = ?, question = ?, conclusion = ?, updated_at = ?, retired_at = NULL, "
            "superseded_by = NULL, version = version + 1 WHERE id = ?",
            [root, question, conclusion, stored(now), id_],
        )
    citations.put_all(tx, "memo", {id_: Citation(root, tuple(files))})
    return existing(tx, id_), row is not None


def verify(
    tx: Transaction, id: int, files: Sequence[FileCitation], *, root: str, note: str, now: datetime
) -> Memo:
    """Say that a conclusion still holds for these files as they are now, in place of the earlier ones.

    Raises NotFoundError.
    """
    _keep(tx, existing(tx, id), "verify", note, now)
    tx.execute(
        "UPDATE memos SET root = ?, updated_at = ?, version = version + 1 WHERE id = ?",
        [root, stored(now), id],
    )
    citations.put_all(tx, "memo", {id: Citation(root, tuple(files))})
    return existing(tx, id)


def set_retired(tx: Transaction, id: int, *, retired: bool, note: str, now: datetime) -> Memo:
    """Retire a memo, or take that back; nothing happens to one that is so already.

    Raises NotFoundError.
    """
    memo = existing(tx, id)
    if (memo.retired_at is not None) == retired:
        return memo
    _keep(tx, memo, "retire" if retired else "restore", note, now)
    moment = stored(now)
    tx.execute(
        "UPDATE memos SET retired_at = ?, updated_at = ?, version = version + 1 WHERE id = ?",
        [moment if retired else None, moment, id],
    )
    return existing(tx, id)


def undo(tx: Transaction, id: int, *, note: str, now: datetime) -> Memo:
    """Take the last change back: conclusion, files, retirement and all. Undone twice, it is there again.

    Raises NotFoundError, InvalidArgumentError for a memo that was never changed.
    """
    memo = existing(tx, id)
    earlier = history(tx, id)
    if not earlier:
        raise InvalidArgumentError(
            f"memo {id} was never changed since it was recorded: there is nothing to undo"
        )
    last = earlier[-1]
    _keep(tx, memo, "undo", note, now)
    tx.execute(
        "UPDATE memos SET root = ?, question = ?, conclusion = ?, updated_at = ?, retired_at = ?, "
        "superseded_by = ?, version = version + 1 WHERE id = ?",
        [
            last.root,
            last.question,
            last.conclusion,
            stored(now),
            stored_or_none(last.retired_at),
            last.superseded_by,
            id,
        ],
    )
    citations.put_all(tx, "memo", {id: Citation(last.root, last.files)})
    return existing(tx, id)


def supersede(tx: Transaction, old_id: int, new_id: int, now: datetime) -> None:
    """Let one memo take another's place.

    Raises NotFoundError, InvalidArgumentError for a memo that would replace itself.
    """
    if old_id == new_id:
        raise InvalidArgumentError(f"memo {old_id} can't supersede itself")
    _keep(tx, existing(tx, old_id), "supersede", "", now)
    tx.execute(
        "UPDATE memos SET superseded_by = ?, updated_at = ?, version = version + 1 WHERE id = ?",
        [new_id, stored(now), old_id],
    )


def get(cur: Cursor, id: int) -> Memo | None:
    """The memo with that id and its files, retired and superseded ones too."""
    found = _with_files(cur, cur.execute(f"SELECT {_COLUMNS} FROM memos WHERE id = ?", [id]).rows())
    return found[0] if found else None


def many(cur: Cursor, ids: Iterable[int]) -> list[Memo]:
    """The memos with these ids and their files, by id; retired and superseded ones too."""
    condition, params = matching("id", ids)
    return _with_files(
        cur, cur.execute(f"SELECT {_COLUMNS} FROM memos WHERE {condition} ORDER BY id", params).rows()
    )


def existing(cur: Cursor, id: int) -> Memo:
    """As `get`.

    Raises NotFoundError.
    """
    memo = get(cur, id)
    if memo is None:
        raise NotFoundError(f"there is no memo {id}")
    return memo


def of_project(cur: Cursor, project_id: int, *, include_retired: bool = False) -> list[Memo]:
    """The memos of a project with their files, by id; retired and superseded ones only when asked for."""
    only = "" if include_retired else "AND retired_at IS NULL AND superseded_by IS NULL"
    rows = cur.execute(
        f"SELECT {_COLUMNS} FROM memos WHERE project_id = ? {only} ORDER BY id", [project_id]
    ).rows()
    return _with_files(cur, rows)


def history(cur: Cursor, id: int) -> list[MemoHistory]:
    """Every earlier state of a memo, oldest first."""
    rows = cur.execute(
        "SELECT version, root, question, conclusion, files, updated_at, retired_at, superseded_by, action, "
        "note, changed_at FROM memo_history WHERE memo_id = ? ORDER BY version",
        [id],
    ).rows()
    return [
        MemoHistory(
            version=version,
            root=root,
            question=question,
            conclusion=conclusion,
            files=citations.load_files(files),
            updated_at=aware(updated),
            retired_at=aware_or_none(retired),
            superseded_by=superseded_by,
            action=action,
            note=note,
            changed_at=aware(changed),
        )
        for (
            version,
            root,
            question,
            conclusion,
            files,
            updated,
            retired,
            superseded_by,
            action,
            note,
            changed,
        ) in rows
    ]


def _with_files(cur: Cursor, rows: Sequence[tuple[Any, ...]]) -> list[Memo]:
    if not rows:
        return []
    cited = citations.of(cur, [row[0] for row in rows], "memo")
    memos = []
    for row in rows:
        values = [*row, cited[row[0]].files if row[0] in cited else ()]
        for index in _TIMES:
            values[index] = aware_or_none(values[index])
        memos.append(Memo(*values))
    return memos


def _keep(tx: Transaction, memo: Memo, action: str, note: str, now: datetime) -> None:
    tx.execute(
        "INSERT INTO memo_history VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            memo.id,
            memo.version,
            memo.root,
            memo.question,
            memo.conclusion,
            citations.dump_files(memo.files),
            stored(memo.updated_at),
            stored_or_none(memo.retired_at),
            memo.superseded_by,
            action,
            note,
            stored(now),
        ],
    )
