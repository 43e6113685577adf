"""Events of a worker thread as MCP progress notifications, without ever holding the thread up."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from afresh.engine.calls import Emit, Event

Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends one notification: progress, total, message."""


@asynccontextmanager
async def relayed(report: Report) -> AsyncIterator[Emit]:
    """An `Emit` whose events are reported while the block runs, the last one before the block ends.

    A verb can emit faster than a client reads: progress that was not sent yet is replaced by what came after
    it; other events are reported each. One that has neither `done` nor `message` is for other faces.
    """
    relay = _Relay(report, asyncio.get_running_loop())
    sender = asyncio.create_task(relay.send())
    try:
        yield relay.emit
    except BaseException:
        sender.cancel()
        raise
    relay.close()
    await sender


class _Relay:
    def __init__(self, report: Report, loop: asyncio.AbstractEventLoop) -> None:
        self._report = report
        self._loop = loop
        self._wake = asyncio.Event()
        self._guard = threading.Lock()
        self._waiting: deque[tuple[bool, tuple[float, float | None, str]]] = deque()
        """Whether it may be replaced, and what is reported."""
        self._phase: object = None
        self._base = 0.0
        self._reached = 0.0
        self._closing = False

    def emit(self, event: Event) -> None:
        """Take an event, from any thread.

        The protocol wants progress to grow with each notification, so a phase that counts from 0 again
        goes on from where the phase before it ended.
        """
        if event.get("done") is None and not event.get("message"):
            return
        with self._guard:
            phase = event.get("phase", event.get("kind"))
            if phase != self._phase:
                self._phase, self._base = phase, self._reached
            done, total = event.get("done"), event.get("total")
            progress = self._base + float(done) if done is not None else self._reached + 1
            self._reached = max(self._reached, progress)
            whole = self._base + float(total) if total is not None else None
            passing = event.get("kind") == "progress"
            if passing and self._waiting and self._waiting[-1][0]:
                self._waiting.pop()
            self._waiting.append((passing, (self._reached, whole, str(event.get("message") or phase or ""))))
        # A call that was abandoned may outlive the loop, which then refuses with a RuntimeError.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._wake.set)

    def close(self) -> None:
        self._closing = True
        self._wake.set()

    async def send(self) -> None:
        sent = -1.0
        while True:
            await self._wake.wait()
            self._wake.clear()
            closing = self._closing
            with self._guard:
                waiting, self._waiting = self._waiting, deque()
            for _, report in waiting:
                if report[0] > sent:
                    sent = report[0]
                    await self._report(*report)
            if closing:
                return
