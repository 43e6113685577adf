"""Native events where the system gives only so many of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from afresh_indexer.watch import Clock, WatchSettings
from afresh_indexer.watch_native import NativeHandle, open_native
from afresh_indexer.watch_settings import Halt

Watching = Callable[..., AbstractAsyncContextManager[Any]]
CommitAll = Callable[[Path], None]


def write(path: Path, text: str = "two, and longer\n") -> None:
    path.write_text(text, encoding="utf-8")


REFUSAL = 'OS file watch limit reached. about ["/x"] (Error { kind: MaxFilesWatch, paths: ["/x"] })'
"""The library's own words for ENOSPC, as the test with a real limit meets them."""


def quick(settings: WatchSettings) -> WatchSettings:
    return replace(settings, poll_s=0.05)


class Limited:
    """Native handles that refuse as the system does, counted over all that are open."""

    def __init__(self, watches: int) -> None:
        self.watches = watches
        self.used: dict[int, int] = {}
        self.opened: list[list[str]] = []

    def __call__(self, paths: list[str], recursive: bool) -> NativeHandle:
        if sum(self.used.values()) + len(paths) > self.watches:
            raise OSError(REFUSAL)
        self.opened.append(paths)
        key = len(self.opened)
        self.used[key] = len(paths)
        return Counted(open_native(paths, recursive), lambda: self.used.pop(key, None))


class Counted:
    """A real handle that says when it is closed."""

    def __init__(self, handle: NativeHandle, closed: Callable[[], object]) -> None:
        self._handle = handle
        self._closed = closed
        self.watch = handle.watch

    def close(self) -> None:
        self._handle.close()
        self._closed()


def test_refused_watches_are_told_with_the_limit_and_changes_are_polled_for(
    root: Path, folders: WatchSettings, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, quick(folders), open_handle=Limited(2)) as watched:
            state = watched.events[0].state
            assert state is not None
            assert state.mode == "polling"
            assert "limit on watched folders is reached" in state.reason
            assert "this tree needs 3" in state.reason
            assert "sudo sysctl fs.inotify.max_user_watches=" in state.reason
            write(root / "src" / "deep" / "c.py")
            await watched.told_of("src/deep/c.py")

    anyio.run(scenario)


def test_native_events_come_back_when_the_limit_is_raised(
    root: Path, folders: WatchSettings, watching: Watching
) -> None:
    limited = Limited(2)

    async def scenario() -> None:
        async with watching(root, replace(quick(folders), reconcile_s=0.2), open_handle=limited) as watched:
            again = await watched.until(lambda event: event.rescan)
            assert again.state is None, "an unchanged state is not told again"
            limited.watches = 100
            event = await watched.until(lambda event: event.state is not None)
            assert event.state is not None
            assert event.state.mode == "native"
            assert event.rescan

    anyio.run(scenario)


def test_watches_that_run_out_later_are_told_and_nothing_is_lost(
    root: Path, folders: WatchSettings, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, quick(folders), open_handle=Limited(3)) as watched:
            (root / "more").mkdir()
            event = await watched.until(lambda event: event.state is not None)
            assert event.state is not None
            assert event.state.mode == "polling"
            assert event.rescan
            write(root / "more" / "x.py")
            await watched.told_of("more/x.py")

    anyio.run(scenario)


def test_room_for_one_handle_but_not_for_two_costs_a_comparison_only(
    root: Path, folders: WatchSettings, watching: Watching
) -> None:
    limited = Limited(5)

    async def scenario() -> None:
        async with watching(root, quick(folders), open_handle=limited) as watched:
            (root / "more").mkdir()
            event = await watched.told_of("more")
            assert event.rescan
            write(root / "more" / "x.py")
            await watched.told_of("more/x.py")
            assert all(event.state is None for event in watched.events[1:])

    anyio.run(scenario)
    assert limited.used == {}, "every handle is closed"


def test_no_watch_is_spent_on_ignored_folders_links_and_git_internals(
    root: Path, tmp_path: Path, folders: WatchSettings, watching: Watching, commit_all: CommitAll
) -> None:
    (root / "node_modules" / "dep").mkdir(parents=True)
    (tmp_path / "outside" / "deep").mkdir(parents=True)
    (root / "link").symlink_to(tmp_path / "outside", target_is_directory=True)
    commit_all(root)
    limited = Limited(1000)

    async def scenario() -> None:
        async with watching(root, folders, ignored=lambda: ["node_modules"], open_handle=limited):
            expected = ["", "src", "src/deep", ".git", ".git/info"]
            assert {Path(path) for path in limited.opened[0]} == {root / path for path in expected}

    anyio.run(scenario)


class Hooked:
    """Real handles, with something done just before each but the first is opened."""

    def __init__(self, before: Callable[[], object]) -> None:
        self._before = before
        self._first = True

    def __call__(self, paths: list[str], recursive: bool) -> NativeHandle:
        if not self._first:
            self._before()
        self._first = False
        return open_native(paths, recursive)


def test_what_happens_while_the_watches_are_replaced_is_told(
    root: Path, folders: WatchSettings, watching: Watching
) -> None:
    edits = iter(range(100))
    hooked = Hooked(lambda: write(root / "src" / "b.py", "x" * next(edits)))

    async def scenario() -> None:
        async with watching(root, folders, open_handle=hooked) as watched:
            (root / "more").mkdir()
            await watched.told_of("more", "src/b.py")

    anyio.run(scenario)


