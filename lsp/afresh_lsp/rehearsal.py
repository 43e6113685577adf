"""What a server answers to `initialize`, asked without any process: for the answer that is kept of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from afresh.client import OnEvent
from afresh_lsp.engine import News
from afresh_lsp.pages import Pages
from afresh_lsp.server import make_server


class _NoEngine:
    """Answers nothing; nobody asks while a server says what it can."""

    def open(self, folder: Path) -> None: ...

    def leave(self, folder: Path) -> None: ...

    def listen(self, news: News) -> None: ...

    async def call(
        self,
        verb: str,
        arguments: Mapping[str, Any],
        *,
        folder: Path | None = None,
        on_event: OnEvent | None = None,
    ) -> dict[str, Any]:
        raise AssertionError(f"{verb} was asked before a client had connected")

    def close(self) -> None: ...


class _Sent:
    """Keeps what a server writes."""

    def __init__(self) -> None:
        self.data = b""

    def write(self, data: bytes) -> None:
        self.data += data

    def close(self) -> None: ...


def initialized(capabilities: Mapping[str, Any]) -> dict[str, Any]:
    """The result of `initialize` for a client of these capabilities."""
    sent = _Sent()
    server = make_server(_NoEngine(), Pages(Path("/nonexistent")))
    server.protocol.set_writer(sent)
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {"processId": None, "rootUri": None, "capabilities": dict(capabilities)},
    }

    async def ask() -> None:
        text = json.dumps(message)
        server.protocol.handle_message(json.loads(text, object_hook=server.protocol.structure_message))

    asyncio.run(ask())
    result: dict[str, Any] = json.loads(sent.data.partition(b"\r\n\r\n")[2])["result"]
    return result
