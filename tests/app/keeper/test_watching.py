"""The watch and the tables: after whatever happened on the disk they equal those of a fresh index."""

from __future__ import annotations

import queue
from dataclasses import fields
from pathlib import Path

import pytest
from tests.repositories import git

from afresh.engine.calls import Call, Caller
from afresh.keeper.service import OpenService, open_service
from afresh.settings import Settings
from afresh_indexer.records import FileRecord

IDENTITY = ("-c", "user.name=a", "-c", "user.email=a@example.org")
COMPARED = ", ".join(field.name for field in fields(FileRecord) if field.name != "hashed_at_ns")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for n in range(1_100):
        folder = root / f"part{n // 100}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"m{n}.py").write_text(f"def f{n}():\n    return {n}\n", encoding="utf-8")
    many = root / "many"
    many.mkdir()
    for n in range(500):
        (many / f"n{n}.txt").write_text(f"{n}\n", encoding="utf-8")
    (root / "CLAUDE.md").write_text("# Rules\n\n## Style\n\nUse tabs in Makefiles.\n", encoding="utf-8")
    git(root, "init", "-q", "-b", "main")
    git(root, "add", ".")
    git(root, *IDENTITY, "commit", "-q", "-m", "start")
    git(root, "checkout", "-q", "-b", "other")
    for n in range(1_000):
        (root / f"part{n // 100}" / f"m{n}.py").write_text(
            f"def g{n}():\n    return {-n}\n", encoding="utf-8"
        )
    git(root, *IDENTITY, "commit", "-q", "-a", "-m", "a thousand")
    git(root, "checkout", "-q", "main")
    return root


def opened(home: Path) -> OpenService:
    return open_service(Settings(home=home, runtime=home, embed_model="none"), in_process=True)


class Watched:
    """A service that watches a root, and its events."""

    def __init__(self, service: OpenService, root: Path) -> None:
        self.events: queue.Queue[dict[str, object]] = queue.Queue()
        self.service = service
        _workspace, result = service.indexing.index(service_arguments(root), Call(Caller(cwd=root)))
        self.checkout_root = result.root
        with service.engine.store.read() as cursor:
            from afresh.engine import workspaces

            workspace = workspaces.holding(cursor, root)
        assert workspace is not None and workspace.checkout is not None
        self.attached = service.watching.join(workspace, workspace.checkout, self.events.put)
        self.until(lambda event: event.get("mode") == "native")
        self.attached.watched.current.wait(timeout=60)

    def until(self, wanted) -> list[dict[str, object]]:
        """The events up to the first that is wanted."""
        seen = []
        while True:
            seen.append(self.events.get(timeout=60))
            if wanted(seen[-1]):
                return seen

    def until_rows(self, holds) -> None:
        """Wait, from event to event, until the rows are as they should be."""
        while not holds(rows(self.service)):
            self.until(lambda event: event.get("kind") == "change")


def service_arguments(root: Path):
    from afresh.verbs import IndexArguments

    return IndexArguments(path=str(root))


def rows(service: OpenService) -> list[tuple[object, ...]]:
    with service.engine.store.read() as cursor:
        return cursor.execute(f"SELECT {COMPARED} FROM files ORDER BY path").rows()


def symbols(service: OpenService) -> list[tuple[object, ...]]:
    sql = (
        "SELECT f.path, s.qualified_name, s.start_line, s.end_line, s.source_sha256, s.tokens_sha256 "
        "FROM files f JOIN outlines o ON o.sha256 = f.sha256 AND o.language = f.language "
        "JOIN symbols s ON s.outline_id = o.id ORDER BY ALL"
    )
    with service.engine.store.read() as cursor:
        return cursor.execute(sql).rows()


def notes(service: OpenService) -> list[tuple[object, ...]]:
    sql = (
        "SELECT content, source_path, source_line FROM memories "
        "WHERE deleted_at IS NULL AND superseded_by IS NULL ORDER BY ALL"
    )
    with service.engine.store.read() as cursor:
        return cursor.execute(sql).rows()


def path_of(row: tuple[object, ...]) -> str:
    return str(row[0])


@pytest.mark.timeout(180)
def test_after_all_that_happens_to_files_the_tables_equal_a_fresh_index(tmp_path, root):
    service = opened(tmp_path / "home")
    try:
        watched = Watched(service, root)
        # An edit, a save by rename, a deletion, a creation, a file of notes.
        (root / "part1" / "m150.py").write_text("def edited():\n    return 1\n", encoding="utf-8")
        temporary = root / "part1" / ".m151.swp"
        temporary.write_text("def saved_by_rename():\n    return 2\n", encoding="utf-8")
        temporary.replace(root / "part1" / "m151.py")
        (root / "part1" / "m152.py").unlink()
        (root / "part1" / "new.py").write_text("def new():\n    return 3\n", encoding="utf-8")
        (root / "CLAUDE.md").write_text("# Rules\n\n## Style\n\nUse spaces, never tabs.\n", encoding="utf-8")
        wanted = {"part1/new.py"}
        watched.until_rows(lambda found: wanted <= set(map(path_of, found)) and len(found) == 1_601)
        # A folder of five hundred files.
        (root / "many").rename(root / "renamed")
        watched.until_rows(lambda found: sum(path_of(row).startswith("renamed/") for row in found) == 500)
        # A branch on which a thousand files differ.
        git(root, "stash", "-q", "-u")
        git(root, "checkout", "-q", "other")
        watched.until_rows(lambda found: len(found) == 1_601 and "many/n1.txt" in set(map(path_of, found)))
        expected = opened(tmp_path / "fresh")
        try:
            expected.indexing.index(service_arguments(root), Call(Caller(cwd=root)))
            watched.until_rows(lambda found: found == rows(expected))
            assert symbols(service) == symbols(expected)
            assert notes(service) == notes(expected)
        finally:
            expected.close()
    finally:
        watched.attached.close()
        service.close()


def test_what_happened_while_nobody_watched_is_brought_in_at_the_start(tmp_path, root):
    service = opened(tmp_path / "home")
    try:
        watched = Watched(service, root)
        watched.attached.close()
        (root / "part2" / "m200.py").unlink()
        (root / "part2" / "late.py").write_text("def late(): ...\n", encoding="utf-8")
        again = Watched(service, root)
        found = set(map(path_of, rows(service)))
        assert "part2/late.py" in found and "part2/m200.py" not in found
        again.attached.close()
    finally:
        service.close()


def test_a_watch_ends_with_its_last_user(tmp_path, root):
    service = opened(tmp_path / "home")
    try:
        watched = Watched(service, root)
        second = service.attach(Caller(cwd=root / "part1"))
        told: queue.Queue[dict[str, object]] = queue.Queue()
        late = watched.attached
        joined = service.watching.join(late.watched.workspace, late.watched.checkout, told.put)
        assert told.get(timeout=10)["mode"] == "native"
        joined.close()
        assert service.watching.status(str(root)).mode == "native"
        watched.attached.close()
        assert service.watching.status(str(root)).mode == "native"
        second.close()
        assert service.watching.status(str(root)).mode == "off"
    finally:
        service.close()


def test_a_folder_in_no_repository_and_no_project_is_not_watched(tmp_path):
    service = opened(tmp_path / "home")
    try:
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        attached = service.attach(Caller(cwd=elsewhere))
        assert service.watching.status(str(elsewhere)).mode == "off"
        attached.close()
    finally:
        service.close()
