"""Native file events: from raw, absolute, doubled ones to paths under the root.

On Linux a tree costs one watch a folder, and the library's recursive mode takes them for ignored folders and
for whatever links lead to, misses what is made inside a new folder before it is watched, and says nothing
when watches run out later. So each folder is watched by itself here. The set of watches of a handle is fixed,
so new folders mean a new handle, opened before the old one is closed (about 30 microseconds a folder).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Literal, Protocol

from watchfiles._rust_notify import RustNotify

from afresh_indexer.watch_git import GitSigns
from afresh_indexer.watch_limits import explain_refusal
from afresh_indexer.watch_settings import (
    Clock,
    Gathered,
    Halt,
    NativeRefused,
    WatchBroken,
    WatchSettings,
)
from afresh_indexer.watch_tree import IgnoredFolders, Links, ancestors, folders_below, is_folder, reported

RawChanges = set[tuple[int, str]]
"""Pairs of what happened (1 added, 2 modified, 3 deleted) and an absolute path."""

_ADDED, _DELETED = 1, 3
_ROUNDS = 5
"""How often new folders are listed again because still more appeared meanwhile, before it waits for the next
tick."""
_REBUILD_SHARE = 9
"""A new handle is opened at most every tenth part of the time, so that a large tree with lively folders can't
eat a core; the new folders are delivered at once in any case, and again once they are watched."""
_LINUX_POLL_MS = 2_000


class NativeHandle(Protocol):
    """The part of watchfiles' handle that is used; its constructor returns once every watch is in place."""

    def watch(
        self, debounce_ms: int, step_ms: int, timeout_ms: int, stop_event: Halt | None, /
    ) -> RawChanges | Literal["signal", "stop", "timeout"]: ...

    def close(self) -> None: ...


OpenNative = Callable[[list[str], bool], NativeHandle]
"""Opens a handle on absolute paths, recursively or not. Raises OSError or RuntimeError where the system
refuses."""


def open_native(paths: list[str], recursive: bool) -> NativeHandle:
    """The system's native events through watchfiles.

    The last argument, which is named after denied permissions, would swallow the refusal of a watch as well.
    """
    return RustNotify(paths, False, False, _LINUX_POLL_MS, recursive, False)


