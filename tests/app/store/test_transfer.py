from __future__ import annotations

import base64
import hashlib
import itertools
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from afresh.errors import InvalidArgumentError
from afresh.store import Span, Store, citations, memories, memos, postings, projects, snapshots, transfer
from afresh.store.citations import FileCitation
from afresh.store.importing import Imported, Importer
from afresh.store.memories import NewMemory

NOW = datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)
HOUR = timedelta(hours=1)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
PLENTY = 10**9
TERM = 12345678901234567890


def cited(content: str) -> FileCitation:
    return FileCitation(f"{content}.py", content, content, 3, 1, 2, 3, 4, None, (Span(1, 2, quote="ü"),))


def exported(store: Store) -> list[dict[str, Any]]:
    """Rows as they stand in a file."""
    with store.read() as cursor:
        return [json.loads(json.dumps(row)) for row in transfer.export_rows(cursor)]


def imported(store: Store, rows: list[dict[str, Any]], **options: Any) -> dict[str, list[Imported]]:
    importer = Importer(**options)
    results: dict[str, list[Imported]] = {"memory": [], "memo": []}
    for kind, group in itertools.groupby(rows, key=lambda row: row["kind"]):
        batch = list(group)
        with store.write() as tx:
            match kind:
                case "project":
                    for row in batch:
                        importer.project(tx, row)
                case "checkout":
                    for row in batch:
                        importer.checkout(tx, row)
                case "memory":
                    for start in range(0, len(batch), 3):
                        results["memory"] += importer.memories(tx, batch[start : start + 3])
                case "memo":
                    results["memo"] += [importer.memo(tx, row) for row in batch]
                case "snapshot":
                    for row in batch:
                        importer.snapshot(tx, row, limit_bytes=PLENTY)
    with store.write() as tx:
        importer.finish(tx)
    return results


