"""The keeper's process: `afresh keeper run`.

It listens before it loads anything else: whoever started it waits for the socket, and can send its calls
while the database is being opened.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from afresh import __version__
from afresh.keeper import system, transport
from afresh.keeper.election import Holder, Lock, unwritable

if TYPE_CHECKING:
    from collections.abc import Callable

    from afresh.keeper.serving import Parts
    from afresh.settings import Settings


def run(settings: Settings, parts: Callable[[], Parts] | None = None) -> int:
    """Be the keeper of a data folder until stopped or idle; the exit code.

    Returns 0 at once where another process holds the folder. `parts` gives what the keeper is made of; by
    default that is the real service and the real MCP face.

    Raises StoreUnwritableError and KeeperUnavailableError where the folders can't be used.
    """
    system.settle_in()
    try:
        settings.home.mkdir(parents=True, mode=0o700, exist_ok=True)
    except OSError as error:
        raise unwritable(settings.home, error) from None
    lock = Lock.acquire(settings.lock)
    if lock is None:
        return 0
    listener = transport.listen(settings)
    lock.note(Holder(os.getpid(), __version__, str(listener.address)))
    # Until all is loaded; see `serving.Keeper`.
    gc.disable()
    # Short turns: a thread that only passes a line on must not wait 5 ms for one that computes.
    sys.setswitchinterval(0.001)
    from afresh.keeper import logs, serving

    try:
        logs.open_log(settings.log, settings.log_level)
    except OSError as error:
        listener.close()
        raise unwritable(settings.home, error) from None
    system.raise_file_limit()
    keeper = serving.Keeper(settings, parts() if parts else serving.real_parts(), lock, listener)
    keeper.stop_on_signals()
    return keeper.serve()
