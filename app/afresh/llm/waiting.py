"""Runs one request that can be taken back: by its caller, or by its time."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from afresh.errors import CancelledCallError, LlmTimeoutError

_LOOK_S = 0.05
"""So often a request that waits looks whether its caller took it back."""

T = TypeVar("T")


def wait_for(
    request: Callable[[], Coroutine[Any, Any, T]], *, timeout_s: float, cancelled: threading.Event, who: str
) -> T:
    """The request's answer. One that is cancelled or late has its connection closed, so its server stops.

    Raises CancelledCallError, LlmTimeoutError that names `who`, and what the request raises.
    """
    return asyncio.run(_wait(request, timeout_s, cancelled, who))


async def _wait(
    request: Callable[[], Coroutine[Any, Any, T]], timeout_s: float, cancelled: threading.Event, who: str
) -> T:
    task = asyncio.ensure_future(request())
    loop = asyncio.get_running_loop()
    end = loop.time() + timeout_s
    try:
        while not task.done():
            if cancelled.is_set():
                raise CancelledCallError("the call was cancelled")
            left = end - loop.time()
            if left <= 0:
                raise LlmTimeoutError(
                    f"{who} gave no answer in {timeout_s:g} s; raise AFRESH_LLM_TIMEOUT or use a small model"
                )
            await asyncio.wait({task}, timeout=min(_LOOK_S, left))
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
