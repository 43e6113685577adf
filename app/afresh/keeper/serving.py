"""What a keeper does once it listens: it opens the service behind, serves its clients, and ends in order."""

from __future__ import annotations

import gc
import logging
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from afresh import __version__
from afresh.errors import AfreshError, KeeperUnavailableError
from afresh.keeper import transport
from afresh.keeper.connections import Connection, SteppingDownError
from afresh.keeper.election import Holder, Lock
from afresh.keeper.gate import Gate, NotBegunError, OpenService
from afresh.keeper.pool import Pool
from afresh.keeper.sessions import EarlyAnswers, Sdk
from afresh.keeper.system import keep_freed_memory_small
from afresh.settings import Settings

if TYPE_CHECKING:
    from types import FrameType

    from afresh.activity_verbs import ConnectedClient
    from afresh.keeper.sessions import ServerFactory

_LOG = logging.getLogger(__name__)
_CHECK_S = 2.0
"""How often the keeper looks whether it is still the one that clients find."""
_FIRST_CLIENT_S = 5.0
"""So long a keeper stays for its first client, however short `idle_exit` is."""
_QUIET_S = 1.0
"""So long after the service opened the MCP SDK is loaded, if nobody has asked for it before."""
_LINGER_S = 0.5
"""So long a keeper that can't open its service stays to tell clients why."""
_DRAIN_S = 10.0
_FLUSH_S = 2.0
_CLOSE_S = 20.0
_CLIENTS = 512


@dataclass(frozen=True, slots=True)
class Parts:
    """What a keeper is made of."""

    open_service: Callable[[Settings], OpenService]
    """Opens the service; blocks, and raises an AfreshError where that can't be done."""
    server_factory: Callable[[], ServerFactory]
    """Loads the MCP face."""
    early_answers: Callable[[Settings], EarlyAnswers | None]
    """The recorded answers for one new MCP connection."""
    sdk_loaded: Callable[[Settings, Gate], None]
    """What is due once the MCP SDK is there."""


def real_parts() -> Parts:
    """The service, and the MCP face."""

    def open_real(settings: Settings) -> OpenService:
        from afresh.keeper.service import open_service

        return open_service(settings, in_process=False)

    def server_factory() -> ServerFactory:
        from afresh.faces.mcp_server import make_server

        return make_server

    def early_answers(settings: Settings) -> EarlyAnswers:
        from afresh.faces.handshake import Handshake

        return Handshake.load(settings.cache)

    def sdk_loaded(settings: Settings, gate: Gate) -> None:
        from afresh.engine.calls import Caller
        from afresh.faces.handshake import refresh
        from afresh.faces.mcp_server import make_server

        refresh(lambda: make_server(gate, Caller()), settings.cache)

    return Parts(open_real, server_factory, early_answers, sdk_loaded)


