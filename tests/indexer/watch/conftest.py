"""A running watch for tests, in each way of watching: the same must be told by all of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from afresh_indexer.records import WatchEvent
from afresh_indexer.watch import Clock, WatchSettings, watch
from afresh_indexer.watch_native import OpenNative, open_native

BOUND_S = 30
"""Far more than anything here takes; it ends a test that waits in vain."""

NATIVE = WatchSettings(mode="native", tick_s=0.2, missing_root_s=0.05, longest_burst_s=20)
WAYS = {
    "folders": replace(NATIVE, recursive=False),
    "recursive": replace(NATIVE, recursive=True),
    "polling": replace(NATIVE, mode="poll", poll_s=0.05),
}


def of_this_system(way: str) -> WatchSettings:
    if way == "folders" and sys.platform != "linux":
        pytest.skip("one watch a folder is the way of Linux alone")
    return WAYS[way]


@pytest.fixture(params=list(WAYS))
def settings(request: pytest.FixtureRequest) -> WatchSettings:
    """Every way of watching in turn."""
    return of_this_system(request.param)


@pytest.fixture(params=["folders", "recursive"])
def native(request: pytest.FixtureRequest) -> WatchSettings:
    """Every way that has native events."""
    return of_this_system(request.param)


@pytest.fixture
def folders() -> WatchSettings:
    """One native watch a folder."""
    return of_this_system("folders")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A small tree, not yet in a repository."""
    folder = tmp_path / "tree"
    (folder / "src" / "deep").mkdir(parents=True)
    for name in ("a.py", "src/b.py", "src/deep/c.py"):
        (folder / name).write_text("one\n", encoding="utf-8")
    return folder


class Watched:
    """A running watch, with what it told so far."""

    def __init__(self, stream: AsyncGenerator[WatchEvent, None]) -> None:
        self.stream = stream
        self.events: list[WatchEvent] = []

    @staticmethod
    def covers(event: WatchEvent, path: str) -> bool:
        """Whether the event names the path or a folder above it."""
        return any(path == told or path.startswith(f"{told}/") for told in event.paths)

    async def until(self, wanted: Callable[[WatchEvent], bool]) -> WatchEvent:
        """The next event that is wanted; those before it are kept in `events`."""
        with anyio.fail_after(BOUND_S):
            async for event in self.stream:
                self.events.append(event)
                if wanted(event):
                    return event
        raise AssertionError(f"the watch ended; it told {self.events}")

    async def told_of(self, *paths: str) -> WatchEvent:
        """The event after which every path was told by name or through a folder above it."""
        left = set(paths)

        def done(event: WatchEvent) -> bool:
            left.difference_update({path for path in left if self.covers(event, path)})
            return not left

        return await self.until(done)

    async def only_marker(self, root: Path) -> list[WatchEvent]:
        """All that is told before a file that is written now: a bound for what must not come."""
        start = len(self.events)
        (root / "marker.txt").write_text(str(start), encoding="utf-8")
        await self.told_of("marker.txt")
        *others, last = self.events[start:]
        alone = last.paths == {"marker.txt"} and not last.rescan
        return others if alone else [*others, last]


@asynccontextmanager
async def open_watch(
    root: Path,
    settings: WatchSettings,
    *,
    ignored: Callable[[], Collection[str]] = tuple,
    open_handle: OpenNative = open_native,
    clock: Clock | None = None,
) -> AsyncIterator[Watched]:
    """A watch whose first state has come, so that whatever is done now must be told."""
    stream = watch(
        root,
        stop=anyio.Event(),
        settings=settings,
        folders_ignored=ignored,
        open_handle=open_handle,
        clock=clock,
    )
    try:
        watched = Watched(stream)
        first = await watched.until(lambda event: event.state is not None)
        assert not first.rescan
        yield watched
    finally:
        with anyio.fail_after(BOUND_S):
            await stream.aclose()


@pytest.fixture
def watching() -> Callable[..., object]:
    """Opens a watch: `async with watching(root, settings) as watched`."""
    return open_watch


def run_git(folder: Path, *arguments: str) -> str:
    environment = {
        "PATH": os.environ["PATH"],
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@example.invalid",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@example.invalid",
    }
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], env=environment, check=True, capture_output=True
    )
    return done.stdout.decode("utf-8")


@pytest.fixture
def git() -> Callable[..., str]:
    """Runs git in a folder, untouched by the configuration of whoever runs the tests."""
    return run_git


@pytest.fixture
def commit_all() -> Callable[[Path], None]:
    """Makes a folder a repository, with all that is in it committed on the branch main."""

    def commit(folder: Path) -> None:
        run_git(folder, "init", "-q", "-b", "main")
        run_git(folder, "add", "-A")
        run_git(folder, "commit", "-q", "-m", "first")

    return commit
