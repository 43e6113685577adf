"""Which workspaces are watched: those that a client works in, for as long as it is connected.

Each watched root has a task on one event loop of its own thread; what the watch reports is brought into
the tables by worker threads, and whoever listens is told what changed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import anyio
import anyio.to_thread

from afresh.activity_verbs import WorkspaceChange
from afresh.contracts import WatchStatus, rfc3339
from afresh.engine import workspaces
from afresh.engine.calls import Call, Caller, Event
from afresh.engine.core import Engine
from afresh.engine.workspaces import Workspace
from afresh.errors import AfreshError, RootRefusedError
from afresh.keeper.indexing import Indexing, Progress, Touched
from afresh.settings import Settings
from afresh.store.projects import Checkout
from afresh_indexer.errors import IndexerError
from afresh_indexer.ignore import IgnoreRules
from afresh_indexer.records import WatchEvent, WatchState
from afresh_indexer.watch import WatchSettings, watch

_LOG = logging.getLogger(__name__)
Listener = Callable[[Event], None]
_STARTING = "starting"
_PAUSE_S = 5.0
"""Between a watch that broke off and the next attempt."""
_PATHS_TOLD = 20
"""Paths that a change event names; it counts the others."""
_CHANGES_KEPT = 100
"""Of each root, while the keeper runs."""


@dataclass(slots=True)
class Watched:
    """One root under watch."""

    workspace: Workspace
    checkout: Checkout
    users: int = 0
    state: WatchState = field(default_factory=lambda: WatchState("off", _STARTING))
    lag_ms: float | None = None
    last_change: datetime | None = None
    listeners: list[Listener] = field(default_factory=list)
    stop: asyncio.Event | None = None
    current: threading.Event = field(default_factory=threading.Event)
    """Set once what happened while nobody watched has been brought in."""


class Watching:
    """Starts a watch with the first client of a workspace and ends it with the last."""

    def __init__(self, engine: Engine, indexing: Indexing, settings: Settings, touched: Touched) -> None:
        self._engine = engine
        self._indexing = indexing
        self._settings = settings
        self._touched = touched
        """Told at once what may have changed, also of files that are not indexed."""
        self._guard = threading.Lock()
        self._watched: dict[int, Watched] = {}
        self._changes: dict[str, deque[WorkspaceChange]] = {}
        self._loop = asyncio.new_event_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="watching", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        """End every watch and wait for it."""
        asyncio.run_coroutine_threadsafe(self._end_all(), self._loop).result(timeout=30)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(timeout=10)
        self._loop.close()

    def status(self, root: str | None) -> WatchStatus:
        with self._guard:
            found = next((w for w in self._watched.values() if w.checkout.root == root), None)
        if found is None:
            return WatchStatus(mode="off", lag_ms=None, last_change=None, reason="no client works here")
        return WatchStatus.model_validate(
            {
                "mode": found.state.mode,
                "lag_ms": found.lag_ms,
                "last_change": found.last_change,
                "reason": found.state.reason,
            }
        )

    def changes(self, root: str | None) -> list[WorkspaceChange]:
        """The last changes below a root, newest first, also of a watch that has ended."""
        with self._guard:
            return list(self._changes.get(root or "", ()))

    def attach(self, caller: Caller) -> _Attached:
        """Watch the caller's workspace, if it is in one: a known root, or a repository not seen before."""
        workspace = self._workspace_of(caller)
        if workspace is None or workspace.checkout is None:
            return _Attached(self, None, None)
        return self.join(workspace, workspace.checkout, None)

    def join(self, workspace: Workspace, checkout: Checkout, listener: Listener | None) -> _Attached:
        """Count one more user of a watch, and start it for the first."""
        with self._guard:
            watched = self._watched.get(checkout.id)
            if watched is None:
                watched = self._watched[checkout.id] = Watched(workspace, checkout)
                self._loop.call_soon_threadsafe(self._begin, watched)
            watched.users += 1
            if listener is not None:
                watched.listeners.append(listener)
            state = watched.state
        if listener is not None and state.reason != _STARTING:
            # The watch stood before this listener came, and says how only when that changes.
            listener({"kind": "watch", "mode": state.mode, "reason": state.reason})
        return _Attached(self, watched, listener)

    def leave(self, watched: Watched, listener: Listener | None) -> None:
        """Count one user less, and end the watch with the last."""
        with self._guard:
            if listener is not None:
                watched.listeners.remove(listener)
            watched.users -= 1
            if watched.users:
                return
            self._watched.pop(watched.checkout.id, None)
        self._loop.call_soon_threadsafe(self._end, watched)

    def _workspace_of(self, caller: Caller) -> Workspace | None:
        if caller.cwd is None:
            return None
        with self._engine.store.read() as cursor:
            held = workspaces.holding(cursor, caller.cwd)
        if held is not None and held.checkout is not None:
            return held
        top = workspaces.repository_of(caller.cwd)
        if top is None:
            return None
        try:
            with self._engine.write() as tx:
                return workspaces.register(self._engine, tx, top, name=None, force=False)
        except RootRefusedError as error:
            _LOG.info("not watched: %s", error.message)
            return None

    def _begin(self, watched: Watched) -> None:
        watched.stop = asyncio.Event()
        task = self._loop.create_task(self._run(watched, watched.stop))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _end(self, watched: Watched) -> None:
        if watched.stop is not None:
            watched.stop.set()

    async def _end_all(self) -> None:
        with self._guard:
            ending = list(self._watched.values())
            self._watched.clear()
        for watched in ending:
            self._end(watched)
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=20)

    async def _run(self, watched: Watched, stop: asyncio.Event) -> None:
        """Watch until the last user leaves; what breaks a watch is told, and it begins anew."""
        while not stop.is_set():
            try:
                await self._watch(watched, stop)
            except (IndexerError, AfreshError, OSError) as error:
                reason = f"the watch broke off and begins anew: {error}"
                _LOG.warning("%s: %s", watched.checkout.root, reason)
                watched.state = WatchState("off", reason)
                self._tell(watched, {"kind": "watch", "mode": "off", "reason": reason})
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), _PAUSE_S)

    async def _watch(self, watched: Watched, stop: asyncio.Event) -> None:
        root = Path(watched.checkout.root)
        rules = await anyio.to_thread.run_sync(
            IgnoreRules.for_root, root, self._settings.home / "no-repository.git"
        )
        settings = WatchSettings(mode=self._settings.watch)
        events = watch(root, stop=stop, settings=settings, folders_ignored=rules.ignored_folders)
        async with contextlib.aclosing(events):
            async for event in events:
                await self._take(watched, event)
        if not stop.is_set():
            # Watching is switched off: there is nothing to wait for but the last user.
            await stop.wait()

    async def _take(self, watched: Watched, event: WatchEvent) -> None:
        if event.state is not None:
            watched.state = event.state
            self._tell(watched, {"kind": "watch", "mode": event.state.mode, "reason": event.state.reason})
            if not watched.current.is_set() and event.state.mode != "off":
                await self._refresh(watched, None, 0)
                watched.current.set()
        if event.rescan:
            await self._refresh(watched, None, event.first_event_ns)
        elif event.paths:
            self._touched(watched.checkout.root, event.paths)
            await self._refresh(watched, event.paths, event.first_event_ns)

    async def _refresh(self, watched: Watched, paths: frozenset[str] | None, since_ns: int) -> None:
        try:
            progress = await anyio.to_thread.run_sync(
                self._indexing.refresh, watched.workspace, watched.checkout, paths
            )
        except (AfreshError, IndexerError) as error:
            _LOG.error("a change could not be brought in: %s", error)
            self._tell(watched, {"kind": "watch", "mode": watched.state.mode, "reason": str(error)})
            return
        if progress.touched or progress.commits:
            if since_ns:
                watched.lag_ms = round((time.time_ns() - since_ns) / 1e6, 1)
            watched.last_change = datetime.now(UTC)
            change = _change(progress, watched.lag_ms if since_ns else None, watched.last_change)
            with self._guard:
                kept = self._changes.setdefault(watched.checkout.root, deque(maxlen=_CHANGES_KEPT))
                kept.appendleft(change)
            self._tell(watched, _told(progress, watched.lag_ms, watched.last_change))

    def _tell(self, watched: Watched, event: Event) -> None:
        with self._guard:
            listeners = list(watched.listeners)
        for listener in listeners:
            listener(event)


