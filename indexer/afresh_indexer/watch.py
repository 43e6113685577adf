"""A root's changes as one stream: `watch` yields how it watches, then what may have changed.

It reads no tracked file and doesn't decide what is ignored; it only leaves out what git keeps in `.git`, what
lies beyond links, and folders that the caller names as ignored. When events can be missing (a flood, a broken
handle, a root made anew) or when other files may count (HEAD, the index, an ignore file), it asks for a whole
comparison.
"""

from __future__ import annotations

import os
import threading
from collections.abc import AsyncGenerator, Callable, Collection, Generator
from contextlib import closing
from pathlib import Path

from anyio import CancelScope, CapacityLimiter, to_thread

from afresh_indexer.records import WatchEvent, WatchState
from afresh_indexer.watch_git import GitSigns, read_signs
from afresh_indexer.watch_limits import remote_file_system
from afresh_indexer.watch_native import NativeWatch, OpenNative, open_native
from afresh_indexer.watch_polling import PollingWatch
from afresh_indexer.watch_settings import (
    Clock,
    Halt,
    NativeRefused,
    StopEvent,
    WatchBroken,
    WatchSettings,
)
from afresh_indexer.watch_tree import IGNORE_FILES, IgnoredFolders

__all__ = ["Clock", "StopEvent", "WatchSettings", "watch"]


async def watch(
    root: Path,
    *,
    stop: StopEvent,
    settings: WatchSettings,
    folders_ignored: Callable[[], Collection[str]],
    open_handle: OpenNative = open_native,
    clock: Clock | None = None,
) -> AsyncGenerator[WatchEvent, None]:
    """Yield the state of the watch, then its events, until `stop` is set.

    Every change made after the first state was yielded is told. `stop` may be an event of anyio, asyncio or
    threading; it is noticed within 50 ms, and so is a cancellation or an `aclose`, after which no thread and
    no handle is left. With the mode off the stream ends after its state.

    `folders_ignored` names folders, POSIX and relative to the root, that no file of interest can lie in; it
    is called from a worker thread at the start, when folders appear, and when rules may have changed. What it
    raises ends the stream.
    """
    halt = Halt(stop)
    events = _Watching(root, halt, settings, folders_ignored, open_handle, clock or Clock()).events()
    # Of its own: a watch that lasts for hours must not hold a thread that the caller's short work waits for.
    # Two, for the closing may start while a cancelled step is still on its way out.
    threads = CapacityLimiter(2)
    running = threading.Lock()

    def step() -> WatchEvent | None:
        with running:
            return next(events, None)

    def end() -> None:
        with running:
            events.close()

    try:
        while (event := await to_thread.run_sync(step, abandon_on_cancel=True, limiter=threads)) is not None:
            yield event
    finally:
        halt.set()
        with CancelScope(shield=True):
            await to_thread.run_sync(end, limiter=threads)


