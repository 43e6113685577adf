"""The engine's verbs from another process, through the keeper.

It stands on the path of every command's start, so it needs the standard library alone.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Protocol, Self, cast

from afresh import __version__
from afresh.errors import AfreshError, KeeperLostError, KeeperUnavailableError
from afresh.keeper.connect import Link, Starting, reach
from afresh.keeper.wire import LONGEST_LINE, Hello, encode, error_from, too_long
from afresh.settings import Settings

OnEvent = Callable[[Mapping[str, Any]], None]

REPEATABLE = frozenset(
    {
        *("browse", "claims", "complete", "contents", "doctor", "embed", "explore_at", "export", "index"),
        *("activity", "clients", "code_names", "excluded", "file_knowledge", "follow", "follow_requests"),
        *("keeper_status", "memo", "memo_diff", "memory_diff", "memory_exploration_recall", "memory_get"),
        *("memory_recall_iterative", "projects", "recall", "recall_context", "replay", "run", "runs"),
        *("request", "requests", "stale", "symbol_knowledge", "verify_answer", "watch"),
        "workspace_status",
    }
)
"""Verbs that may be begun twice: they only read, or come to the same whenever they run."""
_FAR_AHEAD = 4096
"""Events of one call that wait for its caller; then the keeper is asked to wait."""
_TICK_S = 0.1


class Host(Protocol):
    """The verbs, wherever the engine runs: a keeper's client, or the engine within this process."""

    def call(
        self,
        verb: str,
        arguments: Mapping[str, Any],
        *,
        on_event: OnEvent | None = None,
        timeout: float | None = None,
        cancelled: threading.Event | None = None,
    ) -> dict[str, Any]:
        """Ask and wait for the result.

        `on_event` gets the events of a verb that takes time, in this thread. `timeout` is in seconds. Setting
        `cancelled`, from any thread, takes the call back. Raises the AfreshError that the verb raises, and
        CancelledCallError for a call taken back.
        """

    def close(self) -> None:
        """End; calls in other threads raise."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Client:
    """A connection to the keeper, made anew when the keeper was replaced. Safe from any thread."""

    def __init__(self, settings: Settings, hello: Hello, *, start: bool, starting: Starting | None) -> None:
        self._settings = settings
        self._hello = hello
        self._start = start
        self._starting = starting
        self._guard = threading.Lock()
        self._link: _Connected | None = None
        self._closed = False

    @property
    def keeper_pid(self) -> int | None:
        """The process that answered last; None before the first connection."""
        return None if self._link is None else self._link.pid

    @property
    def connected(self) -> bool:
        """Whether the connection stands. Where it doesn't, the next call makes another."""
        link = self._link
        return link is not None and link.alive

    def call(
        self,
        verb: str,
        arguments: Mapping[str, Any],
        *,
        on_event: OnEvent | None = None,
        timeout: float | None = None,
        cancelled: threading.Event | None = None,
    ) -> dict[str, Any]:
        """Ask the keeper and wait for the result, as `Host.call` says.

        If the keeper goes away meanwhile, a call that it didn't begin and one that may be begun twice are
        sent once more, to the next keeper; for any other KeeperLostError is raised: ask again.
        """
        pending = self._send(verb, arguments)
        try:
            return pending.wait(on_event, timeout, cancelled)
        except _LostError as lost:
            if verb == "keeper_stop":
                # It is gone, as was wanted; asking the next one would end that too.
                return {"pid": self.keeper_pid, "stopping": True}
            if lost.began and (verb not in REPEATABLE or pending.gave_data):
                raise _lost(verb) from None
        pending = self._send(verb, arguments)
        try:
            return pending.wait(on_event, timeout, cancelled)
        except _LostError:
            raise _lost(verb) from None

    def close(self) -> None:
        """Disconnect; calls in other threads raise KeeperLostError."""
        with self._guard:
            self._closed = True
            link = self._link
        if link is not None:
            link.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _send(self, verb: str, arguments: Mapping[str, Any]) -> _Pending:
        for _attempt in range(2):
            link = self._connected()
            pending = link.begin(verb, arguments)
            if pending is not None:
                return pending
        raise KeeperUnavailableError(f"the keeper goes away each time before {verb} is sent; see its log")

    def _connected(self) -> _Connected:
        with self._guard:
            if self._closed:
                raise KeeperLostError("this client was closed; open another")
            if self._link is None or not self._link.alive:
                link = reach(self._settings, self._hello, start=self._start, starting=self._starting)
                self._link = _Connected(link)
            return self._link


def connect(
    settings: Settings,
    *,
    cwd: Path | None,
    client: str,
    kind: str,
    attach: bool = False,
    start: bool = True,
    starting: Starting | None = None,
) -> Client:
    """Connect to the keeper of the data folder, and start one where none answers.

    `cwd` decides which project is "the workspace's"; with `attach` it is watched as long as the client is
    connected. `client` is a name to show and `kind` is `cli` or `agent`. With `start` false only what runs is
    asked, and only for keeper_status and keeper_stop, whatever its version.

    Raises KeeperUnavailableError where no keeper answers.
    """
    hello = Hello(
        mode="rpc",
        version=__version__,
        cwd=None if cwd is None else str(cwd.absolute()),
        client=client,
        kind=cast(Literal["agent", "cli"], kind),
        attach=attach,
        control=not start,
    )
    opened = Client(settings, hello, start=start, starting=starting)
    opened._connected()
    return opened


