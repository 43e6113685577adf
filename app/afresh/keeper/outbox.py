"""The lines on their way to one client: in order, bounded, and never a reason for the engine to wait long."""

from __future__ import annotations

import json
import socket
import threading
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from afresh.keeper import wire

if TYPE_CHECKING:
    # At run time it would bring the contracts along, and the keeper listens before it loads those.
    from afresh.engine.calls import Event

FULL = 8 * 1024 * 1024
"""Bytes not yet sent, from which on whoever produces more has to wait."""
WAITING_EVENTS = 256
"""Events of one call not yet sent, from which on the oldest one that may be lost is."""
PATIENCE = 60.0
"""Seconds after which a client that reads nothing is given up."""
_BATCH = 256 * 1024
_AT_ONCE: int = getattr(socket, "MSG_DONTWAIT", 0)
_KEPT = frozenset({"row", "indexed"})
"""Kinds of events that carry data rather than news."""


@dataclass(slots=True)
class _Entry:
    line: bytes | None
    """None once it was dropped."""
    skipped: int = 0
    """How many dropped ones it tells of; they are told by another where it is dropped itself."""


class Outbox:
    """Sends lines to a client from a thread of its own, which alone waits for a slow one."""

    def __init__(self, stream: socket.socket, *, full: int = FULL, patience: float = PATIENCE) -> None:
        self._stream = stream
        self._full = full
        self._patience = patience
        self._changed = threading.Condition()
        self._entries: deque[_Entry] = deque()
        self._bytes = 0
        self._sending = False
        self._closed = False
        self._progress: dict[tuple[Hashable, Hashable], _Entry] = {}
        self._news: dict[Hashable, deque[_Entry]] = {}
        self._skipped: dict[Hashable, int] = {}
        self._thread: threading.Thread | None = None

    def put(self, line: bytes) -> None:
        """Send a line. Never waits, never drops; says nothing where the client is gone."""
        with self._changed:
            if not self._closed:
                self._append(_Entry(line))

    def put_event(self, call: Hashable, event: Event) -> None:
        """Send an event of a call.

        Progress replaces progress of the same phase that wasn't sent yet; other news is dropped, the oldest
        first and counted in `skipped`, where the client doesn't keep up; data waits for room.
        """
        kind = event.get("kind")
        if kind in _KEPT:
            self.wait_for_room()
        with self._changed:
            if self._closed:
                return
            if kind == "progress":
                self._replace((call, event.get("phase")), wire.encode({"id": call, "event": event}))
                return
            if kind in _KEPT:
                self._append(_Entry(wire.encode({"id": call, "event": event})))
                return
            waiting = self._news.setdefault(call, deque())
            while waiting and waiting[0].line is None:
                waiting.popleft()
            if len(waiting) >= WAITING_EVENTS:
                oldest = waiting.popleft()
                self._drop(oldest)
                self._skipped[call] = self._skipped.get(call, 0) + 1 + oldest.skipped
            skipped = self._skipped.pop(call, 0) if len(waiting) < WAITING_EVENTS - 1 else 0
            sent = {**event, "skipped": skipped} if skipped else event
            entry = _Entry(wire.encode({"id": call, "event": sent}), skipped)
            waiting.append(entry)
            self._append(entry)

    def forget(self, call: Hashable) -> None:
        """Drop what is kept about a call that has ended."""
        with self._changed:
            self._news.pop(call, None)
            self._skipped.pop(call, None)
            for key in [key for key in self._progress if key[0] == call]:
                del self._progress[key]

    def is_full(self) -> bool:
        """Whether whoever produces more should wait."""
        return self._bytes > self._full

    def wait_for_room(self) -> bool:
        """Wait until the client has read enough; False where it is gone or was given up."""
        with self._changed:
            if self._changed.wait_for(lambda: self._closed or self._bytes <= self._full, self._patience):
                return not self._closed
        self.abandon()
        return False

    def flush(self, timeout: float) -> bool:
        """Wait until everything is sent; False where that took longer, in seconds."""
        with self._changed:
            return self._changed.wait_for(lambda: self._closed or self._bytes == 0, timeout)

    def abandon(self) -> None:
        """Send nothing more and end the connection both ways, which wakes whoever waits on it."""
        with self._changed:
            self._closed = True
            self._entries.clear()
            self._bytes = 0
            self._changed.notify_all()
        try:
            self._stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # It was ended already.

    def _append(self, entry: _Entry) -> None:
        line = entry.line or b""
        if _AT_ONCE and not self._entries and not self._sending:
            try:
                sent = self._stream.send(line, _AT_ONCE)
            except BlockingIOError:
                sent = 0
            except OSError:
                self._closed = True
                self._changed.notify_all()
                return
            if sent == len(line):
                entry.line = None
                return
            entry.line = line = line[sent:]
            if sent:
                # The rest of a line that has begun is no longer an event that may be dropped or replaced.
                rest, entry.line = line, None
                entry = _Entry(rest)
        self._entries.append(entry)
        self._bytes += len(line)
        if self._thread is None:
            self._thread = threading.Thread(target=self._send_all, name="outbox", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _replace(self, key: tuple[Hashable, Hashable], line: bytes) -> None:
        waiting = self._progress.get(key)
        if waiting is not None and waiting.line is not None:
            self._bytes += len(line) - len(waiting.line)
            waiting.line = line
            return
        entry = _Entry(line)
        self._progress[key] = entry
        self._append(entry)

    def _drop(self, entry: _Entry) -> None:
        self._bytes -= len(entry.line or b"")
        entry.line = None

    def _send_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._entries)
                if self._closed:
                    return
                batch: list[bytes] = []
                taken = 0
                while self._entries and taken < _BATCH:
                    entry = self._entries.popleft()
                    if entry.line is not None:
                        batch.append(entry.line)
                        taken += len(entry.line)
                        entry.line = None
                self._sending = True
            try:
                self._stream.sendall(b"".join(batch))
            except OSError:
                self.abandon()
                return
            with self._changed:
                self._sending = False
                self._bytes -= taken if not self._closed else 0
                self._changed.notify_all()


def result_line(call: Hashable, result_json: str) -> bytes:
    """The line of a result that is JSON already."""
    return b'{"id":%s,"result":%s}\n' % (json.dumps(call).encode(), result_json.encode("utf-8"))
