"""How a watch starts, lasts through what befalls its root, and ends."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import anyio
import pytest

from afresh_indexer.watch import WatchSettings, watch

Watching = Callable[..., AbstractAsyncContextManager[Any]]


def write(path: Path, text: str = "two, and longer\n") -> None:
    path.write_text(text, encoding="utf-8")


def test_a_root_that_is_deleted_and_made_anew_is_watched_again(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, settings) as watched:
            shutil.rmtree(root)
            gone = await watched.until(lambda event: event.state is not None)
            assert gone.state is not None
            assert gone.state.mode == "off"
            assert f"{root} is gone" in gone.state.reason
            root.mkdir()
            back = await watched.until(lambda event: event.state is not None)
            assert back.state is not None
            assert back.state.mode in ("native", "polling")
            assert back.rescan
            write(root / "fresh.py")
            await watched.told_of("fresh.py")

    anyio.run(scenario)


def test_a_root_remade_before_anyone_looked_is_watched_again(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    """File systems give the freed inode to the next folder, so the inode alone doesn't tell."""

    async def scenario() -> None:
        async with watching(root, settings) as watched:
            shutil.rmtree(root)
            root.mkdir()
            await watched.until(lambda event: event.rescan or watched.covers(event, "a.py"))
            write(root / "fresh.py")
            await watched.until(lambda event: watched.covers(event, "fresh.py"))
            write(root / "fresh.py", "edited after that\n")
            await watched.told_of("fresh.py")

    anyio.run(scenario)


def test_another_folder_put_in_the_root_s_place_is_compared_and_watched(
    root: Path, settings: WatchSettings, tmp_path: Path, watching: Watching
) -> None:
    other = tmp_path / "other"
    other.mkdir()

    async def scenario() -> None:
        async with watching(root, settings) as watched:
            root.rename(tmp_path / "away")
            other.rename(root)
            await watched.until(lambda event: event.rescan)
            write(root / "fresh.py")
            await watched.told_of("fresh.py")

    anyio.run(scenario)


def test_a_root_missing_at_the_start_is_waited_for(
    settings: WatchSettings, tmp_path: Path, watching: Watching
) -> None:
    late = tmp_path / "late"

    async def scenario() -> None:
        async with watching(late, settings) as watched:
            assert watched.events[0].state is not None
            assert watched.events[0].state.mode == "off"
            late.mkdir()
            await watched.until(lambda event: event.state is not None and event.rescan)
            write(late / "x.py")
            await watched.told_of("x.py")

    anyio.run(scenario)


def test_a_flood_asks_for_a_comparison_at_once_and_for_another_soon_after(
    root: Path, native: WatchSettings, watching: Watching
) -> None:
    tight = replace(native, flood=20, reconcile_after_flood_s=0.2)

    async def scenario() -> None:
        async with watching(root, tight) as watched:
            for number in range(60):
                write(root / f"f{number}.py")
            event = await watched.until(lambda event: event.rescan)
            assert len(event.paths) >= 20
            await watched.until(lambda event: event.rescan and not event.paths)
            assert await watched.only_marker(root) == [], "only once"

    anyio.run(scenario)


def test_everything_is_compared_from_time_to_time(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, replace(settings, reconcile_s=0.3)) as watched:
            for _ in range(2):
                event = await watched.until(lambda event: event.rescan)
                assert event.paths == frozenset()

    anyio.run(scenario)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such a name")
def test_a_file_with_a_broken_name_costs_a_comparison_and_not_the_watch(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    async def scenario() -> None:
        async with watching(root, replace(settings, longest_wait_after_break_s=0.01)) as watched:
            for number in range(3):
                Path(os.fsdecode(bytes(root) + b"/bad\xff%d" % number)).write_bytes(b"x")
                if settings.mode == "native":
                    await watched.until(lambda event: event.rescan)
                write(root / "a.py", "edited beside it" + "!" * number)
                await watched.told_of("a.py")

    anyio.run(scenario)


@pytest.mark.parametrize("kind", ["anyio", "threading"])
def test_a_stop_ends_the_stream_long_before_the_next_tick_and_leaves_no_thread(
    root: Path, settings: WatchSettings, kind: str
) -> None:
    slow = replace(settings, tick_s=600, poll_s=600)

    async def scenario() -> None:
        stop = anyio.Event() if kind == "anyio" else threading.Event()
        stream = watch(root, stop=stop, settings=slow, folders_ignored=tuple)
        await anext(stream)
        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:

                async def rest() -> None:
                    assert [event async for event in stream] == []

                group.start_soon(rest)
                await anyio.wait_all_tasks_blocked()
                stop.set()

    anyio.run(scenario)
    no_thread_is_left()


def test_a_cancelled_watch_ends_at_once_and_leaves_no_thread(root: Path, settings: WatchSettings) -> None:
    slow = replace(settings, tick_s=600, poll_s=600)

    async def scenario() -> None:
        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                stream = watch(root, stop=anyio.Event(), settings=slow, folders_ignored=tuple)
                await anext(stream)
                group.start_soon(anext, stream)
                await anyio.wait_all_tasks_blocked()
                group.cancel_scope.cancel()

    anyio.run(scenario)
    no_thread_is_left()


def name_of(task: Path) -> str:
    try:
        return (task / "comm").read_text(encoding="utf-8")
    except OSError:
        return ""


def no_thread_is_left() -> None:
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and "AnyIO" in thread.name:
            thread.join(30)
            assert not thread.is_alive()
    tasks = Path("/proc/self/task")
    if not tasks.exists():
        return
    end, pause = time.monotonic() + 30, threading.Event()
    while any("notify" in name_of(task) for task in tasks.iterdir()):
        assert time.monotonic() < end, "the library's thread is still there"
        # The library ends its thread by a message and doesn't join it.
        pause.wait(0.005)


def test_what_the_caller_s_listing_raises_ends_the_stream_with_it(
    root: Path, settings: WatchSettings, watching: Watching
) -> None:
    def ignored() -> Collection[str]:
        raise LookupError("git went away")

    async def scenario() -> None:
        with pytest.raises(LookupError, match="git went away"):
            async with watching(root, settings, ignored=ignored):
                pass

    anyio.run(scenario)


def test_a_watch_that_is_off_says_so_and_ends(root: Path) -> None:
    async def scenario() -> None:
        off = WatchSettings(mode="off")
        stream = watch(root, stop=anyio.Event(), settings=off, folders_ignored=tuple)
        events = [event async for event in stream]
        assert [event.state.mode for event in events if event.state] == ["off"]
        assert "turned off" in (events[0].state.reason if events[0].state else "")

    anyio.run(scenario)
