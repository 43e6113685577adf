"""MCP sessions over the keeper's connections, from the first line on.

The SDK takes most of a second to load. Until it is there, what can be answered from recorded JSON is, and
every line is kept; then the lines are replayed into the real session, whose answers to what was answered
already are swallowed.
"""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol, cast

from afresh.errors import AfreshError, InvalidArgumentError, KeeperUnavailableError
from afresh.keeper.gate import Doorstep
from afresh.keeper.outbox import Outbox
from afresh.keeper.wire import encode, id_of, message_of

if TYPE_CHECKING:
    import asyncio

    import anyio
    from mcp.server.lowlevel import Server

    from afresh.engine.calls import Caller, Service

    ServerFactory = Callable[[Service, Caller], Server[Any]]

_LOG = logging.getLogger(__name__)
_ANSWER_START = b'{"jsonrpc":"2.0","id":'
_HELD = 64 * 1024 * 1024
"""Bytes of lines that one session keeps for later; then its client has to wait."""
_CLIENT = b"clientInfo"
_NEAR = 16_384
"""Bytes at a line's beginning in which a client's name is looked for."""
_TURNS = 50
_AHEAD = 1024
"""Lines that a client may be ahead of its session."""


class EarlyAnswers(Protocol):
    """The recorded answers for one connection; it is given every message, in order."""

    def reply(self, message: Mapping[str, Any]) -> dict[str, Any] | None: ...


class Sdk:
    """The MCP SDK and the event loop that its sessions run on, loaded behind whatever goes on."""

    def __init__(self, load: Callable[[], ServerFactory], loaded: Callable[[], None]) -> None:
        self._load = load
        self._loaded = loaded
        self._guard = threading.Lock()
        self._thread: threading.Thread | None = None
        self._waiting: list[Session] = []
        self._ready: tuple[asyncio.AbstractEventLoop, ServerFactory] | None = None
        self._error: AfreshError | None = None

    def want(self) -> None:
        """Begin to load, unless that was begun."""
        with self._guard:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="mcp", daemon=True)
                self._thread.start()

    def is_loading(self) -> bool:
        """Whether loading has begun and not ended."""
        return self._thread is not None and self._ready is None and self._error is None

    def is_ready(self) -> bool:
        """Whether sessions begin at once."""
        return self._ready is not None

    def settle(self, timeout: float) -> None:
        """Wait until sessions have sent the answers of calls that have ended, at most so many seconds."""
        import asyncio
        from concurrent.futures import TimeoutError as TookTooLong

        async def turns() -> None:
            # From a call's thread to the connection an answer takes some turns of the loop.
            for _ in range(_TURNS):
                await asyncio.sleep(0)

        if self._ready is not None:
            with suppress(TookTooLong):
                asyncio.run_coroutine_threadsafe(turns(), self._ready[0]).result(timeout)

    def serve(self, session: Session) -> None:
        """Run a session as soon as the SDK is there."""
        self.want()
        with self._guard:
            if self._ready is None and self._error is None:
                self._waiting.append(session)
                return
        self._start(session)

    def _start(self, session: Session) -> None:
        if self._ready is not None:
            session.go_live(*self._ready)
        elif self._error is not None:
            session.fail(self._error)

    def _run(self) -> None:
        try:
            import asyncio

            import mcp.server.stdio  # noqa: F401 - loaded here, used by the sessions

            factory = self._load()
            loop = asyncio.new_event_loop()
        except Exception:  # noqa: BLE001 - the edge; the log has the traceback
            _LOG.exception("the MCP SDK can't be loaded")
            with self._guard:
                self._error = KeeperUnavailableError(
                    "the keeper can't load the MCP SDK; its log says why. Reinstall afresh"
                )
        else:
            with self._guard:
                self._ready = loop, factory
        with self._guard:
            waiting, self._waiting = self._waiting, []
        for session in waiting:
            self._start(session)
        if self._ready is None:
            return
        threading.Thread(target=self._tell_loaded, name="mcp-loaded", daemon=True).start()
        asyncio.set_event_loop(loop)
        loop.run_forever()

    def _tell_loaded(self) -> None:
        try:
            self._loaded()
        except Exception:  # noqa: BLE001 - the edge; the log has the traceback
            _LOG.exception("what follows the loading of the MCP SDK failed")


