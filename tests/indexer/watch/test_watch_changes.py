"""What happens to files and folders, as the watch tells it."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import anyio

from afresh_indexer.watch import WatchSettings

Watching = Callable[..., AbstractAsyncContextManager[Any]]
Git = Callable[..., str]
CommitAll = Callable[[Path], None]


def write(path: Path, text: str = "two, and longer\n") -> None:
    path.write_text(text, encoding="utf-8")


def test_an_edit_is_told_by_name_with_the_time_of_its_first_event(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, settings) as watched:
            before = time.time_ns()
            write(root / "src" / "b.py")
            event = await watched.told_of("src/b.py")
            assert event.paths == {"src/b.py"}
            assert not event.rescan
            assert event.state is None
            step_ns = settings.step_ms * 1_000_000
            assert before - step_ns <= event.first_event_ns <= time.time_ns()

    anyio.run(scenario)


def test_a_new_file_and_a_deleted_file_are_told(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, settings) as watched:
            write(root / "src" / "new.py")
            await watched.told_of("src/new.py")
            (root / "src" / "deep" / "c.py").unlink()
            await watched.told_of("src/deep/c.py")

    anyio.run(scenario)


def test_a_renamed_file_is_told_under_both_names(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, settings) as watched:
            (root / "a.py").rename(root / "src" / "z.py")
            await watched.told_of("a.py", "src/z.py")

    anyio.run(scenario)


def test_a_save_through_a_temporary_file_is_one_event(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, settings) as watched:
            write(root / "src" / ".b.py.tmp")
            (root / "src" / ".b.py.tmp").replace(root / "src" / "b.py")
            event = await watched.told_of("src/b.py")
            assert event.paths <= {"src/b.py", "src/.b.py.tmp"}
            if settings.mode == "native":
                assert await watched.only_marker(root) == []

    anyio.run(scenario)


def test_a_renamed_folder_is_one_batch_and_edits_in_it_are_told_afterwards(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    names = [f"src/many/part{number % 5}/f{number}.py" for number in range(500)]
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        write(root / name)
    moved = [name.replace("src/many", "moved") for name in names]

    async def scenario() -> None:
        async with watching(root, settings) as watched:
            (root / "src" / "many").rename(root / "moved")
            event = await watched.told_of(*names, *moved)
            assert len(watched.events) == 2, "the state and one batch"
            if settings.mode == "native":
                assert event.paths == {"src/many", "moved"}
            write(root / moved[3], "edited after the folder was moved\n")
            await watched.told_of(moved[3])
            assert await watched.only_marker(root) == []

    anyio.run(scenario)


def test_a_folder_moved_out_of_the_root_is_told_and_no_longer_followed(
    root: Path, settings: WatchSettings, tmp_path: Path, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, settings) as watched:
            (root / "src").rename(tmp_path / "elsewhere")
            await watched.told_of("src/b.py", "src/deep/c.py")
            write(tmp_path / "elsewhere" / "deep" / "c.py")
            assert await watched.only_marker(root) == []

    anyio.run(scenario)


def test_a_folder_made_together_with_its_files_is_told_and_followed(
    root: Path, settings: WatchSettings, tmp_path: Path, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, settings) as watched:
            for number in range(3):
                deep = root / "made" / f"x{number}" / "y"
                deep.mkdir(parents=True)
                write(deep / "f.py")
            await watched.told_of(*(f"made/x{number}/y/f.py" for number in range(3)))
            await watched.only_marker(root)
            write(root / "made" / "x1" / "y" / "f.py", "edited\n")
            await watched.told_of("made/x1/y/f.py")

    anyio.run(scenario)


def test_a_folder_removed_and_made_anew_is_followed_again(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, settings) as watched:
            shutil.rmtree(root / "src")
            (root / "src" / "deep").mkdir(parents=True)
            await watched.told_of("src/b.py")
            write(root / "src" / "deep" / "again.py")
            await watched.told_of("src/deep/again.py")
            await watched.only_marker(root)
            write(root / "src" / "deep" / "again.py", "edited once more\n")
            await watched.told_of("src/deep/again.py")

    anyio.run(scenario)


def test_a_nested_repository_is_told_as_its_folder(
    root: Path, settings: WatchSettings, watching: Watching, git: Git
) -> None:
    async def scenario() -> None:
        async with watching(root, settings) as watched:
            git(root / "src", "init", "-q")
            event = await watched.told_of("src")
            assert not any(".git" in path for path in event.paths)

    anyio.run(scenario)


def test_nothing_is_told_of_git_internals_ignored_folders_and_targets_of_links(
    root: Path, settings: WatchSettings, tmp_path: Path, watching: Watching, commit_all: CommitAll
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "link").symlink_to(outside, target_is_directory=True)
    (root / "node_modules" / "dep").mkdir(parents=True)
    commit_all(root)

    async def scenario() -> None:
        async with watching(root, settings, ignored=lambda: ["node_modules/"]) as watched:
            write(outside / "x.py")
            write(root / "node_modules" / "dep" / "index.js")
            write(root / ".git" / "description")
            (root / ".git" / "hooks" / "mine").write_text("x", encoding="utf-8")
            assert await watched.only_marker(root) == []
            assert not any(watched.covers(event, "node_modules") for event in watched.events)

    anyio.run(scenario)
