"""The engine as the screens see it: asked without blocking, answered with typed results, cancelled with
them.

The types are the contracts' own. They are loaded with the first answer, in the thread that waits for it,
so that nothing of it stands before the first paint.
"""

from __future__ import annotations

import asyncio
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Literal, overload

from afresh.client import Client, Host

if TYPE_CHECKING:
    from afresh import contracts, verbs

Event = Mapping[str, Any]
OnEvent = Callable[[Event], None]


class Engine(ABC):
    """The verbs, asked from the event loop."""

    @overload
    async def ask(
        self, verb: Literal["recall"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> contracts.RecallResult: ...
    @overload
    async def ask(
        self, verb: Literal["browse"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> verbs.BrowseResult: ...
    @overload
    async def ask(
        self, verb: Literal["memory_get"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> contracts.GetResult: ...
    @overload
    async def ask(
        self, verb: Literal["memory_save"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> contracts.SaveResult: ...
    @overload
    async def ask(
        self, verb: Literal["memory_update"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> contracts.UpdateResult: ...
    @overload
    async def ask(
        self, verb: Literal["memory_delete"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> contracts.DeleteResult: ...
    @overload
    async def ask(
        self,
        verb: Literal["memory_recall_iterative"],
        arguments: Mapping[str, Any],
        *,
        on_event: OnEvent | None = None,
    ) -> contracts.IterateResult: ...
    @overload
    async def ask(
        self,
        verb: Literal["memory_exploration_record"],
        arguments: Mapping[str, Any],
        *,
        on_event: OnEvent | None = None,
    ) -> contracts.RecordResult: ...
    @overload
    async def ask(
        self,
        verb: Literal["memory_exploration_verify"],
        arguments: Mapping[str, Any],
        *,
        on_event: OnEvent | None = None,
    ) -> contracts.VerifyResult: ...
    @overload
    async def ask(
        self,
        verb: Literal["workspace_status"],
        arguments: Mapping[str, Any],
        *,
        on_event: OnEvent | None = None,
    ) -> contracts.StatusResult: ...
    @overload
    async def ask(
        self, verb: Literal["stale"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> verbs.StaleResult: ...
    @overload
    async def ask(
        self, verb: Literal["memo"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> verbs.MemoResult: ...
    @overload
    async def ask(
        self, verb: Literal["memo_diff"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> verbs.MemoDiffResult: ...
    @overload
    async def ask(
        self, verb: Literal["claims"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> verbs.ClaimsResult: ...
    @overload
    async def ask(
        self, verb: Literal["run"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> verbs.RunResult: ...
    @overload
    async def ask(
        self, verb: Literal["replay"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> verbs.ReplayResult: ...
    @overload
    async def ask(
        self, verb: Literal["projects"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> verbs.ProjectsResult: ...
    @overload
    async def ask(
        self, verb: Literal["complete"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> verbs.CompleteResult: ...
    @overload
    async def ask(
        self,
        verb: Literal["index", "watch"],
        arguments: Mapping[str, Any],
        *,
        on_event: OnEvent | None = None,
    ) -> verbs.IndexResult: ...
    @overload
    async def ask(
        self, verb: Literal["keeper_status"], arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> contracts.KeeperStatus: ...
    @overload
    async def ask(
        self, verb: str, arguments: Mapping[str, Any], *, on_event: OnEvent | None = None
    ) -> Any: ...

    async def ask(self, verb: str, arguments: Mapping[str, Any], *, on_event: OnEvent | None = None) -> Any:
        """The verb's result, in its type of `afresh.verbs.VERBS`; arguments that are None are not sent.

        `on_event` gets the events of a verb that takes time, in the loop's thread. When the task that
        waits here is cancelled, the call is taken back. Raises the AfreshError that the verb raises.
        """
        given = {name: value for name, value in arguments.items() if value is not None}
        return await self.answer(verb, given, on_event)

    @abstractmethod
    async def answer(self, verb: str, arguments: Mapping[str, Any], on_event: OnEvent | None) -> Any:
        """What `ask` gives out."""

    @property
    @abstractmethod
    def connected(self) -> bool:
        """Whether the keeper is there, as far as is known; before the first call it counts as there."""

    @property
    @abstractmethod
    def keeper_pid(self) -> int | None:
        """The keeper that answered last; None where there is none."""

    @abstractmethod
    def close(self) -> None:
        """Disconnect; calls in flight raise."""


class HostEngine(Engine):
    """Over a keeper's client, or over the engine in this process."""

    def __init__(self, open_host: Callable[[], Host]) -> None:
        """`open_host` connects; it may block and raise, and is called in a thread, with the first
        question."""
        self._open_host = open_host
        self._guard = threading.Lock()
        self._host: Host | None = None
        self._closed = False

    async def answer(self, verb: str, arguments: Mapping[str, Any], on_event: OnEvent | None) -> Any:
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[Any] = loop.create_future()
        cancelled = threading.Event()
        events = None if on_event is None else _Delivery(loop, on_event)

        def settle(result: Any, error: BaseException | None) -> None:
            if answered.done():
                return
            if error is not None:
                answered.set_exception(error)
            else:
                answered.set_result(result)

        def run() -> None:
            result: Any = None
            error: BaseException | None = None
            try:
                raw = self._connected_host().call(verb, arguments, on_event=events, cancelled=cancelled)
                result = typed(verb, raw)
            except BaseException as raised:  # noqa: BLE001 - raised again in the task that asked
                error = raised
            if not loop.is_closed():
                loop.call_soon_threadsafe(settle, result, error)

        threading.Thread(target=run, name=f"ask {verb}", daemon=True).start()
        try:
            return await answered
        except asyncio.CancelledError:
            cancelled.set()
            raise

    @property
    def connected(self) -> bool:
        host = self._host
        return host.connected if isinstance(host, Client) else True

    @property
    def keeper_pid(self) -> int | None:
        host = self._host
        return host.keeper_pid if isinstance(host, Client) else None

    def close(self) -> None:
        with self._guard:
            self._closed = True
            host = self._host
        if host is not None:
            host.close()

    def _connected_host(self) -> Host:
        with self._guard:
            if self._host is None:
                self._host = self._open_host()
                if self._closed:
                    self._host.close()
            return self._host


class _Delivery:
    """Brings events from the thread that waits to the loop: many at once where they come fast."""

    def __init__(self, loop: asyncio.AbstractEventLoop, on_event: OnEvent) -> None:
        self._loop = loop
        self._on_event = on_event
        self._waiting: deque[Event] = deque()
        self._guard = threading.Lock()
        self._context = copy_context()
        """Of whoever asked: without it a message that is posted while an event is taken has no sender, and
        handlers that choose by selector don't hear it."""

    def __call__(self, event: Event) -> None:
        with self._guard:
            self._waiting.append(event)
            first = len(self._waiting) == 1
        if first and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._deliver, context=self._context)

    def _deliver(self) -> None:
        with self._guard:
            events, self._waiting = self._waiting, deque()
        for event in events:
            self._on_event(event)


def typed(verb: str, raw: Mapping[str, Any]) -> Any:
    """A result as its type; a verb that isn't known stays as it came."""
    from afresh.verbs import VERBS

    known = VERBS.get(verb)
    return raw if known is None else known.result.model_validate(raw)