class NativeWatch:
    """One root under native events; opened by its constructor, which raises NativeRefused."""

    def __init__(
        self,
        root: str,
        *,
        signs: GitSigns,
        ignored: IgnoredFolders,
        settings: WatchSettings,
        open_handle: OpenNative,
        clock: Clock,
    ) -> None:
        self._root = root
        self._signs = signs
        self._ignored = ignored
        self._settings = settings
        self._open_handle = open_handle
        self._clock = clock
        self._handle: NativeHandle | None = None
        self._folders: set[str] = set()
        self._pending: set[str] = {""}
        self._stale = False
        self._lost = False
        self._ignored.refresh()
        # What the handle saw until now is older than the caller's first look.
        self._settle()
        self._rebuild_from = 0.0

    def close(self) -> None:
        """Give all watches back."""
        if self._handle is not None:
            self._handle.close()
            self._handle = None

    def collect(self, halt: Halt) -> Gathered:
        """Wait for changes for one tick at most, then gather until they pause.

        Raises WatchBroken when the handle fails, and NativeRefused when new folders can't be watched.
        """
        gathered = Gathered()
        raw = self._gather(halt, gathered)
        for _ in range(_ROUNDS):
            self._take(raw, gathered)
            if not self._pending or self._clock.monotonic() < self._rebuild_from or halt.is_set():
                break
            self._ignored.refresh()
            gathered.paths |= {path for path in self._pending if path and not self._ignored.covers(path)}
            raw = self._settle()
            if not raw:
                break
        else:
            self._take(raw, gathered)
        gathered.lost = gathered.lost or self._lost
        self._lost = False
        return gathered

    def refresh(self, distrust: bool) -> None:
        """Fit the watches to the rules as they are now; with `distrust`, open them anew in any case.

        To be called before a whole comparison, and raises what `collect` raises.
        """
        self._ignored.refresh()
        if self._settings.recursive:
            return
        found = folders_below(self._root, "", self._ignored)
        self._stale = distrust or found != self._folders
        self._folders = found
        self._pending = {""}
        # Nothing is lost with what the handles saw meanwhile: the caller compares everything after this.
        self._settle()

    def _gather(self, halt: Halt, gathered: Gathered) -> RawChanges:
        settings, monotonic = self._settings, self._clock.monotonic
        wait_s = settings.tick_s
        if self._pending:
            wait_s = min(wait_s, max(self._rebuild_from - monotonic(), 0.0))
        raw = self._next(max(int(wait_s * 1000), 1), halt)
        if not raw:
            return raw
        # The library tells no times, but it has waited out one silent step after the first change.
        gathered.first_event_ns = self._clock.time_ns() - settings.step_ms * 1_000_000
        end = monotonic() + settings.longest_burst_s
        held = False
        while monotonic() < end and not halt.is_set():
            busy = self._git_is_busy()
            held = held or busy
            if not held and len(raw) <= settings.burst:
                break
            # git moves HEAD after it has let the lock go, so a silence must follow that.
            more = self._next(settings.quiet_ms, halt)
            if not more and not busy:
                break
            raw |= more
        gathered.lost = len(raw) >= settings.flood
        return raw

    def _git_is_busy(self) -> bool:
        return self._signs.is_busy(self._clock.time_ns(), int(self._settings.git_lock_patience_s * 1e9))

    def _next(self, timeout_ms: int, halt: Halt | None) -> RawChanges:
        if self._handle is None:
            raise WatchBroken("the native watch is closed")
        step_ms = min(self._settings.step_ms, timeout_ms)
        try:
            raw = self._handle.watch(self._settings.debounce_ms, step_ms, timeout_ms, halt)
        except (OSError, RuntimeError) as error:
            raise WatchBroken(f"native watching broke off ({error})") from error
        return set() if isinstance(raw, str) else raw

    def _take(self, raw: RawChanges, gathered: Gathered) -> None:
        """Sort raw changes into paths to report, folders that are gone and folders to be watched."""
        links = Links(self._root)
        gone: set[str] = set()
        for kind, full in raw:
            path = self._relative(full)
            if not path:
                gathered.root_gone = gathered.root_gone or (path == "" and kind == _DELETED)
                continue
            shown = reported(path)
            if shown is None or self._ignored.covers(shown) or links.lead_to(shown):
                continue
            gathered.paths.add(shown)
            if self._settings.recursive or kind not in (_ADDED, _DELETED) or shown != path:
                continue
            if path in self._folders:
                gone.add(path)
            if is_folder(self._root, path):
                self._pending.add(path)
        if gone:
            self._forget(gone)

    def _relative(self, full: str) -> str | None:
        """The path below the root in POSIX form, empty for the root itself, None outside it."""
        if full == self._root:
            return ""
        prefix = self._root if self._root.endswith(os.sep) else self._root + os.sep
        if not full.startswith(prefix):
            return None
        path = full[len(prefix) :]
        return path if os.sep == "/" else path.replace(os.sep, "/")

    def _forget(self, gone: set[str]) -> None:
        """Drop folders and all below them, as the library does: what comes in their place is another one."""
        self._folders = {
            folder
            for folder in self._folders
            if folder not in gone and not any(above in gone for above in ancestors(folder))
        }

    def _settle(self) -> RawChanges:
        """Watch what is pending and give what the handles saw meanwhile.

        Folders are listed again after they are watched: what is made between the two would never be told.
        """
        seen: RawChanges = set()
        for _ in range(_ROUNDS):
            if self._settings.recursive:
                found = {""}
            else:
                found = set().union(*(folders_below(self._root, top, self._ignored) for top in self._pending))
            if self._handle is not None and not self._stale and found <= self._folders:
                self._pending.clear()
                break
            self._folders |= found
            seen |= self._swap()
        return seen

    def _swap(self) -> RawChanges:
        """Open a handle on all folders, then drain and close the one before it."""
        started = self._clock.monotonic()
        fresh = self._opened()
        seen: RawChanges = set()
        if self._handle is not None:
            try:
                # Time for what the kernel has queued to pass through the library's thread.
                seen = self._next(2 * self._settings.step_ms, None)
            except WatchBroken:
                self._lost = True
            self._handle.close()
        self._handle = fresh
        self._stale = False
        now = self._clock.monotonic()
        self._rebuild_from = now + _REBUILD_SHARE * (now - started)
        return seen

    def _opened(self) -> NativeHandle:
        for _ in range(_ROUNDS):
            paths = [self._root, *(f"{self._root}/{folder}" for folder in self._folders if folder)]
            if not self._settings.recursive:
                paths += self._signs.folders()
            try:
                return self._open_handle(paths, self._settings.recursive)
            except (FileNotFoundError, PermissionError):
                # A folder went, or was closed to us, after it was listed.
                self._folders = {
                    folder
                    for folder in self._folders
                    if os.access(f"{self._root}/{folder}", os.R_OK | os.X_OK)
                }
                if "" not in self._folders:
                    raise WatchBroken(f"{self._root} can't be read") from None
            except (OSError, RuntimeError) as error:
                if self._handle is None:
                    raise NativeRefused(explain_refusal(error, len(paths), self._settings.poll_s)) from error
                # Two handles at a time may be one too many; without the old one it can still go.
                self._handle.close()
                self._handle = None
                self._lost = True
        raise WatchBroken(f"the folders of {self._root} change too fast to be watched")
