"""The engine as the language server asks it: without blocking, with calls that can be taken back.

The keeper answers from another process. Each folder of the editor has a connection of its own, since the
folder decides which project is meant; while it is open the keeper watches it and says what turns.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from afresh.client import Client, OnEvent, connect
from afresh.errors import AfreshError
from afresh.settings import Settings

_LOG = logging.getLogger(__name__)
_AT_ONCE = 8
_PAUSES_S = (0.2, 1.0, 5.0, 30.0)
"""Between attempts to follow an engine that doesn't answer."""

News = Callable[[Path, Mapping[str, Any]], None]
"""Takes a folder and what was told of it, in the event loop."""


class Engine(Protocol):
    """The verbs, and what is told unasked."""

    def open(self, folder: Path) -> None:
        """Work in a folder from now on: it is watched, and what turns there is told. Returns at once."""

    def leave(self, folder: Path) -> None:
        """Work there no more."""

    def listen(self, news: News) -> None:
        """Tell news to this one, in the running event loop."""

    async def call(
        self,
        verb: str,
        arguments: Mapping[str, Any],
        *,
        folder: Path | None = None,
        on_event: OnEvent | None = None,
    ) -> dict[str, Any]:
        """Ask and wait. Cancelling takes the call back; `on_event` is called in another thread.

        Raises the AfreshError that the verb raises.
        """

    def close(self) -> None:
        """End; calls in flight raise."""


class _Folder:
    """A connection for one folder, or for files in none."""

    def __init__(self, settings: Settings, folder: Path | None, client: str) -> None:
        self._settings = settings
        self.folder = folder
        self._client_name = client
        self._guard = threading.Lock()
        self._client: Client | None = None
        self.stop = threading.Event()

    def client(self) -> Client:
        """Connect with the first call. Blocks; raises KeeperUnavailableError."""
        with self._guard:
            if self._client is None:
                self._client = connect(
                    self._settings,
                    cwd=self.folder,
                    client=self._client_name,
                    kind="cli",
                    attach=self.folder is not None,
                )
                if self.stop.is_set():
                    self._client.close()
            return self._client

    def close(self) -> None:
        self.stop.set()
        client = self._client
        if client is not None:
            client.close()


class KeeperEngine:
    """The engine behind the keeper of a data folder."""

    def __init__(self, settings: Settings, client: str = "lsp") -> None:
        self._settings = settings
        self._client_name = client
        self._folders: dict[Path | None, _Folder] = {None: _Folder(settings, None, client)}
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="engine")
        self._news: News | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self, folder: Path) -> None:
        if folder in self._folders:
            return
        made = self._folders[folder] = _Folder(self._settings, folder, self._client_name)
        threading.Thread(target=self._follow, args=(made,), name="following", daemon=True).start()

    def leave(self, folder: Path) -> None:
        left = self._folders.pop(folder, None)
        if left is not None:
            left.close()

    def listen(self, news: News) -> None:
        self._news = news
        self._loop = asyncio.get_running_loop()

    async def call(
        self,
        verb: str,
        arguments: Mapping[str, Any],
        *,
        folder: Path | None = None,
        on_event: OnEvent | None = None,
    ) -> dict[str, Any]:
        place = self._folders.get(folder, self._folders[None])
        cancelled = threading.Event()
        asked = partial(_ask, place, verb, arguments, on_event, cancelled)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, asked)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def close(self) -> None:
        for folder in self._folders.values():
            folder.close()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _follow(self, folder: _Folder) -> None:
        """Hear what turns in a folder until it is left, from one keeper after the other."""
        assert folder.folder is not None
        failed = 0

        def tell(event: Mapping[str, Any]) -> None:
            nonlocal failed
            if event.get("kind") == "following":
                failed = 0
            self._tell(folder, event)

        while not folder.stop.is_set():
            try:
                folder.client().call("follow", {}, on_event=tell, cancelled=folder.stop)
            except AfreshError as error:
                if folder.stop.is_set():
                    return
                _LOG.warning("%s is not followed: %s", folder.folder, error.message)
                self._tell(folder, {"kind": "lost", "message": error.message})
            folder.stop.wait(_PAUSES_S[min(failed, len(_PAUSES_S) - 1)])
            failed += 1

    def _tell(self, folder: _Folder, event: Mapping[str, Any]) -> None:
        loop, news = self._loop, self._news
        if loop is None or news is None or folder.folder is None or folder.stop.is_set():
            return
        try:
            loop.call_soon_threadsafe(news, folder.folder, event)
        except RuntimeError:
            # The loop has ended, and with it everybody who listens.
            folder.stop.set()


def _ask(
    place: _Folder,
    verb: str,
    arguments: Mapping[str, Any],
    on_event: OnEvent | None,
    cancelled: threading.Event,
) -> dict[str, Any]:
    return place.client().call(verb, arguments, on_event=on_event, cancelled=cancelled)
