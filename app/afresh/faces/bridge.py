"""`afresh mcp`: a pump between an agent's pipes and the keeper.

Lines go from standard input to the keeper and from there to standard output, which carries nothing else. It
is started with every session of every agent, so it imports next to nothing. It outlives the keeper: it
starts another, repeats the handshake and the subscriptions there, and answers what was in flight with an
error that says to try again, because it can't know what was done.
"""

# ruff: noqa: PTH100, PTH109, PTH111, PTH112 - without pathlib; see `afresh.keeper.system`

from __future__ import annotations

import os
import select
import signal
import socket
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any

from afresh import __version__
from afresh.errors import AfreshError, UsageError
from afresh.keeper import system
from afresh.keeper.connect import Link, Starting, reach, reach_known
from afresh.keeper.wire import LONGEST_LINE, Hello, Lines, encode, id_of, message_of, too_long

if TYPE_CHECKING:
    from types import FrameType

_TICK_S = 1.0
"""How often the pump looks whether its parent still lives."""
_LAST_ANSWERS_S = 5.0
"""Seconds that calls in flight have once the input has ended."""
_CALM_S = 5.0
"""A keeper that goes away sooner than this many seconds is not replaced at once."""
_LONGEST_PAUSE_S = 60.0
_HELD = 64 * 1024 * 1024
"""Bytes of lines held while there is no keeper; then the agent has to wait."""
_ANSWER_START = b'{"jsonrpc":"2.0","id":'
_UPDATED = "notifications/resources/updated"
_LIST_CHANGED = "notifications/resources/list_changed"
_TRY_AGAIN = -32000
_TOO_LARGE = -32600


def main(arguments: list[str]) -> int:
    """Run the pump over this process's standard streams; the exit code."""
    try:
        root, in_process = _options(arguments)
        if in_process:
            from pathlib import Path

            from afresh.keeper.local import serve_stdio
            from afresh.settings import load

            serve_stdio(load(), cwd=Path(root))
            return 0
        return pump(root)
    except AfreshError as error:
        _say(error)
        return error.exit_code


def pump(cwd: str, *, starting: Starting | None = None) -> int:
    """Pump until the input ends, the output breaks, the parent dies or a signal comes; the exit code."""

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    def connect() -> Link:
        known = reach_known(os.environ, hello)
        if known is not None:
            return known
        from afresh.settings import load

        return reach(load(), hello, starting=starting)

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    hello = Hello(mode="mcp", version=__version__, cwd=cwd, client="mcp", kind="agent", attach=True)
    bridge = Bridge(connect, system.parent_watch())
    threading.Thread(target=bridge.read_input, args=(0,), name="input", daemon=True).start()
    try:
        bridge.run(1)
    except BrokenPipeError:
        return 0
    return 0


