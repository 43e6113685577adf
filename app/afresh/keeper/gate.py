"""The service as callers see it all through the keeper's life: opening, open, failed, stopping."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal, Protocol

from afresh.errors import AfreshError, KeeperLostError

if TYPE_CHECKING:
    from afresh.activity_verbs import ConnectedClient
    from afresh.contracts import Result
    from afresh.engine.calls import Attachment, Call, Caller, Following, Listener

ENDLESS = frozenset({"watch", "follow", "follow_requests"})
"""Verbs that end only when they are taken back."""
LONG = ENDLESS | {"index", "import", "export", "embed", "backup"}
"""Verbs that may take minutes; they wait for each other and keep nobody else waiting."""
_TICK = 0.1
_PLACING_S = 10.0
"""Seconds that a client's calls wait at most for its workspace to be known."""


class OpenService(Protocol):
    """What opening the service gives: every verb over one open store."""

    clients: Callable[[], int]
    """Set by the keeper: how many clients are connected."""
    connected: Callable[[], list[ConnectedClient]]
    """Set by the keeper: who they are."""
    transport: str
    """Set by the keeper: over what."""

    def call(self, verb: str, arguments: Mapping[str, Any], call: Call) -> Result: ...

    def attach(self, caller: Caller) -> Attachment: ...

    def follow(self, caller: Caller, listener: Listener) -> Following: ...

    def busy(self) -> bool: ...

    def close(self) -> None: ...


class NotBegunError(KeeperLostError):
    """The keeper stops before the call began; the next keeper may be asked without a doubt."""


class Gate:
    """Lets calls through to the service once it is open, and knows which are running."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._state: Literal["opening", "open", "failed", "stopping"] = "opening"
        self._service: OpenService | None = None
        self._error: AfreshError | None = None
        self._running: dict[int, tuple[str, threading.Event]] = {}
        self._last = 0

    def opened(self, service: OpenService) -> None:
        """Let the waiting calls through."""
        with self._changed:
            self._service = service
            if self._state == "opening":
                self._state = "open"
            self._changed.notify_all()

    def failed(self, error: AfreshError) -> None:
        """Tell every call why the service couldn't be opened."""
        with self._changed:
            self._error = error
            if self._state == "opening":
                self._state = "failed"
            self._changed.notify_all()

    @property
    def error(self) -> AfreshError | None:
        """Why the service couldn't be opened."""
        return self._error

    def is_opening(self) -> bool:
        return self._service is None and self._error is None

    def call(self, verb: str, arguments: Mapping[str, Any], call: Call) -> Result:
        """Answer one call, once the service is open. Blocks.

        Raises what the service raises, the error that kept it from opening, and NotBegunError while the
        keeper stops.
        """
        service, number = self._enter(verb, call)
        try:
            return service.call(verb, arguments, call)
        finally:
            with self._changed:
                del self._running[number]
                self._changed.notify_all()

    def attach(self, caller: Caller) -> Attachment:
        """Note that a client works somewhere, once the service is open. Raises as `call` does."""
        return self._opened().attach(caller)

    def follow(self, caller: Caller, listener: Listener) -> Following:
        """Tell a caller what turns, once the service is open. Blocks, and raises as `call` does."""
        return self._opened().follow(caller, listener)

    def busy(self) -> bool:
        """Whether the service does something that must not be cut short."""
        with self._changed:
            if self._running or self._state == "opening":
                return True
        return self._service is not None and self._service.busy()

    def drain(self, timeout: float, grace: float = 1.0) -> bool:
        """Let nobody in any more and wait for the running calls, at most `timeout` seconds.

        Endless verbs are taken back at once, the others when the time is over; then `grace` seconds are left
        to them. Returns whether all have ended.
        """
        with self._changed:
            self._state = "stopping"
            self._changed.notify_all()
            for verb, cancelled in self._running.values():
                if verb in ENDLESS:
                    cancelled.set()
            if self._changed.wait_for(lambda: not self._running, timeout):
                return True
            for _verb, cancelled in self._running.values():
                cancelled.set()
            return self._changed.wait_for(lambda: not self._running, grace)

    def close(self, timeout: float) -> None:
        """Close the service, also one that is only just opening; waits at most `timeout` seconds for that."""
        with self._changed:
            self._changed.wait_for(lambda: not self.is_opening(), timeout)
            service = self._service
        if service is not None:
            service.close()

    def _opened(self) -> OpenService:
        with self._changed:
            self._changed.wait_for(lambda: self._state != "opening")
            return self._let_in()

    def _enter(self, verb: str, call: Call) -> tuple[OpenService, int]:
        with self._changed:
            while self._state == "opening":
                call.check()
                self._changed.wait(_TICK)
            service = self._let_in()
            self._last += 1
            self._running[self._last] = verb, call.cancelled
            return service, self._last

    def _let_in(self) -> OpenService:
        if self._error is not None:
            # A new one each time: a raised exception keeps the traceback of its raising.
            raise type(self._error)(self._error.message)
        if self._state == "stopping" or self._service is None:
            raise NotBegunError("the keeper is stopping and didn't begin this call; try again")
        return self._service


class Doorstep:
    """The gate for one client: its calls wait until the keeper knows in which workspace it works.

    Otherwise the first question from a repository that is new here would hear that there is no such project.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate
        self._placed = threading.Event()

    def place(self) -> None:
        """The client's workspace is known, or it has none: let its calls through."""
        self._placed.set()

    def call(self, verb: str, arguments: Mapping[str, Any], call: Call) -> Result:
        """As the gate's."""
        self._wait(call.check)
        return self._gate.call(verb, arguments, call)

    def follow(self, caller: Caller, listener: Listener) -> Following:
        """As the gate's."""
        self._wait(lambda: None)
        return self._gate.follow(caller, listener)

    def _wait(self, check: Callable[[], None]) -> None:
        """Wait until the client is placed; nobody is before the service is open, however long that takes."""
        end = time.monotonic() + _PLACING_S
        while not self._placed.wait(_TICK) and time.monotonic() < end:
            check()
            if self._gate.is_opening():
                end = time.monotonic() + _PLACING_S