def without_ids(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows with their ids as places in the export, which two stores have in common."""
    places: dict[tuple[str, int], int] = {}
    for row in rows:
        if "id" in row:
            places[row["kind"], row["id"]] = len(places)

    def placed(kind: str, value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: places.get((kind, item)) if key in ("id", "superseded_by") else placed(kind, item)
                for key, item in value.items()
            }
        return [placed(kind, item) for item in value] if isinstance(value, list) else value

    return [placed(row["kind"], row) for row in rows]


MEMORY = st.fixed_dictionaries(
    {
        "content": TEXT,
        "type": st.sampled_from(["fact", "lesson"]),
        "tags": st.lists(TEXT, max_size=2).map(tuple),
        "path": st.sampled_from(["", "a/b"]),
        "event_time": st.none() | st.integers(-9, 9).map(lambda n: NOW + n * HOUR),
        "external_id": st.none() | st.uuids().map(str),
        "source_kind": st.sampled_from(["agent", "file"]),
    }
)
ACTION = st.tuples(
    st.sampled_from(["change", "supersede", "delete", "restore", "record", "retire", "verify"]),
    st.integers(0, 5),
    st.integers(0, 5),
)


def fill(store: Store, saved: list[dict[str, Any]], actions: list[tuple[str, int, int]]) -> None:
    with store.write() as tx:
        app = projects.create_project(tx, "app", "/code/app/.git", NOW)
        lib = projects.create_project(tx, "lib", "name:lib", NOW)
        checkout = projects.add_checkout(tx, app.id, "/code/app", NOW)
        new = [
            NewMemory(
                project_id=app.id if number % 2 else lib.id,
                checkout_id=checkout.id if fields["source_kind"] == "file" else None,
                content_sha256=hashlib.sha256(fields["content"].encode()).hexdigest(),
                memory_type="semantic",
                **fields,
            )
            for number, fields in enumerate(saved)
        ]
        ids = memories.insert(tx, new, NOW)
        citations.put(tx, ids[0], "/code/app", [cited("x"), cited("y")])
        contents = {hashlib.sha256(data).hexdigest(): data for data in (b"", b"bytes")}
        snapshots.put(
            tx, {sha: snapshots.pack(data) for sha, data in contents.items()}, limit_bytes=PLENTY, now=NOW
        )
        recorded: list[int] = []
        for step, (action, first, second) in enumerate(actions):
            now = NOW + step * HOUR
            a, b = ids[first % len(ids)], ids[second % len(ids)]
            match action:
                case "change" if memories.get(tx, [a]):
                    memories.change(
                        tx, a, {"content": f"changed {step}", "content_sha256": f"{step}"}, "r", now
                    )
                case "supersede" if a != b:
                    memories.supersede(tx, a, b, now)
                case "delete":
                    memories.tombstone(tx, [a], "gone", now)
                case "restore":
                    memories.restore(tx, a, now)
                case "record":
                    memo, _ = memos.record(
                        tx,
                        project_id=app.id,
                        root="/code/app",
                        question=f"q{first}?",
                        question_key=f"q{first}",
                        conclusion=f"c{step}",
                        files=[cited(f"{second}")],
                        now=now,
                    )
                    recorded.append(memo.id)
                    if recorded[0] != memo.id:
                        memos.supersede(tx, recorded[0], memo.id, now)
                case "retire" if recorded:
                    memos.set_retired(tx, recorded[-1], retired=bool(first % 2), note="n", now=now)
                case "verify" if recorded:
                    memos.verify(tx, recorded[0], [cited("v")], root="/tree", note="", now=now)
                case _:
                    pass


def emptied(store: Store) -> Store:
    with store.write() as tx:
        for (name,) in tx.execute("SELECT table_name FROM duckdb_tables()").rows():
            if name != "schema_migrations":
                tx.execute(f"DELETE FROM {name}")
    return store


@pytest.fixture
def other_store(tmp_path: Path, clock: Any) -> Iterator[Store]:
    """A second store, whose next ids are others."""
    with Store.open(tmp_path / "other" / "afresh.duckdb", clock=clock) as opened:
        with opened.write() as tx:
            tx.execute("SELECT nextval('memory_ids'), nextval('memo_ids') FROM range(40)").rows()
        yield opened


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(saved=st.lists(MEMORY, min_size=1, max_size=6), actions=st.lists(ACTION, max_size=8))
def test_an_export_comes_back_whole_and_twice_makes_no_difference(
    store: Store, other_store: Store, saved: list[dict[str, Any]], actions: list[tuple[str, int, int]]
) -> None:
    origin, copy = emptied(store), emptied(other_store)
    fill(origin, saved, actions)
    rows = exported(origin)
    again = imported(origin, rows)
    assert exported(origin) == rows
    assert not any(item.created or item.changed for items in again.values() for item in items)
    first = imported(copy, rows)
    assert all(item.created for items in first.values() for item in items)
    assert without_ids(exported(copy)) == without_ids(rows)
    second = imported(copy, rows)
    assert not any(item.created or item.changed for items in second.values() for item in items)
    assert without_ids(exported(copy)) == without_ids(rows)


def test_an_export_has_neither_vectors_nor_postings(store: Store) -> None:
    fill(store, [{"content": "c", "type": "fact", "source_kind": "agent"}], [("record", 1, 1)])
    with store.write() as tx:
        postings.put(tx, "memory", {1: (np.array([TERM], dtype=np.uint64), np.array([1], dtype=np.uint16))})
    rows = exported(store)
    kinds = [row["kind"] for row in rows]
    assert kinds == ["afresh", "project", "project", "checkout", "memory", "memo", "snapshot", "snapshot"]
    assert str(TERM) not in json.dumps(rows)
    memory = rows[4]
    assert memory["source"] == {
        "kind": "agent",
        "path": None,
        "line": None,
        "end_line": None,
        "external_id": None,
    }
    assert memory["created_at"] == "2026-03-01T12:00:00.000005Z"


def test_an_export_of_many_memories_comes_in_batches_and_whole(store: Store) -> None:
    new = [
        NewMemory(project_id=1, content=f"{n}", content_sha256=f"{n}", type="fact", memory_type="semantic")
        for n in range(1203)
    ]
    with store.write() as tx:
        projects.create_project(tx, "app", "/a", NOW)
        memories.insert(tx, new, NOW)
    assert [row["content"] for row in exported(store) if row["kind"] == "memory"] == [
        f"{n}" for n in range(1203)
    ]


def row(content: str = "text", **fields: Any) -> dict[str, Any]:
    """A hand-made row with what the engine fills in."""
    return {
        "kind": "memory",
        "project": "app",
        "content": content,
        "content_sha256": f"hash of {content}",
        "type": "fact",
        "memory_type": "semantic",
        "term_count": 1,
        **fields,
    }


def texts(store: Store) -> list[str]:
    with store.read() as cursor:
        return [item[0] for item in cursor.execute("SELECT content FROM memories ORDER BY id").rows()]


def test_a_hand_made_row_is_enough(store: Store, clock: Any) -> None:
    (result,) = imported(store, [row()])["memory"]
    assert result == Imported(result.id, "text", created=True)
    with store.read() as cursor:
        (memory,) = memories.get(cursor, [result.id])
        assert projects.project_by_id(cursor, memory.project_id).name == "app"
    assert (memory.source_kind, memory.created_at, memory.tags, memory.version) == (
        "import",
        clock.now,
        (),
        1,
    )


def test_an_external_id_that_comes_again_updates(store: Store) -> None:
    imported(store, [row("before", external_id="x", tags=["a"])])
    (result,) = imported(store, [row("after", external_id="x", tags=["b"], path="p")])["memory"]
    assert (result.created, result.changed) == (False, True)
    with store.read() as cursor:
        (memory,) = memories.get(cursor, [result.id])
        (earlier,) = memories.history(cursor, result.id)
    assert (memory.content, memory.tags, memory.path, memory.version) == ("after", ("b",), "p", 2)
    assert (earlier.content, earlier.reason) == ("before", "imported again")
    assert texts(store) == ["after"]


@pytest.mark.parametrize("number", [3, 300])
def test_many_updates_keep_what_they_do_not_name_and_their_history(store: Store, number: int) -> None:
    before = [row(f"{n}", external_id=f"x{n}", tags=["t"], agent_id="a") for n in range(number)]
    first = imported(store, before)["memory"]
    after = [row(f"{n}" if n % 3 else f"new {n}", external_id=f"x{n}") for n in range(number)]
    second = imported(store, after)["memory"]
    assert [item.changed for item in second] == [n % 3 == 0 for n in range(number)]
    with store.read() as cursor:
        found = memories.get(cursor, [item.id for item in first])
        histories = memories.histories(cursor, [item.id for item in first])
    assert [memory.content for memory in found] == [item["content"] for item in after]
    assert {(memory.tags, memory.agent_id) for memory in found} == {(("t",), "a")}
    assert sorted(histories) == [item.id for n, item in enumerate(first) if n % 3 == 0]
    assert {memory.version for memory in found} == {1, 2}


def test_files_that_a_row_cites_otherwise_take_the_place_of_the_old(store: Store) -> None:
    file = {"path": "a.py", "sha256": "a" * 64, "size": 1}
    (first,) = imported(store, [row(external_id="x", files=[file], files_root="/r")])["memory"]
    imported(store, [row(external_id="x", files=[file | {"sha256": "b" * 64}], files_root="/r")])
    with store.read() as cursor:
        assert [item.sha256 for item in citations.of(cursor, [first.id])[first.id].files] == ["b" * 64]


def test_an_update_leaves_alone_what_the_row_does_not_name(store: Store) -> None:
    imported(store, [row("before", external_id="x", tags=["a"], path="p")])
    (result,) = imported(store, [row("after", external_id="x")])["memory"]
    with store.read() as cursor:
        (memory,) = memories.get(cursor, [result.id])
    assert (memory.tags, memory.path) == (("a",), "p")


def test_an_external_id_that_a_file_has_twice_is_one_memory_as_it_stands_last(store: Store) -> None:
    results = imported(store, [row("1", external_id="x"), row("2"), row("3", external_id="x")])["memory"]
    assert [item.created for item in results] == [True, True, False]
    assert results[0].id == results[2].id
    assert sorted(texts(store)) == ["2", "3"]


def test_the_same_content_by_hand_is_one_memory(store: Store) -> None:
    results = imported(store, [row(), row(), row(project="lib"), row(type="lesson")])["memory"]
    assert [item.created for item in results] == [True, False, True, True]
    assert not any(item.created for item in imported(store, [row()])["memory"])


def test_what_was_deleted_here_stays_deleted(store: Store) -> None:
    (first,) = imported(store, [row(external_id="x")])["memory"]
    with store.write() as tx:
        memories.tombstone(tx, [first.id], "mine", NOW)
    (again,) = imported(store, [row("new text", external_id="x")])["memory"]
    assert (again.id, again.created, again.changed, again.deleted) == (first.id, False, False, True)


def memo_row(**fields: Any) -> dict[str, Any]:
    return {
        "kind": "memo",
        "project": "app",
        "root": "/code",
        "question": "Why?",
        "question_key": "why",
        "conclusion": "So.",
        "files": [{"path": "a.py", "sha256": "a" * 64, "size": 1}],
        **fields,
    }


def test_of_two_states_of_a_memo_the_later_stays(store: Store) -> None:
    times = [transfer.time_text(NOW + n * HOUR) for n in range(3)]
    (first,) = imported(store, [memo_row(recorded_at=times[1], updated_at=times[1])])["memo"]
    (older,) = imported(store, [memo_row(conclusion="Old.", recorded_at=times[0])])["memo"]
    (later,) = imported(store, [memo_row(conclusion="New.", updated_at=times[2])])["memo"]
    assert [first.created, older.created, older.changed, later.changed] == [True, False, False, True]
    with store.read() as cursor:
        memo = memos.get(cursor, first.id)
        history = memos.history(cursor, first.id)
    assert memo is not None
    assert (memo.conclusion, memo.recorded_at, memo.updated_at) == ("New.", NOW + HOUR, NOW + 2 * HOUR)
    assert [item.conclusion for item in history] == ["So."]


def test_a_repository_that_is_not_on_this_machine_is_known_by_its_name(store: Store) -> None:
    rows = [
        {"kind": "project", "name": "app", "identity": "/elsewhere/.git", "created_at": None},
        {"kind": "checkout", "project": "app", "root": "/elsewhere"},
        row(),
    ]
    imported(store, rows, here=lambda path: Path(path) == Path("/here"))
    with store.read() as cursor:
        (project,) = projects.list_projects(cursor)
        assert projects.checkouts(cursor) == []
    assert (project.name, project.identity) == ("app", "name:app")


def test_what_was_cited_below_a_checkout_that_is_not_here_is_given_from_its_top(store: Store) -> None:
    file = {"path": "a.py", "sha256": "a" * 64, "size": 1}
    rows = [
        {"kind": "project", "name": "app", "identity": "/elsewhere/.git", "created_at": None},
        {"kind": "checkout", "project": "app", "root": "/elsewhere"},
        row(files=[file], files_root="/elsewhere/src/billing"),
        memo_row(root="/elsewhere/src/billing", files=[file]),
    ]
    found = imported(store, rows, here=lambda _: False)
    with store.read() as cursor:
        of_memory = citations.of(cursor, [found["memory"][0].id])
        of_memo = citations.of(cursor, [found["memo"][0].id], "memo")
    for cited in (*of_memory.values(), *of_memo.values()):
        assert (cited.root, [item.path for item in cited.files]) == ("/elsewhere", ["src/billing/a.py"])
    assert of_memory and of_memo


@pytest.mark.parametrize(
    "zstd",
    [
        "no base64!",
        base64.b64encode(b"no zstd").decode(),
        base64.b64encode(zstandard.compress(b"other bytes")).decode(),
    ],
)
def test_a_snapshot_with_other_bytes_than_its_hash_is_refused(store: Store, zstd: str) -> None:
    sha = hashlib.sha256(b"bytes").hexdigest()
    with pytest.raises(InvalidArgumentError, match=sha):
        imported(store, [{"kind": "snapshot", "sha256": sha, "zstd": zstd, "created_at": None}])