class Bridge:
    """The pump itself: `read_input` in a thread of its own, `run` in the main one."""

    def __init__(
        self,
        connect: Callable[[], Link],
        parent_is_gone: Callable[[], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._connect = connect
        self._parent_is_gone = parent_is_gone
        self._clock = clock
        self._sending = threading.Lock()
        """Held while a line is sent or held back, so that their order stays."""
        self._changed = threading.Condition()
        self._link: Link | None = None
        self._held: deque[bytes] = deque()
        self._held_bytes = 0
        self._session = _Session()
        self._input_ended: float | None = None
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._woken.setblocking(False)

    # --- from the agent -------------------------------------------------------------------------------

    def read_input(self, descriptor: int) -> None:
        """Send on what comes in, until it ends."""
        lines = Lines()
        while True:
            try:
                data = os.read(descriptor, 256 * 1024)
            except OSError:
                data = b""
            if not data:
                break
            for line in lines.feed(data):
                if line is None:
                    self._refuse_long_line()
                elif line.strip():
                    self._send(line)
        self._input_ended = self._clock()
        self._poke()

    def _send(self, line: bytes) -> None:
        with self._sending:
            link = self._link
            if link is not None and self._send_over(link, line):
                return
            with self._changed:
                self._held.append(line)
                self._held_bytes += len(line)
        self._poke()
        with self._changed:
            self._changed.wait_for(lambda: self._held_bytes <= _HELD)

    def _send_over(self, link: Link, line: bytes) -> bool:
        """Send a line; False where the connection broke first, so that the keeper didn't get all of it."""
        message = message_of(line)
        with self._changed:
            self._session.sending(message, line)
        try:
            link.stream.sendall(line + b"\n")
        except OSError:
            with self._changed:
                self._session.not_sent(message)
            return False
        return True

    def _refuse_long_line(self) -> None:
        body = {"code": _TOO_LARGE, "message": too_long(LONGEST_LINE).message}
        with self._changed:
            self._session.answers.append(encode({"jsonrpc": "2.0", "id": None, "error": body}))
        self._poke()

    # --- to the agent ---------------------------------------------------------------------------------

    def run(self, descriptor: int) -> None:
        """Connect, pass on what comes back, and connect again whenever the keeper goes.

        Raises BrokenPipeError where nobody reads the output any more.
        """
        pause, due, connected = 0.0, self._clock(), self._clock()
        while not self._is_over():
            if self._link is None and (self._clock() >= due or self._held):
                if self._open():
                    connected = self._clock()
                else:
                    due = self._clock() + _LONGEST_PAUSE_S
            lost = self._receive(descriptor, max(min(due - self._clock(), _TICK_S), 0.0))
            if lost:
                # One that goes again and again is asked less and less often, unless the agent has a call.
                calm = self._clock() - connected >= _CALM_S
                pause = 0.0 if calm else min(max(pause * 2, 0.5), _LONGEST_PAUSE_S)
                due = self._clock() + pause
            self._write(descriptor)

    def _receive(self, descriptor: int, patience: float) -> bool:
        """Wait for something to happen and pass on what came; True where the keeper has gone."""
        link = self._link
        if link is None or not link.lines.has_lines():
            waited = [self._woken] if link is None else [self._woken, link.stream]
            ready, _, _ = select.select(waited, [], [], patience if link is None else _TICK_S)
            if self._woken in ready:
                self._woken.recv(4096)
            if link is None or link.stream not in ready:
                return False
        try:
            lines = link.lines.take()
        except (OSError, EOFError, AfreshError):
            self._lose(link)
            return True
        with self._changed:
            passed = [line for line in lines if self._session.received(line)]
        if passed:
            _write_all(descriptor, b"\n".join(passed) + b"\n")
        return False

    def _write(self, descriptor: int) -> None:
        """Write the answers that are our own."""
        with self._changed:
            answers, self._session.answers = self._session.answers, []
        if answers:
            _write_all(descriptor, b"".join(answers))

    def _open(self) -> bool:
        """Connect, repeat what the last keeper was told, and send what was held; False where that failed."""
        try:
            link = self._connect()
        except AfreshError as error:
            _say(error)
            self._refuse_held(error)
            return False
        with self._sending:
            with self._changed:
                told = self._session.replay()
            try:
                for line in told:
                    link.stream.sendall(line + b"\n")
            except OSError:
                link.stream.close()
                return True
            while self._held:
                line = self._held[0]
                if not self._send_over(link, line):
                    link.stream.close()
                    return True
                with self._changed:
                    self._held.popleft()
                    self._held_bytes -= len(line)
                    self._changed.notify_all()
            self._link = link
        return True

    def _lose(self, link: Link) -> None:
        with self._sending:
            self._link = None
        link.stream.close()
        with self._changed:
            self._session.lost()

    def _refuse_held(self, error: AfreshError) -> None:
        with self._sending, self._changed:
            for line in self._held:
                message = message_of(line)
                if "method" in message and id_of(message) is not None:
                    body = {"code": _TRY_AGAIN, "message": error.message, "data": {"kind": error.kind}}
                    self._session.answers.append(
                        encode({"jsonrpc": "2.0", "id": message["id"], "error": body})
                    )
            self._held.clear()
            self._held_bytes = 0
            self._changed.notify_all()

    def _is_over(self) -> bool:
        if self._parent_is_gone():
            return True
        ended = self._input_ended
        if ended is None:
            return False
        with self._changed:
            waiting = bool(self._held) or self._session.waits()
        return not waiting or self._clock() - ended > _LAST_ANSWERS_S

    def _poke(self) -> None:
        try:
            self._wake.send(b".")
        except BlockingIOError:
            return  # Full: it will wake anyway.


class _Session:
    """What the pump must know of the conversation to go on with it at another keeper."""

    def __init__(self) -> None:
        self.answers: list[bytes] = []
        """Our own, to be written."""
        self._in_flight: dict[Hashable, Any] = {}
        """The ids of requests without an answer, as they were sent."""
        self._initialize: tuple[Hashable, bytes] | None = None
        self._initialized: bytes | None = None
        self._subscribed: dict[str, tuple[Hashable, bytes]] = {}
        """By resource, in the handshake era."""
        self._streams: dict[Hashable, bytes] = {}
        """Requests whose answer is a stream of notifications, by id, in the era without a handshake."""
        self._swallowed: set[Hashable] = set()
        self._swallowed_starts: set[Hashable] = set()

    def sending(self, message: Mapping[str, Any], line: bytes) -> None:
        """A line of the agent is about to be sent."""
        method, number = message.get("method"), id_of(message)
        if not isinstance(method, str):
            return
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        if number is None:
            if method == "notifications/initialized":
                self._initialized = line
            elif method == "notifications/cancelled":
                taken_back = id_of({"id": params.get("requestId")})
                self._in_flight.pop(taken_back, None)
                self._streams.pop(taken_back, None)
            return
        if method == "subscriptions/listen":
            self._streams[number] = line
            return
        self._in_flight[number] = message["id"]
        if method == "initialize":
            self._initialize = number, line
        elif method == "resources/subscribe":
            self._subscribed[str(params.get("uri"))] = number, line
        elif method == "resources/unsubscribe":
            self._subscribed.pop(str(params.get("uri")), None)

    def not_sent(self, message: Mapping[str, Any]) -> None:
        """The line wasn't sent whole, so that the keeper didn't see it; it will be sent again."""
        number = id_of(message)
        self._in_flight.pop(number, None)
        self._streams.pop(number, None)
        if self._initialize is not None and self._initialize[0] == number:
            self._initialize = None

    def received(self, line: bytes) -> bool:
        """A line of the keeper came; whether it is for the agent.

        Where a subscription is in force again, the agent is told that what it is about may be another: while
        there was no keeper, nobody watched.
        """
        if not (self._in_flight or self._streams or self._swallowed or self._swallowed_starts):
            return True
        number = _answered(line)
        if number is None:
            return not (self._swallowed_starts and self._is_repeated_start(line))
        self._in_flight.pop(number, None)
        self._streams.pop(number, None)
        if number in self._swallowed:
            self._swallowed.discard(number)
            for uri, (subscribed, _) in self._subscribed.items():
                if subscribed == number:
                    self.answers.append(_changed(_UPDATED, {"uri": uri}))
            return False
        return True

    def lost(self) -> None:
        """The keeper has gone: answer what it may have done or not."""
        begun = self._initialize[0] if self._initialize is not None else None
        for number, sent in list(self._in_flight.items()):
            if number == begun:
                # A handshake does nothing but answer; the next keeper will.
                continue
            del self._in_flight[number]
            self._subscribed = {uri: s for uri, s in self._subscribed.items() if s[0] != number}
            body = {
                "code": _TRY_AGAIN,
                "message": "the keeper was restarted while this call ran, and whether it was done isn't "
                "known; try again",
                "data": {"retry": True},
            }
            self.answers.append(encode({"jsonrpc": "2.0", "id": sent, "error": body}))
        self._swallowed.clear()
        self._swallowed_starts.clear()

    def replay(self) -> list[bytes]:
        """The lines that tell the next keeper what the last one knew."""
        told: list[bytes] = []
        if self._initialize is not None:
            number, line = self._initialize
            told.append(line)
            if number not in self._in_flight:
                self._swallowed.add(number)
        if self._initialized is not None:
            told.append(self._initialized)
        for number, line in self._subscribed.values():
            told.append(line)
            self._swallowed.add(number)
        for number, line in self._streams.items():
            told.append(line)
            self._swallowed_starts.add(number)
        return told

    def waits(self) -> bool:
        """Whether the agent is owed an answer."""
        return bool(self._in_flight) or bool(self.answers)

    def _is_repeated_start(self, line: bytes) -> bool:
        message = message_of(line)
        if message.get("method") != "notifications/subscriptions/acknowledged":
            return False
        params = message.get("params")
        meta = params.get("_meta") if isinstance(params, dict) else None
        number = meta.get("io.modelcontextprotocol/subscriptionId") if isinstance(meta, dict) else None
        stream = id_of({"id": number})
        if stream not in self._swallowed_starts:
            return False
        self._swallowed_starts.discard(stream)
        honored = params.get("notifications") if isinstance(params, dict) else None
        honored = honored if isinstance(honored, dict) else {}
        for uri in honored.get("resourceSubscriptions") or ():
            self.answers.append(_changed(_UPDATED, {"uri": uri, "_meta": meta}))
        if honored.get("resourcesListChanged"):
            self.answers.append(_changed(_LIST_CHANGED, {"_meta": meta}))
        return True


def _changed(method: str, params: Mapping[str, Any]) -> bytes:
    """A notification that something may be another."""
    return encode({"jsonrpc": "2.0", "method": method, "params": params})


def _answered(line: bytes) -> Hashable:
    """The id of the request that a line answers; None for a line that is no answer.

    Reads no more than the start where that is enough: an answer may have a megabyte.
    """
    if line.startswith(_ANSWER_START):
        number, _, rest = line[len(_ANSWER_START) : 200].partition(b",")
        if rest.startswith((b'"result"', b'"error"')) and number.isdigit():
            return "int", int(number)
    message = message_of(line)
    return id_of(message) if "method" not in message else None


def _write_all(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:
            # Some agents give us a pipe that doesn't block.
            select.select([], [descriptor], [], _TICK_S)


def _say(error: AfreshError) -> None:
    os.write(2, f"afresh mcp: {error.message}\n".encode("utf-8", "replace"))


def _options(arguments: list[str]) -> tuple[str, bool]:
    """The folder to work in, absolute, and whether the engine is to run in this process."""
    root: str | None = None
    in_process = False
    rest = list(arguments)
    while rest:
        option, _, value = rest.pop(0).partition("=")
        if option == "--in-process" and not value:
            in_process = True
        elif option == "--root":
            root = value or (rest.pop(0) if rest else "")
        else:
            raise UsageError(f"unknown option {option!r}; `afresh mcp` takes --root DIR and --in-process")
    if root == "":
        raise UsageError("--root needs a folder")
    folder = os.path.abspath(os.path.expanduser(root)) if root is not None else os.getcwd()
    if not os.path.isdir(folder):
        raise UsageError(f"--root is {folder!r}, which is no folder")
    return folder, in_process


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