class Keeper:
    """The holder of the lock at work; `serve` is its life."""

    def __init__(
        self,
        settings: Settings,
        parts: Parts,
        lock: Lock,
        listener: transport.Listener,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.version = __version__
        self.secrets = listener.secrets
        self.gate = Gate()
        self.sdk = Sdk(parts.server_factory, self._sdk_loaded)
        self.quick = Pool("call", 16)
        self.long = Pool("long", 32)
        self._settings = settings
        self._parts = parts
        self._lock = lock
        self._listener = listener
        self._clock = clock
        self._started = clock()
        self._guard = threading.Lock()
        self._connections: set[Connection] = set()
        self._had_clients = False
        self._alone_since = clock()
        self._opened_at: float | None = None
        self._stop_at: float | None = None
        self._exit_code = 0
        self._wake, self._woken = socket.socketpair()
        self._wake.setblocking(False)
        self._woken.setblocking(False)

    def stop_on_signals(self) -> None:
        """End in order when the system or a person asks. Only from the main thread."""

        def stop(number: int, _frame: FrameType | None) -> None:
            self.stop(signal.Signals(number).name)

        signal.signal(signal.SIGTERM, stop)
        signal.signal(signal.SIGINT, stop)
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, signal.SIG_IGN)

    def serve(self) -> int:
        """Serve until stopped or idle; the exit code."""
        threading.Thread(target=self._open, name="open", daemon=True).start()
        _LOG.info("keeper %s listens at %s", self.version, self._listener.address)
        try:
            checked = self._clock()
            while not self._is_over():
                ready, _, _ = select.select([self._listener.socket, self._woken], [], [], self._patience())
                if self._woken in ready:
                    self._woken.recv(64)
                if self._listener.socket in ready:
                    self._accept()
                if self._clock() - checked >= _CHECK_S:
                    checked = self._clock()
                    self._check_place()
        finally:
            self._end()
        return self._exit_code

    # --- what connections ask -------------------------------------------------------------------------

    def status(self) -> dict[str, Any]:
        """The keeper's own figures, whatever state the service is in."""
        try:
            size = self._settings.database.stat().st_size
        except OSError:
            size = 0
        return {
            "pid": os.getpid(),
            "version": self.version,
            "uptime_s": round(self._clock() - self._started, 3),
            "database_bytes": size,
            "clients": self.clients(),
            "transport": self._listener.address.kind,
            "in_process": False,
        }

    def clients(self) -> int:
        """How many are connected, those that only ask after the keeper left out."""
        with self._guard:
            return sum(c.hello is not None and not c.hello.control for c in self._connections)

    def connected(self) -> list[ConnectedClient]:
        """Who is connected, those that only ask after the keeper left out."""
        with self._guard:
            connections = list(self._connections)
        return [shown for connection in connections if (shown := connection.shown()) is not None]

    def stop(self, reason: str, after: float = 0.0) -> None:
        """End in order, in so many seconds. Safe from any thread and from a signal handler."""
        if self._stop_at is None:
            _LOG.info("stopping: %s", reason)
            self._stop_at = self._clock() + after
        self._poke()

    def admit(self, connection: Connection) -> AfreshError | None:
        """Judge a hello; the reason where the client can't be served."""
        hello = connection.hello
        if hello is None or hello.control:
            return None
        if self.gate.error is not None:
            return self.gate.error
        if self._stop_at is not None:
            return NotBegunError("the keeper is stopping; try again")
        if hello.version == self.version:
            return None
        others = self.clients() - 1
        if others == 0:
            self.stop(f"a client of version {hello.version} takes over")
            return SteppingDownError(f"the keeper of version {self.version} makes room; try again")
        return KeeperUnavailableError(
            f"the keeper that runs is afresh {self.version} and serves {others} other "
            f"{'client' if others == 1 else 'clients'}, but this is afresh {hello.version}; "
            "end those or run `afresh keeper stop`, then try again"
        )

    def left(self, connection: Connection) -> None:
        """A connection has ended."""
        with self._guard:
            self._connections.discard(connection)
            self._had_clients = True
            if not self._connections:
                self._alone_since = self._clock()
        self._poke()

    def early_answers(self) -> EarlyAnswers | None:
        """The recorded answers; without them a client waits for the SDK, and nothing else is lost."""
        if self.sdk.is_ready():
            return None
        try:
            return self._parts.early_answers(self._settings)
        except Exception:  # noqa: BLE001 - the edge; the log has the traceback
            _LOG.exception("the recorded answers can't be read")
            return None

    # --- the service ----------------------------------------------------------------------------------

    def _open(self) -> None:
        error: AfreshError
        keep_freed_memory_small()
        try:
            service = self._parts.open_service(self._settings)
        except AfreshError as raised:
            _LOG.error("the service can't be opened: %s", raised.message)
            error = raised
        except Exception:  # noqa: BLE001 - the edge; the log has the traceback
            _LOG.exception("the service can't be opened")
            error = KeeperUnavailableError(
                f"the keeper failed while opening {self._settings.home}; {self._settings.log} says why"
            )
        else:
            service.clients = self.clients
            service.connected = self.connected
            service.transport = self._listener.address.kind
            self.gate.opened(service)
            self._opened_at = self._clock()
            self._poke()
            self._collect_from_now_on()
            return
        self._exit_code = error.exit_code
        self.gate.failed(error)
        with self._guard:
            connections = list(self._connections)
        for connection in connections:
            connection.fail(error)
        self.stop("the service can't be opened", after=_LINGER_S)

    def _sdk_loaded(self) -> None:
        self._collect_from_now_on()
        self._parts.sdk_loaded(self._settings, self.gate)

    def _collect_from_now_on(self) -> None:
        """Let garbage be collected again, once what is loaded for good is there.

        Modules and schemas live as long as the process: looking through them again and again while more are
        loaded took a tenth of the start, and would lengthen every full collection after it.
        """
        if not self.gate.is_opening() and not self.sdk.is_loading():
            gc.freeze()
            gc.enable()

    # --- the loop -------------------------------------------------------------------------------------

    def _accept(self) -> None:
        while True:
            try:
                stream, _ = self._listener.socket.accept()
            except BlockingIOError:
                return
            except OSError as error:
                # Out of descriptors, mostly. The client stays in line until another has left.
                _LOG.warning("can't accept a client: %s", error)
                select.select([self._woken], [], [], 0.1)
                return
            stream.setblocking(True)
            transport.tune(stream)
            with self._guard:
                full = len(self._connections) >= _CLIENTS
                connection = Connection(stream, self)
                if not full:
                    self._connections.add(connection)
            if full:
                _LOG.warning("%d clients are connected; one more is turned away", _CLIENTS)
                stream.close()
            else:
                connection.start()

    def _is_over(self) -> bool:
        now = self._clock()
        if self._stop_at is not None:
            return now >= self._stop_at
        if self._opened_at is not None and now - self._opened_at >= _QUIET_S:
            self._opened_at = None
            self.sdk.want()
        if now >= self._idle_at() and not self._connections and not self.gate.busy():
            self.stop("no client is connected")
            return True
        return False

    def _idle_at(self) -> float:
        idle = self._settings.idle_exit
        return self._alone_since + (idle if self._had_clients else max(idle, _FIRST_CLIENT_S))

    def _patience(self) -> float:
        """Seconds until something is due, if nothing happens before."""
        now = self._clock()
        if self._stop_at is not None:
            return max(self._stop_at - now, 0.0)
        due = [_CHECK_S]
        if self._opened_at is not None:
            due.append(self._opened_at + _QUIET_S - now)
        if not self._connections:
            # Where the time is over and the service is busy, it is asked again in a while.
            idle = self._idle_at() - now
            due.append(idle if idle > 0 else 1.0)
        return max(min(due), 0.0)

    def _check_place(self) -> None:
        if not gc.isenabled():
            # Where the SDK could not be loaded nobody else says that loading is over.
            self._collect_from_now_on()
        if not self._lock.is_in_place():
            self.stop(f"{self._settings.lock} isn't the file that this keeper holds any more")
        elif not self._listener.is_in_place():
            _LOG.warning("%s is gone; listening anew", self._listener.address)
            try:
                listener = transport.listen(self._settings)
            except AfreshError as error:
                self.stop(error.message)
                return
            self._listener.socket.close()
            self._listener = listener
            self.secrets = listener.secrets
            self._lock.note(Holder(os.getpid(), self.version, str(listener.address)))

    def _poke(self) -> None:
        try:
            self._wake.send(b".")
        except OSError:
            return  # Full: it will wake anyway. Closed: it is over.

    def _end(self) -> None:
        self._listener.close()
        if not self.gate.drain(_DRAIN_S):
            _LOG.warning("calls still ran after %s s", _DRAIN_S)
        with self._guard:
            connections = list(self._connections)
        self.sdk.settle(_FLUSH_S)
        for connection in connections:
            connection.finish(_FLUSH_S)
        try:
            self.gate.close(_CLOSE_S)
        except Exception:  # noqa: BLE001 - the edge; the log has the traceback
            _LOG.exception("the service can't be closed")
        self._lock.release()
        self._wake.close()
        self._woken.close()
        _LOG.info("stopped")