def test_a_folder_that_comes_up_while_the_watches_are_replaced_is_watched_too(
    root: Path, folders: WatchSettings, watching: Watching
) -> None:
    hooked = Hooked(lambda: (root / "more" / "inner").mkdir(exist_ok=True))

    async def scenario() -> None:
        async with watching(root, folders, open_handle=hooked) as watched:
            (root / "more").mkdir()
            await watched.told_of("more")
            write(root / "more" / "inner" / "x.py")
            await watched.told_of("more/inner/x.py")

    anyio.run(scenario)


def test_a_folder_that_vanishes_before_it_is_watched_costs_nothing(
    root: Path, folders: WatchSettings, watching: Watching
) -> None:
    hooked = Hooked(lambda: shutil.rmtree(root / "brief", ignore_errors=True))

    async def scenario() -> None:
        async with watching(root, folders, open_handle=hooked) as watched:
            (root / "brief").mkdir()
            await watched.told_of("brief")
            write(root / "src" / "b.py")
            await watched.told_of("src/b.py")
            assert all(event.state is None for event in watched.events[1:])

    anyio.run(scenario)


def test_lively_folders_in_a_tree_that_is_slow_to_watch_are_told_at_once_and_again_when_watched(
    root: Path, folders: WatchSettings, watching: Watching
) -> None:
    now = [1000.0]

    def a_slow_opening() -> None:
        now[0] += 1.0

    async def scenario() -> None:
        clock = Clock(monotonic=lambda: now[0])
        quick_tick = replace(folders, tick_s=0.05)
        async with watching(root, quick_tick, open_handle=Hooked(a_slow_opening), clock=clock) as watched:
            (root / "first").mkdir()
            await watched.told_of("first")
            (root / "second").mkdir()
            await watched.told_of("second")
            write(root / "second" / "x.py")
            assert await watched.only_marker(root) == [], "not watched yet"
            now[0] += 8.9
            assert await watched.only_marker(root) == [], "not before nine times the opening have passed"
            now[0] += 0.2
            await watched.told_of("second/x.py")
            write(root / "second" / "x.py", "edited, and now it is watched\n")
            event = await watched.told_of("second/x.py")
            assert event.paths == {"second/x.py"}

    anyio.run(scenario)


def test_changes_under_git_s_lock_are_told_together_once_it_has_let_go(
    root: Path, folders: WatchSettings, watching: Watching, commit_all: CommitAll
) -> None:
    commit_all(root)
    lock = root / ".git" / "index.lock"

    class UnderLock:
        """A real handle, in whose first two silences git goes on with its checkout."""

        def __init__(self, handle: NativeHandle) -> None:
            self._handle = handle
            self._silences = 0
            self._begun = False
            self.close = handle.close

        def watch(self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: Halt | None, /) -> Any:
            if self._silences == 2:
                self._silences = 3
                write(root / ".git" / "HEAD", "ref: refs/heads/other\n")
            found = self._handle.watch(debounce_ms, step_ms, timeout_ms, stop_event)
            self._begun = self._begun or not isinstance(found, str)
            if self._begun and found == "timeout":
                self._silences += 1
                if self._silences == 1:
                    write(root / "src" / "b.py")
                elif self._silences == 2:
                    lock.unlink()
            return found

    async def scenario() -> None:
        def under_lock(paths: list[str], recursive: bool) -> NativeHandle:
            return UnderLock(open_native(paths, recursive))

        async with watching(root, folders, open_handle=under_lock) as watched:
            lock.touch()
            write(root / "a.py")
            event = await watched.told_of("a.py")
            assert event.paths == {"a.py", "src/b.py"}
            assert event.rescan, "HEAD has moved within it"

    anyio.run(scenario)


def test_the_system_s_own_refusal_is_understood(root: Path) -> None:
    """With a real limit, lowered in a user namespace of its own."""
    program = """
import json, sys, anyio
from pathlib import Path
from afresh_indexer.watch import Clock, WatchSettings, watch

async def main():
    settings = WatchSettings(mode="native")
    stream = watch(Path(sys.argv[1]), stop=anyio.Event(), settings=settings, folders_ignored=tuple)
    state = (await anext(stream)).state
    sys.stdout.write(json.dumps([state.mode, state.reason]))
    await stream.aclose()

anyio.run(main)
"""
    shell = 'echo "$1" > "/proc/sys/user/max_inotify_$2" && shift 2 && exec "$@"'
    base = ["unshare", "--user", "--map-root-user", "sh", "-c", shell, "sh"]
    if (
        shutil.which("unshare") is None
        or subprocess.run([*base, "9", "watches", "true"], check=False).returncode
    ):
        pytest.skip("this machine gives no user namespace")
    environment = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path))
    for what, text in (("watches", "user.max_inotify_watches=1;"), ("instances", "max_inotify_instances=0")):
        limit = text.rstrip(";").rpartition("=")[2]
        done = subprocess.run(
            [*base, limit, what, sys.executable, "-c", program, str(root)],
            env=environment,
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=True,
        )
        mode, reason = json.loads(done.stdout)
        assert mode == "polling"
        assert text in reason