class _Watching:
    """Opens one way of watching after the other, for as long as the root lasts and beyond."""

    def __init__(
        self,
        root: Path,
        halt: Halt,
        settings: WatchSettings,
        folders_ignored: Callable[[], Collection[str]],
        open_handle: OpenNative,
        clock: Clock,
    ) -> None:
        self._root = root
        self._halt = halt
        self._settings = settings
        self._ignored = IgnoredFolders(folders_ignored)
        self._open_handle = open_handle
        self._clock = clock
        self._shown: WatchState | None = None
        self._refusal = ""
        self._native_again_at = 0.0
        self._breaks = 0
        self._broke_at = 0.0

    def events(self) -> Generator[WatchEvent, None, None]:
        """All events, from a thread that may block; ends with the halt."""
        if self._settings.mode == "off":
            yield WatchEvent(state=WatchState("off", "watching is turned off by its setting"))
            return
        while not self._halt.is_set():
            identity = self._identity()
            if isinstance(identity, str):
                yield from self._show(WatchState("off", identity))
                self._halt.wait(self._settings.missing_root_s, self._clock.monotonic)
                continue
            try:
                real = self._root.resolve()
                signs = read_signs(real)
                session, state = self._open(real, signs)
                with closing(session):
                    yield from self._show(state, rescan=self._shown is not None)
                    yield from self._follow(session, identity, real, signs)
            except NativeRefused as refusal:
                self._refuse(refusal)
            except WatchBroken as broken:
                yield from self._recover(str(broken))

    def _show(self, state: WatchState, *, rescan: bool = False) -> Generator[WatchEvent, None, None]:
        news = None if state == self._shown else state
        self._shown = state
        if news or rescan:
            yield WatchEvent(state=news, rescan=rescan)

    def _identity(self) -> tuple[int, int] | str:
        """Device and inode of the root, or a sentence about why it can't be watched."""
        again = f"it is looked for every {self._settings.missing_root_s:g} s"
        try:
            seen = self._root.stat()
            with os.scandir(self._root):
                return seen.st_dev, seen.st_ino
        except FileNotFoundError:
            return f"{self._root} is gone; {again}"
        except NotADirectoryError:
            return f"{self._root} is not a folder any more; {again}"
        except OSError as error:
            return f"{self._root} can't be read ({error.strerror}); {again}"

    def _open(self, real: Path, signs: GitSigns) -> tuple[NativeWatch | PollingWatch, WatchState]:
        reason = self._reason_to_poll(real)
        if not reason:
            try:
                native = NativeWatch(
                    str(real),
                    signs=signs,
                    ignored=self._ignored,
                    settings=self._settings,
                    open_handle=self._open_handle,
                    clock=self._clock,
                )
                return native, WatchState("native")
            except NativeRefused as refusal:
                self._refuse(refusal)
                reason = self._refusal
        polling = PollingWatch(str(real), ignored=self._ignored, settings=self._settings, clock=self._clock)
        return polling, WatchState("polling", reason)

    def _reason_to_poll(self, real: Path) -> str:
        if self._settings.mode == "poll":
            return f"asked for by its setting; changes are looked for every {self._settings.poll_s:g} s"
        if self._settings.mode == "auto" and (kind := remote_file_system(real)):
            return (
                f"{real} is on a {kind} file system, which doesn't tell of changes made elsewhere: they are "
                f"looked for every {self._settings.poll_s:g} s (AFRESH_WATCH=native sees local ones alone)"
            )
        return self._refusal if self._clock.monotonic() < self._native_again_at else ""

    def _refuse(self, refusal: NativeRefused) -> None:
        self._refusal = str(refusal)
        self._native_again_at = self._clock.monotonic() + self._settings.reconcile_s

    def _recover(self, reason: str) -> Generator[WatchEvent, None, None]:
        """Wait before the watch is opened again: not at all at first, longer each time it breaks soon."""
        longest = self._settings.longest_wait_after_break_s
        now = self._clock.monotonic()
        if now - self._broke_at > 10 * longest:
            self._breaks = 0
        wait_s = min(2.0 ** (self._breaks - 1), longest) if self._breaks else 0.0
        self._breaks += 1
        self._broke_at = now
        if wait_s:
            yield from self._show(WatchState("off", f"{reason}; it is opened again in {wait_s:g} s"))
            self._halt.wait(wait_s, self._clock.monotonic)

    def _follow(
        self, session: NativeWatch | PollingWatch, identity: tuple[int, int], real: Path, signs: GitSigns
    ) -> Generator[WatchEvent, None, None]:
        """Events of one session; returns when another must be opened."""
        settings, monotonic = self._settings, self._clock.monotonic
        compare_at = monotonic() + settings.reconcile_s
        while True:
            got = session.collect(self._halt)
            if self._halt.is_set() or got.root_gone or self._identity() != identity:
                return
            before, signs = signs, read_signs(real)
            if (before.git_dir, before.common_dir) != (signs.git_dir, signs.common_dir):
                return
            now = monotonic()
            distrust = got.lost or now >= compare_at
            if distrust and isinstance(session, PollingWatch) and self._settings.mode != "poll":
                return
            rescan = distrust or signs != before or any(_decides_on_others(path) for path in got.paths)
            if rescan:
                # First the watches, then the caller's look: what changes between the two is told again.
                session.refresh(distrust)
                compare_at = now + (settings.reconcile_after_flood_s if got.lost else settings.reconcile_s)
            if got.paths or rescan:
                yield WatchEvent(paths=frozenset(got.paths), rescan=rescan, first_event_ns=got.first_event_ns)


def _decides_on_others(path: str) -> bool:
    return path.rpartition("/")[2] in IGNORE_FILES