class Session:
    """One client's MCP session. `take` and `end` belong to the thread that reads its connection."""

    def __init__(
        self, doorstep: Doorstep, outbox: Outbox, early: EarlyAnswers | None, caller: Callable[[], Caller]
    ) -> None:
        self._doorstep = doorstep
        self._outbox = outbox
        self._early = early
        self._caller = caller
        self._changed = threading.Condition()
        self._held: list[bytes] = []
        self._held_bytes = 0
        self._answered: set[Hashable] = set()
        self._lines: asyncio.Queue[str | None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ahead = threading.Semaphore(_AHEAD)
        self._error: AfreshError | None = None
        self._ended = False
        self.client: str | None = None
        """The name that the client gives itself, once it has."""

    def take(self, line: bytes) -> None:
        """Take the client's next line. Waits where the client is too far ahead of its session."""
        while not self._ahead.acquire(timeout=1.0):
            if self._ended:
                return
        if self.client is None and _CLIENT in line[:_NEAR]:
            self.client = _client_of(message_of(line))
        with self._changed:
            if _is_no_text(line):
                self._refuse(line, InvalidArgumentError(_NO_TEXT))
            elif self._lines is not None:
                self._feed(line)
            elif self._error is not None:
                self._refuse(line, self._error)
            else:
                self._hold(line)

    def end(self) -> None:
        """The client sends nothing more."""
        with self._changed:
            self._ended = True
            if self._lines is not None:
                self._feed(None)

    def go_live(self, loop: asyncio.AbstractEventLoop, factory: ServerFactory) -> None:
        """Begin the real session and replay to it what came so far."""
        import asyncio

        with self._changed:
            if self._error is not None:
                return
            self._loop = loop
            self._lines = asyncio.Queue()
            for line in self._held:
                self._feed(line)
            self._held.clear()
            if self._ended:
                self._feed(None)
            self._changed.notify_all()
        asyncio.run_coroutine_threadsafe(self._serve(factory), loop)

    def fail(self, error: AfreshError) -> None:
        """Answer every request, now and later, with an error; a session that is live does so by itself."""
        with self._changed:
            if self._lines is not None:
                return
            self._error = error
            for line in self._held:
                self._refuse(line, error)
            self._held.clear()
            self._changed.notify_all()

    # --- until the SDK is there -----------------------------------------------------------------------

    def _hold(self, line: bytes) -> None:
        if self._early is not None:
            message = message_of(line)
            answer = self._early.reply(message)
            if answer is not None:
                self._answered.add(id_of(message))
                self._outbox.put(encode(answer))
        self._held.append(line)
        self._held_bytes += len(line)
        if self._held_bytes > _HELD:
            self._changed.wait_for(lambda: self._lines is not None or self._error is not None or self._ended)

    def _refuse(self, line: bytes, error: AfreshError) -> None:
        self._ahead.release()
        message = message_of(line)
        if "method" in message and "id" in message and id_of(message) not in self._answered:
            body = {"code": -32000, "message": error.message, "data": {"kind": error.kind}}
            self._outbox.put(encode({"jsonrpc": "2.0", "id": message["id"], "error": body}))

    # --- the real session -----------------------------------------------------------------------------

    def _feed(self, line: bytes | None) -> None:
        assert self._lines is not None and self._loop is not None
        text = None if line is None else line.decode("utf-8", "replace")
        self._loop.call_soon_threadsafe(self._lines.put_nowait, text)

    async def _serve(self, factory: ServerFactory) -> None:
        from mcp.server.stdio import stdio_server

        try:
            server = factory(cast("Service", self._doorstep), self._caller())
            # The SDK asks of its streams no more than to be iterated, written to and flushed.
            incoming, outgoing = cast("anyio.AsyncFile[str]", self), cast("anyio.AsyncFile[str]", self)
            async with stdio_server(stdin=incoming, stdout=outgoing) as (reads, writes):
                await server.run(reads, writes, server.create_initialization_options())
        except Exception:  # noqa: BLE001 - the edge; the log has the traceback
            _LOG.exception("an MCP session failed")
        finally:
            self._ended = True
            self._outbox.abandon()

    async def __aiter__(self) -> AsyncIterator[str]:
        assert self._lines is not None
        while (line := await self._lines.get()) is not None:
            self._ahead.release()
            yield line

    async def write(self, text: str) -> None:
        """Send a line of the real session, unless its request was answered before it began."""
        line = text.encode("utf-8", "replace")
        if self._answered and line.startswith(_ANSWER_START):
            number = id_of(message_of(line))
            if number in self._answered:
                self._answered.discard(number)
                return
        if self._outbox.is_full():
            import anyio.to_thread

            await anyio.to_thread.run_sync(self._outbox.wait_for_room)
        self._outbox.put(line)

    async def flush(self) -> None:
        """Nothing: lines are sent as they come."""


def _client_of(message: Mapping[str, Any]) -> str | None:
    """The client's name for itself: of a handshake, or of a request that carries it with it."""
    params = message.get("params")
    if not isinstance(params, dict):
        return None
    meta = params.get("_meta")
    told = params.get("clientInfo")
    if told is None and isinstance(meta, dict):
        told = next((value for key, value in meta.items() if str(key).endswith("/clientInfo")), None)
    name = told.get("name") if isinstance(told, dict) else None
    return name[:200] if isinstance(name, str) and name.strip() else None


_NO_TEXT = "half of a surrogate pair (such as \\ud800 alone) is no character; send the text without it"


def _is_no_text(line: bytes) -> bool:
    """Whether a line escapes half of a surrogate pair: the SDK would drop it, and its caller would wait."""
    if b"\\ud" not in line and b"\\uD" not in line:
        return False
    try:
        json.dumps(json.loads(line), ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return True
    except (ValueError, RecursionError):
        return False
    return False
