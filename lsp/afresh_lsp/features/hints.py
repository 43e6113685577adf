"""Inlay hints: how much is known, beside a definition's first line. Off unless asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from afresh_lsp import texts, translator

if TYPE_CHECKING:
    from afresh_lsp.server import AfreshServer


def register(server: AfreshServer) -> None:
    """Answer with hints."""

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def hints(params: types.InlayHintParams) -> list[types.InlayHint]:
        if not server.options.inlay_hints:
            return []
        uri = params.text_document.uri
        known = await server.files.knowledge(uri)
        text = server.shown(uri)
        first, last = params.range.start.line + 1, params.range.end.line + 1
        return [
            translator.hint(
                text, line, texts.counted(items), "\n".join(texts.plain(one.title, 200) for one in items)
            )
            for line, items in known.by_line().items()
            if first <= line <= last
        ]
