"""Code lenses: how much is known of a file and of its definitions, and how much of it is stale."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from lsprotocol import types

from afresh_lsp import texts, translator
from afresh_lsp.files import OpenFile
from afresh_lsp.knowledge import Knowledge

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer

SHOW = "afresh.show"
_GATHERED_S = 0.05


def register(server: AfreshServer) -> None:
    """Answer with lenses, and have them asked for again when they are others."""
    refresh = _Refresh(server)
    server.files.show.append(refresh.seen)
    server.on_options.append(refresh.soon)

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        if not server.options.code_lens:
            return []
        uri = params.text_document.uri
        known = await server.files.knowledge(uri)
        if not known.items:
            return []
        text = server.shown(uri)
        found = [
            translator.lens(
                text, 1, texts.counted(known.items), SHOW, [[list(item.key) for item in known.items]]
            )
        ]
        return found + [
            translator.lens(text, line, texts.counted(items), SHOW, [[list(item.key) for item in items]])
            for line, items in known.by_line().items()
        ]


class _Refresh:
    """Asks the client to ask for lenses and hints again, once for what happens at once."""

    def __init__(self, server: AfreshServer) -> None:
        self._server = server
        self._seen: dict[str, object] = {}
        self._waiting = False

    def seen(self, file: OpenFile, known: Knowledge) -> None:
        now = [(line, [(*item.key, item.stale) for item in items]) for line, items in known.by_line().items()]
        shown = [(*item.key, item.stale) for item in known.items], now
        if self._seen.get(file.uri) != shown:
            open_now = {each.uri for each in self._server.files.all()}
            self._seen = {uri: one for uri, one in self._seen.items() if uri in open_now}
            self._seen[file.uri] = shown
            self.soon()

    def soon(self) -> None:
        can = self._server.client
        if not self._waiting and (can.lens_refresh or can.hint_refresh):
            self._waiting = True
            asyncio.get_running_loop().call_later(_GATHERED_S, self._send)

    def _send(self) -> None:
        self._waiting = False
        if self._server.client.lens_refresh:
            self._server.workspace_code_lens_refresh(None)
        if self._server.client.hint_refresh and self._server.options.inlay_hints:
            self._server.workspace_inlay_hint_refresh(None)
