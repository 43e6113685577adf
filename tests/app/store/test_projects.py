from __future__ import annotations

from datetime import UTC, datetime

import pytest

from afresh.errors import InvalidArgumentError, NotFoundError
from afresh.store import Store, projects

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_a_project_is_made_once_for_an_identity(store: Store) -> None:
    with store.write() as tx:
        first = projects.create_project(tx, "app", "/code/app/.git", NOW)
        again = projects.create_project(tx, "other name", "/code/app/.git", NOW)
    assert again == first
    with store.read() as cursor:
        assert projects.list_projects(cursor) == [first]
        assert projects.project_by_name(cursor, "app") == first
        assert projects.project_by_identity(cursor, "/code/app/.git") == first
        assert projects.project_by_id(cursor, first.id) == first
        assert projects.project_by_name(cursor, "App") is None
    assert first.created_at == NOW


def test_a_taken_name_gets_a_number(store: Store) -> None:
    with store.write() as tx:
        made = [projects.create_project(tx, "app", f"/{n}", NOW).name for n in range(3)]
        assert projects.create_project(tx, "app-4", "/x", NOW).name == "app-4"
        made += [projects.create_project(tx, "app", f"/{n}", NOW).name for n in range(3, 5)]
    assert made == ["app", "app-2", "app-3", "app-5", "app-6"]


def test_a_project_that_was_only_a_name_takes_its_identity_on(store: Store) -> None:
    with store.write() as tx:
        named = projects.create_project(tx, "app", "name:app", NOW)
        adopted = projects.adopt_identity(tx, named.id, "/code/app")
        assert projects.project_by_identity(tx, "/code/app") == adopted
        other = projects.create_project(tx, "lib", "/code/lib", NOW)
        with pytest.raises(InvalidArgumentError, match="'app' already"):
            projects.adopt_identity(tx, other.id, "/code/app")


def test_a_project_is_renamed_unless_the_name_is_taken(store: Store) -> None:
    with store.write() as tx:
        app = projects.create_project(tx, "app", "/a", NOW)
        projects.create_project(tx, "lib", "/l", NOW)
        assert projects.rename_project(tx, app.id, "app").name == "app"
        assert projects.rename_project(tx, app.id, "web").name == "web"
        with pytest.raises(InvalidArgumentError, match="'lib' belongs to another project"):
            projects.rename_project(tx, app.id, "lib")
        with pytest.raises(NotFoundError, match="99"):
            projects.rename_project(tx, 99, "x")
        assert [project.name for project in projects.list_projects(tx)] == ["lib", "web"]


def test_worktrees_are_checkouts_of_one_project(store: Store) -> None:
    with store.write() as tx:
        app = projects.create_project(tx, "app", "/code/app/.git", NOW)
        main = projects.add_checkout(tx, app.id, "/code/app", NOW)
        tree = projects.add_checkout(tx, app.id, "/code/app-fix", NOW)
        assert projects.add_checkout(tx, app.id, "/code/app", NOW) == main
        assert projects.checkouts(tx, app.id) == [main, tree]
        assert projects.checkouts(tx) == [main, tree]
        assert projects.checkout_by_id(tx, tree.id) == tree
        assert projects.checkout_by_id(tx, 99) is None


def test_a_root_that_became_another_project_moves_to_it(store: Store) -> None:
    with store.write() as tx:
        old = projects.create_project(tx, "old", "/old", NOW)
        new = projects.create_project(tx, "new", "/new", NOW)
        before = projects.add_checkout(tx, old.id, "/code", NOW)
        after = projects.add_checkout(tx, new.id, "/code", NOW)
        assert (after.id, after.project_id) == (before.id, new.id)
        assert projects.checkouts(tx, old.id) == []


def test_the_deepest_root_that_holds_a_path_is_its_checkout(store: Store) -> None:
    with store.write() as tx:
        outer = projects.create_project(tx, "outer", "/code", NOW)
        inner = projects.create_project(tx, "inner", "/code/app", NOW)
        projects.add_checkout(tx, outer.id, "/code", NOW)
        projects.add_checkout(tx, inner.id, "/code/app", NOW)

        def holding(path: str) -> str | None:
            found = projects.checkout_holding(tx, path)
            return None if found is None else found[0].name

        assert holding("/code/app/src/x.py") == "inner"
        assert holding("/code/app") == "inner"
        assert holding("/code/app-old/x.py") == "outer"
        assert holding("/codex") is None
        assert holding("/") is None
