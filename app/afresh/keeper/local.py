"""The engine within this process: `--in-process`, for CI and single calls where no keeper runs."""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, cast

from afresh import __version__
from afresh.client import OnEvent
from afresh.errors import AfreshError, KeeperUnavailableError, StoreHeldError
from afresh.keeper.election import Holder, Lock, describe_holder, noted_holder, unwritable
from afresh.keeper.gate import OpenService
from afresh.settings import Settings

if TYPE_CHECKING:
    from afresh.activity_verbs import ConnectedClient
    from afresh.contracts import Result
    from afresh.engine.calls import Event

Opener = Callable[[Settings], OpenService]
_TICK_S = 0.1
_LEAVING_S = 5.0
"""So long a call that was interrupted has to come to its end before the store is closed."""


class LocalHost:
    """The verbs of a service in this process, with the interface of a client. Safe from any thread."""

    def __init__(self, service: OpenService, lock: Lock, cwd: Path | None, client: str, kind: str) -> None:
        from afresh.engine.calls import Caller

        self.service = service
        self.caller = Caller(
            cwd=None if cwd is None else cwd.absolute(),
            client=client,
            kind=cast(Literal["agent", "cli"], kind),
        )
        self._lock = lock
        self._closed = False
        self._since = datetime.now(UTC)

    def call(
        self,
        verb: str,
        arguments: Mapping[str, Any],
        *,
        on_event: OnEvent | None = None,
        timeout: float | None = None,
        cancelled: threading.Event | None = None,
    ) -> dict[str, Any]:
        """Ask the service and wait for the result, as `Host.call` says."""
        from afresh.engine.calls import Call

        taken_back = cancelled or threading.Event()
        # Bounded: a verb that gives its rows away as events waits for whoever takes them.
        coming: queue.Queue[Event | Result | BaseException] = queue.Queue(4096)

        def emit(event: Event) -> None:
            while not taken_back.is_set():
                try:
                    coming.put(event, timeout=_TICK_S)
                    return
                except queue.Full:
                    continue

        call = Call(caller=self.caller, emit=emit, cancelled=taken_back)
        worker = threading.Thread(
            target=lambda: coming.put(_outcome(self.service, verb, arguments, call)), daemon=True
        )
        worker.start()
        deadline = None if timeout is None else time.monotonic() + timeout
        try:
            while True:
                try:
                    rest = None if deadline is None else max(deadline - time.monotonic(), 0.0)
                    came = coming.get(timeout=rest)
                except queue.Empty:
                    raise KeeperUnavailableError(
                        f"no answer to {verb} in {timeout:g} s; it was taken back"
                    ) from None
                if isinstance(came, BaseException):
                    raise came
                if not isinstance(came, Mapping):
                    result: dict[str, Any] = json.loads(came.model_dump_json())
                    return result
                if on_event is not None:
                    on_event(came)
        except BaseException:
            taken_back.set()
            while worker.is_alive() and not coming.empty():
                coming.get_nowait()
            worker.join(_LEAVING_S)
            raise

    def connected(self) -> list[ConnectedClient]:
        """The one client that there is."""
        from afresh.activity_verbs import ConnectedClient

        caller = self.caller
        return [
            ConnectedClient(
                client=caller.client,
                kind=caller.kind,
                mode="rpc",
                cwd=None if caller.cwd is None else str(caller.cwd),
                since=self._since,
                watching=False,
            )
        ]

    def close(self) -> None:
        """Close the store and give the data folder free."""
        if not self._closed:
            self._closed = True
            try:
                self.service.close()
            finally:
                self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def serve_stdio(settings: Settings, *, cwd: Path | None, opener: Opener | None = None) -> None:
    """Serve one MCP client over this process's standard input and output, until the input ends.

    Raises what `open_local` raises.
    """
    import anyio
    from mcp.server.stdio import stdio_server

    from afresh.faces.mcp_server import make_server

    async def serve(host: LocalHost) -> None:
        server = make_server(host.service, host.caller)
        async with stdio_server() as (reads, writes):
            await server.run(reads, writes, server.create_initialization_options())

    with open_local(settings, cwd=cwd, client="mcp", kind="agent", opener=opener) as host:
        attachment = host.service.attach(host.caller)
        try:
            anyio.run(serve, host)
        finally:
            attachment.close()


def open_local(
    settings: Settings, *, cwd: Path | None, client: str, kind: str, opener: Opener | None = None
) -> LocalHost:
    """Open the engine in this process. Blocks until the store is open.

    Raises StoreHeldError where a keeper or another such process has the data folder, and what opening the
    store raises.
    """
    try:
        settings.home.mkdir(parents=True, mode=0o700, exist_ok=True)
    except OSError as error:
        raise unwritable(settings.home, error) from None
    lock = Lock.acquire(settings.lock)
    if lock is None:
        raise _held(settings)
    try:
        lock.note(Holder(os.getpid(), __version__, in_process=True))
        service = (opener or _open_real)(settings)
    except BaseException:
        lock.release()
        raise
    service.transport = "in process"
    host = LocalHost(service, lock, cwd, client, kind)
    service.clients, service.connected = lambda: 1, host.connected
    return host


def _open_real(settings: Settings) -> OpenService:
    from afresh.keeper.service import open_service

    return open_service(settings, in_process=True)


def _outcome(
    service: OpenService, verb: str, arguments: Mapping[str, Any], call: Any
) -> Result | BaseException:
    try:
        return service.call(verb, arguments, call)
    except BaseException as error:  # noqa: BLE001 - raised again in the thread that asked
        return error


def _held(settings: Settings) -> AfreshError:
    noted = noted_holder(settings.lock)
    who = describe_holder(settings.lock)
    if noted is not None and noted.in_process:
        return StoreHeldError(f"{who} works in {settings.home} with --in-process; wait until it has ended")
    return StoreHeldError(
        f"the keeper, {who}, has {settings.home} open; leave out --in-process to use it, "
        "or end it with `afresh keeper stop`"
    )
