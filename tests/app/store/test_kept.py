"""Look-ups that are kept until something is written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from afresh.store import Store, memories, projects
from afresh.store.memory_filter import MemoryFilter
from afresh.store.memory_records import NewMemory

NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture
def store(tmp_path):
    with Store.open(tmp_path / "a.duckdb", clock=lambda: NOW) as opened:
        yield opened


def names(store):
    with store.read() as cursor:
        return [project.name for project in projects.list_projects(cursor)]


def test_a_project_is_known_as_soon_as_it_is_written(store):
    assert names(store) == []
    with store.write() as tx:
        project = projects.create_project(tx, "shop", "/shop", NOW)
        assert projects.project_by_name(tx, "shop") == project
    assert names(store) == ["shop"]
    with store.write() as tx:
        projects.rename_project(tx, project.id, "store")
    assert names(store) == ["store"]


def test_what_a_caller_does_to_its_list_changes_nothing_for_the_next(store):
    with store.write() as tx:
        projects.create_project(tx, "shop", "/shop", NOW)
    with store.read() as cursor:
        projects.list_projects(cursor).clear()
        projects.checkouts(cursor).clear()
    assert names(store) == ["shop"]


def test_nothing_is_read_twice_while_nothing_is_written(store):
    reads = []
    for _ in range(2):
        with store.read() as cursor:
            assert cursor.kept("answer", lambda: reads.append(1) or 42) == 42
    assert reads == [1]
    with store.write() as tx:
        projects.create_project(tx, "shop", "/shop", NOW)
        assert tx.kept("answer", lambda: 43) == 43
    with store.read() as cursor:
        assert cursor.kept("answer", lambda: 44) == 44


def test_ids_are_filtered_anew_when_one_expires_and_when_time_goes_back(store):
    with store.write() as tx:
        project = projects.create_project(tx, "shop", "/shop", NOW)
        made = NewMemory(
            project_id=project.id,
            content="a note",
            content_sha256="0" * 64,
            type="fact",
            memory_type="working",
            expires_at=NOW + timedelta(hours=1),
        )
        (id_,) = memories.insert(tx, [made], NOW)

    def found(moment):
        with store.read() as cursor:
            ids, _ = memories.filter_ids(cursor, MemoryFilter(project_id=project.id, now=moment))
        return ids.tolist()

    assert found(NOW) == [id_]
    assert found(NOW + timedelta(hours=2)) == []
    assert found(NOW) == [id_]