@dataclass(frozen=True, slots=True)
class _Attached:
    """One client's share in a watch."""

    watching: Watching
    watched: Watched | None
    listener: Listener | None

    def close(self) -> None:
        if self.watched is not None:
            self.watching.leave(self.watched, self.listener)


def _change(progress: Progress, lag_ms: float | None, at: datetime) -> WorkspaceChange:
    touched = sorted(set(progress.touched))
    return WorkspaceChange(
        at=at,
        paths=touched[:_PATHS_TOLD],
        changed=len(touched) - progress.removed,
        removed=progress.removed,
        commits=progress.commits,
        lag_ms=lag_ms,
    )


def _told(progress: Progress, lag_ms: float | None, at: datetime) -> Event:
    touched = sorted(set(progress.touched))
    shown = ", ".join(touched[:3]) + (f" and {len(touched) - 3} more" if len(touched) > 3 else "")
    if progress.commits:
        commits = f"{progress.commits} commit{'s' if progress.commits != 1 else ''}"
        shown = f"{shown}; {commits}" if shown else commits
    return {
        "kind": "change",
        "at": rfc3339(at),
        "paths": touched[:_PATHS_TOLD],
        "changed": len(touched) - progress.removed,
        "removed": progress.removed,
        "commits": progress.commits,
        "lag_ms": lag_ms,
        "message": shown,
    }


def stream(watching: Watching, workspace: Workspace, checkout: Checkout, call: Call) -> None:
    """Tell a caller every change until it takes the call back."""
    attached = watching.join(workspace, checkout, call.emit)
    try:
        call.cancelled.wait()
    finally:
        attached.close()
