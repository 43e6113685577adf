"""Progress of a verb that takes time, shown where the client shows any, and taken back where it asks so."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException

from afresh_lsp import translator

if TYPE_CHECKING:
    from afresh.client import OnEvent
    from afresh_lsp.server import AfreshServer

_PATIENCE_S = 2.0
"""For a client that is asked for room and says nothing."""


@asynccontextmanager
async def progress(server: AfreshServer, title: str) -> AsyncIterator[OnEvent]:
    """Show progress while the block runs; gives what takes the verb's events, from any thread.

    A client that cancels it cancels the task that runs the block.
    """
    if not server.client.progress:
        yield _nowhere
        return
    shown, token = server.work_done_progress, str(uuid.uuid4())
    try:
        await asyncio.wait_for(shown.create_async(token), _PATIENCE_S)
    except (JsonRpcException, TimeoutError):
        # The client has no room for it; the work is done all the same.
        yield _nowhere
        return
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    over = False

    def cancelled(_: object) -> None:
        if not over and task is not None and shown.tokens[token].cancelled():
            task.cancel()

    def report(event: Mapping[str, Any]) -> None:
        if not over:
            shown.report(token, translator.reported(event))

    def take(event: Mapping[str, Any]) -> None:
        loop.call_soon_threadsafe(report, event)

    shown.tokens[token].add_done_callback(cancelled)
    shown.begin(token, translator.begun(title))
    message = "ended"
    try:
        yield take
        message = "done"
    finally:
        over = True
        shown.end(token, translator.ended(message))
        shown.tokens.pop(token, None)


def _nowhere(_event: Mapping[str, Any]) -> None:
    """The events of work whose progress nobody sees."""
