"""How a watch behaves, and the two small things that its ways of watching share: the halt and the batch."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """Every limit and delay of a watch."""

    mode: Literal["auto", "native", "poll", "off"] = "auto"
    """auto takes native events where the file system gives reliable ones; native takes them on network file
    systems too; both poll where the system refuses. poll never asks for native events."""
    debounce_ms: int = 200
    """The longest that changes are gathered before one look at them."""
    step_ms: int = 20
    """Silence after which a single edit is delivered; also how soon a stop is noticed."""
    quiet_ms: int = 100
    """Silence that ends a burst."""
    burst: int = 64
    """More changes than this at once are a burst, which is gathered until it ends: a checkout is one
    event."""
    longest_burst_s: float = 2.0
    """A burst that lasts longer is delivered in parts."""
    flood: int = 8_000
    """So many changes in one burst that the system's queue (16,384 events by default on Linux) may have run
    over, silently: the whole tree is compared."""
    tick_s: float = 1.0
    """How often to look whether the root is still the same folder, and whether HEAD moved."""
    missing_root_s: float = 1.0
    """How often to look for a root that is gone."""
    poll_s: float = 2.0
    """The pause between two looks when polling."""
    reconcile_s: float = 600.0
    """How often the whole tree is compared although nothing seems to be lost, and how often a watch that fell
    back to polling tries for native events again."""
    reconcile_after_flood_s: float = 60.0
    """The same once, after a flood."""
    longest_wait_after_break_s: float = 60.0
    """A native watch that breaks again and again is opened anew at once, then after 1, 2, 4 … s up to
    this."""
    git_lock_patience_s: float = 10.0
    """For how long git's index lock is taken to mean that a checkout is under way."""
    recursive: bool = not sys.platform.startswith("linux")
    """Whether the system watches a tree by one handle. Where each folder costs a watch (Linux), folders are
    watched one by one instead: no ignored folder, no link, and a refusal that is never silent."""


@dataclass(frozen=True, slots=True)
class Clock:
    """The sources of time, so that a test can own them."""

    time_ns: Callable[[], int] = time.time_ns
    monotonic: Callable[[], float] = time.monotonic


class StopEvent(Protocol):
    """What anyio's, asyncio's and threading's events have in common."""

    def is_set(self) -> bool: ...


class Halt:
    """Set when the caller stops the watch or when its task is cancelled; polled from the watching thread."""

    _SLICE_S = 0.05

    def __init__(self, stop: StopEvent) -> None:
        self._stop = stop
        self._cancelled = threading.Event()

    def set(self) -> None:
        """End the watch although the caller's event isn't set."""
        self._cancelled.set()

    def is_set(self) -> bool:
        return self._cancelled.is_set() or self._stop.is_set()

    def wait(self, seconds: float, monotonic: Callable[[], float]) -> bool:
        """Wait so long or until the halt, and say whether it came."""
        end = monotonic() + seconds
        # In slices, for the caller's event can't wake this thread.
        while not self.is_set() and (left := end - monotonic()) > 0:
            self._cancelled.wait(min(left, self._SLICE_S))
        return self.is_set()


@dataclass(slots=True)
class Gathered:
    """What one look at the watch brought; empty after a tick without changes."""

    paths: set[str] = field(default_factory=set)
    lost: bool = False
    """Events may be missing."""
    root_gone: bool = False
    first_event_ns: int = 0


class WatchBroken(Exception):
    """A way of watching came to its end and must be opened anew: changes can be missing from now on."""


class NativeRefused(Exception):
    """The system gives no native events for this tree; the text says why and what to do."""
