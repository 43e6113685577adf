"""Who subscribed to which resources, and the notifications to them, in both eras of the protocol.

In the handshake era a client subscribes resource by resource, and is told over its connection, of a changed
list also unasked. In the era without a handshake it opens a stream that names what it wants, and is told on
that stream alone. A notification says "read it again", so what was not sent yet is never sent twice.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any

import anyio
import anyio.abc
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import (
    SUBSCRIPTION_ID_META_KEY,
    ResourcesListChanged,
    ResourceUpdated,
    event_to_notification,
)

from afresh.engine.calls import Caller, Following, News, Service
from afresh.errors import AfreshError, NotFoundError, UnknownProjectError
from afresh.faces.mcp_resources import known_address, refused
from afresh.faces.resource_kinds import Address, address_of

logger = logging.getLogger(__name__)

SUBSCRIPTIONS = 1000
"""Resources that one connection may be subscribed to, and that one stream may name."""
STREAMS = 64
"""Streams that one connection may have open."""

_Context = ServerRequestContext[dict[str, Any], Any]
_Event = ResourceUpdated | ResourcesListChanged


class Updates:
    """The subscriptions of one connection."""

    def __init__(self, service: Service, caller: Caller) -> None:
        self._service = service
        self._caller = caller
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: anyio.abc.TaskGroup | None = None
        self._following: Following | None = None
        self._one_at_a_time = anyio.Lock()
        self._connection = _Subscriber()
        """What the handshake era sends, over the connection."""
        self._streams: set[_Subscriber] = set()
        self._session: ServerSession | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Follow and send while the block runs; nothing is followed before somebody wants it."""
        self._loop = asyncio.get_running_loop()
        try:
            async with anyio.create_task_group() as tasks:
                self._tasks = tasks
                try:
                    yield
                finally:
                    tasks.cancel_scope.cancel()
        finally:
            if self._following is not None:
                self._following.close()

    # --- the handshake era ----------------------------------------------------------------------------

    async def initialized(self, context: _Context, _params: types.NotificationParams | None) -> None:
        """The client is ready: from now on it is told when the list changes."""
        self._begin(context.session)

    async def subscribe(self, context: _Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        address = known_address(params.uri)
        subscribed = self._connection.addresses
        if params.uri not in subscribed and len(subscribed) >= SUBSCRIPTIONS:
            raise MCPError(
                code=types.INVALID_REQUEST,
                message=f"{SUBSCRIPTIONS} resources are subscribed to; unsubscribe from some",
            )
        known = params.uri in subscribed
        # Before it is looked at: what turns meanwhile is told.
        subscribed[params.uri] = address
        try:
            await self._know([address])
        except AfreshError as error:
            if not known:
                del subscribed[params.uri]
            raise refused(error) from None
        self._begin(context.session)
        return types.EmptyResult()

    async def unsubscribe(
        self, _context: _Context, params: types.UnsubscribeRequestParams
    ) -> types.EmptyResult:
        self._connection.addresses.pop(params.uri, None)
        return types.EmptyResult()

    def _begin(self, session: ServerSession) -> None:
        if self._session is None and self._tasks is not None:
            self._session = session
            self._connection.listing = True
            self._tasks.start_soon(self._send, session)

    async def _send(self, session: ServerSession) -> None:
        try:
            await self._follow()
            while True:
                for event in await self._connection.take():
                    await session.send_notification(_notification(event))
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            logger.debug("a client that is told of resources went away")
        except AfreshError as error:
            logger.warning("a client isn't told of resources: %s", error.message)
        except Exception:
            logger.exception("a client isn't told of resources")

    # --- the era without a handshake ------------------------------------------------------------------

    async def listen(
        self, context: _Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        """Serve one stream until the client takes it back or goes away.

        It is acknowledged with what will be told: resources that don't exist are left out, and so are lists
        that never change.
        """
        number = context.request_id
        if number is None or len(self._streams) >= STREAMS:
            raise MCPError(
                code=types.INVALID_REQUEST,
                message="subscriptions/listen needs a request id"
                if number is None
                else f"{STREAMS} streams are open; close some",
            )
        meta: dict[str, Any] = {SUBSCRIPTION_ID_META_KEY: number}
        stream = _Subscriber()
        self._streams.add(stream)
        try:
            try:
                honored = await self._honored(stream, params.notifications)
            except AfreshError as error:
                raise refused(error) from None
            await context.session.send_notification(
                types.SubscriptionsAcknowledgedNotification(
                    params=types.SubscriptionsAcknowledgedNotificationParams(
                        notifications=honored, _meta=meta
                    )
                ),
                related_request_id=number,
            )
            while True:
                for event in await stream.take():
                    await context.session.send_notification(
                        event_to_notification(event, meta), related_request_id=number
                    )
        finally:
            self._streams.discard(stream)

    async def _honored(
        self, stream: _Subscriber, wanted: types.SubscriptionFilter
    ) -> types.SubscriptionFilter:
        asked = list(dict.fromkeys(wanted.resource_subscriptions or ()))[:SUBSCRIPTIONS]
        found = {uri: address for uri in asked if (address := address_of(uri)) is not None}
        # Before they are looked at: what turns meanwhile is told.
        stream.addresses |= found
        stream.listing = wanted.resources_list_changed is True
        await self._follow()
        try:
            await self._know(found.values())
        except (NotFoundError, UnknownProjectError):
            for uri, address in found.items():
                try:
                    await self._know([address])
                except (NotFoundError, UnknownProjectError):
                    del stream.addresses[uri]
        return types.SubscriptionFilter(
            resources_list_changed=stream.listing or None,
            resource_subscriptions=list(stream.addresses) or None,
        )

    # --- what is told ---------------------------------------------------------------------------------

    async def _follow(self) -> Following:
        async with self._one_at_a_time:
            if self._following is None:
                self._following = await anyio.to_thread.run_sync(
                    self._service.follow, self._caller, self._take
                )
            return self._following

    async def _know(self, addresses: Iterable[Address]) -> None:
        """See how resources stand, in one go. Raises AfreshError for one that doesn't exist."""
        wanted: dict[str, list[Any]] = {}
        for address in addresses:
            for what, values in address.kind.knows(address.value).items():
                wanted.setdefault(what, []).extend(values)
        following = await self._follow()
        if wanted:
            await anyio.to_thread.run_sync(partial(following.know, **wanted))

    def _take(self, news: News) -> None:
        """Take news, from any thread."""
        # The connection may have ended together with the loop, which then refuses with a RuntimeError.
        with suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._put, news)

    def _put(self, news: News) -> None:
        for subscriber in (self._connection, *self._streams):
            subscriber.put(news)


def _notification(event: _Event) -> types.ServerNotification:
    """An event as the handshake era tells it: without the id of a stream."""
    if isinstance(event, ResourceUpdated):
        return types.ResourceUpdatedNotification(
            params=types.ResourceUpdatedNotificationParams(uri=event.uri)
        )
    return types.ResourceListChangedNotification()


class _Subscriber:
    """What one subscriber wants to be told, and what it is still to be told. Belongs to the event loop."""

    def __init__(self) -> None:
        self.addresses: dict[str, Address] = {}
        """By URI, as the client wrote it."""
        self.listing = False
        """Whether it is told when the list changes."""
        self._waiting: dict[_Event, None] = {}
        self._woken = anyio.Event()

    def put(self, news: News) -> None:
        for uri, address in self.addresses.items():
            if address.kind.told(address.value, news):
                self._waiting[ResourceUpdated(uri)] = None
        if news.listing and self.listing:
            self._waiting[ResourcesListChanged()] = None
        if self._waiting:
            self._woken.set()

    async def take(self) -> list[_Event]:
        """Wait for something to be told; each event once."""
        await self._woken.wait()
        self._woken = anyio.Event()
        taken, self._waiting = list(self._waiting), {}
        return taken
