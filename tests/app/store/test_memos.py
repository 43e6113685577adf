from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from afresh.errors import InvalidArgumentError, NotFoundError
from afresh.store import Span, Store, memos
from afresh.store.memos import FileCitation, Memo

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
LATEST = NOW + timedelta(hours=2)


def cited(path: str, sha256: str = "a") -> FileCitation:
    return FileCitation(path, sha256 * 64, sha256 * 64, 3, 1, 2, 3, 4, "python", (Span(1, 2, "f"),))


def record(store: Store, question: str = "How?", conclusion: str = "So.", **fields: Any) -> tuple[Memo, bool]:
    values: dict[str, Any] = {
        "project_id": 1,
        "root": "/code",
        "question": question,
        "question_key": question.lower().rstrip("?!"),
        "conclusion": conclusion,
        "files": [cited("a.py")],
        "now": NOW,
        **fields,
    }
    with store.write() as tx:
        return memos.record(tx, **values)


def get(store: Store, id_: int) -> Memo:
    with store.read() as cursor:
        memo = memos.get(cursor, id_)
    assert memo is not None
    return memo


def shown(store: Store, project: int = 1, **options: bool) -> list[int]:
    with store.read() as cursor:
        return [memo.id for memo in memos.of_project(cursor, project, **options)]


def test_a_memo_comes_back_with_its_files(store: Store) -> None:
    files = (cited("z.py"), cited("a.py", "b"))
    memo, replaced = record(store, files=files)
    assert not replaced
    assert get(store, memo.id) == memo
    assert memo == Memo(memo.id, 1, "/code", "How?", "how", "So.", NOW, NOW, None, None, 1, files)


def test_the_same_question_is_the_same_memo_and_its_past_is_kept(store: Store) -> None:
    first, _ = record(store, files=[cited("old.py")])
    second, replaced = record(store, "HOW?", "Otherwise.", files=[cited("new.py")], now=LATER, root="/tree")
    assert replaced
    assert (second.id, second.recorded_at, second.updated_at) == (first.id, NOW, LATER)
    assert (second.question, second.conclusion, second.root) == ("HOW?", "Otherwise.", "/tree")
    assert second.files == (cited("new.py"),)
    with store.read() as cursor:
        (earlier,) = memos.history(cursor, first.id)
    assert (earlier.version, earlier.action, earlier.changed_at) == (1, "record", LATER)
    assert (earlier.question, earlier.conclusion, earlier.root) == ("How?", "So.", "/code")
    assert earlier.files == (cited("old.py"),)


def test_the_same_question_in_another_project_is_another_memo(store: Store) -> None:
    first, _ = record(store)
    second, replaced = record(store, project_id=2)
    assert not replaced
    assert second.id != first.id
    assert (shown(store, 1), shown(store, 2)) == ([first.id], [second.id])


def test_a_retired_memo_leaves_the_project_and_comes_back_when_it_is_recorded_again(store: Store) -> None:
    memo, _ = record(store)
    with store.write() as tx:
        retired = memos.set_retired(tx, memo.id, retired=True, note="gone", now=LATER)
        assert memos.set_retired(tx, memo.id, retired=True, note="twice", now=LATEST) == retired
    assert retired.retired_at == LATER
    assert shown(store) == []
    assert shown(store, include_retired=True) == [memo.id]
    again, replaced = record(store, conclusion="New.", now=LATEST)
    assert replaced
    assert (again.id, again.retired_at) == (memo.id, None)
    assert shown(store) == [memo.id]
    with store.read() as cursor:
        assert [(item.action, item.note) for item in memos.history(cursor, memo.id)] == [
            ("retire", "gone"),
            ("record", ""),
        ]


def test_a_retirement_can_be_taken_back(store: Store) -> None:
    memo, _ = record(store)
    with store.write() as tx:
        memos.set_retired(tx, memo.id, retired=True, note="", now=LATER)
        back = memos.set_retired(tx, memo.id, retired=False, note="still true", now=LATEST)
    assert (back.retired_at, back.updated_at, back.version) == (None, LATEST, 3)


def test_a_verification_takes_the_files_as_they_are_now(store: Store) -> None:
    memo, _ = record(store)
    with store.write() as tx:
        verified = memos.verify(tx, memo.id, [cited("a.py", "f")], root="/tree", note="read it", now=LATER)
    assert (verified.conclusion, verified.files, verified.updated_at) == ("So.", (cited("a.py", "f"),), LATER)
    assert verified.root == "/tree"
    with store.read() as cursor:
        (earlier,) = memos.history(cursor, memo.id)
    assert (earlier.action, earlier.note, earlier.files) == ("verify", "read it", (cited("a.py"),))


def test_the_last_change_can_be_undone_and_done_again(store: Store) -> None:
    first, _ = record(store, files=[cited("old.py")])
    second, _ = record(store, conclusion="Other.", files=[cited("new.py")], now=LATER)
    with store.write() as tx:
        undone = memos.undo(tx, first.id, note="wrong", now=LATEST)
        assert (undone.conclusion, undone.files) == (first.conclusion, first.files)
        redone = memos.undo(tx, first.id, note="", now=LATEST)
        assert (redone.conclusion, redone.files) == (second.conclusion, second.files)
    assert redone.version == 4


def test_a_memo_that_was_never_changed_has_nothing_to_undo(store: Store) -> None:
    memo, _ = record(store)
    with pytest.raises(InvalidArgumentError, match="nothing to undo"), store.write() as tx:
        memos.undo(tx, memo.id, note="", now=NOW)


def test_a_superseded_memo_leaves_the_project(store: Store) -> None:
    old, _ = record(store, "Old?")
    heir, _ = record(store, "New?")
    with store.write() as tx:
        memos.supersede(tx, old.id, heir.id, LATER)
    assert get(store, old.id).superseded_by == heir.id
    assert shown(store) == [heir.id]
    with pytest.raises(InvalidArgumentError, match="itself"), store.write() as tx:
        memos.supersede(tx, heir.id, heir.id, LATER)


def test_a_memo_that_is_not_there_is_an_error_of_every_change(store: Store) -> None:
    changes: list[Any] = [
        lambda tx: memos.verify(tx, 9, [], root="/", note="", now=NOW),
        lambda tx: memos.set_retired(tx, 9, retired=True, note="", now=NOW),
        lambda tx: memos.undo(tx, 9, note="", now=NOW),
        lambda tx: memos.supersede(tx, 9, 1, NOW),
    ]
    for change in changes:
        with pytest.raises(NotFoundError, match="no memo 9"), store.write() as tx:
            change(tx)
    with store.read() as cursor:
        assert memos.get(cursor, 9) is None
        assert memos.history(cursor, 9) == []


def test_many_memos_come_with_their_own_files(store: Store) -> None:
    for number in range(12):
        record(store, f"q{number}", files=[cited(f"{number}-{n}.py") for n in range(number)])
    with store.read() as cursor:
        found = memos.of_project(cursor, 1)
    assert [[file.path for file in memo.files] for memo in found] == [
        [f"{number}-{n}.py" for n in range(number)] for number in range(12)
    ]