class _LostError(Exception):
    """The connection ended before the result came."""

    def __init__(self, *, began: bool) -> None:
        super().__init__()
        self.began = began


class _Pending:
    """A call in flight; what comes for it waits here for its caller."""

    def __init__(self, number: int, link: _Connected, changed: threading.Condition) -> None:
        self._number = number
        self._link = link
        self._changed = changed
        self.events: deque[Mapping[str, Any]] = deque()
        self.answer: Mapping[str, Any] | None = None
        self.lost: _LostError | None = None
        self.gave_data = False
        """Whether an event was given out that must not be given twice."""

    def wait(
        self, on_event: OnEvent | None, timeout: float | None, cancelled: threading.Event | None
    ) -> dict[str, Any]:
        deadline = None if timeout is None else time.monotonic() + timeout
        taken_back = False
        try:
            while True:
                with self._changed:
                    if not (self.events or self.answer is not None or self.lost is not None):
                        self._changed.wait(_rest(deadline, cancelled is not None and not taken_back))
                    events, self.events = self.events, deque()
                    done = self.answer is not None or self.lost is not None
                    self._changed.notify_all()
                for event in events:
                    self.gave_data = self.gave_data or event.get("kind") == "row"
                    if on_event is not None:
                        on_event(event)
                if done:
                    return self._result()
                if cancelled is not None and cancelled.is_set() and not taken_back:
                    taken_back = True
                    self._link.cancel(self._number)
                if deadline is not None and time.monotonic() >= deadline:
                    raise KeeperUnavailableError(f"no answer in {timeout:g} s; the call was taken back")
        except BaseException:
            if self.answer is None:
                self._link.cancel(self._number)
            raise
        finally:
            self._link.forget(self._number)

    def _result(self) -> dict[str, Any]:
        if self.lost is not None:
            raise self.lost
        assert self.answer is not None
        error = self.answer.get("error")
        if error is not None:
            if isinstance(error, dict) and error.get("ran") is False:
                raise _LostError(began=False)
            raise error_from(error)
        result = self.answer.get("result")
        if not isinstance(result, dict):
            raise AfreshError("the keeper sent an answer without a result; its version may be another")
        return result


class _Connected:
    """One connection and the thread that reads it."""

    def __init__(self, link: Link) -> None:
        self._stream = link.stream
        self._lines = link.lines
        self._changed = threading.Condition()
        self._sending = threading.Lock()
        self._pending: dict[int, _Pending] = {}
        self._last = 0
        self.alive = True
        self.pid = link.pid
        threading.Thread(target=self._read, name="keeper", daemon=True).start()

    def begin(self, verb: str, arguments: Mapping[str, Any]) -> _Pending | None:
        """Send a call; None where the connection has ended, so that it was not sent whole."""
        with self._changed:
            if not self.alive:
                return None
            self._last += 1
            pending = _Pending(self._last, self, self._changed)
            line = encode({"id": self._last, "verb": verb, "arguments": arguments})
            if len(line) > LONGEST_LINE:
                raise too_long(LONGEST_LINE)
            self._pending[self._last] = pending
            number = self._last
            self._changed.notify_all()
        try:
            with self._sending:
                self._stream.sendall(line)
        except OSError:
            self.forget(number)
            self._end(None)
            return None
        return pending

    def cancel(self, number: int) -> None:
        """Take a call back, if it is still in flight."""
        try:
            with self._sending:
                self._stream.sendall(encode({"id": number, "cancel": True}))
        except OSError:
            return  # Nobody is there to go on with it.

    def forget(self, number: int) -> None:
        """Nobody waits for this call any more."""
        with self._changed:
            self._pending.pop(number, None)
            self._changed.notify_all()

    def close(self) -> None:
        """End the connection, which the reading thread notices."""
        try:
            self._stream.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # It has ended.

    def _read(self) -> None:
        error: AfreshError | None = None
        try:
            for line in self._lines:
                error = self._take(line) or error
        except OSError:
            self._end(error)
        except AfreshError as broken:
            self._end(broken)
        else:
            self._end(error)
        self._stream.close()

    def _take(self, line: bytes) -> AfreshError | None:
        """Give a line to the call that waits for it; an error of the whole connection is returned."""
        message = json.loads(line)
        number = message.get("id")
        if number is None:
            return error_from(message.get("error"))
        with self._changed:
            pending = self._pending.get(number)
            if pending is None:
                return None
            if "event" in message:
                # Not with another call in flight: a caller may be in `on_event`, waiting for that one.
                self._changed.wait_for(
                    lambda: (
                        len(pending.events) < _FAR_AHEAD
                        or len(self._pending) != 1
                        or number not in self._pending
                    )
                )
                pending.events.append(message["event"])
            else:
                pending.answer = message
            self._changed.notify_all()
        return None

    def _end(self, error: AfreshError | None) -> None:
        with self._changed:
            self.alive = False
            for pending in self._pending.values():
                if error is not None and pending.answer is None:
                    pending.answer = {"error": {"kind": error.kind, "message": error.message}}
                elif pending.answer is None:
                    pending.lost = _LostError(began=True)
            self._changed.notify_all()


def _rest(deadline: float | None, watched: bool) -> float | None:
    rest = None if deadline is None else max(deadline - time.monotonic(), 0.0)
    if watched:
        return _TICK_S if rest is None else min(rest, _TICK_S)
    return rest


def _lost(verb: str) -> KeeperLostError:
    return KeeperLostError(
        f"the keeper went away while {verb} ran, and whether it was done isn't known; try again"
    )
