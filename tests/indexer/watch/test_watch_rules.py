"""Changes of branch, index and ignore rules, after which other files count."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio

from afresh_indexer.watch import WatchSettings

Watching = Callable[..., AbstractAsyncContextManager[Any]]
Git = Callable[..., str]
CommitAll = Callable[[Path], None]


def write(path: Path, text: str = "two, and longer\n") -> None:
    path.write_text(text, encoding="utf-8")


def test_a_checkout_of_1000_files_is_one_event_that_asks_for_a_comparison(
    root: Path, settings: WatchSettings, watching: Watching, git: Git, commit_all: CommitAll
) -> None:
    commit_all(root)
    git(root, "checkout", "-q", "-b", "other")
    for number in range(1000):
        path = root / f"pkg{number % 20}" / f"f{number}.py"
        path.parent.mkdir(exist_ok=True)
        write(path)
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "second")
    git(root, "checkout", "-q", "main")
    patient = replace(settings, quiet_ms=500, poll_s=max(settings.poll_s, 1.0))

    async def scenario() -> None:
        async with watching(root, patient) as watched:
            await anyio.to_thread.run_sync(git, root, "checkout", "-q", "other")
            event = await watched.until(lambda event: event.rescan)
            if settings.mode == "native":
                assert len(watched.events) == 2, "the state and one batch"
                assert await watched.only_marker(root) == []
            assert event.rescan
            write(root / "pkg7" / "f7.py", "edited on the other branch\n")
            await watched.told_of("pkg7/f7.py")

    anyio.run(scenario)


def test_changed_rules_ask_for_a_comparison(
    root: Path, settings: WatchSettings, watching: Watching, git: Git, commit_all: CommitAll
) -> None:
    commit_all(root)

    async def scenario() -> None:
        async with watching(root, settings) as watched:
            for name in (".gitignore", "src/.gitignore", "src/deep/.afreshignore"):
                write(root / name, "*.log\n")
                event = await watched.told_of(name)
                assert event.rescan, name
            write(root / ".git" / "info" / "exclude", "*.tmp\n")
            await watched.until(lambda event: event.rescan and not event.paths)
            git(root, "config", "core.excludesFile", "/nowhere")
            await watched.until(lambda event: event.rescan and not event.paths)

    anyio.run(scenario)


def test_a_new_branch_with_the_same_files_asks_for_a_comparison(
    root: Path, settings: WatchSettings, watching: Watching, git: Git, commit_all: CommitAll
) -> None:
    commit_all(root)

    async def scenario() -> None:
        async with watching(root, settings) as watched:
            git(root, "checkout", "-q", "-b", "other")
            await watched.until(lambda event: event.rescan)

    anyio.run(scenario)


def test_tracking_an_ignored_file_asks_for_a_comparison_and_git_status_does_not(
    root: Path, settings: WatchSettings, watching: Watching, git: Git, commit_all: CommitAll
) -> None:
    write(root / ".gitignore", "*.log\n")
    commit_all(root)
    write(root / "kept.log")

    async def scenario() -> None:
        async with watching(root, settings) as watched:
            os.utime(root / "a.py", ns=(1, 1))
            await watched.told_of("a.py")
            before = (root / ".git" / "index").stat().st_mtime_ns
            git(root, "status")
            assert (root / ".git" / "index").stat().st_mtime_ns != before, "status did refresh the index"
            assert await watched.only_marker(root) == []
            git(root, "add", "-f", "kept.log")
            await watched.until(lambda event: event.rescan)

    anyio.run(scenario)


def test_a_worktree_is_watched_with_the_head_that_lies_elsewhere(
    root: Path, settings: WatchSettings, tmp_path: Path, watching: Watching, git: Git, commit_all: CommitAll
) -> None:
    commit_all(root)
    git(root, "worktree", "add", "-q", str(tmp_path / "second"), "-b", "second")

    async def scenario() -> None:
        async with watching(tmp_path / "second", settings) as watched:
            git(tmp_path / "second", "checkout", "-q", "-b", "third")
            await watched.until(lambda event: event.rescan)
            git(root, "checkout", "-q", "-b", "unrelated")
            assert await watched.only_marker(tmp_path / "second") == []

    anyio.run(scenario)


def test_a_folder_of_a_repository_minds_the_rules_above_it(
    root: Path, settings: WatchSettings, watching: Watching, commit_all: CommitAll
) -> None:
    commit_all(root)

    async def scenario() -> None:
        async with watching(root / "src", settings) as watched:
            write(root / ".gitignore", "*.log\n")
            event = await watched.until(lambda event: event.rescan)
            assert event.paths == frozenset()
            write(root / "a.py")
            assert await watched.only_marker(root / "src") == []

    anyio.run(scenario)


def test_a_root_that_becomes_a_repository_is_compared_and_its_head_is_minded(
    root: Path,
    settings: WatchSettings,
    tmp_path: Path,
    watching: Watching,
    git: Git,
    commit_all: CommitAll,
) -> None:
    (tmp_path / "twin").mkdir()
    commit_all(root)
    (root / ".git").rename(tmp_path / "twin" / ".git")

    async def scenario() -> None:
        # No tick comes to the aid of the native events.
        async with watching(root, replace(settings, tick_s=600)) as watched:
            (tmp_path / "twin" / ".git").rename(root / ".git")
            await watched.until(lambda event: event.rescan)
            git(root, "checkout", "-q", "-b", "other")
            await watched.until(lambda event: event.rescan)

    anyio.run(scenario)


def test_a_folder_that_is_ignored_from_now_on_is_no_longer_followed(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    ignored: list[str] = []

    async def scenario() -> None:
        async with watching(root, settings, ignored=lambda: list(ignored)) as watched:
            ignored.append("src")
            write(root / ".gitignore", "src/\n")
            await watched.until(lambda event: event.rescan)
            await watched.only_marker(root)
            write(root / "src" / "deep" / "c.py")
            assert await watched.only_marker(root) == []

    anyio.run(scenario)


def test_a_folder_that_is_ignored_no_longer_is_followed(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    (root / "build").mkdir()
    ignored = ["build"]

    async def scenario() -> None:
        async with watching(root, settings, ignored=lambda: list(ignored)) as watched:
            write(root / "build" / "x.py")
            assert await watched.only_marker(root) == []
            ignored.clear()
            write(root / ".gitignore", "")
            await watched.until(lambda event: event.rescan)
            if settings.mode == "poll":
                await watched.only_marker(root)
            write(root / "build" / "x.py", "now it counts\n")
            await watched.told_of("build/x.py")

    anyio.run(scenario)
